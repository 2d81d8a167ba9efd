"""Audit of a judge that rates: agreement, biases, scale use, stability, sensitivity to prompts, calibration.

Everything is measured against people's scores of the same summaries. Biases are what is left of the
judge's scores once people's are taken into account; intervals resample inputs.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rubrica.errors import DataError, MismatchError, UnknownNameError
from rubrica.meta.correlation.coefficients import Coefficient
from rubrica.meta.correlation.correlation import correlation_value
from rubrica.meta.correlation.levels import Level
from rubrica.meta.judges.audit_findings import (
    Finding,
    ScoreAudit,
    WorstCase,
    bootstrap_finding,
)
from rubrica.meta.judges.biases import feature_bias, self_preference, surplus_by_system
from rubrica.meta.judges.ceiling import noise_ceiling
from rubrica.meta.judges.jury import isotonic, isotonic_value
from rubrica.meta.judges.prompt_sensitivity import prompt_sensitivity
from rubrica.meta.scores import Matrix, score_matrix
from rubrica.meta.signatures import method_signature
from rubrica.statistics.intervals import Resampling
from rubrica.statistics.undefined import nan_if_none, none_if_nan


def audit_judge(
    judge: ArrayLike,
    human: ArrayLike,
    *,
    systems: Sequence[str],
    inputs: Sequence[str],
    length: ArrayLike | None = None,
    style: Mapping[str, ArrayLike] | None = None,
    repeat: ArrayLike | None = None,
    paraphrases: Mapping[str, ArrayLike] | None = None,
    own_systems: Sequence[str] = (),
    aspects: Mapping[str, ArrayLike] | None = None,
    annotators: ArrayLike | Mapping[str, ArrayLike] | None = None,
    texts: Mapping[tuple[str, str], Mapping[str, str]] | None = None,
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
        style: Other features of every summary by their names, such as the share of copied words: style bias.
        repeat: A second run of the judge: stability and drift.
        paraphrases: The judge's scores with paraphrased prompts by their names: sensitivity to the prompt.
        own_systems: Systems of the judge's own family, for self-preference.
        aspects: People's scores of other aspects by their names, for the agreement with each.
        annotators: Scores of each person, annotators x systems x inputs, for the human ceiling of agreement.
            With several aspects: these arrays by `human_name` and the names of the aspects.
        texts: Texts under their headings by (input, system), to show with the largest disagreements.
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
    styles = {name: score_matrix(values, name) for name, values in (style or {}).items()}
    prompts = {name: score_matrix(values, name) for name, values in (paraphrases or {}).items()}
    others = {name: score_matrix(values, name) for name, values in (aspects or {}).items()}
    for name, values in {"human": z, **extra, **styles, **prompts, **others}.items():
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
    findings = _agreement(x, z, resampling)
    cubes = annotators if isinstance(annotators, Mapping) else {human_name: annotators}
    findings += _ceilings(cubes.get(human_name), x, resampling)
    for name, values in others.items():
        described = _agreement(x, values, resampling, f" on {name}")
        findings += [replace(finding, concern=None) for finding in described]
        findings += _ceilings(cubes.get(name), x, resampling, f" on {name}")
    findings += _scale(x, z)
    if "length" in extra:
        findings.append(feature_bias("length bias", "length", x, z, extra["length"], resampling))
    for name, values in styles.items():
        findings.append(feature_bias(f"style bias: {name}", name, x, z, values, resampling))
    if own_systems:
        own = np.array([name in set(own_systems) for name in systems])
        findings.append(self_preference(x, z, own, resampling))
    if "repeat" in extra:
        findings += _stability(x, extra["repeat"], resampling)
    if prompts:
        findings += prompt_sensitivity(x, z, list(prompts.values()), resampling)
    findings += _calibration(x, z)
    return ScoreAudit(
        judge_name,
        human_name,
        cells,
        tuple(findings),
        surplus_by_system(x, z, systems),
        _worst(x, z, systems, inputs, worst, texts or {}),
        method_signature(
            "judge-audit",
            *(x, z, *extra.values(), *styles.values(), *prompts.values(), *others.values()),
            bs=resampling.rounds,
            seed=resampling.seed,
        ),
    )


# The coefficient of agreement at each level.
_LEVELS = (("summary", "kendall"), ("system", "kendall"), ("global", "pearson"))
_NAMES = {"kendall": "Kendall's tau", "pearson": "Pearson's r"}


def _ceilings(
    annotators: ArrayLike | None, x: Matrix, resampling: Resampling, aspect: str = ""
) -> list[Finding]:
    """Return how well anything could agree with people who do not agree among themselves."""
    if annotators is None:
        return []
    cube = np.asarray(annotators, dtype=np.float64)
    if cube.ndim != 3 or cube.shape[1:] != x.shape:
        raise MismatchError(f"annotators has shape {cube.shape}, judge has {x.shape}")
    cube = np.where(np.isnan(x), np.nan, cube)
    findings = []
    for level, coefficient in _LEVELS:
        ceiling = noise_ceiling(cube, level=level, coefficient=coefficient, resampling=resampling)
        bounds = (
            None if bound is None else math.sqrt(max(0.0, bound))
            for bound in (ceiling.lower, ceiling.upper)
        )
        lower, upper = bounds
        meaning = f"highest {_NAMES[coefficient]} that people's own disagreement allows"
        name = f"human ceiling{aspect}, {level} level"
        findings.append(Finding(name, ceiling.ceiling, lower, upper, meaning=meaning))
    return findings


def _agreement(x: Matrix, z: Matrix, resampling: Resampling, aspect: str = "") -> list[Finding]:
    findings = []
    for level, coefficient in _LEVELS:

        def agreement(at: NDArray[np.int64], level: str = level, how: str = coefficient) -> float:
            levels = Level(level), Coefficient(how)
            return nan_if_none(correlation_value(x[:, at], z[:, at], *levels, "drop"))

        meaning = f"{_NAMES[coefficient]} with people; 1 is perfect, 0 is chance"
        name = f"agreement{aspect}, {level} level"
        finding = bootstrap_finding(name, agreement, x.shape[1], resampling, meaning)
        findings.append(replace(finding, concern=_no_agreement(finding)))
    return findings


def _no_agreement(finding: Finding) -> bool | None:
    """Return whether the correlation may be zero or negative; by its value where it has no interval."""
    lowest = finding.value if finding.lower is None else finding.lower
    return None if lowest is None else lowest <= 0


def _scale(x: Matrix, z: Matrix) -> list[Finding]:
    judge, human = x[~np.isnan(x)], z[~np.isnan(z)]
    spread = float(human.std())
    ratio = float(judge.std()) / spread if spread > 0 else math.nan
    values, counts = np.unique(judge, return_counts=True)
    return [
        Finding(
            "spread of scores",
            none_if_nan(ratio),
            reference=1.0,
            concern=bool(ratio < 0.5) if not math.isnan(ratio) else None,
            meaning="standard deviation over people's; far below 1 is central tendency",
        ),
        Finding(
            "most common score",
            float(counts.max() / counts.sum()),
            concern=bool(counts.max() / counts.sum() > 0.75),
            meaning=f"share of all scores that are {values[counts.argmax()]:g}; {len(values):,} different scores are used",
        ),
        Finding("distinct scores", len(values), meaning="how many values are used"),
    ]


def _stability(x: Matrix, again: Matrix, resampling: Resampling) -> list[Finding]:
    def drift(at: NDArray[np.int64]) -> float:
        return float(np.nanmean(again[:, at] - x[:, at]))

    def same(at: NDArray[np.int64]) -> float:
        a, b = x[:, at], again[:, at]
        known = ~(np.isnan(a) | np.isnan(b))
        return float((a[known] == b[known]).mean())

    def retest(at: NDArray[np.int64]) -> float:
        how = Level.GLOBAL, Coefficient.PEARSON
        return nan_if_none(correlation_value(x[:, at], again[:, at], *how, "drop"))

    inputs = x.shape[1]
    return [
        bootstrap_finding(
            "test-retest correlation", retest, inputs, resampling, "of the two runs; 1 is stable"
        ),
        bootstrap_finding(
            "equal scores in both runs", same, inputs, resampling, "share of summaries"
        ),
        bootstrap_finding("drift", drift, inputs, resampling, "mean second run minus first", 0.0),
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
        Finding("error", none_if_nan(plain), meaning="mean |judge - people|"),
        Finding(
            "error after calibration",
            none_if_nan(after),
            meaning="the same after a monotone map to people's scale, cross-validated over inputs",
        ),
    ]


def _worst(
    x: Matrix,
    z: Matrix,
    systems: Sequence[str],
    inputs: Sequence[str],
    count: int,
    texts: Mapping[tuple[str, str], Mapping[str, str]],
) -> tuple[WorstCase, ...]:
    known = ~np.isnan(x)
    judge = (x - x[known].mean()) / (x[known].std() or 1.0)
    human = (z - z[known].mean()) / (z[known].std() or 1.0)
    gaps = np.where(known, judge - human, 0.0)
    order = np.argsort(-np.abs(gaps), axis=None, kind="stable")[:count]
    places: list[Any] = [np.unravel_index(place, gaps.shape) for place in order]
    return tuple(
        WorstCase(
            systems[s],
            inputs[i],
            float(z[s, i]),
            float(x[s, i]),
            float(gaps[s, i]),
            tuple(texts.get((inputs[i], systems[s]), {}).items()),
        )
        for s, i in places
        if known[s, i]
    )
