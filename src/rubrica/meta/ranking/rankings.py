"""Results of a meta-evaluation: metrics in order, with intervals, clusters and tests."""

from __future__ import annotations

from dataclasses import dataclass

from rubrica.errors import ParameterError
from rubrica.meta.correlation.coefficients import Coefficient
from rubrica.meta.correlation.levels import Level
from rubrica.meta.correlation.matrix_tests import Square
from rubrica.meta.join import JoinReport
from rubrica.meta.ranking.pairs import PairsTau, TopSystems
from rubrica.signature import Signature


@dataclass(frozen=True, slots=True)
class Standing:
    """A metric among the others: its correlation, its interval, its cluster, which metrics it beats.

    `value` is the plain coefficient. `sign` is -1 if a negative one is better: lower values of either the metric or
    the human score are better. `n`, `defined` and `undefined` are those of `Correlation`. `undefined_rounds` of the
    interval's rounds had no value. `cluster` is None without a correlation.
    """

    metric: str
    value: float | None
    lower: float | None
    upper: float | None
    n: int
    defined: int
    undefined: int
    undefined_rounds: int
    cluster: int | None
    beats: tuple[str, ...]
    sign: int = 1


@dataclass(frozen=True, slots=True)
class Ranking:
    """All metrics against one human score, at one level, by one coefficient; the best stands first.

    The best has the highest coefficient, its sign reversed where `sign` is -1. `p_values[a][b]` tests whether
    standing a agrees better with people than standing b, `adjusted` is that
    after the correction. Both are None on the diagonal and where there is no test. `left_out`
    counts cells that some, but not all, of the metrics and the human score have.
    """

    human: str
    level: Level
    coefficient: Coefficient
    standings: tuple[Standing, ...]
    p_values: Square
    adjusted: Square
    left_out: int
    signature: Signature


@dataclass(frozen=True, slots=True)
class SystemCurve:
    """How well a metric orders the best systems by one human score, and pairs of close ones.

    `top` runs from all systems down to the best 4, `close` from the closest tenth of the pairs to
    all; both are Kendall's tau-b of system means over the cells that all metrics have.
    """

    human: str
    metric: str
    top: tuple[TopSystems, ...]
    close: tuple[PairsTau, ...]


@dataclass(frozen=True, slots=True)
class MetaEvaluation:
    """The rankings for every human score, level and coefficient, in the order asked for.

    Coefficients are plain; order, tests and clusters reverse the sign of the measures in `lower_is_better`, human
    scores included. There are `curves` for every human score and metric if the system level was asked for.
    """

    metrics: tuple[str, ...]
    humans: tuple[str, ...]
    lower_is_better: tuple[str, ...]
    alpha: float
    rankings: tuple[Ranking, ...]
    curves: tuple[SystemCurve, ...] = ()
    join: JoinReport | None = None

    def ranking(
        self, human: str, level: Level | str, coefficient: Coefficient | str = Coefficient.PEARSON
    ) -> Ranking:
        """One of the rankings."""
        for one in self.rankings:
            if (one.human, one.level, one.coefficient) == (human, level, coefficient):
                return one
        raise ParameterError(f"no ranking for {human!r}, {level} level, {coefficient}")
