"""The page of the alternative annotator test."""

from __future__ import annotations

from collections.abc import Sequence

from rubrica.meta.judges.alt_test_judges import AltTestComparison, AltTestPower
from rubrica.reports.judges import IntervalMark, JudgeReport, ReportSection


def alt_test_report(
    comparison: AltTestComparison, power: Sequence[AltTestPower], facts: str
) -> JudgeReport:
    """Return the page of judges tested by `compare_judges`, with the power if it was simulated."""
    tests = comparison.tests
    last_test = {test.judge: test for test in tests}
    marks = [
        IntervalMark(name, test.advantage_probability, test.lower, test.upper)
        for name, test in last_test.items()
    ]
    sections = [
        ReportSection(
            "Judges",
            "Advantage probability: how often the judge is at least as close to the other "
            "annotators as the annotator left out. The judge passes if it wins against at least "
            "half of the annotators.",
            headers=["judge", "epsilon", "winning rate", "passes", "advantage", "lower", "upper"],
            rows=[
                (
                    t.judge,
                    t.epsilon,
                    t.winning_rate,
                    t.passed,
                    t.advantage_probability,
                    t.lower,
                    t.upper,
                )
                for t in tests
            ],
            intervals=marks,
            reference=0.5,
        ),
        ReportSection(
            "Annotators",
            "Each annotator is left out in turn; p-values are adjusted by Benjamini and Yekutieli.",
            headers=[
                *("judge", "epsilon", "annotator", "items", "judge as good"),
                *("annotator as good", "adjusted p", "judge wins"),
            ],
            rows=[
                (
                    t.judge,
                    t.epsilon,
                    a.annotator,
                    a.items,
                    a.advantage,
                    a.human_advantage,
                    a.adjusted_p_value,
                    a.judge_wins,
                )
                for t in tests
                for a in t.annotators
            ],
        ),
    ]
    if comparison.differences:
        sections.append(
            ReportSection(
                f"Differences to {comparison.differences[0].best}",
                f"Advantage probabilities on {comparison.shared_items:,} items that all judges "
                "labelled; intervals resample items.",
                intervals=[
                    IntervalMark(
                        difference.judge, difference.difference, difference.lower, difference.upper
                    )
                    for difference in comparison.differences
                ],
                reference=0.0,
            )
        )
    if power:
        sections.append(
            ReportSection(
                "Power",
                "Share of simulated samples in which the judge passes; items are drawn from yours.",
                headers=["judge", "epsilon", "items", "passes"],
                rows=[[p.judge, p.epsilon, p.items, p.power] for p in power],
            )
        )
    lines = list(dict.fromkeys(str(test.signature) for test in tests))
    return JudgeReport("Alternative annotator test", comparison.verdict(), facts, sections, lines)
