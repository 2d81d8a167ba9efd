"""Does one metric correlate better with people than another? Permutation and paired bootstrap tests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rubrica.core import kernels
from rubrica.core.cores import available_cores
from rubrica.errors import ParameterError
from rubrica.meta.correlation.bootstrap import OVER, ROUNDS, bootstrap_correlations
from rubrica.meta.correlation.coefficients import Coefficient
from rubrica.meta.correlation.correlation import (
    aligned,
    check_rule,
    correlation_value,
    none_if_nan,
    number_of_points,
    without_empty,
)
from rubrica.meta.correlation.levels import Level, Undefined
from rubrica.meta.scores import Matrix
from rubrica.meta.signatures import signature_of
from rubrica.parameters import SEED
from rubrica.signature import Signature
from rubrica.statistics.williams import williams_p_value

Test: TypeAlias = Literal[
    "permutation-both",
    "permutation-system",
    "permutation-input",
    "bootstrap-both",
    "bootstrap-system",
    "bootstrap-input",
    "williams",
]
# Which cells "permutation-both" exchanges: each by itself (SacreROUGE, MTME), or those whose row
# or column was drawn, but not both (nlpstats). The choice often decides significance.
Scheme: TypeAlias = Literal["cells", "rows-columns"]
# (c + 1) / (K + 1) as in SacreROUGE, never 0, or c / K as in nlpstats and MTME.
PRule: TypeAlias = Literal["plus-one", "ratio"]

# Differences that are equal but for rounding count as equal.
TOLERANCE = 1e-12
_BLOCK = 32_000_000


@dataclass(frozen=True, slots=True)
class Significance:
    """A test of r(A, Z) against r(B, Z).

    With one tail the alternative is r(A, Z) > r(B, Z), with two r(A, Z) != r(B, Z). `p_value` is
    None where a correlation or the test is undefined. `undefined_rounds` were left out of it.
    """

    level: Level
    coefficient: Coefficient
    p_value: float | None
    value_a: float | None
    value_b: float | None
    method: str
    tails: int
    rounds: int
    undefined_rounds: int
    signature: Signature

    @property
    def difference(self) -> float | None:
        """r(A, Z) - r(B, Z)."""
        if self.value_a is None or self.value_b is None:
            return None
        return self.value_a - self.value_b

    def is_significant(self, alpha: float = 0.05) -> bool:
        """Whether p <= alpha; False where there is no p-value."""
        return self.p_value is not None and self.p_value <= alpha


def compare(
    a: ArrayLike,
    b: ArrayLike,
    human: ArrayLike,
    level: Level | str = Level.SUMMARY,
    coefficient: Coefficient | str = Coefficient.PEARSON,
    *,
    method: Test = "permutation-both",
    scheme: Scheme = "cells",
    p_rule: PRule = "plus-one",
    signed: bool = False,
    tails: int = 1,
    rounds: int = ROUNDS,
    seed: int = SEED,
    undefined: Undefined = "drop",
    threads: int | None = None,
) -> Significance:
    """Test whether metric `a` correlates better with `human` than metric `b` does.

    Only cells that all three have are used. `scheme` and `p_rule` concern permutation tests;
    `signed` concerns Williams' test, which by default takes |r| as SacreROUGE does.
    """
    level, coefficient = Level(level), Coefficient(coefficient)
    check_test(method, scheme, p_rule, tails, rounds)
    check_rule(undefined)
    (x, y, z), _ = aligned(a, b, human)
    x, y, z = without_empty(x, y, z)
    both = np.stack([x, y])
    values = [correlation_value(metric, z, level, coefficient, undefined) for metric in both]
    facts: dict[str, Any] = {"test": method, "tails": tails}
    if level is Level.SUMMARY:
        facts["undefined"] = undefined
    p, missing = None, 0
    if method == "williams":
        rounds = 0
        facts["sign"] = "signed" if signed else "absolute"
        r12, r13, r23 = (
            float("nan") if value is None else value
            for value in (*values, correlation_value(x, y, level, coefficient, undefined))
        )
        points = number_of_points(z, level)
        p = williams_p_value(r12, r13, r23, points, tails=tails, signed=signed)
    else:
        options: dict[str, Any] = {
            "rounds": rounds,
            "seed": seed,
            "undefined": undefined,
            "threads": threads,
        }
        over = OVER[method.rpartition("-")[2]]
        if method.startswith("bootstrap"):
            facts |= {"bs": rounds, "seed": seed}
            drawn = bootstrap_correlations(both, z, level, coefficient, over=over, **options)
            # Berg-Kirkpatrick et al. (2012): the resampled differences scatter about the observed
            # one, not about 0, hence twice it.
            factor, rule, observed = 2.0, "ratio", values
        else:
            exchange = scheme if over == "both" else over
            facts |= {"scheme": exchange, "p": p_rule, "perms": rounds, "seed": seed}
            drawn = swap_correlations(both, z, level, coefficient, exchange=exchange, **options)[
                :, 0
            ]
            # Computed from the same numbers as the exchanged ones: standardising rounds.
            observed = [
                correlation_value(standardised(metric), z, level, coefficient, undefined)
                for metric in both
            ]
            factor, rule = 1.0, p_rule
        deltas = drawn[:, 0] - drawn[:, 1]
        missing = int(np.isnan(deltas).sum())
        if observed[0] is not None and observed[1] is not None:
            threshold = factor * (observed[0] - observed[1])
            p = none_if_nan(p_value_of(deltas, threshold, tails, rule))
    signature = signature_of("comparison", (x, y, z), level, coefficient, **facts)
    return Significance(
        level, coefficient, p, values[0], values[1], method, tails, rounds, missing, signature
    )


def swap_correlations(
    metrics: Matrix,
    human: Matrix,
    level: Level | str,
    coefficient: Coefficient | str,
    *,
    exchange: Literal["systems", "inputs", "cells", "rows-columns"] = "cells",
    pairs: Sequence[tuple[int, int]] = ((0, 1),),
    rounds: int = ROUNDS,
    seed: int = SEED,
    undefined: Undefined = "drop",
    threads: int | None = None,
) -> Matrix:
    """Correlations of both metrics of each pair after random exchanges: [round, pair, 2].

    The metrics are first standardised over all their cells, so that their scales do not matter.
    All pairs see the same exchanges. Matrices must be `aligned`.
    """
    standard = np.stack([standardised(metric) for metric in metrics])
    human = np.ascontiguousarray(human)
    chosen: NDArray[np.int64] = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    out = np.full((rounds, len(chosen), 2), np.nan)
    systems, inputs = human.shape
    if not human.size:
        return out
    step = max(1, _BLOCK // human.size)
    for first in range(0, rounds, step):
        number = min(step, rounds - first)
        out[first : first + number] = kernels.swapped_correlations(
            standard,
            human,
            Level(level).value,
            Coefficient(coefficient).value,
            chosen,
            kernels.swap_masks(systems, inputs, exchange, number, seed, first=first),
            undefined == "zero",
            threads or available_cores(),
        )
    return out


def standardised(metric: Matrix) -> Matrix:
    """Mean 0 and standard deviation 1 over all cells; a constant metric becomes 0."""
    present = metric[~np.isnan(metric)]
    if not present.size or present.min() == present.max():
        return metric * 0.0
    return np.asarray((metric - present.mean()) / present.std())


def p_value_of(deltas: Matrix, threshold: float, tails: int, rule: str) -> float:
    """The share of defined differences at least as large as the threshold; NaN without any."""
    defined = deltas[~np.isnan(deltas)]
    if not len(defined):
        return float("nan")
    if tails == 2:
        defined, threshold = np.abs(defined), abs(threshold)
    count = int((defined >= threshold - TOLERANCE).sum())
    return (count + 1) / (len(defined) + 1) if rule == "plus-one" else count / len(defined)


def check_test(method: str, scheme: str, p_rule: str, tails: int, rounds: int) -> None:
    """Refuse what no test has."""
    if method not in get_args(Test):
        raise ParameterError(f"no test {method!r}; there are: {', '.join(get_args(Test))}")
    if scheme not in get_args(Scheme):
        raise ParameterError(f"no scheme {scheme!r}; there are: {', '.join(get_args(Scheme))}")
    if p_rule not in get_args(PRule):
        raise ParameterError(f"no p-value rule {p_rule!r}; there are: plus-one, ratio")
    if tails not in (1, 2):
        raise ParameterError(f"a test has 1 or 2 tails, not {tails}")
    if rounds < 1:
        raise ParameterError(f"at least one round of resampling is needed, not {rounds}")
