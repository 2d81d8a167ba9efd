"""Juries: several judges combined, compared honestly with the best single judge.

Weights and monotone maps are learned on other inputs than those they are tested on. Every combination
is measured by its correlation with people, and by its difference to the best single judge with an
interval. The best judge is chosen on all inputs, which favours it: a jury that wins against it is
better.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rubrica.errors import DataError, MismatchError
from rubrica.meta.correlation.coefficients import Coefficient
from rubrica.meta.correlation.correlation import correlation_value
from rubrica.meta.correlation.draws import count_blocks, defined_interval
from rubrica.meta.correlation.levels import Level
from rubrica.meta.judges.dawid_skene import dawid_skene
from rubrica.meta.scores import Matrix, score_matrix
from rubrica.meta.signatures import method_signature
from rubrica.signature import Signature
from rubrica.statistics.intervals import Resampling
from rubrica.statistics.undefined import nan_if_none


@dataclass(frozen=True, slots=True)
class JuryMember:
    """A judge or a combination: correlation with people and the difference to the best judge."""

    name: str
    is_jury: bool
    correlation: float | None
    difference: float | None
    lower: float | None
    upper: float | None


@dataclass(frozen=True, slots=True)
class JuryReport:
    """Judges and juries, the highest correlation first."""

    human: str
    best_judge: str
    members: tuple[JuryMember, ...]
    signature: Signature = field(repr=False)

    def verdict(self) -> str:
        """Say whether a jury beats the best judge."""
        juries = [member for member in self.members if member.is_jury]
        best = juries[0]
        text = f"On {self.human}, the best single judge is {self.best_judge}. "
        if best.lower is not None and best.lower > 0:
            text += f"The jury by {best.name} is better (by {best.difference:.3f})."
        elif best.difference is not None and best.difference > 0:
            text += (
                f"The jury by {best.name} is ahead by {best.difference:.3f}, which chance could "
                "explain."
            )
        else:
            text += "No jury is better."
        mean = next(member for member in juries if member.name == "mean")
        if mean.difference is not None and mean.difference < 0:
            if mean.upper is not None and mean.upper < 0:
                text += f" The plain mean of all judges loses to {self.best_judge} by {-mean.difference:.3f}."
            else:
                text += (
                    f" The plain mean of all judges is behind {self.best_judge} by {-mean.difference:.3f}, which "
                    "chance could explain."
                )
        return text


def compare_juries(
    judges: Mapping[str, ArrayLike],
    human: ArrayLike,
    *,
    level: str = "summary",
    coefficient: str = "kendall",
    folds: int = 5,
    resampling: Resampling | None = None,
    human_name: str = "human",
) -> JuryReport:
    """Compare each judge with juries of all judges: mean, median, vote, Dawid-Skene and calibrated weights.

    `vote` is the share of other systems' summaries of the input that judges rank below (Borda). `dawid-skene` is the
    expected label of a model of the judges' errors, without human scores. `calibrated` maps every judge to people's
    scale by a monotone function and weights it by its inverse squared error; both are learned on other inputs.

    Args:
        judges: Scores of each judge, systems x inputs (NaN where missing).
        human: People's scores, in the same shape.
        level: `summary`, `system` or `global`.
        coefficient: `pearson`, `spearman` or `kendall`.
        folds: Parts of the inputs for the calibrated jury.
        resampling: Bootstrap over inputs; default 1,000 rounds.
        human_name: Name of people's score in the result.

    Returns:
        Judges and juries, the highest correlation first, each with its difference to the best judge.

    Raises:
        DataError: There are fewer than two judges.
        MismatchError: The matrices differ in shape.

    Example:
        >>> from rubrica.meta import compare_juries
        >>> from rubrica.statistics.intervals import Resampling
        >>> human = [[1, 2, 2], [2, 2, 3], [4, 3, 5], [5, 4, 4]]
        >>> first = [[2, 3, 2], [1, 3, 4], [4, 4, 5], [5, 4, 5]]
        >>> second = [[1, 1, 3], [2, 3, 1], [3, 3, 4], [3, 5, 5]]
        >>> judges = {"first": first, "second": second}
        >>> report = compare_juries(judges, human, level="system", coefficient="pearson", resampling=Resampling(20))
        >>> report.best_judge, sorted(member.name for member in report.members if member.is_jury)
        ('first', ['calibrated', 'dawid-skene', 'mean', 'median', 'vote'])
    """
    resampling = resampling or Resampling()
    if len(judges) < 2:
        raise DataError("a jury needs at least two judges")
    z = score_matrix(human, "human")
    tables = {name: score_matrix(values, name) for name, values in judges.items()}
    for name, table in tables.items():
        if table.shape != z.shape:
            raise MismatchError(f"{name} has shape {table.shape}, human has {z.shape}")
    absent = np.isnan(z) | np.any([np.isnan(table) for table in tables.values()], axis=0)
    z = np.where(absent, np.nan, z)
    cube = np.array([np.where(absent, np.nan, table) for table in tables.values()])
    scored = {name: (False, table) for name, table in zip(tables, cube, strict=True)}
    scored |= {
        "mean": (True, cube.mean(axis=0)),
        "median": (True, np.median(cube, axis=0)),
        "vote": (True, _vote(cube)),
        "dawid-skene": (True, _dawid_skene(cube)),
        "calibrated": (True, _calibrated(cube, z, folds)),
    }

    how = (Level(level), Coefficient(coefficient))

    def measure(table: Matrix, at: NDArray[np.int64]) -> float:
        return nan_if_none(correlation_value(table[:, at], z[:, at], *how, "drop"))

    everything = np.arange(z.shape[1])
    values = {name: measure(table, everything) for name, (_, table) in scored.items()}
    best = max(tables, key=lambda name: -math.inf if math.isnan(values[name]) else values[name])
    samples = {name: np.full(resampling.rounds, np.nan) for name in scored}
    for part, counts in count_blocks(resampling, z.shape[1], z.shape[1]):
        for row, drawn in enumerate(counts, part.start):
            at = np.repeat(everything, drawn.astype(np.int64))
            for name, (_, table) in scored.items():
                samples[name][row] = measure(table, at)
    members = []
    for name, (is_jury, _) in scored.items():
        lower, upper = defined_interval(samples[name] - samples[best], resampling)
        known = not math.isnan(values[name])
        members.append(
            JuryMember(
                name,
                is_jury,
                values[name] if known else None,
                values[name] - values[best] if known else None,
                lower,
                upper,
            )
        )
    members.sort(key=lambda m: -math.inf if m.correlation is None else -m.correlation)
    facts = {"level": level, "coef": coefficient, "folds": folds}
    signature = method_signature(
        "jury", z, *cube, **facts, bs=resampling.rounds, seed=resampling.seed
    )
    return JuryReport(human_name, best, tuple(members), signature)


def isotonic(x: Matrix, y: Matrix) -> tuple[Matrix, Matrix]:
    """Least-squares monotone map of x to y by pooling adjacent violators: points and their values."""
    points, codes = np.unique(x, return_inverse=True)
    weights = np.bincount(codes).astype(np.float64)
    means = np.bincount(codes, weights=y) / weights
    blocks: list[list[float]] = []
    for mean, weight in zip(means.tolist(), weights.tolist(), strict=True):
        blocks.append([mean, weight, 1])
        while len(blocks) > 1 and blocks[-2][0] >= blocks[-1][0]:
            later = blocks.pop()
            total = blocks[-1][1] + later[1]
            blocks[-1][0] = (blocks[-1][0] * blocks[-1][1] + later[0] * later[1]) / total
            blocks[-1][1:] = [total, blocks[-1][2] + later[2]]
    values = np.repeat([block[0] for block in blocks], [int(block[2]) for block in blocks])
    return points, values


def isotonic_value(curve: tuple[Matrix, Matrix], x: Matrix) -> Matrix:
    """Apply a monotone map, linear between its points and constant outside."""
    return np.asarray(np.interp(x, *curve), dtype=np.float64)


def _vote(cube: Matrix) -> Matrix:
    """Mean over judges of the share of the input's other summaries that a summary beats."""
    above = (cube[:, :, None] > cube[:, None, :]).sum(axis=2)
    equal = (cube[:, :, None] == cube[:, None, :]).sum(axis=2) - 1
    others = np.maximum((~np.isnan(cube)).sum(axis=1, keepdims=True) - 1, 1)
    shares = (above + 0.5 * equal) / others
    return np.where(np.isnan(cube[0]), np.nan, shares.mean(axis=0))


def _dawid_skene(cube: Matrix) -> Matrix:
    """Return the expected label of each summary under Dawid and Skene's model."""
    present = ~np.isnan(cube[0])
    combined = np.full(cube.shape[1:], np.nan)
    if present.any():
        combined[present] = dawid_skene(cube[:, present]).expected()
    return combined


def _calibrated(cube: Matrix, z: Matrix, folds: int) -> Matrix:
    combined = np.full(z.shape, np.nan)
    fold = np.arange(z.shape[1]) % min(folds, z.shape[1])
    for number in range(int(fold.max()) + 1):
        train, test = fold != number, fold == number
        known = ~np.isnan(z[:, train])
        if known.sum() < 3:
            continue
        mapped, weights = [], []
        for table in cube:
            x, y = table[:, train][known], z[:, train][known]
            curve = isotonic(x, y)
            error = float(((isotonic_value(curve, x) - y) ** 2).mean())
            mapped.append(isotonic_value(curve, np.nan_to_num(table[:, test])))
            weights.append(1 / max(error, 1e-9))
        combined[:, test] = np.average(mapped, axis=0, weights=weights)
    return np.where(np.isnan(z), np.nan, combined)
