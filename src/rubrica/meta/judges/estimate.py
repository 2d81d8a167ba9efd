"""Systems' mean human scores from some people's labels and a judge's scores of everything."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rubrica.errors import DataError, MismatchError
from rubrica.formatting.charts import Panel, Point
from rubrica.formatting.result import Result
from rubrica.formatting.table import Cell, Table
from rubrica.meta.jsonable import plain
from rubrica.meta.scores import Matrix, same_systems
from rubrica.meta.signatures import method_signature
from rubrica.signature import Signature
from rubrica.statistics.corrections import holm
from rubrica.statistics.prediction_powered import (
    MeanEstimate,
    Method,
    Reference,
    prediction_powered_mean,
    stratified_mean,
)


@dataclass(frozen=True, slots=True)
class SystemEstimate:
    """A system's mean human score: with the judge, and from people's labels alone.

    `best_rank` and `worst_rank` bound its rank by the significant differences. `labels_saved`: how
    many more labels people alone would need for the same error; 0 if the judge is of no use.
    """

    system: str
    estimate: MeanEstimate
    people_only: MeanEstimate
    labels_saved: float
    best_rank: int = 1
    worst_rank: int = 1


@dataclass(frozen=True, slots=True)
class SystemDifference:
    """Difference of two systems' means, estimated on the inputs that both have."""

    first: str
    second: str
    estimate: MeanEstimate
    people_only: MeanEstimate
    p_value: float | None
    adjusted_p_value: float | None


@dataclass(frozen=True, slots=True)
class LabelPlan:
    """Labels per system for an interval of +- `half_width`, with the judge and without.

    `with_judge` is None where even labels for all items do not suffice.
    """

    half_width: float
    people_only: int
    with_judge: int | None


@dataclass(frozen=True, slots=True, repr=False)
class Estimates(Result):
    """All systems, the highest estimate first, their differences, and what the judge is worth.

    `correlation` is that of labels and judge within systems; `error_ratio` the mean ratio of the
    errors with the judge and without: below 1 it helps.
    """

    human: str
    judge: str
    systems: tuple[SystemEstimate, ...]
    differences: tuple[SystemDifference, ...]
    correlation: float | None
    error_ratio: float | None
    labels: int
    items: int
    plan: tuple[LabelPlan, ...]
    signature: Signature = field(repr=False)

    def to_table(self) -> Table:
        """Return a row per system: with the judge, from people alone, labels saved, possible ranks."""
        rows = [
            [
                Cell(row.system),
                Cell(f"{row.estimate.labels:,}"),
                Cell(_interval(row.estimate)),
                Cell(_interval(row.people_only)),
                Cell(f"{row.labels_saved:.0f}"),
                Cell(f"{row.best_rank}-{row.worst_rank}"),
            ]
            for row in self.systems
        ]
        headers = ["system", "labels", self.human, "people only", "labels saved", "ranks"]
        caption = f"{self.human}, estimated with {self.judge}."
        return Table(headers, rows, caption, [self.verdict()], [str(self.signature)])

    def records(self) -> list[dict[str, Any]]:
        """Return a row per system."""
        return [
            {
                "system": row.system,
                "labels": row.estimate.labels,
                "value": row.estimate.value,
                "lower": row.estimate.lower,
                "upper": row.estimate.upper,
                "people_only": row.people_only.value,
                "people_only_lower": row.people_only.lower,
                "people_only_upper": row.people_only.upper,
                "labels_saved": row.labels_saved,
                "best_rank": row.best_rank,
                "worst_rank": row.worst_rank,
            }
            for row in self.systems
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return {**plain(self), "verdict": self.verdict()}

    def panels(self) -> list[Panel]:
        """Return the estimates with the judge, and those from people alone."""
        return [
            Panel(title, [Point(row.system, e.value, e.lower, e.upper) for row, e in estimates])
            for title, estimates in (
                (self.human, [(row, row.estimate) for row in self.systems]),
                (f"{self.human}, people only", [(row, row.people_only) for row in self.systems]),
            )
        ]

    def verdict(self) -> str:
        """Say in a sentence or two what the judge is worth and who leads."""
        leader = self.systems[0]
        open_ranks = [one.system for one in self.systems[1:] if one.best_rank == 1]
        text = (
            f"{leader.system} has the highest estimated {self.human}, {leader.estimate.value:.3f}"
        )
        if open_ranks:
            text += f"; {_listed(open_ranks)} may be as good"
        text += ". "
        saved = sum(one.labels_saved for one in self.systems)
        if self.error_ratio is None:
            return text + "Too few labels to say what the judge is worth."
        if self.error_ratio > 0.98 or saved < 1:
            return text + (
                f"The judge {self.judge} saves no labels: its scores say too little about "
                f"people's (correlation {_shown(self.correlation)})."
            )
        return text + (
            f"With {self.judge}, {self.labels:,} labels are worth {self.labels + round(saved):,}: "
            f"errors are {100 * (1 - self.error_ratio):.0f} % smaller "
            f"(correlation with people {_shown(self.correlation)})."
        )


def _interval(estimate: MeanEstimate) -> str:
    if estimate.lower is None:
        return f"{estimate.value:.3f}"
    return f"{estimate.value:.3f} [{estimate.lower:.3f}, {estimate.upper:.3f}]"


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
    ranked = sorted(_ranked(rows, differences, alpha), key=lambda one: -one.estimate.value)
    ratios = [
        one.estimate.error / one.people_only.error
        for one in rows
        if one.estimate.error is not None and one.people_only.error
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
            inputs="clustered"
            if clusters is not None
            else "stratified"
            if strata
            else "independent",
            correction="holm",
        ),
    )


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
        float(np.nanvar(y - one.power * f, ddof=1))
        for (y, f), one in zip(rows, first, strict=True)
        if one.labels > 1
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
        names = np.array([str(one) for one in strata])
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
        names = np.array([str(one) for one in clusters])
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
    p_values = [one.p_value() for one in estimates]
    rows = zip(pairs, estimates, alone, p_values, holm(p_values), strict=True)
    return [
        SystemDifference(systems[a], systems[b], estimate, people, p, adjusted)
        for (a, b), estimate, people, p, adjusted in rows
    ]


