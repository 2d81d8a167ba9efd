"""False-positive rates, power and coverage of every test and interval: a seeded simulation.

An experiment draws data and returns, for each method, whether an event happened (a rejection, an interval that
covers the truth, a passed gate). `EXPERIMENTS` lists them: a new one is a function and a line there. Methods come
from the registries, so that a new test appears by itself. Results go to results/levels.json and, with --docs, into
the table of docs/statistics.md.
Run: python benchmarks/bench_levels.py [--trials N] [--only TEXT] [--docs]
"""

from __future__ import annotations

import argparse
import json
import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from multiprocessing import Pool
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from rubrica.comparison import judge
from rubrica.comparison.baseline import StoredRow
from rubrica.data.metrics import MetricsDict
from rubrica.meta import Level, compare_metrics, interval
from rubrica.meta.correlation.interval_options import IntervalOptions
from rubrica.metrics.base.aggregation import MeanAggregation
from rubrica.metrics.base.sample import Sample, summarize
from rubrica.statistics.intervals import Resampling
from rubrica.statistics.significance import PAIRED_TESTS
from rubrica.statistics.student import t_quantile

HERE = Path(__file__).parent
DOCS = HERE.parent / "docs" / "statistics.md"
ALPHA, ROUNDS, TOPIC, ICC = 0.05, 399, 5, 0.3
SIZES: tuple[Any, ...] = (10, 30, 100)
META_ROUNDS = 199
TABLE_SIZES = ((12, 25), (25, 100))
METRIC_TESTS: tuple[Any, ...] = (
    "permutation-two-way",
    "permutation-system",
    "permutation-input",
    "permutation-both",
    "bootstrap-both",
    "williams",
)
CORRELATION_INTERVALS: dict[str, dict[str, Any]] = {
    "fisher": {"method": "fisher"},
    "jackknife": {"method": "jackknife"},
    "bootstrap-both": {"method": "bootstrap-both"},
    "bootstrap-both, BCa": {"method": "bootstrap-both", "bounds": "bca"},
}
Random: TypeAlias = np.random.Generator
Events: TypeAlias = dict[str, bool]
Floats: TypeAlias = np.ndarray[Any, np.dtype[np.float64]]


@dataclass(frozen=True)
class Experiment:
    """What is simulated, which event is counted, how often it should happen, and for which sizes."""

    name: str
    event: str
    nominal: str
    sizes: Sequence[Any]
    simulate: Callable[[Random, Any], Events]


class RatioOfSums(MeanAggregation):
    """A corpus score: hits over words, as precision in BLEU."""

    corpus_statistics = True

    def score_sums(self, measures: Sequence[str], sums: Floats, counts: Floats) -> Floats:
        return sums[:, :1] / sums[:, 1:]


