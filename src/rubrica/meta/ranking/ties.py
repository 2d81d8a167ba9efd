"""Pairwise agreement that takes ties seriously: tau variants, acc_eq, tie calibration, WMT20.

Each pair of summaries is concordant (C), discordant (D), tied by people alone (T_h), by the metric
alone (T_m) or by both (T_hm). Deutsch, Foster and Freitag, "Ties Matter", EMNLP 2023.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rubrica.errors import ParameterError
from rubrica.meta.scores import Matrix, choice, joined
from rubrica.meta.signatures import method_signature
from rubrica.signature import Signature

Grouping: TypeAlias = Literal["input", "system", "none"]
Variant: TypeAlias = Literal["a", "b", "10", "13", "14", "23", "acc_eq"]
Counts: TypeAlias = NDArray[np.int64]
GROUPINGS = ("input", "system", "none")


def _share(top: Matrix | Counts, bottom: Matrix | Counts) -> Matrix:
    """top / bottom, NaN where there is nothing to divide by."""
    return np.where(bottom > 0, top / np.where(bottom > 0, bottom, 1), np.nan)


# The columns are C, D, T_h, T_m, T_hm.
VARIANTS: dict[str, Callable[[Counts, Counts, Counts, Counts, Counts], Matrix]] = {
    "a": lambda c, d, h, m, b: _share(c - d, c + d + h + m + b),
    "b": lambda c, d, h, m, b: _share(c - d, np.sqrt(1.0 * (c + d + h) * (c + d + m))),
    # WMT 2010 counts a metric tie as wrong, 2013 leaves it out, 2014 gives it zero.
    "10": lambda c, d, h, m, b: _share(c - d - m, c + d + m),
    "13": lambda c, d, h, m, b: _share(c - d, c + d),
    "14": lambda c, d, h, m, b: _share(c - d, c + d + m),
    "23": lambda c, d, h, m, b: _share(c + b - d - h - m, c + d + h + m + b),
    "acc_eq": lambda c, d, h, m, b: _share(c + b, c + d + h + m + b),
}


@dataclass(frozen=True, slots=True)
class TiesValue:
    """A mean over groups, None where no group is defined; `undefined` groups are left out.

    The taus are in [-1, 1], acc_eq in [0, 1]. The pair counts are summed over all groups.
    """

    value: float | None
    groups: int
    undefined: int
    concordant: int
    discordant: int
    human_ties: int
    metric_ties: int
    both_ties: int
    signature: Signature = field(repr=False)


@dataclass(frozen=True, slots=True)
class KendallLike:
    """(C - D) / (C + D) over all groups' pairs together, in [-1, 1]; None without such pairs."""

    value: float | None
    concordant: int
    discordant: int
    signature: Signature = field(repr=False)


def tau_with_ties(
    metric: ArrayLike,
    human: ArrayLike,
    *,
    variant: Variant = "acc_eq",
    by: Grouping = "input",
    epsilon: float = 0.0,
) -> TiesValue:
    """Return a variant of Kendall's tau, or acc_eq, within each group of summaries, averaged over groups.

    Args:
        metric: Scores, systems x inputs (NaN where missing).
        human: Human scores, in the same shape.
        variant: `acc_eq`, or tau `a`, `b`, `10`, `13`, `14` or `23`.
        by: Groups are the summaries of one `input`, of one `system`, or all (`none`).
        epsilon: Metric scores that differ by at most this are tied.

    Returns:
        The mean with the counts of concordant, discordant and tied pairs. A group is undefined without pairs, for tau-b
        also when one side is all ties; None if every group is.

    Raises:
        ParameterError: An option is unknown, or `epsilon` is negative.
        MismatchError: The matrices differ in shape.

    Example:
        >>> from rubrica.meta import tau_with_ties
        >>> human = [[1, 2, 2], [2, 2, 3], [4, 3, 5], [5, 4, 4]]
        >>> metric = [[0.2, 0.3, 0.2], [0.3, 0.2, 0.4], [0.4, 0.4, 0.5], [0.5, 0.3, 0.6]]
        >>> round(tau_with_ties(metric, human).value, 3), round(tau_with_ties(metric, human, variant="b").value, 3)
        (0.778, 0.689)
    """
    choice(variant, tuple(VARIANTS), "variant")
    if not epsilon >= 0.0:
        raise ParameterError(f"epsilon must not be negative, found {epsilon}")
    x, z = grouped(metric, human, by)
    counts = pair_counts(x, z, epsilon=epsilon)
    values = VARIANTS[variant](*counts)
    defined = values[~np.isnan(values)]
    value = float(defined.mean()) if len(defined) else None
    facts = {"coef": f"tau-{variant}" if len(variant) < 3 else variant, "by": by}
    signature = method_signature(
        "ties", x, z, **facts, epsilon=f"{epsilon:g}", undefined="drop", absent="left-out"
    )
    undefined = len(values) - len(defined)
    c, d, h, m, b = counts.sum(axis=1).tolist()
    return TiesValue(value, len(defined), undefined, c, d, h, m, b, signature)


