"""The operations that recipes name: each turns what a reader returned into the number of one cell."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import combinations
from typing import Any, Literal, TypeAlias, get_args, get_origin, get_type_hints

import numpy as np

from rubrica.data.table import ScoreTable
from rubrica.errors import DataError, UnknownNameError
from rubrica.meta.correlation.correlation import correlate
from rubrica.meta.correlation.partial import partial_given_system
from rubrica.meta.correlation.significant_inputs import significant_inputs
from rubrica.meta.judges.agreement import krippendorff_alpha
from rubrica.meta.judges.alt_test import alt_test
from rubrica.meta.judges.alt_test_result import AltTest
from rubrica.meta.judges.annotations import Annotations
from rubrica.meta.judges.kappa import cohen_kappa
from rubrica.meta.judges.pair_audit import JudgedPair, audit_pairs
from rubrica.meta.ranking.decisions import decision_agreement
from rubrica.meta.ranking.pairs import top_systems
from rubrica.meta.ranking.ties import kendall_like
from rubrica.statistics.intervals import Resampling
from rubrica.statistics.williams import williams_p_value

Operation: TypeAlias = Callable[..., float | None]
Statistic: TypeAlias = Literal["min", "p25", "median", "p75", "max", "mean"]
# Cells need the value only, so intervals get the fewest rounds.
_FEW_ROUNDS = Resampling(rounds=1)


def correlation(
    scores: ScoreTable,
    *,
    metric: str,
    human: str,
    level: Literal["summary", "system", "global"],
    coefficient: Literal["pearson", "spearman", "kendall", "tau-a", "tau-c"],
) -> float | None:
    """Return the correlation of a metric with people at a level."""
    return correlate(scores.matrix(metric), scores.matrix(human), level, coefficient).value


def best_systems_correlation(
    scores: ScoreTable,
    *,
    metric: str,
    human: str,
    size: int,
    coefficient: Literal["pearson", "spearman", "kendall"],
) -> float | None:
    """Return the system-level correlation among the best systems by human mean."""
    x, z = scores.matrix(metric), scores.matrix(human)
    return top_systems(x, z, sizes=[size], coefficient=coefficient)[0].value


def significant_pairs(scores: ScoreTable, *, human: str, alpha: float) -> float:
    """Return how many pairs of metrics differ by Williams' test, one-sided either way (Pearson, system level)."""
    people = scores.matrix(human).mean(axis=1)
    means = [scores.matrix(name).mean(axis=1) for name in scores.measures if name != human]
    r = [float(np.corrcoef(x, people)[0, 1]) for x in means]
    count = 0
    for a, b in combinations(range(len(means)), 2):
        between = float(np.corrcoef(means[a], means[b])[0, 1])
        first, second = sorted((abs(r[a]), abs(r[b])), reverse=True)
        p = williams_p_value(first, second, between, len(people))
        count += p is not None and p < alpha
    return float(count)


def partial_correlation(
    scores: ScoreTable,
    *,
    metric: str,
    human: str,
    coefficient: Literal["pearson", "spearman", "kendall"],
) -> float | None:
    """Return the correlation over all summaries with the system held fixed."""
    x, z = scores.matrix(metric), scores.matrix(human)
    return partial_given_system(x, z, coefficient=coefficient).value


def significant_correlation(scores: ScoreTable, *, metric: str, human: str) -> float | None:
    """Return the mean Kendall's tau within inputs, over the inputs where it is significant."""
    return significant_inputs(scores.matrix(metric), scores.matrix(human)).value


def decision_f1(
    scores: ScoreTable, *, metric: str, human: str, rounds: int, seed: int
) -> float | None:
    """Return the weighted F1 of a metric's bootstrap decisions between systems against people's."""
    resampling = Resampling(rounds=rounds, seed=seed)
    x, z = scores.matrix(metric), scores.matrix(human)
    return decision_agreement(x, z, tied="second", resampling=resampling).weighted_f1


def distribution(scores: ScoreTable, *, measure: str, statistic: Statistic) -> float:
    """Return a statistic of a measure over all summaries."""
    values = scores.matrix(measure)
    values = values[~np.isnan(values)]
    percent = {"min": 0, "p25": 25, "median": 50, "p75": 75, "max": 100}
    if statistic == "mean":
        return float(values.mean())
    return float(np.percentile(values, percent[statistic]))


def share_of_value(scores: ScoreTable, *, measure: str, value: float, count: bool = False) -> float:
    """Return how often a measure has a value: a share, or with `count` the number."""
    matrix = scores.matrix(measure)
    equal = int((matrix == value).sum())
    return float(equal if count else equal / int((~np.isnan(matrix)).sum()))


def system_mean(scores: ScoreTable, *, system: str, measure: str) -> float:
    """Return the mean of a measure over the summaries of one system."""
    if system not in scores.systems:
        raise UnknownNameError("system", system, scores.systems)
    return float(np.nanmean(scores.matrix(measure)[scores.systems.index(system)]))


