"""Systems' mean human scores from some people's labels and a judge's scores of everything."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rubrica.errors import DataError, MismatchError
from rubrica.meta.judges.estimates import Estimates, LabelPlan, SystemDifference, SystemEstimate
from rubrica.meta.scores import Matrix, same_systems
from rubrica.meta.signatures import method_signature
from rubrica.statistics.corrections import holm
from rubrica.statistics.prediction_powered import (
    MeanEstimate,
    Method,
    Reference,
    prediction_powered_mean,
    stratified_mean,
)
from rubrica.statistics.student import normal_quantile


def estimate_systems(
    human: ArrayLike,
    judge: ArrayLike,
    systems: Sequence[str],
    *,
    method: Method = "ppi++",
    confidence: float = 95.0,
    reference: Reference = "t",
    alpha: float = 0.05,
    clusters: Sequence[Any] | None = None,
    strata: Sequence[Any] | None = None,
    half_widths: Sequence[float] = (),
    human_name: str = "human",
    judge_name: str = "judge",
) -> Estimates:
    """Estimate every system's mean human score, and all differences between systems.

    Args:
        human: Systems x inputs, NaN where people gave no label.
        judge: The same shape; inputs without a judge's score do not count.
        systems: Names of the rows.
        method: "ppi++", "ppi" or "classical" (people only).
        confidence: Of the intervals, in percent.
        reference: "t" or "normal", see `prediction_powered_mean`.
        alpha: Level of the differences that bound ranks; p-values are corrected by Holm's method.
        clusters: Cluster of each input, where inputs depend on each other.
        strata: Stratum of each input; every stratum needs two labels.
        half_widths: Half widths of intervals to plan labels for.
        human_name: Name of people's score in the result.
        judge_name: Name of the judge's score in the result.

    Returns:
        The systems, the highest estimate first, their differences, and how much the judge helps.

    Raises:
        MismatchError: The matrices or the names differ in shape.
        DataError: Both clusters and strata are passed, or there are too few labels.

    Example:
        >>> from math import nan
        >>> from rubrica.meta import estimate_systems
        >>> judge = [[2, 3, 2, 4, 3, 2], [4, 4, 5, 3, 4, 5]]
        >>> human = [[1, 3, 2, nan, nan, nan], [3, 4, 5, nan, nan, nan]]
        >>> result = estimate_systems(human, judge, ["a", "b"])
        >>> [(system.system, round(system.estimate.value, 2)) for system in result.systems]
        [('b', 3.9), ('a', 2.17)]
    """
    z, x = same_systems(human, judge)
    if z.shape != x.shape:
        raise MismatchError(f"human has {z.shape[1]} inputs, judge has {x.shape[1]}")
    if len(systems) != len(z):
        raise MismatchError(f"{len(systems)} names for {len(z)} systems")
    if clusters is not None and strata is not None:
        raise DataError("inputs have clusters or strata, not both")
    z = np.where(np.isnan(x), np.nan, z)
    options: dict[str, Any] = {"confidence": confidence, "reference": reference}

    for name, labels in zip(systems, z, strict=True):
        if np.isnan(labels).all():
            raise DataError(f"{name}: no input has both {human_name} and {judge_name}")

    def means(labels: Matrix, scores: Matrix, how: Method) -> list[MeanEstimate]:
        return _means(labels, scores, how, clusters, strata, options)

    rows = [
        SystemEstimate(name, estimate, alone, _saved(estimate, alone))
        for name, estimate, alone in zip(
            systems, means(z, x, method), means(z, x, "classical"), strict=True
        )
    ]
    differences = _differences(systems, z, x, method, means)
    ranked = sorted(_ranked(rows, differences, alpha), key=lambda row: -row.estimate.value)
    ratios = [
        row.estimate.error / row.people_only.error
        for row in rows
        if row.estimate.error is not None and row.people_only.error
    ]
    return Estimates(
        human_name,
        judge_name,
        tuple(ranked),
        tuple(differences),
        _correlation(z, x),
        float(np.mean(ratios)) if ratios else None,
        int((~np.isnan(z)).sum()),
        int((~np.isnan(x)).sum()),
        tuple(_plan(z, x, method, width, confidence) for width in half_widths),
        method_signature(
            "estimate",
            *(z, x),
            method=method,
            confidence=f"{confidence:g}",
            reference=reference,
            inputs=_design(clusters, strata),
            correction="holm",
        ),
        method,
    )


def _design(clusters: Sequence[Any] | None, strata: Sequence[Any] | None) -> str:
    if clusters is not None:
        return "clustered"
    return "stratified" if strata else "independent"


def _means(
    labels: Matrix,
    scores: Matrix,
    method: Method,
    clusters: Sequence[Any] | None,
    strata: Sequence[Any] | None,
    options: dict[str, Any],
) -> list[MeanEstimate]:
    """Estimate the mean of every row; independent inputs with the rows' mean variance as prior."""
    rows = list(zip(labels, scores, strict=True))
    first = [_mean(y, f, method, clusters, strata, options) for y, f in rows]
    if clusters is not None or strata is not None or options["reference"] == "normal":
        return first
    variances = [
        float(np.nanvar(y - estimate.power * f, ddof=1))
        for (y, f), estimate in zip(rows, first, strict=True)
        if estimate.labels > 1
    ]
    if len(variances) < 2:
        return first
    prior = {"prior_variance": float(np.mean(variances))}
    return [_mean(y, f, method, None, None, options | prior) for y, f in rows]


