"""The gate: are new outputs worse than stored ones, or not as good within a margin?"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rubrica.aliases import find_measure
from rubrica.comparison.baseline import (
    StoredRow,
    check_comparable,
    measure_rows,
    path_of,
    score_system,
)
from rubrica.comparison.measures import metrics_for
from rubrica.comparison.records import DEFAULT_TEST
from rubrica.comparison.systems import instances_of
from rubrica.data.clusters import ClusterRule, labels_of
from rubrica.data.instance import Text
from rubrica.errors import MismatchError, ParameterError, UnknownNameError
from rubrica.metrics.base.aggregation import MeanAggregation
from rubrica.metrics.base.measures import Measures
from rubrica.metrics.base.metric import Metric
from rubrica.metrics.base.sample import Floats, Sample
from rubrica.parameters import SEED
from rubrica.statistics.corrections import holm
from rubrica.statistics.intervals import check_rounds
from rubrica.statistics.paired import bootstrap_scores, is_excessive, observed_scores
from rubrica.statistics.significance import PAIRED_TESTS, Tail
from rubrica.statistics.student import expanded_level
from rubrica.statistics.undefined import nan_if_none, none_if_nan

ROUNDS = 10_000


@dataclass(frozen=True, slots=True)
class Verdict:
    """The gate's decision by one measure. `difference` is new - baseline, in the measure's units.

    `p_value` is one-sided: how likely so bad a difference is when both are equally good; `adjusted` is
    corrected (Holm) for several measures. `loss` is the largest loss to expect at confidence 1 - alpha,
    from the paired bootstrap (expanded for few inputs); it is negative when the new outputs are better.
    `undefined` counts inputs where either side has no finite value; `reason` says why a measure fails
    whatever its numbers are. Numbers are NaN where nothing could be computed.
    """

    measure: str
    inputs: int
    baseline: float
    new: float
    difference: float
    p_value: float
    adjusted: float
    loss: float
    margin: float | None
    alpha: float
    passed: bool
    test: str = DEFAULT_TEST
    undefined: int = 0
    reason: str = ""

    def __str__(self) -> str:
        line = (
            f"{self.measure}: {self.baseline:.4f} before, {self.new:.4f} now "
            f"({self.difference:+.4f}) on {self.inputs} inputs"
        )
        if self.reason:
            return f"{line}; {self.reason}"
        if self.margin is not None:
            return f"{line}; worse by {self.loss:.4f} at most, {self.margin:g} allowed"
        return f"{line}; one-sided p = {self.adjusted:.4f}, alpha {self.alpha:g}"


@dataclass(frozen=True, slots=True, kw_only=True)
class GateOptions:
    """How the gate decides; without a `margin` a measure fails when it is significantly worse."""

    alpha: float = 0.05
    margin: float | None = None
    test: str = DEFAULT_TEST
    rounds: int = ROUNDS
    seed: int = SEED
    allow_undefined: bool = False

    def __post_init__(self) -> None:
        if not 0 < self.alpha < 1:
            raise ParameterError(f"alpha must lie between 0 and 1: {self.alpha:g}")
        if self.margin is not None and not 0 <= self.margin < math.inf:
            raise ParameterError(f"a margin is 0 or more: {self.margin:g}")
        if self.rounds < 1:
            raise ParameterError(f"at least one round is needed: {self.rounds}")
        check_rounds(self.rounds)
        if self.test not in PAIRED_TESTS:
            raise UnknownNameError("paired test", self.test, PAIRED_TESTS)
        if not PAIRED_TESTS[self.test].one_sided:
            raise ParameterError(f"the gate needs a one-sided test; {self.test} is two-sided")


def judge(
    baseline: Sequence[StoredRow],
    new: Sequence[StoredRow],
    measures: Mapping[str, Metric | None],
    *,
    lower: Sequence[str] = (),
    clusters: ClusterRule | None = None,
    **options: Any,
) -> list[Verdict]:
    """Return a verdict for each measure; a measure's metric may be None where its score is a plain mean.

    Without a margin a measure fails when the new outputs are significantly worse (a one-sided paired test,
    Holm over the measures). With one it fails unless they are shown to be worse by no more than the margin
    (paired bootstrap). Infinite values fail, and so do undefined ones unless `allow_undefined`: then inputs
    without a value on either side are left out of both. `options` are those of `GateOptions`.
    """
    chosen = GateOptions(**options)
    check_comparable(baseline, new)
    if len(new) < 2:
        raise MismatchError("a paired test needs at least two inputs")
    inputs = [row.instance_id for row in baseline]
    labels = labels_of(inputs, clusters)
    groups = None if labels is None else [labels[name] for name in inputs]
    verdicts = []
    for measure, metric in measures.items():
        names, rows = measure_rows(measure, metric, baseline, new)
        resolved = find_measure(measure, names)
        if resolved is None:
            raise UnknownNameError("measure", measure, names)
        at = names.index(resolved)
        known_lower = measure in lower or names[at] in lower
        sign = -1.0 if known_lower else _sign(names[at], metric, baseline[0])
        verdicts.append(
            _verdict(
                metric or MeanAggregation(), names, at, rows, groups, sign, chosen, len(measures)
            )
        )
    adjusted = holm([none_if_nan(v.p_value) for v in verdicts])
    return [_decided(v, p) for v, p in zip(verdicts, adjusted, strict=True)]


def _decided(verdict: Verdict, adjusted: float | None) -> Verdict:
    """Return the verdict with its corrected p-value; what is not shown to pass fails."""
    adjusted = nan_if_none(adjusted)
    if verdict.margin is not None:
        passed = verdict.loss <= verdict.margin
    else:
        passed = adjusted > verdict.alpha
    return replace(verdict, adjusted=adjusted, passed=passed and not verdict.reason)


def _sign(measure: str, metric: Metric | None, row: StoredRow) -> float:
    """Return 1 where higher values are better, -1 where lower ones are."""
    if metric is None:
        direction = Measures([row]).group(path_of(measure, row)).direction
    else:
        direction = metric.direction_of(measure.removeprefix(f"{metric.output_key}."))
    if direction == "none":
        raise ParameterError(
            f'neither direction is better for {measure}; pass `lower=["{measure}"]` if lower is'
        )
    return -1.0 if direction == "lower" else 1.0


def _verdict(
    metric: MeanAggregation,
    names: Sequence[str],
    at: int,
    rows: Floats,
    groups: Sequence[str] | None,
    sign: float,
    options: GateOptions,
    tests: int,
) -> Verdict:
    """Return a verdict whose p-value is not yet corrected for so many tests."""
    nan = math.nan
    column = rows if metric.corpus_statistics else rows[:, :, at : at + 1]
    excessive = int(is_excessive(column).sum())
    undefined = int(np.isnan(column).any(axis=(0, 2)).sum())
    verdict = Verdict(
        names[at], rows.shape[1], nan, nan, nan, nan, nan, nan, options.margin, options.alpha, False,
        options.test, undefined,
    )  # fmt: skip
    if excessive:
        return replace(verdict, reason=f"{excessive:,} infinite or too large values")
    if undefined:
        defined = np.flatnonzero(~np.isnan(rows).any(axis=(0, 2))).tolist()
        rows = rows[:, defined]
        groups = groups and [groups[at] for at in defined]
        gaps = f"{undefined:,} of {verdict.inputs:,} inputs without a value"
        if options.allow_undefined:
            verdict = replace(verdict, inputs=rows.shape[1])
        else:
            verdict = replace(verdict, reason=f"{gaps}; `allow_undefined=True` leaves them out")
        if rows.shape[1] < 2:
            return replace(verdict, reason=f"{gaps}: nothing to compare")
    sample = Sample.of(metric, names, rows, groups)
    units = sample.rows.shape[1]
    if units < 2:
        return replace(verdict, reason="fewer than two clusters with values")
    before, now = observed_scores(sample)[:, at].tolist()
    tail: Tail = "lower" if sign > 0 else "higher"
    test = PAIRED_TESTS[options.test].function
    p = float(test(sample, [(0, 1)], options.rounds, options.seed, tail).p_values[0, at])
    drawn = bootstrap_scores(sample, options.rounds, options.seed)
    gains = sign * (drawn[1] - drawn[0])[:, at]
    loss = -float(np.quantile(gains, expanded_level(options.alpha, units)))
    if math.isnan(p) or math.isnan(loss):
        verdict = replace(verdict, reason=verdict.reason or "the score is undefined")
    elif options.margin is None and sign * (now - before) < 0:
        # A loss that no test could find must not pass.
        kind = "inputs" if groups is None else "clusters"
        blind = _blindness(options, units, kind, tests)
        verdict = replace(verdict, reason=verdict.reason or blind)
    return replace(verdict, baseline=before, new=now, difference=now - before, p_value=p, loss=loss)


def _blindness(options: GateOptions, units: int, kind: str, tests: int) -> str:
    """Return why even the same loss on every input would not be significant; an empty text if it would be."""
    losses = np.stack([np.zeros((units, 1)), -np.ones((units, 1))])
    sample = Sample.of(MeanAggregation(), ["x"], losses)
    test = PAIRED_TESTS[options.test].function
    p = test(sample, [(0, 1)], options.rounds, options.seed, "lower").p_values[0, 0]
    if p * tests <= options.alpha:
        return ""
    rounds = (
        "" if tests <= options.alpha * (options.rounds + 1) else f" in {options.rounds:,} rounds"
    )
    corrected = f", corrected for {tests:,} measures" if tests > 1 else ""
    return f"no loss on {units:,} {kind} can have p <= {options.alpha:g}{rounds}{corrected}"


def assert_not_worse(
    new: Sequence[Text],
    baseline: Sequence[Text] | Sequence[StoredRow],
    references: Sequence[Text | Sequence[Text]] | None = None,
    measure: str | Sequence[str] = "rouge-2.f1",
    *,
    metric: Metric | Mapping[str, Any] | str | None = None,
    documents: Sequence[Text | Sequence[Text]] | None = None,
    clusters: ClusterRule | None = None,
    **options: Any,
) -> list[Verdict]:
    """Raise an AssertionError when new outputs are worse than the baseline's; otherwise return the verdicts.

    The baseline is a list of outputs for the same inputs, or stored rows. `metric` is needed where the
    measure's name does not imply it. `options` are those of `GateOptions`: alpha, margin, test, rounds,
    seed, allow_undefined.
    """
    measures = metrics_of([measure] if isinstance(measure, str) else measure, metric)
    metrics = list({id(metric): metric for metric in measures.values()}.values())
    now = score_system(instances_of({"new": new}, references, documents), metrics)
    before = [row for row in baseline if isinstance(row, StoredRow)]
    if not before:
        texts: Any = {"baseline": baseline}
        before = score_system(instances_of(texts, references, documents), metrics)
    verdicts = judge(before, now, measures, clusters=clusters, **options)
    failed = [str(verdict) for verdict in verdicts if not verdict.passed]
    if failed:
        raise AssertionError("the new outputs are worse:\n  " + "\n  ".join(failed))
    return verdicts


def metrics_of(
    measures: Sequence[str], metric: Metric | Mapping[str, Any] | str | None = None
) -> dict[str, Metric]:
    """Return each measure's metric: the one passed, or the one that its name implies."""
    if metric is None:
        return metrics_for(measures)
    chosen = metric if isinstance(metric, Metric) else Metric.from_config(metric, allow_import=True)
    return dict.fromkeys(measures, chosen)
