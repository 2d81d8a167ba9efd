"""Several judges by the alternative annotator test: who is best, and how many items would do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rubrica.errors import DataError, ParameterError
from rubrica.formatting.charts import Panel, Point
from rubrica.formatting.jsonable import to_jsonable
from rubrica.formatting.result import Result
from rubrica.formatting.table import Cell, Table
from rubrica.formatting.words import word_list
from rubrica.meta.correlation.draws import count_blocks
from rubrica.meta.judges.alt_test import (
    Scorer,
    advantage_intervals,
    leave_one_out,
    result_of_outcomes,
)
from rubrica.meta.judges.alt_test_result import AltTest
from rubrica.meta.judges.annotations import as_items
from rubrica.meta.signatures import method_signature
from rubrica.signature import Signature
from rubrica.statistics.corrections import benjamini_yekutieli
from rubrica.statistics.intervals import Resampling


@dataclass(frozen=True, slots=True)
class AdvantageDifference:
    """A judge's advantage probability minus the best judge's, on items that all judges labelled."""

    judge: str
    best: str
    difference: float
    lower: float | None
    upper: float | None


@dataclass(frozen=True, slots=True, repr=False)
class AltTestComparison(Result):
    """All judges, the highest advantage probability first; one test per judge and epsilon."""

    tests: tuple[AltTest, ...]
    differences: tuple[AdvantageDifference, ...]
    shared_items: int

    def to_table(self) -> Table:
        """Return a row per judge and epsilon; the note is the verdict."""
        rows = [
            [
                Cell(test.judge),
                Cell(f"{test.epsilon:g}"),
                Cell(f"{test.winning_rate:.3f}"),
                Cell("yes" if test.passed else "no"),
                Cell(
                    f"{test.advantage_probability:.3f}"
                    + ("" if test.lower is None else f" [{test.lower:.3f}, {test.upper:.3f}]")
                ),
            ]
            for test in self.tests
        ]
        headers = ["judge", "epsilon", "winning rate", "passes", "advantage"]
        signatures = dict.fromkeys(str(test.signature) for test in self.tests)
        return Table(
            headers, rows, "Judges tested as annotators.", [self.verdict()], list(signatures)
        )

    def records(self) -> list[dict[str, Any]]:
        """Return a row per judge, epsilon and annotator left out."""
        return [record for test in self.tests for record in test.records()]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return {**to_jsonable(self), "verdict": self.verdict()}

    def panels(self) -> list[Panel]:
        """Return the advantage probabilities with their intervals, a panel per epsilon."""
        return [
            Panel(
                f"advantage probability, epsilon {epsilon:g}",
                [
                    Point(test.judge, test.advantage_probability, test.lower, test.upper)
                    for test in self.tests
                    if test.epsilon == epsilon
                ],
            )
            for epsilon in dict.fromkeys(test.epsilon for test in self.tests)
        ]

    def verdict(self) -> str:
        """Return the result at every epsilon, a sentence for those with the same result, and the best judge."""
        epsilons: dict[str, list[str]] = {}
        for epsilon in sorted({test.epsilon for test in self.tests}):
            tests = [test for test in self.tests if test.epsilon == epsilon]
            epsilons.setdefault(_outcome(tests), []).append(f"{epsilon:g}")
        text = " ".join(
            f"At epsilon {word_list(values)}, {outcome}." for outcome, values in epsilons.items()
        )
        best = self.tests[0]
        if all(test.judge == best.judge for test in self.tests):
            return text
        near = [
            difference.judge
            for difference in self.differences
            if difference.upper is not None and difference.upper >= 0
        ]
        return (
            f"{text} {best.judge} has the highest advantage probability, "
            f"{best.advantage_probability:.3f}"
            + (f"; {', '.join(near)} may be as good." if near else ".")
        )


def _outcome(tests: Sequence[AltTest]) -> str:
    """Say which judges pass at one epsilon."""
    passed = [test.judge for test in tests if test.passed]
    if len(tests) > 1:
        names = f" ({', '.join(passed)})" if passed else ""
        return f"{len(passed)} of {len(tests)} judges pass{names}"
    test = tests[0]
    wins = sum(annotator.judge_wins for annotator in test.annotators)
    return (
        f"{test.judge} {'passes' if passed else 'does not pass'}: it wins against {wins} of "
        f"{len(test.annotators)} annotators"
    )


@dataclass(frozen=True, slots=True)
class AltTestPower:
    """Share of simulated samples of `items` items in which the judge passes."""

    judge: str
    epsilon: float
    items: int
    power: float
    signature: Signature = field(repr=False)


def compare_judges(
    judges: Mapping[str, Mapping[Any, Any]],
    humans: Mapping[str, Mapping[Any, Any]],
    *,
    scoring: str | Scorer = "accuracy",
    epsilons: Sequence[float] = (0.2,),
    alpha: float = 0.05,
    min_annotators: int = 2,
    min_items: int = 30,
    resampling: Resampling | None = None,
) -> AltTestComparison:
    """Run `alt_test` for every judge and epsilon, and compare the judges' advantage probabilities.

    The intervals of the differences resample the items that all judges labelled.

    Args:
        judges: Label of each item by each judge.
        humans: Label of each item by each annotator.
        scoring: "accuracy", "neg_rmse", or a function; see `alt_test`.
        epsilons: Advantages of the judge to test with; see `alt_test`.
        alpha: Bound of the false discovery rate over annotators.
        min_annotators: Items with fewer human labels are dropped.
        min_items: Annotators with fewer items are skipped.
        resampling: Bootstrap of the intervals; default 1,000 rounds.

    Returns:
        The tests, the best judge first, and the differences between judges.

    Raises:
        DataError: There is no judge, no annotator has enough items, or labels do not fit the scoring.

    Example:
        >>> from rubrica.meta import compare_judges
        >>> truth = {item: item % 3 for item in range(40)}
        >>> humans = {name: {**truth, at: 9, at + 1: 9} for at, name in enumerate(["ann", "bob", "eve"])}
        >>> result = compare_judges({"always 1": dict.fromkeys(truth, 1), "right": truth}, humans)
        >>> [(test.judge, test.passed) for test in result.tests]
        [('right', True), ('always 1', False)]
    """
    resampling = resampling or Resampling()
    if not judges:
        raise DataError("no judge to test")
    tests = []
    for name, labels in judges.items():
        outcomes = leave_one_out(labels, humans, scoring, min_annotators, min_items)
        for epsilon in epsilons:
            tests.append(
                result_of_outcomes(
                    outcomes,
                    epsilon=epsilon,
                    alpha=alpha,
                    scoring=scoring,
                    resampling=resampling,
                    name=name,
                )
            )
    tests.sort(key=lambda test: (-test.advantage_probability, test.judge, test.epsilon))
    if len(judges) < 2:
        return AltTestComparison(tuple(tests), (), 0)
    order = list(dict.fromkeys(test.judge for test in tests))
    items = {name: as_items(judges[name]) for name in order}
    shared = set.intersection(*(set(labels) for labels in items.values()))
    scored = [
        leave_one_out(
            {item: label for item, label in items[name].items() if item in shared},
            humans,
            scoring,
            min_annotators,
            min_items,
        )
        for name in order
    ]
    means = [float(np.mean(np.nanmean(outcome.judge_wins, axis=1))) for outcome in scored]
    intervals = advantage_intervals(scored, resampling)[len(order) :]
    differences = tuple(
        AdvantageDifference(name, order[0], mean - means[0], *interval)
        for name, mean, interval in zip(order[1:], means[1:], intervals, strict=True)
    )
    return AltTestComparison(tuple(tests), differences, scored[0].judge_wins.shape[1])


def alt_test_power(
    judge: Mapping[Any, Any],
    humans: Mapping[str, Mapping[Any, Any]],
    sizes: Sequence[int],
    *,
    scoring: str | Scorer = "accuracy",
    epsilon: float = 0.2,
    alpha: float = 0.05,
    min_annotators: int = 2,
    min_items: int = 30,
    resampling: Resampling | None = None,
    name: str = "judge",
) -> list[AltTestPower]:
    """Estimate the power of `alt_test` on samples of given sizes, drawn with replacement from the labelled items.

    This is the power for future items only if your items are like them.

    Args:
        judge: Label of each item by the judge.
        humans: Label of each item by each annotator.
        sizes: Numbers of items to draw, at least 2.
        scoring: "accuracy", "neg_rmse", or a function; see `alt_test`.
        epsilon: Advantage of the judge; see `alt_test`.
        alpha: Bound of the false discovery rate over annotators.
        min_annotators: Items with fewer human labels are dropped.
        min_items: Annotators with fewer items in a sample are skipped there.
        resampling: Number of samples and seed; default 1,000.
        name: Name of the judge in the result.

    Returns:
        For each size the share of samples in which the judge passes.

    Raises:
        ParameterError: A size is below 2.
        DataError: No annotator has enough items, or labels do not fit the scoring.

    Example:
        >>> from rubrica.meta import alt_test_power
        >>> truth = {item: item % 3 for item in range(40)}
        >>> humans = {name: {**truth, at: 9, at + 1: 9} for at, name in enumerate(["ann", "bob", "eve"])}
        >>> [(point.items, point.power) for point in alt_test_power(truth, humans, [20, 50])]
        [(20, 0.0), (50, 1.0)]
    """
    resampling = resampling or Resampling()
    if any(size < 2 for size in sizes):
        raise ParameterError(f"a sample needs at least 2 items: {min(sizes)}")
    outcomes = leave_one_out(judge, humans, scoring, min_annotators, 2)
    differences = outcomes.human_wins - outcomes.judge_wins
    points = []
    for size in sizes:
        passed = 0
        for _, counts in count_blocks(resampling, size, differences.shape[1]):
            passed += int(_passes(counts, differences, epsilon, alpha, min_items).sum())
        signature = method_signature(
            "alt-test-power",
            outcomes.labels,
            scoring=scoring if isinstance(scoring, str) else "custom",
            epsilon=f"{epsilon:g}",
            alpha=f"{alpha:g}",
            items=size,
            samples=resampling.rounds,
            seed=resampling.seed,
        )
        points.append(AltTestPower(name, epsilon, size, passed / resampling.rounds, signature))
    return points


def _passes(
    counts: NDArray[np.float64],
    differences: NDArray[np.float64],
    epsilon: float,
    alpha: float,
    min_items: int,
) -> NDArray[np.bool_]:
    """For each sample, whether the judge wins against at least half of the annotators."""
    from scipy import stats  # slow to import

    values = np.nan_to_num(differences).T
    size = counts @ (~np.isnan(differences)).T.astype(np.float64)
    total, squares = counts @ values, counts @ values**2
    usable = size >= min_items
    safe = np.maximum(size, 2)
    mean = total / safe
    variance = np.maximum(squares - safe * mean**2, 0.0) / (safe - 1)
    error = np.sqrt(variance / safe)
    t = np.divide(mean - epsilon, error, out=np.zeros_like(mean), where=error > 1e-12)
    exact = (mean > epsilon).astype(np.float64)
    p_values = np.where(error > 1e-12, stats.t.cdf(t, safe - 1), exact)
    passed = np.zeros(len(counts), dtype=np.bool_)
    for at, (row, is_usable) in enumerate(zip(p_values, usable, strict=True)):
        adjusted = benjamini_yekutieli(row[is_usable].tolist())
        wins = sum(p is not None and p <= alpha for p in adjusted)
        passed[at] = bool(adjusted) and wins >= len(adjusted) / 2
    return passed