def differences(random: Random, inputs: int, kind: str) -> Floats:
    """Differences of two equal systems, with variance 1."""
    if kind == "topics":
        topics = np.repeat(random.normal(size=-(-inputs // TOPIC)), TOPIC)[:inputs]
        return np.sqrt(ICC) * topics + np.sqrt(1 - ICC) * random.normal(size=inputs)
    if kind == "skewed":
        return (random.exponential(size=inputs) - random.exponential(size=inputs)) / np.sqrt(2)
    return random.normal(size=inputs)


def paired_rejections(
    random: Random, inputs: int, kind: str = "normal", shift: float = 0.0
) -> Events:
    """Rejections by every paired test of two systems that differ by `shift` standard deviations."""
    if kind == "corpus":
        words = random.integers(5, 60, size=(1, inputs, 1)).repeat(2, axis=0)
        hits = random.binomial(words, random.beta(2, 3, size=(2, inputs, 1)))
        rows = np.concatenate([hits, words], axis=2).astype(float)
        samples = {"": Sample.of(RatioOfSums(), ["x"], rows)}
    else:
        values = np.stack([np.zeros(inputs), differences(random, inputs, kind) + shift])
        samples = {"": Sample.of(MeanAggregation(), ["x"], values[:, :, None])}
        if kind == "topics":
            topics = [at // TOPIC for at in range(inputs)]
            rows = values[:, :, None]
            samples[", clustered"] = Sample.of(MeanAggregation(), ["x"], rows, topics)
    seed = int(random.integers(2**32))
    events = {}
    for name, test in PAIRED_TESTS.items():
        for suffix, sample in samples.items():
            p = test.function(sample, [(0, 1)], ROUNDS, seed, "two-sided").p_values[0, 0]
            events[name + suffix] = bool(p <= ALPHA)
    return events


def intervals(random: Random, inputs: int, kind: str = "normal") -> Events:
    """Whether 95 % intervals of `evaluate` cover the mean, beside plain percentiles and Student's t."""
    if kind == "skewed":
        values = random.exponential(size=inputs) - 1
    else:
        values = differences(random, inputs, kind)
    resampling = Resampling(rounds=ROUNDS, seed=int(random.integers(2**32)))
    means = random.choice(values, size=(ROUNDS, inputs)).mean(axis=1)
    plain = np.quantile(means, [0.025, 0.975])
    half = -t_quantile(0.025, inputs - 1) * values.std(ddof=1) / np.sqrt(inputs)
    events = {
        "plain percentiles": plain[0] <= 0 <= plain[1],
        "Student's t": abs(values.mean()) <= half,
    }
    clusters: dict[str, Any] = {"evaluate": None}
    if kind == "topics":
        clusters["evaluate, clustered"] = [at // TOPIC for at in range(inputs)]
    for name, groups in clusters.items():
        [own] = summarize(MeanAggregation(), ["x"], values[:, None], resampling, groups)
        assert own.lower is not None
        assert own.upper is not None
        events[name] = own.lower <= 0 <= own.upper
    return {name: bool(event) for name, event in events.items()}


def gate(random: Random, inputs: int, kind: str = "normal", margin: float | None = None) -> Events:
    """Wrong decisions of the gate: equal systems fail, or a loss of exactly the margin passes."""
    loss = differences(random, inputs, kind) + (margin or 0.0)
    systems = [
        [StoredRow(str(at), name, "peer", MetricsDict({"x": float(v)})) for at, v in enumerate(own)]
        for name, own in (("old", np.zeros(inputs)), ("new", -loss))
    ]
    topics = {str(at): str(at // TOPIC) for at in range(inputs)}
    events = {}
    names = (
        ["loss <= margin"]
        if margin is not None
        else [n for n, t in PAIRED_TESTS.items() if t.one_sided]
    )
    for name in names:
        for suffix, clusters in (("", None), (", clustered", topics))[: 1 + (kind == "topics")]:
            options: dict[str, Any] = {"rounds": ROUNDS, "seed": int(random.integers(2**32))}
            if margin is None:
                options["test"] = name
            old, new = systems
            [verdict] = judge(old, new, {"x": None}, margin=margin, clusters=clusters, **options)
            events[name + suffix] = verdict.passed if margin is not None else not verdict.passed
    return events


class Table(NamedTuple):
    """A table of scores and the correlation that is computed from it."""

    systems: int
    inputs: int
    level: str
    coefficient: str

    def __str__(self) -> str:
        return f"{self.systems} x {self.inputs} {self.level} {self.coefficient.capitalize()}"


def tables() -> list[Table]:
    """All sizes, levels and coefficients."""
    return [
        Table(systems, inputs, level, coefficient)
        for systems, inputs in TABLE_SIZES
        for level in ("system", "summary", "global")
        for coefficient in ("pearson", "kendall")
    ]


def metric_rejections(
    random: Random,
    table: Table,
    system_error: float = 0.0,
    input_error: float = 0.0,
    advantage: float = 1.0,
) -> Events:
    """Rejections of metric A = metric B. A metric is the human score plus errors; A's are `advantage` times as large."""
    systems, inputs = table.systems, table.inputs
    human = random.normal(size=(systems, 1)) + random.normal(size=(systems, inputs))
    a, b = (
        human
        + scale * system_error * random.normal(size=(systems, 1))
        # On some inputs a metric follows people more closely than on others.
        + scale * input_error * random.normal(size=inputs) * human
        + scale * random.normal(size=human.shape)
        for scale in (advantage, 1.0)
    )
    seed = int(random.integers(2**32))
    p_values = {}
    for name in METRIC_TESTS:
        result = compare_metrics(
            a, b, human, table.level, table.coefficient, method=name, rounds=META_ROUNDS,
            seed=seed, threads=1,
        )  # fmt: skip
        p_values[name] = 1.0 if result.p_value is None else result.p_value
    # Its definition, with the same draws: half the time of a further call.
    largest = max(p_values["permutation-system"], p_values["permutation-input"])
    default = p_values.pop("permutation-two-way")
    p_values = {
        "permutation-two-way (default)": default,
        "permutation-max": largest,
        **p_values,
    }
    return {name: p <= ALPHA for name, p in p_values.items()}


def correlation_intervals(random: Random, table: Table, rho: float) -> Events:
    """Whether 95 % intervals cover the correlation of a population of systems and inputs.

    The qualities of a system for people and for the metric are bivariate normal with correlation `rho`. A score is
    the quality plus the difficulty of the input plus noise of the cell, all with variance 1.
    """
    quality = random.multivariate_normal([0, 0], [[1, rho], [rho, 1]], size=table.systems)
    difficulty = random.normal(size=table.inputs)
    metric, human = (
        quality[:, [side]] + difficulty + random.normal(size=(table.systems, table.inputs))
        for side in range(2)
    )
    truth = {
        "system": rho / (1 + 1 / table.inputs),
        "summary": rho / 2,
        "global": (rho + 1) / 3,
    }[table.level]
    if table.coefficient == "kendall":
        truth = 2 / math.pi * math.asin(truth)
    seed = int(random.integers(2**32))
    events = {}
    for name, options in CORRELATION_INTERVALS.items():
        bounds = interval(
            metric, human, table.level, table.coefficient, rounds=META_ROUNDS, seed=seed,
            threads=1, **options,
        )  # fmt: skip
        # An undefined interval covers nothing.
        events[name] = (
            bounds.lower is not None
            and bounds.upper is not None
            and bounds.lower <= truth <= bounds.upper
        )
    events["auto (default)"] = events[IntervalOptions().method_at(Level(table.level))]
    return events


_TOPICS = f"topics of {TOPIC} (ICC {ICC:g})"
_MANY = (30, 100)
_TABLES = tables()
_BOTH: dict[str, Any] = {"system_error": 0.5, "input_error": 0.5}
EXPERIMENTS = [
    Experiment("compare: equal systems", "rejected", "5", SIZES, paired_rejections),
    Experiment("compare: equal, skewed", "rejected", "5", SIZES, partial(paired_rejections, kind="skewed")),
    Experiment("compare: equal, corpus score", "rejected", "5", SIZES, partial(paired_rejections, kind="corpus")),
    Experiment(f"compare: equal, {_TOPICS}", "rejected", "5", _MANY, partial(paired_rejections, kind="topics")),
    Experiment("compare: 0.5 SD better", "rejected", "power", SIZES, partial(paired_rejections, shift=0.5)),
    Experiment("evaluate: interval", "covers", "95", SIZES, intervals),
    Experiment("evaluate: interval, skewed", "covers", "95", SIZES, partial(intervals, kind="skewed")),
    Experiment(f"evaluate: interval, {_TOPICS}", "covers", "95", _MANY, partial(intervals, kind="topics")),
    Experiment("gate: equal systems", "fails", "5", SIZES, gate),
    Experiment(f"gate: equal, {_TOPICS}", "fails", "5", _MANY, partial(gate, kind="topics")),
    Experiment("gate: loss of the margin", "passes", "5", SIZES, partial(gate, margin=1.0)),
    Experiment("metrics: equal, errors of systems", "rejected", "5", _TABLES, partial(metric_rejections, system_error=0.5)),
    Experiment("metrics: equal, errors of inputs", "rejected", "5", _TABLES, partial(metric_rejections, input_error=0.5)),
    Experiment("metrics: equal, errors of both", "rejected", "5", _TABLES, partial(metric_rejections, **_BOTH)),
    Experiment("metrics: A has half the errors", "rejected", "power", _TABLES[:6], partial(metric_rejections, **_BOTH, advantage=0.5)),
    Experiment("correlation: interval, rho 0.7", "covers", "95", _TABLES, partial(correlation_intervals, rho=0.7)),
    Experiment("correlation: interval, rho 0.95", "covers", "95", _TABLES, partial(correlation_intervals, rho=0.95)),
]  # fmt: skip


@dataclass(frozen=True)
class Rate:
    """How often a method's event happened, in percent."""

    experiment: str
    event: str
    nominal: str
    method: str
    size: str
    percent: float
    trials: int


def _trials(task: tuple[int, Any, int, int]) -> Counter[str]:
    number, size, start, count = task
    total: Counter[str] = Counter()
    for trial in range(start, start + count):
        # Every trial has a generator of its own: any split gives the same numbers.
        random = np.random.default_rng([number, hash_of(size), trial])
        for method, event in EXPERIMENTS[number].simulate(random, size).items():
            total[method] += event
    return total


def hash_of(size: Any) -> int:
    """A number for a size. Correlations of one size share their tables, whatever the level."""
    parts = size[:2] if isinstance(size, Table) else [size]
    return sum(1000**at * part for at, part in enumerate(parts))


def rates(trials: int, only: str = "", processes: int = 1, sizes: Sequence[Any] = ()) -> list[Rate]:
    """Return the rates of all experiments whose name contains `only`."""
    found = []
    with Pool(processes) if processes > 1 else _Here() as pool:
        for number, experiment in enumerate(EXPERIMENTS):
            if only not in experiment.name:
                continue
            for size in sizes or experiment.sizes:
                step = max(1, trials // (4 * processes))
                tasks = [(number, size, s, min(step, trials - s)) for s in range(0, trials, step)]
                total: Counter[str] = Counter()
                for part in pool.map(_trials, tasks):
                    total.update(part)
                head = experiment.name, experiment.event, experiment.nominal
                found += [
                    Rate(*head, method, str(size), round(100 * count / trials, 1), trials)
                    for method, count in total.items()
                ]
    return found


class _Here:
    """Stands for a pool of processes in this one."""

    def __enter__(self) -> _Here:
        return self

    def __exit__(self, *error: object) -> None:
        return None

    def map(self, function: Any, tasks: Sequence[Any]) -> list[Any]:
        return list(map(function, tasks))


def table(found: Sequence[Rate]) -> str:
    """A Markdown table: a row for each experiment and method, a column for each size."""
    parts = []
    for sizes in dict.fromkeys(tuple(_sizes(found, rate.experiment)) for rate in found):
        lines = [f"| simulated | nominal % | method | {' | '.join(sizes)} |"]
        lines.append("|---|---:|---|" + "---:|" * len(sizes))
        rows: dict[tuple[str, ...], dict[str, float]] = {}
        for rate in found:
            if tuple(_sizes(found, rate.experiment)) == sizes:
                key = f"{rate.experiment}: {rate.event}", rate.nominal, rate.method
                rows.setdefault(key, {})[rate.size] = rate.percent
        lines += [
            f"| {' | '.join([*key, *(f'{own[size]:.1f}' for size in sizes)])} |"
            for key, own in rows.items()
        ]
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def _sizes(found: Sequence[Rate], experiment: str) -> list[str]:
    return list(dict.fromkeys(rate.size for rate in found if rate.experiment == experiment))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=2000)
    parser.add_argument("--only", default="", help="experiments whose name contains this")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument(
        "--docs", action="store_true", help="write the table into docs/statistics.md"
    )
    arguments = parser.parse_args()
    found = rates(arguments.trials, arguments.only, arguments.processes)
    path = HERE / "results" / "levels.json"
    # Experiments that did not run keep their earlier results.
    new = {rate.experiment for rate in found}
    old = json.loads(path.read_text())["results"] if path.exists() else []
    names = [experiment.name for experiment in EXPERIMENTS]
    found += [Rate(**row) for row in old if row["experiment"] not in new]
    found.sort(key=lambda rate: names.index(rate.experiment))
    result = {"alpha": ALPHA, "rounds": ROUNDS, "rounds_of_correlations": META_ROUNDS}
    path.write_text(json.dumps({**result, "results": list(map(asdict, found))}, indent=1) + "\n")
    print(table(found))
    if arguments.docs:
        pattern = r"(<!-- levels -->\n).*?(<!-- /levels -->)"
        text = re.sub(pattern, rf"\1\n{table(found)}\n\n\2", DOCS.read_text(), flags=re.DOTALL)
        DOCS.write_text(text)


if __name__ == "__main__":
    main()