def _ranked(
    rows: Sequence[SystemEstimate], differences: Sequence[SystemDifference], alpha: float
) -> list[SystemEstimate]:
    better, worse = (
        dict.fromkeys((r.system for r in rows), 0),
        dict.fromkeys((r.system for r in rows), 0),
    )
    for one in differences:
        if one.adjusted_p_value is None or one.adjusted_p_value > alpha:
            continue
        ahead, behind = one.first, one.second
        if one.estimate.value < 0:
            ahead, behind = behind, ahead
        worse[ahead] += 1
        better[behind] += 1
    return [
        SystemEstimate(
            r.system,
            r.estimate,
            r.people_only,
            r.labels_saved,
            better[r.system] + 1,
            len(rows) - worse[r.system],
        )
        for r in rows
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
    from scipy import stats  # slow to import

    if not half_width > 0:
        raise DataError(f"a half width must be positive: {half_width:g}")
    both = ~np.isnan(z)
    degrees = max(1, int(both.sum()) - int(both.any(axis=1).sum()))
    residual = _within(z, both)
    variance = float((residual**2).sum()) / degrees
    target = (half_width / float(stats.norm.ppf(0.5 + confidence / 200))) ** 2
    alone = max(2, math.ceil(variance / target))
    rho = max(0.0, _correlation(z, x) or 0.0) if method == "ppi++" else 0.0
    items = round(float((~np.isnan(x)).sum(axis=1).mean()))
    for labels in range(2, items + 1):
        share = (items - labels) / items
        if variance / labels * (1 - rho**2 * share) <= target:
            return LabelPlan(half_width, alone, labels)
    return LabelPlan(half_width, alone, None)


def _listed(names: Sequence[str]) -> str:
    shown = list(names[:3])
    if len(names) > 3:
        return f"{', '.join(shown)} and {len(names) - 3} more"
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def _shown(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.2f}"