def kendall_like(
    metric: ArrayLike, human: ArrayLike, *, gap: float = 25.0, by: Grouping = "input"
) -> KendallLike:
    """Return the Kendall-like tau of WMT 2020: only pairs whose human scores differ by at least `gap` count.

    A tie of the metric is discordant. So is a tie of people, which is possible with a gap of 0, as in WMT's own script.

    Args:
        metric: Scores, systems x inputs (NaN where missing).
        human: Human scores, in the same shape.
        gap: Smallest difference of human scores.
        by: Compare the summaries of one `input`, of one `system`, or all (`none`).

    Returns:
        The value with the number of concordant and discordant pairs; None without pairs.

    Raises:
        ParameterError: `gap` is negative.
        MismatchError: The matrices differ in shape.

    Example:
        >>> from rubrica.meta import kendall_like
        >>> human = [[1, 2, 2], [2, 2, 3], [4, 3, 5], [5, 4, 4]]
        >>> metric = [[0.2, 0.3, 0.2], [0.3, 0.2, 0.4], [0.4, 0.4, 0.5], [0.5, 0.3, 0.6]]
        >>> kendall_like(metric, human, gap=1)
        KendallLike(value=0.6470588235294118, concordant=14, discordant=3)
    """
    if not gap >= 0.0:
        raise ParameterError(f"gap must not be negative, found {gap}")
    x, z = grouped(metric, human, by)
    concordant = discordant = 0
    for first in range(len(x) - 1):
        dx, dz = x[first] - x[first + 1 :], z[first] - z[first + 1 :]
        wide = np.abs(dz) >= gap
        right = wide & (dx * np.sign(dz) > 0)
        concordant += int(right.sum())
        discordant += int(wide.sum()) - int(right.sum())
    pairs = concordant + discordant
    signature = method_signature(
        "kendall-like", x, z, by=by, gap=f"{gap:g}", ties="discordant", absent="left-out"
    )
    value = (concordant - discordant) / pairs if pairs else None
    return KendallLike(value, concordant, discordant, signature)


def grouped(metric: ArrayLike, human: ArrayLike, by: str) -> tuple[Matrix, Matrix]:
    """Members x groups: pairs are formed within a column."""
    choice(by, GROUPINGS, "by")
    x, z = joined(metric, human)
    if by == "system":
        return x.T, z.T
    return (x.reshape(-1, 1), z.reshape(-1, 1)) if by == "none" else (x, z)


def pair_counts(metric: Matrix, human: Matrix, *, epsilon: float = 0.0) -> Counts:
    """5 x groups: C, D, T_h, T_m, T_hm of the pairs of rows within each column; NaN has no pairs.

    O(members^2 x groups) time, O(members x groups) memory.
    """
    members, groups = metric.shape
    counts = np.zeros((5, groups), dtype=np.int64)
    for first in range(members - 1):
        dx, dz = metric[first] - metric[first + 1 :], human[first] - human[first + 1 :]
        present = ~np.isnan(dx)
        tied_m, tied_h = np.abs(dx) <= epsilon, dz == 0.0
        same = (dx > 0) == (dz > 0)
        split = ~tied_m & ~tied_h & present
        counts[0] += (split & same).sum(axis=0)
        counts[1] += (split & ~same).sum(axis=0)
        counts[2] += (tied_h & ~tied_m & present).sum(axis=0)
        counts[3] += (tied_m & ~tied_h).sum(axis=0)
        counts[4] += (tied_m & tied_h).sum(axis=0)
    return counts