def _mean(
    labels: Matrix,
    scores: Matrix,
    method: Method,
    clusters: Sequence[Any] | None,
    strata: Sequence[Any] | None,
    options: dict[str, Any],
) -> MeanEstimate:
    if strata is not None:
        names = np.array([str(name) for name in strata])
        judged = ~np.isnan(scores)
        parts = []
        for name in dict.fromkeys(names[judged].tolist()):
            mine = judged & (names == name)
            if np.isnan(labels[mine]).all():
                raise DataError(f"stratum {name}: no labels")
            parts.append(_mean(labels[mine], scores[mine], method, None, None, options))
        return stratified_mean(parts, options["confidence"])
    labelled = ~np.isnan(labels)
    rest = ~labelled & ~np.isnan(scores)
    groups = None
    if clusters is not None:
        names = np.array([str(name) for name in clusters])
        groups = [*names[labelled], *names[rest]]
    return prediction_powered_mean(
        labels[labelled], scores[labelled], scores[rest], method=method, clusters=groups, **options
    )


def _differences(
    systems: Sequence[str], z: Matrix, x: Matrix, method: Method, means: Any
) -> list[SystemDifference]:
    """Estimate all differences of systems that have labels of two common inputs."""
    pairs = [
        (a, b)
        for a, b in combinations(range(len(systems)), 2)
        if (~np.isnan(z[a] - z[b])).sum() >= 2
    ]
    if not pairs:
        return []
    labels = np.array([z[a] - z[b] for a, b in pairs])
    scores = np.array([x[a] - x[b] for a, b in pairs])
    estimates, alone = means(labels, scores, method), means(labels, scores, "classical")
    p_values = [estimate.p_value() for estimate in estimates]
    rows = zip(pairs, estimates, alone, p_values, holm(p_values), strict=True)
    return [
        SystemDifference(systems[a], systems[b], estimate, people, p, adjusted)
        for (a, b), estimate, people, p, adjusted in rows
    ]


def _ranked(
    rows: Sequence[SystemEstimate], differences: Sequence[SystemDifference], alpha: float
) -> list[SystemEstimate]:
    better, worse = ({row.system: 0 for row in rows} for _ in range(2))
    for difference in differences:
        p_value = difference.adjusted_p_value
        if p_value is None or p_value > alpha:
            continue
        ahead, behind = difference.first, difference.second
        if difference.estimate.value < 0:
            ahead, behind = behind, ahead
        worse[ahead] += 1
        better[behind] += 1
    return [
        replace(row, best_rank=better[row.system] + 1, worst_rank=len(rows) - worse[row.system])
        for row in rows
    ]


def _saved(estimate: MeanEstimate, alone: MeanEstimate) -> float:
    if not estimate.error or not alone.error:
        return 0.0
    return max(0.0, alone.labels * ((alone.error / estimate.error) ** 2 - 1))


def _correlation(z: Matrix, x: Matrix) -> float | None:
    """Pearson correlation of labels and scores within systems, which is what saves labels."""
    both = ~np.isnan(z)
    a, b = _within(z, both), _within(x, both)
    below = math.sqrt(float((a**2).sum() * (b**2).sum()))
    return float((a * b).sum()) / below if below > 0 else None


def _within(values: Matrix, both: NDArray[np.bool_]) -> Matrix:
    counts = np.maximum(both.sum(axis=1, keepdims=True), 1)
    filled = np.where(both, values, 0.0)
    means = filled.sum(axis=1, keepdims=True) / counts
    return np.asarray(np.where(both, values - means, 0.0)[both.any(axis=1)], dtype=np.float64)


def _plan(z: Matrix, x: Matrix, method: Method, half_width: float, confidence: float) -> LabelPlan:
    """Labels of one system for an interval of this half width, by the large-sample variances."""
    if not 1e-100 < half_width < 1e100:
        raise DataError(f"a half width must lie between 1e-100 and 1e100: {half_width:g}")
    both = ~np.isnan(z)
    degrees = max(1, int(both.sum()) - int(both.any(axis=1).sum()))
    residual = _within(z, both)
    variance = float((residual**2).sum()) / degrees
    target = (half_width / normal_quantile(0.5 + confidence / 200)) ** 2
    alone = max(2, math.ceil(variance / target))
    rho = max(0.0, _correlation(z, x) or 0.0) if method == "ppi++" else 0.0
    items = round(float((~np.isnan(x)).sum(axis=1).mean()))
    for labels in range(2, items + 1):
        share = (items - labels) / items
        if variance / labels * (1 - rho**2 * share) <= target:
            return LabelPlan(half_width, alone, labels)
    return LabelPlan(half_width, alone, None)
