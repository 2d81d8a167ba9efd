"""The page of prediction-powered estimates."""

from __future__ import annotations

from rubrica.meta.judges.estimate import Estimates
from rubrica.reports.judges import Cell, IntervalMark, JudgeReport, ReportSection


def estimate_report(estimates: Estimates) -> JudgeReport:
    """Return the page of `estimate_systems`."""
    rows: list[list[Cell]] = [
        [
            one.system,
            one.estimate.labels,
            one.estimate.value,
            one.estimate.lower,
            one.estimate.upper,
            one.people_only.value,
            one.people_only.lower,
            one.people_only.upper,
            one.estimate.power,
            one.labels_saved,
            one.best_rank,
            one.worst_rank,
        ]
        for one in estimates.systems
    ]
    sections = [
        ReportSection(
            "Systems",
            "The judge's mean over all inputs, corrected by its error where people labelled. The "
            "weight of the judge is chosen so that the error is smallest; 0 ignores it.",
            headers=[
                *(
                    "System",
                    "Labels",
                    "Estimate",
                    "Lower",
                    "Upper",
                    "People only",
                    "Lower",
                    "Upper",
                ),
                *("Judge's weight", "Labels saved", "Best rank", "Worst rank"),
            ],
            rows=rows,
            intervals=[
                IntervalMark(one.system, one.estimate.value, one.estimate.lower, one.estimate.upper)
                for one in estimates.systems
            ],
        ),
        ReportSection(
            "People only",
            "The same labels without the judge.",
            intervals=[
                IntervalMark(
                    one.system, one.people_only.value, one.people_only.lower, one.people_only.upper
                )
                for one in estimates.systems
            ],
        ),
    ]
    if estimates.differences:
        sections.append(
            ReportSection(
                "Differences",
                "Estimated on the inputs that both systems have; p-values are corrected by Holm's "
                "method over all pairs.",
                headers=["System", "Other", "Difference", "Lower", "Upper", "Adjusted p"],
                rows=[
                    (
                        one.first,
                        one.second,
                        one.estimate.value,
                        one.estimate.lower,
                        one.estimate.upper,
                        one.adjusted_p_value,
                    )
                    for one in estimates.differences
                ],
            )
        )
    if estimates.plan:
        sections.append(
            ReportSection(
                "Labels needed",
                "For each system; empty where even labels for all inputs do not suffice.",
                headers=["Half width", "People only", "With the judge"],
                rows=[(one.half_width, one.people_only, one.with_judge) for one in estimates.plan],
            )
        )
    facts = f"{estimates.labels:,} labels of {estimates.items:,} judged summaries"
    title = f"{estimates.human}, estimated with {estimates.judge}"
    return JudgeReport(title, estimates.verdict(), facts, sections, [str(estimates.signature)])
