"""Many metrics against one or several human scores: correlations, intervals, tests, clusters."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, get_args

import numpy as np

from rubrica.data.metrics import Metrics
from rubrica.data.table import ScoreTable
from rubrica.errors import ParameterError
from rubrica.meta.correlation.bootstrap import (
    OVER,
    ROUNDS,
    Bounds,
    Method,
    bootstrap_correlations,
    check_interval,
    interval,
)
from rubrica.meta.correlation.coefficients import Coefficient
from rubrica.meta.correlation.correlation import aligned, correlate, without_empty
from rubrica.meta.correlation.levels import Level, Undefined
from rubrica.meta.correlation.matrix_tests import Square, beaten, corrected, p_value_matrix
from rubrica.meta.correlation.significance import PRule, Scheme, Test, check_test
from rubrica.meta.join import JoinReport
from rubrica.meta.ranking.clusters import ClusterRule, rank_clusters
from rubrica.meta.ranking.pairs import close_pairs, top_systems
from rubrica.meta.ranking.rankings import MetaEvaluation, Ranking, Standing, SystemCurve
from rubrica.meta.scores import Matrix
from rubrica.meta.signatures import signature_of
from rubrica.parameters import SEED
from rubrica.statistics.corrections import CORRECTIONS

THREE = (Coefficient.PEARSON, Coefficient.SPEARMAN, Coefficient.KENDALL)


def meta_evaluate(
    scores: ScoreTable | Iterable[Metrics],
    *,
    humans: Sequence[str],
    metrics: Sequence[str] | None = None,
    levels: Sequence[Level | str] = tuple(Level),
    coefficients: Sequence[Coefficient | str] = THREE,
    lower_is_better: Sequence[str] = (),
    interval_method: Method = "bootstrap-both",
    bounds: Bounds = "percentile",
    confidence: float = 95.0,
    tails: int = 2,
    test: Test = "permutation-both",
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
    join: JoinReport | None = None,
) -> MetaEvaluation:
    """Correlate every metric with every human score, and test every two metrics against each other.

    Metrics are all other measures by default. For one human score all metrics are compared on the
    same cells: those that it and every metric have. Tests of one ranking are corrected together;
    significance is that of `confidence` (95: p <= 0.05). `tails` concerns intervals, `test_tails`
    tests; `interval`, `compare` and `rank_clusters` explain the rest.
    """
    table = scores if isinstance(scores, ScoreTable) else ScoreTable.from_metrics(scores)
    names, people = _names(table, metrics, humans)
    check_interval(interval_method, bounds, confidence, tails, rounds)
    check_test(test, scheme, p_rule, test_tails, rounds)
    check_among("correction", correction, tuple(CORRECTIONS))
    check_among("rule for clusters", clusters, get_args(ClusterRule))
    lower = {_name(table, name) for name in lower_is_better}
    alpha = (100 - confidence) / 100
    how = _How(
        {"method": interval_method, "bounds": bounds, "confidence": confidence, "tails": tails},
        {"method": test, "scheme": scheme, "p_rule": p_rule, "signed": signed, "tails": test_tails},
        {"rounds": rounds, "seed": seed, "undefined": undefined, "threads": threads},
        correction,
        clusters,
        alpha,
    )
    rankings: list[Ranking] = []
    curves: list[SystemCurve] = []
    asked = [Level(level) for level in levels]
    for human in people:
        stack, z, left_out = compared_scores(table, names, human, lower)
        rankings += [
            _ranking(names, human, stack, z, level, Coefficient(coefficient), how, left_out)
            for level in asked
            for coefficient in coefficients
        ]
        if Level.SYSTEM in asked:
            curves += [
                SystemCurve(human, name, top_systems(x, z), close_pairs(x, z))
                for name, x in zip(names, stack, strict=True)
            ]
    turned = tuple(name for name in (*names, *people) if name in lower)
    return MetaEvaluation(
        tuple(names), tuple(people), turned, alpha, tuple(rankings), tuple(curves), join
    )


def compared_scores(
    table: ScoreTable, metrics: Sequence[str], human: str, lower_is_better: Collection[str] = ()
) -> tuple[Matrix, Matrix, int]:
    """What correlations rest on: metrics x systems x inputs, the human score, cells left out.

    Cells that any of them lacks are NaN in all; the measures in `lower_is_better` change their sign.
    """
    matrices = (
        -table.matrix(name) if name in lower_is_better else table.matrix(name)
        for name in (*metrics, human)
    )
    made, left_out = aligned(*matrices)
    made = without_empty(*made)
    return np.stack(made[:-1]), made[-1], left_out


@dataclass(frozen=True, slots=True)
class _How:
    """The choices of a meta-evaluation, as the functions below take them."""

    interval: dict[str, Any]
    test: dict[str, Any]
    resampling: dict[str, Any]
    correction: str
    clusters: ClusterRule
    alpha: float

    def facts(self) -> dict[str, Any]:
        """What the signature tells."""
        confidence = f"{self.interval['confidence']:g}"
        out = {"interval": self.interval["method"], **self.interval, "confidence": confidence}
        out |= {f"test-{key}".removesuffix("-method"): one for key, one in self.test.items()}
        out |= {"correction": self.correction, "clusters": self.clusters}
        out |= {"bs": self.resampling["rounds"], **self.resampling}
        return {key: out[key] for key in out if key not in ("method", "rounds", "threads")}


def _ranking(
    names: Sequence[str],
    human: str,
    stack: Matrix,
    z: Matrix,
    level: Level,
    coefficient: Coefficient,
    how: _How,
    left_out: int,
) -> Ranking:
    undefined = how.resampling["undefined"]
    found = [correlate(x, z, level, coefficient, undefined=undefined) for x in stack]
    spans = _intervals(stack, z, level, coefficient, how.interval | how.resampling)
    p = p_value_matrix(stack, z, level, coefficient, **how.test, **how.resampling)
    adjusted = corrected(p, how.correction, how.test["tails"])
    values = [one.value for one in found]
    wins = beaten(values, adjusted, how.alpha)
    # The best first; what is undefined last, equal ones as they were named.
    order = sorted(range(len(names)), key=lambda k: -_key(values[k]))
    ranks = rank_clusters([[wins[a][b] for b in order] for a in order], how.clusters)
    standings = tuple(
        Standing(
            names[k],
            values[k],
            *spans[k][:2],
            found[k].n,
            found[k].defined,
            found[k].undefined,
            spans[k][2],
            None if values[k] is None else rank,
            tuple(names[b] for b in order if wins[k][b]),
        )
        for k, rank in zip(order, ranks, strict=True)
    )
    signature = signature_of("meta-evaluation", (*stack, z), level, coefficient, **how.facts())
    squares = _ordered(p, order), _ordered(adjusted, order)
    return Ranking(human, level, coefficient, standings, *squares, left_out, signature)


def _intervals(
    stack: Matrix, z: Matrix, level: Level, coefficient: Coefficient, options: dict[str, Any]
) -> list[tuple[float | None, float | None, int]]:
    """Lower and upper bound and undefined rounds of each metric, as `interval` gives them."""
    method: str = options["method"]
    if not method.startswith("bootstrap") or options["bounds"] != "percentile":
        made = (interval(x, z, level, coefficient, **options) for x in stack)
        return [(one.lower, one.upper, one.undefined_rounds) for one in made]
    # One pass over the draws serves all metrics.
    drawn = bootstrap_correlations(
        stack,
        z,
        level,
        coefficient,
        over=OVER[method.removeprefix("bootstrap-")],
        **{key: options[key] for key in ("rounds", "seed", "undefined", "threads")},
    )
    tail = (1 - options["confidence"] / 100) / options["tails"]
    out: list[tuple[float | None, float | None, int]] = []
    for column in drawn.T:
        samples = column[~np.isnan(column)]
        missing = len(column) - len(samples)
        if len(samples):
            lower, upper = (float(bound) for bound in np.quantile(samples, (tail, 1 - tail)))
            out.append((lower, upper, missing))
        else:
            out.append((None, None, missing))
    return out


def _names(
    table: ScoreTable, metrics: Sequence[str] | None, humans: Sequence[str]
) -> tuple[list[str], list[str]]:
    people = [_name(table, name) for name in humans]
    if metrics is None:
        names = [name for name in table.measures if name not in people]
    else:
        names = [_name(table, name) for name in metrics]
    for given, what in ((people, "human score"), (names, "metric")):
        if not given:
            raise ParameterError(f"at least one {what} is needed")
        twice = [name for name in given if given.count(name) > 1]
        if twice:
            raise ParameterError(f"{what} {twice[0]!r} is named twice")
    both = [name for name in names if name in people]
    if both:
        raise ParameterError(f"{both[0]!r} is named as a metric and as a human score")
    return names, people


def _name(table: ScoreTable, measure: str) -> str:
    table.matrix(measure)  # refuses what there is not, with a suggestion
    return next(one for one in table.measures if measure in (one, one.replace(".", "_")))


def check_among(what: str, given: str, known: Sequence[str]) -> None:
    """Refuse a word that is not among those known."""
    if given not in known:
        raise ParameterError(f"no {what} {given!r}; there are: {', '.join(known)}")


def _key(value: float | None) -> float:
    return float("-inf") if value is None else value


def _ordered(square: Square, order: Sequence[int]) -> Square:
    return tuple(tuple(square[a][b] for b in order) for a in order)
