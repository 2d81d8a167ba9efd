"""Audit of a judge that rates: agreement, length bias, self-preference, scale use, stability, calibration.

Everything is measured against people's scores of the same summaries. Biases are what is left of the
judge's scores once people's are taken into account; intervals resample inputs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rubrica.errors import DataError, MismatchError, UnknownNameError
from rubrica.meta.correlation.coefficients import Coefficient
from rubrica.meta.correlation.correlation import correlation_value
from rubrica.meta.correlation.draws import count_blocks, defined_interval
from rubrica.meta.correlation.levels import Level
from rubrica.meta.judges.jury import isotonic, isotonic_value
from rubrica.meta.scores import Matrix, score_matrix
from rubrica.meta.signatures import method_signature
from rubrica.signature import Signature
from rubrica.statistics.intervals import Resampling


@dataclass(frozen=True, slots=True)
class Finding:
    """One check: a value with its interval, what it is compared with, and what it means.

    `concern` is True where the interval excludes `reference`, None for descriptions.
    """

    name: str
    value: float | None
    lower: float | None
    upper: float | None
    reference: float | None
    concern: bool | None
    meaning: str


@dataclass(frozen=True, slots=True)
class WorstCase:
    """A summary on which judge and people differ most, in standard deviations."""

    system: str
    instance: str
    human: float
    judge: float
    difference: float


@dataclass(frozen=True, slots=True)
class ScoreAudit:
    """All findings about one judge, and where it differs most from people."""

    judge: str
    human: str
    summaries: int
    findings: tuple[Finding, ...]
    by_system: tuple[tuple[str, float, float, float], ...]
    worst: tuple[WorstCase, ...]
    signature: Signature = field(repr=False)

    def verdict(self) -> str:
        """Return agreement and concerns in a sentence or two."""
        known = {finding.name: finding for finding in self.findings}
        values = [
            known[name].value for name in ("agreement, summary level", "agreement, system level")
        ]
        text = (
            f"{self.judge} agrees with people on {self.human} at {_shown(values[0])} (summaries) "
        )
        text += f"and {_shown(values[1])} (systems)"
        concerns = [finding.name for finding in self.findings if finding.concern]
        return text + (
            f". Concerns: {', '.join(concerns)}." if concerns else "; no bias was shown."
        )


def audit_judge(
    judge: ArrayLike,
    human: ArrayLike,
    *,
    systems: Sequence[str],
    inputs: Sequence[str],
    length: ArrayLike | None = None,
    repeat: ArrayLike | None = None,
    own_systems: Sequence[str] = (),
    resampling: Resampling | None = None,
    worst: int = 10,
    judge_name: str = "judge",
    human_name: str = "human",
) -> ScoreAudit:
    """Audit a judge's scores against people's: agreement, biases, stability and the largest disagreements.

    Args:
        judge: The judge's scores, systems x inputs (NaN where missing).
        human: People's scores, in the same shape.
        systems: Names of the rows.
        inputs: Names of the columns.
        length: Length of every summary, for verbosity bias.
        repeat: A second run of the judge, or another prompt: stability and drift.
        own_systems: Systems of the judge's own family, for self-preference.
        resampling: Bootstrap over inputs; default 1,000 rounds.
        worst: How many of the largest disagreements to list.
        judge_name: Name of the judge in the result.
        human_name: Name of people's score in the result.

    Returns:
        The findings, each with a value, an interval and whether it is a concern.

    Raises:
        MismatchError: The matrices or the names differ in shape.

    Example:
        >>> from rubrica.meta import audit_judge
        >>> human = [[1, 2, 2], [2, 2, 3], [4, 3, 5], [5, 4, 4]]
        >>> judge = [[2, 3, 2], [3, 3, 4], [4, 4, 5], [5, 4, 5]]
        >>> audit = audit_judge(judge, human, systems="abcd", inputs="123")
        >>> {finding.name: round(finding.value, 2) for finding in audit.findings[:2]}
        {'agreement, summary level': 0.94, 'agreement, system level': 1.0}
    """
    resampling = resampling or Resampling()
    x, z = score_matrix(judge, "judge"), score_matrix(human, "human")
    extra = {
        name: score_matrix(values, name)
        for name, values in {"length": length, "repeat": repeat}.items()
        if values is not None
    }
    for name, values in {"human": z, **extra}.items():
        if values.shape != x.shape:
            raise MismatchError(f"{name} has shape {values.shape}, judge has {x.shape}")
    if (len(systems), len(inputs)) != x.shape:
        raise MismatchError(
            f"{len(systems)} systems and {len(inputs)} inputs are named, judge has {x.shape[0]} and {x.shape[1]}"
        )
    for name in own_systems:
        if name not in systems:
            raise UnknownNameError("system", name, list(systems))
    x, z = np.where(np.isnan(z), np.nan, x), np.where(np.isnan(x), np.nan, z)
    cells = int((~np.isnan(x)).sum())
    if cells < 3:
        raise DataError(f"only {cells} summaries have both {judge_name} and {human_name}")
    findings = [*_agreement(x, z, resampling), *_scale(x, z)]
    if "length" in extra:
        findings.append(_length(x, z, extra["length"], resampling))
    if own_systems:
        own = np.array([name in set(own_systems) for name in systems])
        findings.append(_self_preference(x, z, own, resampling))
    if "repeat" in extra:
        findings += _stability(x, extra["repeat"], resampling)
    findings += _calibration(x, z)
    return ScoreAudit(
        judge_name,
        human_name,
        cells,
        tuple(findings),
        _by_system(x, z, systems),
        _worst(x, z, systems, inputs, worst),
        method_signature(
            "judge-audit", *(x, z, *extra.values()), bs=resampling.rounds, seed=resampling.seed
        ),
    )


def _finding(
    name: str,
    statistic: Callable[[NDArray[np.int64]], float],
    inputs: int,
    resampling: Resampling,
    meaning: str,
    reference: float | None = None,
) -> Finding:
    """Bootstrap a statistic of the inputs with these numbers."""
    value = statistic(np.arange(inputs))
    samples = np.full(max(1, resampling.rounds), np.nan)
    for part, counts in count_blocks(resampling, inputs, inputs):
        for at, row in enumerate(counts, part.start):
            samples[at] = statistic(np.repeat(np.arange(inputs), row.astype(np.int64)))
    lower, upper = defined_interval(samples, resampling)
    concern = None
    if reference is not None and lower is not None and upper is not None:
        concern = not lower <= reference <= upper
    return Finding(name, _none(value), lower, upper, reference, concern, meaning)


def _agreement(x: Matrix, z: Matrix, resampling: Resampling) -> list[Finding]:
    findings = []
    for level, coefficient in (
        ("summary", "kendall"),
        ("system", "kendall"),
        ("global", "pearson"),
    ):

        def agreement(at: NDArray[np.int64], level: str = level, how: str = coefficient) -> float:
            value = correlation_value(x[:, at], z[:, at], Level(level), Coefficient(how), "drop")
            return math.nan if value is None else value

        meaning = f"{coefficient} correlation with people; 1 is perfect, 0 is chance"
        name = f"agreement, {level} level"
        findings.append(_finding(name, agreement, x.shape[1], resampling, meaning))
    return findings


def _scale(x: Matrix, z: Matrix) -> list[Finding]:
    judge, human = x[~np.isnan(x)], z[~np.isnan(z)]
    spread = float(human.std())
    ratio = float(judge.std()) / spread if spread > 0 else math.nan
    values, counts = np.unique(judge, return_counts=True)
    return [
        Finding(
            "spread of scores",
            _none(ratio),
            None,
            None,
            1.0,
            bool(ratio < 0.5) if not math.isnan(ratio) else None,
            "standard deviation over people's; far below 1 is central tendency",
        ),
        Finding(
            "most common score",
            float(counts.max() / counts.sum()),
            None,
            None,
            None,
            bool(counts.max() / counts.sum() > 0.75),
            f"share of all scores that are {values[counts.argmax()]:g}",
        ),
        Finding(
            "distinct scores",
            float(len(values)),
            None,
            None,
            None,
            None,
            "how many values are used",
        ),
    ]


def _length(x: Matrix, z: Matrix, size: Matrix, resampling: Resampling) -> Finding:
    def partial(at: NDArray[np.int64]) -> float:
        a, b, c = x[:, at].ravel(), size[:, at].ravel(), z[:, at].ravel()
        known = ~(np.isnan(a) | np.isnan(b))
        return _partial(a[known], b[known], c[known])

    meaning = "correlation of judge and length at equal human scores; 0 is none, above 0 likes long"
    return _finding("length bias", partial, x.shape[1], resampling, meaning, 0.0)


def _self_preference(
    x: Matrix, z: Matrix, own: NDArray[np.bool_], resampling: Resampling
) -> Finding:
    def preference(at: NDArray[np.int64]) -> float:
        surplus = _residuals(x[:, at], z[:, at], own.astype(np.int64))
        return float(np.nanmean(surplus[own])) - float(np.nanmean(surplus[~own]))

    if own.all():
        raise DataError("self-preference needs systems of others, too")
    meaning = "judge's surplus for its own family at equal human scores, in the judge's scale"
    return _finding("self-preference", preference, x.shape[1], resampling, meaning, 0.0)


def _stability(x: Matrix, again: Matrix, resampling: Resampling) -> list[Finding]:
    def drift(at: NDArray[np.int64]) -> float:
        return float(np.nanmean(again[:, at] - x[:, at]))

    def same(at: NDArray[np.int64]) -> float:
        a, b = x[:, at], again[:, at]
        known = ~(np.isnan(a) | np.isnan(b))
        return float((a[known] == b[known]).mean())

    def retest(at: NDArray[np.int64]) -> float:
        value = correlation_value(x[:, at], again[:, at], Level.GLOBAL, Coefficient.PEARSON, "drop")
        return math.nan if value is None else value

    inputs = x.shape[1]
    return [
        _finding(
            "test-retest correlation", retest, inputs, resampling, "of the two runs; 1 is stable"
        ),
        _finding("equal scores in both runs", same, inputs, resampling, "share of summaries"),
        _finding("drift", drift, inputs, resampling, "mean second run minus first", 0.0),
    ]


def _calibration(x: Matrix, z: Matrix, folds: int = 5) -> list[Finding]:
    """Mean absolute error to people: as it is, and after a monotone map learned on other inputs."""
    plain = float(np.nanmean(np.abs(x - z)))
    fold = np.arange(x.shape[1]) % min(folds, x.shape[1])
    errors = []
    for number in range(int(fold.max()) + 1):
        train, test = fold != number, fold == number
        known, left = ~np.isnan(x[:, train]), ~np.isnan(x[:, test])
        if not known.any() or not left.any():
            continue
        curve = isotonic(x[:, train][known], z[:, train][known])
        mapped = isotonic_value(curve, x[:, test][left])
        errors += np.abs(mapped - z[:, test][left]).tolist()
    after = float(np.mean(errors)) if errors else math.nan
    return [
        Finding("error", _none(plain), None, None, None, None, "mean |judge - people|"),
        Finding(
            "error after calibration",
            _none(after),
            None,
            None,
            None,
            None,
            "the same after a monotone map to people's scale, cross-validated over inputs",
        ),
    ]


def _by_system(
    x: Matrix, z: Matrix, systems: Sequence[str]
) -> tuple[tuple[str, float, float, float], ...]:
    """System, people's mean, judge's mean, and the judge's surplus at equal human scores."""
    surplus = _residuals(x, z, np.arange(len(systems)))
    rows = []
    for at, name in enumerate(systems):
        if not np.isnan(x[at]).all():
            means = (float(np.nanmean(z[at])), float(np.nanmean(x[at])))
            rows.append((name, *means, float(np.nanmean(surplus[at]))))
    return tuple(rows)


