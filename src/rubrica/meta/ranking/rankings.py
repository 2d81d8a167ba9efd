"""Results of a meta-evaluation: metrics in order, with intervals, clusters and tests."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from rubrica.data.table import ScoreTable
from rubrica.errors import ParameterError
from rubrica.formatting.charts import Panel, Point, interval_chart
from rubrica.formatting.result import Result
from rubrica.formatting.table import Table
from rubrica.meta.correlation.coefficients import Coefficient
from rubrica.meta.correlation.levels import Level
from rubrica.meta.correlation.matrix_tests import Square
from rubrica.meta.join import JoinReport
from rubrica.meta.ranking.pairs import PairsTau, TopSystems
from rubrica.scoring.examples import Examples
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

    def panel(self) -> Panel:
        """Return the points of a plot: correlations with their intervals."""
        points = [
            Point(s.metric, s.value, s.lower, s.upper, str(s.cluster)) for s in self.standings
        ]
        return Panel(f"{self.coefficient.value}, {self.human}, {self.level.value}", points)


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


@dataclass(frozen=True, slots=True, repr=False)
class MetaEvaluation(Result):
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
    # What was correlated; None for a result that was read from a file.
    table: ScoreTable | None = field(default=None, compare=False)

    def __repr__(self) -> str:
        """Return the tables of `rubrica meta-evaluate`."""
        from rubrica.meta.ranking.tables import as_text

        return as_text(self)

    def to_tables(self) -> list[Table]:
        """Return a table per human score and level, and those of all human scores together."""
        from rubrica.meta.ranking.tables import compact_tables

        return compact_tables(self)

    def to_markdown(self) -> str:
        """Return the tables as Markdown."""
        from rubrica.meta.ranking.tables import as_markdown

        return as_markdown(self)

    def to_latex(self) -> str:
        """Return the tables of a paper; superscripts name the metrics that a metric significantly beats."""
        from rubrica.meta.ranking.tables import as_latex

        return as_latex(self)

    def records(self) -> list[dict[str, Any]]:
        """Return a row per human score, level, coefficient and metric."""
        return [
            {
                "human": ranking.human,
                "level": ranking.level.value,
                "coefficient": ranking.coefficient.value,
                **{name: getattr(standing, name) for name in Standing.__slots__},
                "beats": " ".join(standing.beats),
            }
            for ranking in self.rankings
            for standing in ranking.standings
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as `rubrica meta-evaluate` writes it to JSON, without its options."""
        from rubrica.meta.ranking.tables import object_of

        return object_of(self, {})

    def panels(self) -> list[Panel]:
        """Return a panel per human score, level and coefficient; groups are clusters."""
        return [ranking.panel() for ranking in self.rankings]

    def plot(self) -> Any:
        """Return an altair chart of the correlations and their intervals; colours are clusters."""
        coefficients = len({ranking.coefficient for ranking in self.rankings})
        return interval_chart(self.panels(), group="cluster", columns=coefficients)

    def worst(
        self,
        n: int = 5,
        *,
        metric: str | None = None,
        human: str | None = None,
        summaries: Any = None,
    ) -> Examples:
        """Return the summaries on which a metric and people disagree most, by the difference of their ranks.

        Args:
            n: How many.
            metric: A metric (default: the first).
            human: A human score (default: the first).
            summaries: The texts: anything that `rubrica.read` takes.
        """
        from rubrica.meta.ranking.disagreement import largest_disagreements

        return largest_disagreements(self, n, metric, human, summaries)

    def ranking(
        self, human: str, level: Level | str, coefficient: Coefficient | str = Coefficient.PEARSON
    ) -> Ranking:
        """Return one of the rankings."""
        for ranking in self.rankings:
            if (ranking.human, ranking.level, ranking.coefficient) == (human, level, coefficient):
                return ranking
        raise ParameterError(f"no ranking for {human!r}, {level} level, {coefficient}")
