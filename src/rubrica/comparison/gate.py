"""The gate: are new outputs worse than stored ones, or not as good within a margin?"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rubrica.comparison.measures import metrics_for
from rubrica.comparison.paired import bootstrap_scores, exchanged_scores, worse_p
from rubrica.comparison.samples import Sample
from rubrica.comparison.store import StoredRow, path_of, refuse_unlike, rows_of, scored
from rubrica.comparison.systems import instances_of
from rubrica.data.instance import Text
from rubrica.errors import MismatchError, ParameterError, UnknownNameError
from rubrica.metrics.base.measures import Measures
from rubrica.metrics.base.metric import Metric
from rubrica.parameters import SEED
from rubrica.statistics.corrections import holm

ROUNDS = 10_000


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the gate finds by one measure. `difference` is new - baseline, in the measure's units.

    `p_value` is one-sided: how likely so bad a difference is when the two are equally good;
    `adjusted` is corrected (Holm) for several measures. `loss` is the most by which the new outputs may
    be worse, at confidence 1 - alpha, from the paired bootstrap (widened for few inputs); negative when
    they are surely better.
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

    def __str__(self) -> str:
        told = (
            f"{self.measure}: {self.baseline:.4f} before, {self.new:.4f} now "
            f"({self.difference:+.4f}) on {self.inputs} inputs"
        )
        if self.margin is not None:
            return f"{told}; worse by {self.loss:.4f} at most, {self.margin:g} allowed"
        return f"{told}; one-sided p = {self.adjusted:.4f}, alpha {self.alpha:g}"


def judge(
    baseline: Sequence[StoredRow],
    new: Sequence[StoredRow],
    measures: Mapping[str, Metric | None],
    *,
    alpha: float = 0.05,
    margin: float | None = None,
    rounds: int = ROUNDS,
    seed: int = SEED,
    lower: Sequence[str] = (),
) -> list[Verdict]:
    """One verdict for each measure; a measure's metric may be None where its score is a plain mean.

    Without a margin a measure fails when the new outputs are significantly worse (paired approximate
    randomization, one-sided, Holm over the measures). With one it fails unless they are shown to be
    worse by no more than the margin (paired bootstrap).
    """
    if not 0 < alpha < 1:
        raise ParameterError(f"alpha must lie between 0 and 1: {alpha:g}")
    if margin is not None and not 0 <= margin < math.inf:
        raise ParameterError(f"a margin is 0 or more: {margin:g}")
    if rounds < 1:
        raise ParameterError(f"at least one round is needed: {rounds}")
    refuse_unlike(baseline, new)
    if len(new) < 2:
        raise MismatchError("a paired test needs two inputs at least")
    found = []
    for measure, metric in measures.items():
        names, rows = rows_of(measure, metric, baseline, new)
        sample = Sample.of(metric or _Means(), names, rows)
        places = (n for n, one in enumerate(names) if measure in (one, one.replace(".", "_")))
        at = next(places, -1)
        if at < 0:
            raise UnknownNameError("measure", measure, names)
        known_lower = measure in lower or names[at] in lower
        sign = -1.0 if known_lower else _sign(names[at], metric, baseline[0])
        found.append((names[at], *_judged(sample, at, sign, alpha, rounds, seed)))
    adjusted = holm([p for *_, p, _ in found])
    return [
        Verdict(
            name,
            len(new),
            before,
            now,
            now - before,
            p,
            corrected if corrected is not None else math.nan,
            loss,
            margin,
            alpha,
            loss <= margin if margin is not None else not (corrected or 0.0) <= alpha,
        )
        for (name, before, now, p, loss), corrected in zip(found, adjusted, strict=True)
    ]


def _sign(measure: str, metric: Metric | None, row: StoredRow) -> float:
    """1 where higher values are better, -1 where lower ones are."""
    if metric is None:
        direction = Measures([row]).group(path_of(measure, row)).direction
    else:
        direction = metric.direction_of(measure.removeprefix(f"{metric.output_key}."))
    if direction == "none":
        raise ParameterError(
            f"{measure} has no better direction, so that no summaries are worse by it; where lower is "
            "better name it with --lower-is-better"
        )
    return -1.0 if direction == "lower" else 1.0


class _Means(Metric, abstract=True):
    """Stands for a metric of which only rows are known: its system score is their mean."""


def _judged(
    sample: Sample, at: int, sign: float, alpha: float, rounds: int, seed: int
) -> tuple[float, float, float, float]:
    """Both scores, one-sided p, and the greatest loss to be reckoned with."""
    before, now = sample.observed()[:, at].tolist()
    if math.isnan(before) or math.isnan(now):
        raise MismatchError(f"{sample.measures[at]} is undefined for all summaries of a system")
    first, second = exchanged_scores(sample, [(0, 1)], rounds, seed)
    trials = sign * (second - first)[0][:, at]
    p = float(worse_p(trials[:, None], np.array([sign * (now - before)]))[0])
    drawn = bootstrap_scores(sample, rounds, seed)
    gains = sign * (drawn[1] - drawn[0])[:, at]
    return before, now, p, -float(np.quantile(gains, _level(alpha, sample.rows.shape[1])))


def _level(alpha: float, inputs: int) -> float:
    """The percentile that bounds a mean of so many inputs with confidence 1 - alpha.

    Of few inputs the bootstrap's percentiles lie too close together; this is Hesterberg's expanded
    percentile (2015, "What Teachers Should Know About the Bootstrap"), which tends to alpha.
    """
    from scipy import stats

    wider = math.sqrt(inputs / (inputs - 1)) * float(stats.t.ppf(alpha, inputs - 1))
    return float(stats.norm.cdf(wider))


def assert_not_worse(
    new: Sequence[Text],
    baseline: Sequence[Text] | Sequence[StoredRow],
    references: Sequence[Text | Sequence[Text]] | None = None,
    measure: str | Sequence[str] = "rouge-2.f1",
    *,
    metric: Metric | Mapping[str, Any] | str | None = None,
    documents: Sequence[Text | Sequence[Text]] | None = None,
    alpha: float = 0.05,
    margin: float | None = None,
    rounds: int = ROUNDS,
    seed: int = SEED,
) -> list[Verdict]:
    """Raise an AssertionError when new outputs are worse than the baseline's; else the verdicts.

    The baseline is a list of outputs for the same inputs, or rows that were stored. `metric` is needed
    where the measure's name does not tell it.
    """
    measures = metrics_of([measure] if isinstance(measure, str) else measure, metric)
    metrics = list({id(one): one for one in measures.values()}.values())
    now = scored(instances_of({"new": new}, references, documents), metrics)
    before = [one for one in baseline if isinstance(one, StoredRow)]
    if not before:
        texts: Any = {"baseline": baseline}
        before = scored(instances_of(texts, references, documents), metrics)
    verdicts = judge(before, now, measures, alpha=alpha, margin=margin, rounds=rounds, seed=seed)
    failed = [str(one) for one in verdicts if not one.passed]
    if failed:
        raise AssertionError("the new outputs are worse:\n  " + "\n  ".join(failed))
    return verdicts


def metrics_of(
    measures: Sequence[str], metric: Metric | Mapping[str, Any] | str | None = None
) -> dict[str, Metric]:
    """Each measure's metric: the one given, or the one its name tells."""
    if metric is None:
        return metrics_for(measures)
    made = metric if isinstance(metric, Metric) else Metric.from_config(metric, allow_import=True)
    return dict.fromkeys(measures, made)
