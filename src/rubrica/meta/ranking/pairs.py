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
from rubrica.meta.correlation.correlation import none_if_nan
from rubrica.meta.correlation.levels import Level
from rubrica.meta.scores import Matrix, same_systems, system_means
from rubrica.meta.signatures import signature_of
from rubrica.signature import Signature


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
    """r_SYS(l, u): tau over pairs of systems with lower <= |difference of metric means| <= upper.

    tau = (P - Q) / sqrt((P + Q + T)(P + Q + U)): T pairs tie in the metric alone, U in the human
    score alone, pairs tied in both count nowhere. All pairs together give tau-b.
    """
    dx, dz = _differences(metric, human)
    facts = {"lower": f"{lower:g}", "upper": f"{upper:g}"}
    return _tau(dx, dz, lower, upper, _signature(metric, human, **facts))


def close_pairs(metric: ArrayLike, human: ArrayLike, *, step: int = 10) -> tuple[PairsTau, ...]:
    """tau over the closest 10, 20, ..., 100 percent of the system pairs (with `step` = 10).

    Pairs are sorted by the difference of their metric scores; the bounds are the differences of
    every ceil(pairs x step / 100)-th pair, so pairs tied at a bound are all in. Without pairs: ().
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
    """System-level correlation among the k best systems by human mean, for each k in `sizes`.

    With `lower_is_better` the best systems have the lowest human means.

    By default k runs from all systems down to 4. Systems without a score on both sides are left
    out first; a k above their number is refused.
    """
    coefficient = Coefficient(coefficient)
    given = same_systems(metric, human)
    x, z = (system_means(one) for one in given)
    both = ~(np.isnan(x) | np.isnan(z))
    x, z = x[both], z[both]
    signature = signature_of(
        "top-systems", given, Level.SYSTEM, coefficient, chosen="human", last="ties-in"
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
    x, z = (system_means(one) for one in same_systems(metric, human))
    both = ~(np.isnan(x) | np.isnan(z))
    x, z = x[both], z[both]
    first, second = np.triu_indices(len(x), 1)
    return x[first] - x[second], z[first] - z[second]


def _signature(metric: ArrayLike, human: ArrayLike, **facts: Any) -> Signature:
    given = same_systems(metric, human)
    return signature_of(
        "close-pairs", given, Level.SYSTEM, Coefficient.KENDALL, by="metric", **facts
    )


def _tau(dx: Matrix, dz: Matrix, lower: float, upper: float, signature: Signature) -> PairsTau:
    kept = (np.abs(dx) >= lower) & (np.abs(dx) <= upper)
    a, b = np.sign(dx[kept]), np.sign(dz[kept])
    scale = math.sqrt(np.count_nonzero(a) * np.count_nonzero(b))
    tau = float((a * b).sum()) / scale if scale else None
    share = len(a) / len(dx) if len(dx) else 0.0
    tau = None if tau is None else max(-1.0, min(1.0, tau))
    return PairsTau(tau, len(a), share, lower, upper, signature)
