"""How well a metric orders systems that are close (delta bins) and systems that are good (top k).

r_SYS over all pairs of systems is carried by pairs that differ a lot, which nobody needs a metric
for (Deutsch, Dror and Roth, NAACL 2022; Bhandari et al., EMNLP 2020, experiment II).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rubrica.errors import ParameterError
from rubrica.meta.correlation.coefficients import Coefficient, coefficient_of
from rubrica.meta.correlation.levels import Level
from rubrica.meta.scores import Matrix, same_systems, system_means
from rubrica.meta.signatures import signature_of
from rubrica.signature import Signature
from rubrica.statistics.undefined import none_if_nan


@dataclass(frozen=True, slots=True)
class PairsTau:
    """Kendall's tau over the pairs of systems whose metric scores differ by `lower` to `upper`.

    `tau` in [-1, 1], None where no pair is left or all are tied on one side. `share` is the part
    of all pairs that was used, 0 to 1.
    """

    tau: float | None
    pairs: int
    share: float
    lower: float
    upper: float
    signature: Signature = field(repr=False)


@dataclass(frozen=True, slots=True)
class TopSystems:
    """The correlation among the best systems by human score; None where undefined.

    `systems` exceeds `size` where systems tie for the last place: all of them are kept.
    """

    size: int
    systems: int
    value: float | None
    signature: Signature = field(repr=False)


def pairs_tau(
    metric: ArrayLike, human: ArrayLike, *, lower: float = 0.0, upper: float = np.inf
) -> PairsTau:
    """Return Kendall's tau over the pairs of systems whose metric means differ by `lower` to `upper`.

    tau = (P - Q) / sqrt((P + Q + T)(P + Q + U)): P pairs are concordant, Q discordant, T tied only in the metric, U
    only in the human score. Pairs tied in both count nowhere. All pairs together give tau-b.

    Args:
        metric: Scores, systems x inputs (NaN where missing), or one per system.
        human: Human scores, in the same form.
        lower: Smallest difference of metric means.
        upper: Largest difference of metric means.

    Returns:
        tau with the number of pairs; None without pairs, or if all tie on one side.

    Example:
        >>> from rubrica.meta import pairs_tau
        >>> result = pairs_tau([0.1, 0.2, 0.35, 0.9], [1, 3, 2, 4], upper=0.3)
        >>> result.pairs, round(result.tau, 3)
        (3, 0.333)
    """
    dx, dz = _differences(metric, human)
    facts = {"lower": f"{lower:g}", "upper": f"{upper:g}"}
    return _tau(dx, dz, lower, upper, _signature(metric, human, **facts))


def close_pairs(metric: ArrayLike, human: ArrayLike, *, step: int = 10) -> tuple[PairsTau, ...]:
    """Return tau over the closest 10, 20, ..., 100 percent of the pairs of systems.

    Pairs are sorted by the difference of their metric means. Pairs tied at a bound are all included.

    Args:
        metric: Scores, systems x inputs (NaN where missing), or one per system.
        human: Human scores, in the same form.
        step: Percentage from one point to the next.

    Returns:
        A point per share of the pairs, the closest first; empty without pairs.

    Raises:
        ParameterError: `step` is not a percentage from 1 to 100.

    Example:
        >>> from rubrica.meta import close_pairs
        >>> points = close_pairs([0.1, 0.2, 0.35, 0.9], [1, 3, 2, 4], step=50)
        >>> [(point.pairs, round(point.tau, 2)) for point in points]
        [(3, 0.33), (6, 0.67)]
    """
    if not 1 <= step <= 100:
        raise ParameterError(f"step is a percentage from 1 to 100, found {step}")
    dx, dz = _differences(metric, human)
    if not len(dx):
        return ()
    size = -(-len(dx) * step // 100)
    bounds = np.sort(np.abs(dx))[np.minimum(np.arange(size, len(dx) + size, size), len(dx)) - 1]
    signature = _signature(metric, human, step=step)
    return tuple(_tau(dx, dz, 0.0, bound, signature) for bound in bounds.tolist())


def top_systems(
    metric: ArrayLike,
    human: ArrayLike,
    *,
    sizes: Sequence[int] | None = None,
    coefficient: Coefficient | str = Coefficient.KENDALL,
    lower_is_better: bool = False,
) -> tuple[TopSystems, ...]:
    """Return the system-level correlation among the k best systems by human mean.

    Systems without a score on both sides are left out first. Systems tied for the last place are all included.

    Args:
        metric: Scores, systems x inputs (NaN where missing), or one per system.
        human: Human scores, in the same form.
        sizes: The k (default: from all systems down to 4).
        coefficient: `pearson`, `spearman` or `kendall`.
        lower_is_better: The best systems have the lowest human means.

    Returns:
        A correlation for each k; its value is None where undefined.

    Raises:
        ParameterError: A k is below 1 or above the number of systems.

    Example:
        >>> from rubrica.meta import top_systems
        >>> top_systems([0.1, 0.2, 0.4, 0.3], [1, 2, 3, 4], sizes=[4, 2])
        (TopSystems(size=4, systems=4, value=0.6666666666666666), TopSystems(size=2, systems=2, value=-1.0))
    """
    coefficient = Coefficient(coefficient)
    matrices = same_systems(metric, human)
    x, z = (system_means(matrix) for matrix in matrices)
    both = ~(np.isnan(x) | np.isnan(z))
    x, z = x[both], z[both]
    signature = signature_of(
        "top-systems", matrices, Level.SYSTEM, coefficient, chosen="human", last="ties-in"
    )
    quality = -z if lower_is_better else z
    descending = np.sort(quality)[::-1]
    out = []
    for size in range(len(z), 3, -1) if sizes is None else sizes:
        if not 1 <= size <= len(z):
            raise ParameterError(f"cannot take the {size} best of {len(z)} systems")
        best = quality >= descending[size - 1]
        value = none_if_nan(coefficient_of(x[best], z[best], coefficient))
        out.append(TopSystems(size, int(best.sum()), value, signature))
    return tuple(out)


def _differences(metric: ArrayLike, human: ArrayLike) -> tuple[Matrix, Matrix]:
    """Differences of system means for each pair of systems that has them on both sides."""
    x, z = (system_means(matrix) for matrix in same_systems(metric, human))
    both = ~(np.isnan(x) | np.isnan(z))
    x, z = x[both], z[both]
    first, second = np.triu_indices(len(x), 1)
    return x[first] - x[second], z[first] - z[second]


def _signature(metric: ArrayLike, human: ArrayLike, **facts: Any) -> Signature:
    matrices = same_systems(metric, human)
    return signature_of(
        "close-pairs", matrices, Level.SYSTEM, Coefficient.KENDALL, by="metric", **facts
    )


def _tau(dx: Matrix, dz: Matrix, lower: float, upper: float, signature: Signature) -> PairsTau:
    close = (np.abs(dx) >= lower) & (np.abs(dx) <= upper)
    a, b = np.sign(dx[close]), np.sign(dz[close])
    scale = math.sqrt(np.count_nonzero(a) * np.count_nonzero(b))
    tau = float((a * b).sum()) / scale if scale else None
    share = len(a) / len(dx) if len(dx) else 0.0
    tau = None if tau is None else max(-1.0, min(1.0, tau))
    return PairsTau(tau, len(a), share, lower, upper, signature)
