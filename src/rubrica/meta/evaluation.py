"""Many metrics against one or several human scores: correlations, intervals, tests, clusters."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from rubrica.data.measures import main_measures
from rubrica.data.table import ScoreTable
from rubrica.errors import DataWarning, ParameterError
from rubrica.meta.correlation.bootstrap import ROUNDS, cluster_numbers
from rubrica.meta.correlation.coefficients import Coefficient
from rubrica.meta.correlation.correlation import aligned, correlate, without_empty
from rubrica.meta.correlation.interval_options import Bounds, IntervalOptions, Method
from rubrica.meta.correlation.intervals import interval_bounds
from rubrica.meta.correlation.levels import Level, Undefined
from rubrica.meta.correlation.matrix_tests import Square, beaten, corrected, p_value_matrix
from rubrica.meta.correlation.significance import DEFAULT_TEST, PRule, Scheme, Test, TestOptions
from rubrica.meta.evaluation_options import MetaOptions
from rubrica.meta.join import JoinReport, SummarizerType
from rubrica.meta.measures import is_human_name
from rubrica.meta.ranking.clusters import ClusterRule, rank_clusters
from rubrica.meta.ranking.pairs import close_pairs, top_systems
from rubrica.meta.ranking.rankings import MetaEvaluation, Ranking, Standing, SystemCurve
from rubrica.meta.score_tables import Scores, score_table
from rubrica.meta.scores import Matrix
from rubrica.meta.signatures import signature_of
from rubrica.neural.progress import report
from rubrica.parameters import SEED
from rubrica.statistics.corrections import CORRECTIONS

ALL_COEFFICIENTS = (Coefficient.PEARSON, Coefficient.SPEARMAN, Coefficient.KENDALL)


def meta_evaluate(
    scores: Scores,
    *,
    humans: Sequence[str],
    metrics: Sequence[str] | None = None,
    levels: Sequence[Level | str] = tuple(Level),
    coefficients: Sequence[Coefficient | str] = ALL_COEFFICIENTS,
    lower_is_better: Sequence[str] = (),
    interval_method: Method = "auto",
    bounds: Bounds = "percentile",
    confidence: float = 95.0,
    tails: int = 2,
    test: Test = DEFAULT_TEST,
    scheme: Scheme = "cells",
    p_rule: PRule = "plus-one",
    signed: bool = False,
    test_tails: int = 1,
    correction: str = "holm",
    clusters: ClusterRule = "wmt",
    rounds: int = ROUNDS,
    seed: int = SEED,
    undefined: Undefined = "drop",
    threads: int | None = None,
    input_clusters: Sequence[object] | None = None,
    summarizer_type: SummarizerType = "peer",
    join: JoinReport | None = None,
) -> MetaEvaluation:
    """Correlate every metric with every human score, and test every two metrics against each other.

    For one human score all metrics are compared on the same cells: those that it and every metric have.
    Correlations are plain coefficients; rankings, tests and clusters reverse the sign of measures in
    `lower_is_better`. The tests of one ranking are corrected together.

    Args:
        scores: Files of scores, rows (such as those that `evaluate` returns), a frame of pandas or polars, an Arrow
            table, a list of these, or a `ScoreTable`. Rows of the same summary are joined.
        humans: The human scores, by the names of their measures.
        metrics: The metrics. By default the main measures that all judged summaries have: without precision and recall
            where F exists, without jackknifed values where the plain ones exist, and without those that have usual
            names of human scores (`coherence`, ...).
        levels: `summary`, `system`, `global`.
        coefficients: `pearson`, `spearman`, `kendall`.
        lower_is_better: Measures, human scores included, whose lower values are better; registered metrics declare
            it themselves.
        interval_method: How to compute intervals; see `rubrica.meta.interval`.
        bounds: `percentile` or other bounds of resampled values; see `rubrica.meta.interval`.
        confidence: Of the intervals, in percent; tests are significant at p <= 1 - confidence (95: 0.05).
        tails: 2 for intervals on both sides, 1 for a bound.
        test: The test of two metrics; see `rubrica.meta.compare_metrics`.
        scheme: What a permutation exchanges; see `rubrica.meta.compare_metrics`.
        p_rule: How to count p; see `rubrica.meta.compare_metrics`.
        signed: Test signed differences of correlations.
        test_tails: 1: a metric correlates better than another; 2: they differ.
        correction: Correction of the tests of one ranking.
        clusters: Rule that divides a ranking into clusters; see `rubrica.meta.rank_clusters`.
        rounds: Rounds of resampling and of permutation tests.
        seed: Seed of the random numbers.
        undefined: Inputs without a correlation: `drop`, `zero` or `error`.
        threads: Threads to use (default: all cores).
        input_clusters: A label per input; inputs with one label are resampled together.
        summarizer_type: Which rows to use: those of systems (`peer`), of people (`reference`), or `all`.
        join: What became of the rows of the files, for reports.

    Returns:
        A ranking for each human score, level and coefficient: correlations, intervals, p-values and clusters.

    Raises:
        UnknownNameError: The scores have no such measure.
        ParameterError: A measure is named twice, or an option has an unknown value.

    Example:
        >>> import rubrica as rb
        >>> rows = [
        ...     rb.Metrics(str(i), f"s{s}", "peer", {"good": 3 * s + i, "bad": s * i % 4, "relevance": s + i % 2})
        ...     for s in range(4)
        ...     for i in range(5)
        ... ]
        >>> result = rb.meta_evaluate(rows, humans=["relevance"], rounds=50)
        >>> ranking = result.ranking("relevance", "system", "pearson")
        >>> [(standing.metric, round(standing.value, 2)) for standing in ranking.standings]
        [('good', 1.0), ('bad', 0.73)]
    """
    table = score_table(scores, summarizer_type)
    names, people = _names(table, None if metrics is None else _listed(metrics), _listed(humans))
    check_among("correction", correction, tuple(CORRECTIONS))
    check_among("rule for clusters", clusters, get_args(ClusterRule))
    lower = {*table.lower_is_better, *(_name(table, name) for name in _listed(lower_is_better))}
    alpha = (100 - confidence) / 100
    options = MetaOptions(
        IntervalOptions(
            interval_method, bounds, confidence, tails, rounds, seed, undefined, threads
        ),
        TestOptions(test, scheme, p_rule, signed, test_tails, rounds, seed, undefined, threads),
        correction,
        clusters,
        alpha,
    )
    rankings: list[Ranking] = []
    curves: list[SystemCurve] = []
    asked = [Level(level) for level in _listed(levels)]
    kinds = [Coefficient(coefficient) for coefficient in _listed(coefficients)]
    total = len(people) * len(asked) * len(kinds)
    shared = _SharedDraws()
    for human in people:
        stack, z, left_out = compared_scores(table, names, human)
        groups = None
        if input_clusters is not None:
            groups = cluster_numbers(
                input_clusters, aligned(*_matrices(table, names, human))[0][-1]
            )
        signs = np.array([-1 if (name in lower) != (human in lower) else 1 for name in names])
        evaluator = _Evaluator(
            names, human, stack, z, signs, left_out, options.clustered(groups), shared.of(stack, z)
        )
        for level in asked:
            for coefficient in kinds:
                report("rankings", len(rankings), total)
                rankings.append(evaluator.ranking(level, coefficient))
        if Level.SYSTEM in asked:
            curves += evaluator.curves(human in lower)
    report("rankings", total, total)
    reversed_names = tuple(name for name in (*names, *people) if name in lower)
    return MetaEvaluation(
        tuple(names),
        tuple(people),
        reversed_names,
        alpha,
        tuple(rankings),
        tuple(curves),
        join,
        table,
    )


def compared_scores(
    table: ScoreTable, metrics: Sequence[str], human: str
) -> tuple[Matrix, Matrix, int]:
    """What correlations rest on: metrics x systems x inputs, the human score, cells left out.

    Cells that any of them lacks are NaN in all.
    """
    matrices, left_out = aligned(*_matrices(table, metrics, human))
    matrices = without_empty(*matrices)
    return np.stack(matrices[:-1]), matrices[-1], left_out


def _matrices(table: ScoreTable, metrics: Sequence[str], human: str) -> list[Matrix]:
    return [table.matrix(name) for name in (*metrics, human)]


class _SharedDraws:
    """What tests of the same metrics against several human scores share, as long as they have the same cells."""

    def __init__(self) -> None:
        self._stack: Matrix | None = None
        self._draws: dict[Any, Any] = {}

    def of(self, stack: Matrix, human: Matrix) -> dict[Any, Any]:
        """Return what earlier tests of these scores left."""
        if self._stack is None or not np.array_equal(self._stack, stack, equal_nan=True):
            self._stack, self._draws = stack, {}
        return self._draws


@dataclass(frozen=True, slots=True)
class _Evaluator:
    """Ranks the metrics by their agreement with one human score."""

    names: Sequence[str]
    human: str
    metrics: Matrix
    scores: Matrix
    signs: NDArray[np.int64]
    left_out: int
    options: MetaOptions
    shared: dict[Any, Any]

    def ranking(self, level: Level, coefficient: Coefficient) -> Ranking:
        """Return the ranking at a level, by a coefficient."""
        stack, z, options = self.metrics, self.scores, self.options
        undefined = options.test.undefined
        results = [correlate(x, z, level, coefficient, undefined=undefined) for x in stack]
        values = [result.value for result in results]
        bounds = interval_bounds(stack, z, level, coefficient, values, options.interval)
        oriented = self.signs[:, None, None] * stack
        # Signs may differ between human scores, and ties between metrics with them.
        shared = self.shared.setdefault(self.signs.tobytes(), {})
        p = p_value_matrix(oriented, z, level, coefficient, options.test, shared).p_values
        adjusted = corrected(p, options.correction, options.test.tails)
        agreement = [
            None if value is None else int(sign) * value
            for sign, value in zip(self.signs, values, strict=True)
        ]
        wins = beaten(agreement, adjusted, options.alpha)
        # The best first; what is undefined last, equal ones as they were named.
        order = sorted(range(len(self.names)), key=lambda k: -_key(agreement[k]))
        ranks = rank_clusters([[wins[a][b] for b in order] for a in order], options.clusters)
        standings = tuple(
            Standing(
                self.names[k],
                values[k],
                *bounds[k][:2],
                results[k].n,
                results[k].defined,
                results[k].undefined,
                bounds[k][2],
                None if values[k] is None else rank,
                tuple(self.names[b] for b in order if wins[k][b]),
                int(self.signs[k]),
            )
            for k, rank in zip(order, ranks, strict=True)
        )
        facts = options.facts(level)
        signature = signature_of("meta-evaluation", (*stack, z), level, coefficient, **facts)
        squares = _ordered(p, order), _ordered(adjusted, order)
        return Ranking(
            self.human, level, coefficient, standings, *squares, self.left_out, signature
        )

    def curves(self, lower_is_better: bool) -> list[SystemCurve]:
        """Return how well each metric orders the best systems, and close ones; as plain coefficients."""
        return [
            SystemCurve(
                self.human,
                name,
                top_systems(x, self.scores, lower_is_better=lower_is_better),
                close_pairs(x, self.scores),
            )
            for name, x in zip(self.names, self.metrics, strict=True)
        ]


def _listed(names: Sequence[str]) -> Sequence[str]:
    """The names; a string is one name."""
    return [names] if isinstance(names, str) else names


def _names(
    table: ScoreTable, metrics: Sequence[str] | None, humans: Sequence[str]
) -> tuple[list[str], list[str]]:
    people = [_name(table, name) for name in humans]
    if metrics is None:
        judged = np.logical_and.reduce([~np.isnan(table.matrix(name)) for name in people])
        names = [
            name
            for name in table.measures
            if name not in people
            and not is_human_name(name)
            and not np.isnan(table.matrix(name)[judged]).all()
        ]
        complete = [name for name in names if not np.isnan(table.matrix(name)[judged]).any()]
        incomplete = [name for name in names if name not in complete]
        names = main_measures(complete or names)
        if complete and incomplete:
            warnings.warn(
                f"left out, because some judged summaries lack them: {', '.join(incomplete)}; name metrics to use them",
                DataWarning,
                stacklevel=3,
            )
    else:
        names = [_name(table, name) for name in metrics]
    for listed, what in ((people, "human score"), (names, "metric")):
        if not listed:
            raise ParameterError(f"at least one {what} is needed")
        repeated = [name for name in listed if listed.count(name) > 1]
        if repeated:
            raise ParameterError(f"{what} {repeated[0]!r} is named twice")
    both = [name for name in names if name in people]
    if both:
        raise ParameterError(f"{both[0]!r} is named as a metric and as a human score")
    return names, people


def _name(table: ScoreTable, measure: str) -> str:
    table.matrix(measure)  # raises for an unknown name, with a suggestion
    return next(name for name in table.measures if measure in (name, name.replace(".", "_")))


def check_among(what: str, name: str, known: Sequence[str]) -> None:
    """Raise an error for a name that is not among those known."""
    if name not in known:
        raise ParameterError(f"no {what} {name!r}; there are: {', '.join(known)}")


def _key(value: float | None) -> float:
    return float("-inf") if value is None else value


def _ordered(square: Square, order: Sequence[int]) -> Square:
    return tuple(tuple(square[a][b] for b in order) for a in order)
