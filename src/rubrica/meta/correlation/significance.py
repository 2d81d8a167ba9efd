"""Tests of two metrics against each other: their options and results, and how metrics exchange scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from rubrica.core import kernels
from rubrica.core.cores import available_cores
from rubrica.errors import ParameterError
from rubrica.meta.correlation.bootstrap import ROUNDS, number_of_clusters
from rubrica.meta.correlation.coefficients import Coefficient
from rubrica.meta.correlation.correlation import check_rule
from rubrica.meta.correlation.levels import Level, Undefined
from rubrica.meta.scores import Matrix, scaled
from rubrica.parameters import SEED
from rubrica.signature import Signature
from rubrica.statistics.intervals import check_rounds

Test: TypeAlias = Literal[
    "permutation-two-way",
    "permutation-max",
    "permutation-both",
    "permutation-system",
    "permutation-input",
    "bootstrap-both",
    "bootstrap-system",
    "bootstrap-input",
    "williams",
]
# The test that holds its level whether the errors of metrics belong to systems, to inputs or to single summaries.
DEFAULT_TEST: Test = "permutation-two-way"
# Which cells "permutation-both" exchanges: each by itself (SacreROUGE, MTME), or those whose row
# or column was drawn, but not both (nlpstats). The choice often decides significance.
Scheme: TypeAlias = Literal["cells", "rows-columns"]
# (c + 1) / (K + 1) as in SacreROUGE, never 0, or c / K as in nlpstats and MTME.
PRule: TypeAlias = Literal["plus-one", "ratio"]
Exchange: TypeAlias = Literal["systems", "inputs", "cells", "rows-columns"]

# Differences that are equal but for rounding count as equal.
TOLERANCE = 1e-12
_BLOCK = 32_000_000


@dataclass(frozen=True, slots=True)
class TestOptions:
    """How two metrics are tested against each other; `compare_metrics` explains the options.

    `clusters` has the cluster of each input, as a number from 0.
    """

    __test__ = False

    method: Test = DEFAULT_TEST
    scheme: Scheme = "cells"
    p_rule: PRule = "plus-one"
    signed: bool = False
    tails: int = 1
    rounds: int = ROUNDS
    seed: int = SEED
    undefined: Undefined = "drop"
    threads: int | None = None
    clusters: NDArray[np.int64] | None = None

    def __post_init__(self) -> None:
        check_test(self.method, self.scheme, self.p_rule, self.tails, self.rounds)
        check_rule(self.undefined)


@dataclass(frozen=True, slots=True)
class Significance:
    """A test of r(A, Z) against r(B, Z).

    With one tail the alternative is that A agrees better with people than B, with two that they differ. `p_value`
    is None where a correlation or the test is undefined; `undefined_rounds` were left out of it. `value_a` and
    `value_b` are the plain coefficients. `signs` are -1 where a negative coefficient is the better one.
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
    signs: tuple[int, int] = (1, 1)

    @property
    def difference(self) -> float | None:
        """How much better A agrees with people than B: r(A, Z) - r(B, Z), each with its sign."""
        if self.value_a is None or self.value_b is None:
            return None
        return self.signs[0] * self.value_a - self.signs[1] * self.value_b

    def is_significant(self, alpha: float = 0.05) -> bool:
        """Whether p <= alpha; False where there is no p-value."""
        return self.p_value is not None and self.p_value <= alpha


def swap_correlations(
    metrics: Matrix,
    human: Matrix,
    level: Level | str,
    coefficient: Coefficient | str,
    *,
    exchange: Exchange = "cells",
    pairs: Sequence[tuple[int, int]] = ((0, 1),),
    rounds: int = ROUNDS,
    seed: int = SEED,
    undefined: Undefined = "drop",
    threads: int | None = None,
    clusters: NDArray[np.int64] | None = None,
    standardise: bool = True,
) -> Matrix:
    """Return the correlations of both metrics of each pair after random exchanges of their scores.

    All pairs see the same exchanges.

    Args:
        metrics: Scores, metrics x systems x inputs.
        human: Human scores, systems x inputs, with NaN in the same cells.
        level: `summary`, `system` or `global`.
        coefficient: `pearson`, `spearman` or `kendall`.
        exchange: What to exchange: `systems`, `inputs`, `cells` or `rows-columns`.
        pairs: Numbers of the two metrics of each pair.
        rounds: Number of random exchanges.
        seed: Seed of the random numbers.
        undefined: Inputs without a correlation: `drop` them or count them as `zero`.
        threads: Threads to use (default: all cores).
        clusters: The cluster of each input, as numbers from 0. Inputs of one cluster are exchanged together.
        standardise: Standardise each metric over all its cells first, so that scales do not matter.

    Returns:
        An array, rounds x pairs x 2; NaN where a correlation is undefined.

    Example:
        >>> import numpy as np
        >>> from rubrica.meta import swap_correlations
        >>> human = np.array([[1, 2, 2], [2, 2, 3], [4, 3, 5], [5, 4, 4]], dtype=float)
        >>> samples = swap_correlations(np.stack([human, -human]), human, "system", "pearson", rounds=50)
        >>> samples.shape
        (50, 1, 2)
    """
    standard = np.stack([standardised(matrix) for matrix in metrics]) if standardise else metrics
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
            swap_masks(systems, inputs, exchange, number, seed, first, clusters),
            undefined == "zero",
            threads or available_cores(),
        )
    return out


def swap_masks(
    systems: int,
    inputs: int,
    exchange: Exchange,
    rounds: int,
    seed: int,
    first: int = 0,
    clusters: NDArray[np.int64] | None = None,
) -> NDArray[np.bool_]:
    """Which cells are exchanged in each round: [round, system, input]; inputs of one cluster alike."""
    if clusters is None:
        return kernels.swap_masks(systems, inputs, exchange, rounds, seed, first=first)
    masks = kernels.swap_masks(
        systems, number_of_clusters(clusters), exchange, rounds, seed, first=first
    )
    return np.ascontiguousarray(masks[:, :, clusters])


def standardised(metric: Matrix) -> Matrix:
    """Mean 0 and standard deviation 1 over all cells; a constant metric becomes 0."""
    present = metric[~np.isnan(metric)]
    if not present.size or present.min() == present.max():
        return metric * 0.0
    metric = scaled(metric)
    present = metric[~np.isnan(metric)]
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
    check_rounds(rounds)