def label_kappa(scores: ScoreTable, *, first: str, second: str) -> float | None:
    """Return Cohen's kappa of two annotators, who are measures of the table."""
    return cohen_kappa(scores.matrix(first).ravel(), scores.matrix(second).ravel()).value


def rating_alpha(
    scores: ScoreTable,
    *,
    measure: str,
    annotators: int,
    scale: Literal["nominal", "ordinal", "interval"],
) -> float | None:
    """Return Krippendorff's alpha of annotators, whose ratings are `MEASURE/1`, `MEASURE/2`, ..."""
    names = [f"{measure}/{number}" for number in range(1, annotators + 1)]
    ratings = np.stack([scores.matrix(name).ravel() for name in names])
    order = np.unique(ratings[~np.isnan(ratings)]).tolist() if scale == "ordinal" else None
    return krippendorff_alpha(ratings, scale=scale, order=order, resampling=None).value


def ranked_pairs(
    scores: ScoreTable,
    *,
    metric: str,
    better: str,
    worse: str,
    statistic: Literal["accuracy", "tau"],
) -> float:
    """Return how often the better text scores higher, or (concordant - discordant) / pairs; a tie is wrong."""
    for name in (better, worse):
        if name not in scores.systems:
            raise UnknownNameError("system", name, scores.systems)
    rows = [scores.systems.index(name) for name in (better, worse)]
    x = scores.matrix(metric)[rows]
    z = np.where(np.isnan(x), np.nan, np.array([[1.0], [0.0]]))
    value = kendall_like(x, z, gap=0.5).value
    if value is None:
        raise DataError("no pair has both scores")
    return value if statistic == "tau" else (value + 1) / 2


def alternative_annotator_test(
    labels: Annotations,
    *,
    judge: str,
    scoring: Literal["accuracy", "neg_rmse"],
    epsilon: float,
    statistic: Literal["winning_rate", "advantage_probability"],
) -> float:
    """Return the winning rate or the advantage probability of a judge."""
    if judge not in labels.judges:
        raise UnknownNameError("judge", judge, labels.judges)
    test: AltTest = alt_test(
        labels.judges[judge], labels.humans, scoring=scoring, epsilon=epsilon,
        resampling=_FEW_ROUNDS, name=judge,
    )  # fmt: skip
    return float(getattr(test, statistic))


def pair_audit(
    pairs: Sequence[JudgedPair],
    *,
    statistic: Literal["original", "swapped", "average", "both", "agreement"],
) -> float | None:
    """Return how often a judge is right in an order, in both, on average; or decides alike in both."""
    audit = audit_pairs(pairs, resampling=_FEW_ROUNDS)
    share = {
        "original": audit.correct_original,
        "swapped": audit.correct_swapped,
        "average": audit.correct_average,
        "both": audit.correct_both,
        "agreement": audit.consistent,
    }[statistic]
    return None if share is None else share.value


OPERATIONS: dict[str, Operation] = {
    "alt-test": alternative_annotator_test,
    "best-systems": best_systems_correlation,
    "correlation": correlation,
    "decision-f1": decision_f1,
    "distribution": distribution,
    "label-kappa": label_kappa,
    "pair-audit": pair_audit,
    "partial-correlation": partial_correlation,
    "ranked-pairs": ranked_pairs,
    "rating-alpha": rating_alpha,
    "share-of-value": share_of_value,
    "significant-correlation": significant_correlation,
    "significant-pairs": significant_pairs,
    "system-mean": system_mean,
}


def input_kind(name: str) -> type:
    """Return what the operation computes on: a table of scores, annotations, or a list of pairs."""
    if OPERATIONS[name] is pair_audit:
        return list
    return Annotations if OPERATIONS[name] is alternative_annotator_test else ScoreTable


def check_options(name: str, options: Mapping[str, Any]) -> str:
    """Return what is wrong with the options of an operation, or nothing."""
    hints, parameters = _signature(OPERATIONS[name])
    for option in options:
        if option not in parameters:
            return f"{name} has no option {option!r} (known: {', '.join(parameters)})"
    for option, parameter in parameters.items():
        if option not in options:
            if parameter.default is inspect.Parameter.empty:
                return f"{name} needs the option {option!r}"
            continue
        if problem := _mismatch(options[option], hints[option]):
            return f"option {option!r} of {name}: {problem}"
    return ""


@cache
def _signature(operation: Operation) -> tuple[dict[str, Any], dict[str, inspect.Parameter]]:
    """Return the types of an operation's options, and the options themselves."""
    parameters = list(inspect.signature(operation).parameters.items())
    return get_type_hints(operation), dict(parameters[1:])


def _mismatch(value: Any, hint: Any) -> str:
    if get_origin(hint) is Literal:
        known = get_args(hint)
        return "" if value in known else f"{value!r} is not one of {', '.join(known)}"
    if hint is float and isinstance(value, int) and not isinstance(value, bool):
        return ""
    exact = isinstance(value, hint) and (hint is bool or not isinstance(value, bool))
    return "" if exact else f"expected {hint.__name__}, found {value!r}"