def _worst(
    x: Matrix, z: Matrix, systems: Sequence[str], inputs: Sequence[str], count: int
) -> tuple[WorstCase, ...]:
    known = ~np.isnan(x)
    judge = (x - x[known].mean()) / (x[known].std() or 1.0)
    human = (z - z[known].mean()) / (z[known].std() or 1.0)
    gaps = np.where(known, judge - human, 0.0)
    order = np.argsort(-np.abs(gaps), axis=None, kind="stable")[:count]
    places: list[Any] = [np.unravel_index(place, gaps.shape) for place in order]
    return tuple(
        WorstCase(systems[s], inputs[i], float(z[s, i]), float(x[s, i]), float(gaps[s, i]))
        for s, i in places
        if known[s, i]
    )


def _residuals(x: Matrix, z: Matrix, groups: NDArray[np.int64]) -> Matrix:
    """The judge's scores minus their linear prediction from people's.

    The slope is that within groups of systems: a surplus of one group must not bend it.
    """
    a, b = _centred_within(z, groups), _centred_within(x, groups)
    below = float(np.nansum(a**2))
    slope = float(np.nansum(a * b)) / below if below > 0 else 0.0
    surplus = x - slope * z
    return np.asarray(surplus - np.nanmean(surplus), dtype=np.float64)


def _centred_within(values: Matrix, groups: NDArray[np.int64]) -> Matrix:
    centred = np.full(values.shape, np.nan)
    for group in np.unique(groups):
        mine = groups == group
        if not np.isnan(values[mine]).all():
            centred[mine] = values[mine] - np.nanmean(values[mine])
    return centred


def _partial(a: Matrix, b: Matrix, c: Matrix) -> float:
    if len(a) < 4 or min(a.std(), b.std(), c.std()) == 0:
        return math.nan
    r = np.corrcoef([a, b, c])
    below = (1 - r[0, 2] ** 2) * (1 - r[1, 2] ** 2)
    return float((r[0, 1] - r[0, 2] * r[1, 2]) / math.sqrt(below)) if below > 1e-12 else math.nan


def _none(value: float) -> float | None:
    return None if math.isnan(value) else value


def _shown(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.2f}"
