"""Tests of pairs of systems by the measures of one metric, and their correction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from rubrica.comparison.records import Comparison, Details, PairedTest, TestPlan
from rubrica.data.metrics import Metrics
from rubrica.metrics.base.sample import Floats, Sample
from rubrica.scoring.evaluation import Evaluation
from rubrica.statistics.corrections import CORRECTIONS
from rubrica.statistics.paired import observed_differences
from rubrica.statistics.significance import PAIRED_TESTS, PairedResult
from rubrica.statistics.undefined import none_if_nan


def tested_pairs(systems: int, plan: TestPlan, every_pair: bool) -> list[tuple[int, int]]:
    """Return the pairs of systems (by number) that the plan tests, or every pair for a page."""
    pairs = list(combinations(range(systems), 2))
    return pairs if every_pair or plan.all_pairs else [pair for pair in pairs if pair[0] == 0]


def paired_tests(
    sample: Sample,
    systems: Sequence[str],
    pairs: Sequence[tuple[int, int]],
    plan: TestPlan,
    measures: Sequence[str],
) -> list[PairedTest]:
    """Return the tests of pairs by the measures of one metric, before any correction.

    With fewer than two inputs (or clusters) there is nothing to resample: such tests have no p-value.
    """
    differences = observed_differences(sample, pairs)
    tests = []
    for method, rounds in plan.methods.items():
        result = PairedResult(np.full_like(differences, np.nan))
        if sample.rows.shape[1] > 1:
            function = PAIRED_TESTS[method].function
            result = function(sample, pairs, rounds, plan.seed, "two-sided")
        means, half_widths = _means_and_half_widths(result.resampled)
        for m, measure in enumerate(sample.measures):
            if measure not in measures:
                continue
            for number, (first, second) in enumerate(pairs):
                p_value = none_if_nan(float(result.p_values[number, m]))
                tests.append(
                    PairedTest(
                        method,
                        measure,
                        systems[second],
                        systems[first],
                        sample.inputs,
                        float(differences[number, m]),
                        p_value,
                        p_value,
                        None if means is None else float(means[second, m]),
                        None if half_widths is None else float(half_widths[second, m]),
                    )
                )
    return tests


def _means_and_half_widths(resampled: Floats | None) -> tuple[Floats | None, Floats | None]:
    """Return both [system, measure] as sacrebleu takes them: 1/40 of the rounds off each end."""
    if resampled is None:
        return None, None
    ordered = np.sort(resampled, axis=1)
    rounds = ordered.shape[1]
    cut = rounds // 40
    return resampled.mean(axis=1), 0.5 * (ordered[:, rounds - cut - 1] - ordered[:, cut])


def corrected(tests: Sequence[PairedTest], correction: str) -> list[PairedTest]:
    """Return tests with p-values adjusted over all pairs of one method and measure."""
    families: dict[tuple[str, str], list[PairedTest]] = {}
    for test in tests:
        families.setdefault((test.method, test.measure), []).append(test)
    return [
        replace(test, adjusted=adjusted)
        for family in families.values()
        for test, adjusted in zip(
            family, CORRECTIONS[correction]([test.p_value for test in family]), strict=True
        )
    ]


def against(tests: Sequence[PairedTest], baseline: str, correction: str) -> list[PairedTest]:
    """Return the tests in which a system takes part, as tests against it, corrected over these alone."""
    facing = [test for test in tests if test.baseline == baseline]
    facing += [
        replace(test, system=test.baseline, baseline=test.system, difference=-test.difference)
        for test in tests
        if test.system == baseline
    ]
    return corrected(facing, correction)


def build_comparison(
    evaluation: Evaluation,
    measures: Sequence[str],
    test: Callable[[bool], Sequence[PairedTest]],
    plan: TestPlan,
    rows: Callable[[], Sequence[Metrics]],
    **more: Any,
) -> Comparison:
    """Return the comparison with the tests that the plan asks for, corrected.

    `test` computes the tests: of the plan, or of every two systems by every measure. Those, and `rows`, the
    scores of every summary, are computed when they are first asked for.
    """
    baseline = next(iter(evaluation.systems))
    planned = [
        test
        for test in test(False)
        if test.measure in measures and (plan.all_pairs or test.baseline == baseline)
    ]
    added = plan.facts() if planned else ""
    return Comparison(
        evaluation,
        measures,
        corrected(planned, plan.correction),
        plan,
        [f"{line}{added}" for line in evaluation.signatures],
        details=Details(rows, lambda: corrected(test(True), plan.correction)),
        **more,
    )
