"""How far paraphrases of a prompt change a judge's scores."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from rubrica.meta.correlation.coefficients import Coefficient
from rubrica.meta.correlation.correlation import correlation_value
from rubrica.meta.correlation.levels import Level
from rubrica.meta.judges.audit_findings import Finding, bootstrap_finding
from rubrica.meta.scores import Matrix
from rubrica.statistics.intervals import Resampling

# Prompts move scores more than this share of the judge's own spread: a concern.
_LARGE = 0.5


def prompt_sensitivity(
    x: Matrix, z: Matrix, paraphrases: Sequence[Matrix], resampling: Resampling
) -> list[Finding]:
    """Return what changes between a prompt (`x`) and its paraphrases; `z` are people's scores."""
    # Summaries with scores under every prompt.
    cube = np.stack([x, *paraphrases])
    cube[:, np.isnan(cube).any(axis=0)] = np.nan

    def sensitivity(at: NDArray[np.int64]) -> float:
        part = cube[:, :, at]
        centred = part - _means(part)[:, None, None]
        spread = float(np.nanstd(part[0]))
        within = float(np.nanmean(np.var(centred, axis=0, ddof=1)))
        return math.sqrt(within) / spread if spread > 0 else math.nan

    def shift(at: NDArray[np.int64]) -> float:
        means = _means(cube[:, :, at])
        return float(means.max() - means.min())

    def lowest(at: NDArray[np.int64], level: Level, other: Matrix, first: int) -> float:
        values = [
            correlation_value(scores[:, at], other[:, at], level, Coefficient.KENDALL, "drop")
            for scores in cube[first:]
        ]
        known = [value for value in values if value is not None]
        return min(known) if known else math.nan

    def order(at: NDArray[np.int64]) -> float:
        return lowest(at, Level.SYSTEM, cube[0], 1)

    def agreement(at: NDArray[np.int64]) -> float:
        return lowest(at, Level.SUMMARY, z, 0)

    checks = [
        (
            "prompt sensitivity",
            sensitivity,
            "standard deviation between prompts over that between summaries; 0 is none",
        ),
        (
            "shift between prompts",
            shift,
            "highest minus lowest mean of a prompt, in the judge's scale",
        ),
        (
            "system order between prompts",
            order,
            "lowest Kendall's tau of system scores with those of a paraphrase; 1 is the same order",
        ),
        (
            "agreement of the worst prompt",
            agreement,
            "lowest Kendall's tau with people, summary level",
        ),
    ]
    with warnings.catch_warnings():
        # Nothing is left of a resample without any complete summary: undefined, and counted as such.
        warnings.simplefilter("ignore", RuntimeWarning)
        findings = [
            bootstrap_finding(name, check, x.shape[1], resampling, meaning)
            for name, check, meaning in checks
        ]
    value = findings[0].value
    return [replace(findings[0], concern=None if value is None else value > _LARGE), *findings[1:]]


def _means(part: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the mean of each prompt."""
    return np.asarray(np.nanmean(part, axis=(1, 2)), dtype=np.float64)
