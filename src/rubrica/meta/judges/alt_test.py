"""The alternative annotator test: may a judge replace a human annotator?

Each annotator in turn is left out. For every item the judge and the annotator are scored against
the other annotators. The judge wins against an annotator if the annotator is better at most
epsilon more often than the judge, by a one-sided t-test; a Benjamini-Yekutieli correction covers
the annotators. The judge passes if it wins against at least half of them.

Calderon, Reichart and Dror, "The Alternative Annotator Test for LLM-as-a-Judge", ACL 2025.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rubrica.errors import DataError, ParameterError
from rubrica.meta.judges.alt_test_result import AltTest, AnnotatorComparison
from rubrica.meta.judges.annotations import Item, are_numbers, as_items
from rubrica.meta.signatures import method_signature
from rubrica.statistics.corrections import benjamini_yekutieli
from rubrica.statistics.intervals import Resampling, bootstrap_statistics

Scorer: TypeAlias = Callable[[Any, Sequence[Any]], float]
SCORINGS = ("accuracy", "neg_rmse")


@dataclass(frozen=True, slots=True)
class Outcomes:
    """Who was better, annotators x items: judge at least as good, annotator at least as good.

    NaN where the annotator did not label the item.
    """

    names: tuple[str, ...]
    judge_wins: NDArray[np.float64]
    human_wins: NDArray[np.float64]
    skipped: tuple[str, ...]
    dropped_items: int
    labels: NDArray[Any]


def alt_test(
    judge: Mapping[Any, Any],
    humans: Mapping[str, Mapping[Any, Any]],
    *,
    scoring: str | Scorer = "accuracy",
    epsilon: float = 0.2,
    alpha: float = 0.05,
    min_annotators: int = 2,
    min_items: int = 30,
    resampling: Resampling | None = None,
    name: str = "judge",
) -> AltTest:
    """Test whether a judge's labels can replace those of a human annotator.

    Args:
        judge: Label of each item by the judge.
        humans: Label of each item by each annotator.
        scoring: "accuracy" (labels equal), "neg_rmse" (numbers), or a function of a label and the list of the other
            annotators' labels; higher is closer.
        epsilon: Advantage that the judge gets because people cost more: 0.2 for experts, 0.15 for skilled annotators,
            0.1 for crowds, as the authors advise.
        alpha: Bound of the false discovery rate over annotators.
        min_annotators: Items with fewer human labels are dropped.
        min_items: Annotators with fewer items are skipped.
        resampling: Bootstrap of the advantage probability's interval; default 1,000 rounds.
        name: Name of the judge in the result.

    Returns:
        Whether the judge passes, its winning rate and advantage probability, and a comparison per annotator.

    Raises:
        DataError: No annotator has enough items, or labels do not fit the scoring.

    Example:
        >>> from rubrica.meta import alt_test
        >>> truth = {item: item % 3 for item in range(40)}
        >>> humans = {name: {**truth, at: 9, at + 1: 9} for at, name in enumerate(["ann", "bob", "eve"])}
        >>> result = alt_test(truth, humans)
        >>> result.passed, result.winning_rate
        (True, 1.0)
    """
    outcomes = leave_one_out(judge, humans, scoring, min_annotators, min_items)
    return result_of_outcomes(
        outcomes,
        epsilon=epsilon,
        alpha=alpha,
        scoring=scoring,
        resampling=resampling or Resampling(),
        name=name,
    )


def leave_one_out(
    judge: Mapping[Any, Any],
    humans: Mapping[str, Mapping[Any, Any]],
    scoring: str | Scorer,
    min_annotators: int,
    min_items: int,
) -> Outcomes:
    """Score judge and annotator against all other annotators, each annotator left out in turn."""
    if min_annotators < 2:
        raise ParameterError(f"min_annotators must be at least 2, not {min_annotators}")
    if min_items < 2:
        raise ParameterError(f"min_items must be at least 2, not {min_items}")
    own = as_items(judge)
    people = {name: as_items(labels) for name, labels in humans.items()}
    by_item: dict[Item, list[str]] = {}
    for name, labels in people.items():
        for item in labels:
            by_item.setdefault(item, []).append(name)
    items = [
        item for item, names in by_item.items() if len(names) >= min_annotators and item in own
    ]
    position = {item: at for at, item in enumerate(items)}
    score = _scorer(scoring, [own, *people.values()])
    names, skipped, judge_rows, human_rows = [], [], [], []
    for name, labels in people.items():
        mine = [item for item in labels if item in position]
        if len(mine) < min_items:
            skipped.append(name)
            continue
        judge_row, human_row = np.full(len(items), np.nan), np.full(len(items), np.nan)
        for item in mine:
            others = [people[other][item] for other in by_item[item] if other != name]
            judge_score, human_score = score(own[item], others), score(labels[item], others)
            judge_row[position[item]] = judge_score >= human_score
            human_row[position[item]] = human_score >= judge_score
        names.append(name)
        judge_rows.append(judge_row)
        human_rows.append(human_row)
    if not names:
        raise DataError(
            f"no annotator has {min_items} items that {min_annotators} annotators and the judge "
            f"labelled ({len(items)} such items); lower `min_items=...` or `min_annotators=...`"
        )
    table = np.array(
        [[source.get(item) for item in items] for source in (own, *people.values())], dtype=object
    )
    return Outcomes(
        tuple(names),
        np.array(judge_rows),
        np.array(human_rows),
        tuple(skipped),
        len(by_item) - len(items),
        table,
    )


def result_of_outcomes(
    outcomes: Outcomes,
    *,
    epsilon: float,
    alpha: float,
    scoring: str | Scorer,
    resampling: Resampling,
    name: str,
) -> AltTest:
    """Apply the test, its correction and the interval to scored items."""
    if not 0 <= epsilon <= 1:
        raise ParameterError(f"epsilon must lie between 0 and 1, not {epsilon:g}")
    if not 0 < alpha < 1:
        raise ParameterError(f"alpha must lie between 0 and 1, not {alpha:g}")
    differences = outcomes.human_wins - outcomes.judge_wins
    p_values = [_one_sided_p(row[~np.isnan(row)], epsilon) for row in differences]
    # An undefined test counts as one that does not reject.
    adjusted = benjamini_yekutieli([1.0 if p is None else p for p in p_values])
    comparisons = []
    for at, annotator in enumerate(outcomes.names):
        corrected = adjusted[at]
        assert corrected is not None
        comparisons.append(
            AnnotatorComparison(
                annotator,
                int((~np.isnan(differences[at])).sum()),
                float(np.nanmean(outcomes.judge_wins[at])),
                float(np.nanmean(outcomes.human_wins[at])),
                p_values[at],
                corrected,
                corrected <= alpha,
            )
        )
    winning_rate = sum(comparison.judge_wins for comparison in comparisons) / len(comparisons)
    advantage = float(np.mean([comparison.advantage for comparison in comparisons]))
    interval = advantage_intervals([outcomes], resampling)[0]
    return AltTest(
        name,
        epsilon,
        winning_rate,
        winning_rate >= 0.5,
        advantage,
        *interval,
        tuple(comparisons),
        outcomes.skipped,
        outcomes.dropped_items,
        method_signature(
            "alt-test",
            outcomes.labels,
            scoring=scoring if isinstance(scoring, str) else "custom",
            epsilon=f"{epsilon:g}",
            alpha=f"{alpha:g}",
            correction="benjamini-yekutieli",
            bs=resampling.rounds,
            seed=resampling.seed,
        ),
    )


def advantage_intervals(
    outcomes: Sequence[Outcomes], resampling: Resampling
) -> list[tuple[float | None, float | None]]:
    """Intervals of the judges' advantage probabilities, then of each one's difference to the first.

    All judges must have the same items. Items are resampled.
    """
    wins = [np.nan_to_num(outcome.judge_wins) for outcome in outcomes]
    counts = [(~np.isnan(outcome.judge_wins)).astype(np.float64) for outcome in outcomes]
    statistics = np.concatenate([*wins, *counts]).T
    rows = [len(outcome) for outcome in wins]
    edges = np.cumsum(rows)[:-1]

    def score(sums: NDArray[np.float64]) -> NDArray[np.float64]:
        won, labelled = np.split(sums, 2, axis=1)
        shares = np.divide(won, labelled, out=np.full_like(won, np.nan), where=labelled > 0)
        means = np.column_stack([np.nanmean(s, axis=1) for s in np.split(shares, edges, axis=1)])
        return np.column_stack([means, means[:, 1:] - means[:, :1]])

    values = score(statistics.sum(axis=0, keepdims=True))[0].tolist()
    intervals = bootstrap_statistics(values, statistics, score, resampling)
    return [(outcome.lower, outcome.upper) for outcome in intervals]


def _one_sided_p(differences: NDArray[np.float64], epsilon: float) -> float | None:
    """p-value of mean(differences) < epsilon; None where every difference equals epsilon."""
    from scipy import stats  # slow to import

    mean, count = float(differences.mean()), len(differences)
    deviation = float(differences.std(ddof=1))
    if deviation == 0.0:
        return None if mean == epsilon else float(mean > epsilon)
    t = (mean - epsilon) / (deviation / math.sqrt(count))
    return float(stats.t.cdf(t, count - 1))


def _scorer(scoring: str | Scorer, sources: Sequence[Mapping[Item, Any]]) -> Scorer:
    if callable(scoring):
        return scoring
    key = scoring.replace("-", "_")
    if key not in SCORINGS:
        raise ParameterError(f"scoring must be one of {', '.join(SCORINGS)}; found {scoring!r}")
    if key == "accuracy":
        return _accuracy
    if not are_numbers(label for labels in sources for label in labels.values()):
        raise DataError("neg_rmse needs numbers, but some labels are not; use scoring accuracy")
    return _neg_rmse


def _accuracy(label: Any, others: Sequence[Any]) -> float:
    return sum(bool(label == other) for other in others) / len(others)


def _neg_rmse(label: Any, others: Sequence[Any]) -> float:
    squares = sum((label - other) ** 2 for other in others)
    return -math.sqrt(squares / len(others))
