"""The report of prediction-powered estimates."""

from __future__ import annotations

from rubrica.meta.judges.estimates import Estimates
from rubrica.reports.judges import Cell, IntervalMark, JudgeReport, ReportSection


def estimate_report(estimates: Estimates) -> JudgeReport:
    """Return the page of `estimate_systems`."""
    rows: list[list[Cell]] = [
        [
            system.system,
            system.estimate.labels,
            system.estimate.value,
            system.estimate.lower,
            system.estimate.upper,
            system.people_only.value,
            system.people_only.lower,
            system.people_only.upper,
            system.estimate.power,
            system.labels_saved,
            system.best_rank,
            system.worst_rank,
        ]
        for system in estimates.systems
    ]
    headers = ["system", "labels", "estimate", "lower", "upper", "people only", "lower", "upper"]
    headers += ["weight", "saved", "rank from", "to"]
    sections = [
        ReportSection(
            "Systems",
            "The judge's mean over all inputs, corrected by its error where people labelled. Weight: that of the judge, "
            "chosen so that the error is smallest; 0 ignores it. Saved: further labels that people alone would need.",
            headers=headers,
            rows=rows,
            # With the judge and without, on one scale.
            intervals=[
                IntervalMark(f"{system.system}{label}", mean.value, mean.lower, mean.upper)
                for system in estimates.systems
                for label, mean in (
                    ("", system.estimate),
                    (", people only", system.people_only),
                )
            ],
        ),
    ]
    if estimates.differences:
        sections.append(
            ReportSection(
                "Differences",
                "Estimated on the inputs that both systems have; p-values are corrected by Holm's "
                "method over all pairs.",
                headers=["system", "other", "difference", "lower", "upper", "adjusted p"],
                rows=[
                    (
                        pair.first,
                        pair.second,
                        pair.estimate.value,
                        pair.estimate.lower,
                        pair.estimate.upper,
                        pair.adjusted_p_value,
                    )
                    for pair in estimates.differences
                ],
            )
        )
    if estimates.plan:
        sections.append(
            ReportSection(
                "Labels needed",
                "For each system; empty where even labels for all inputs do not suffice.",
                headers=["half width", "people only", "with the judge"],
                rows=[
                    (step.half_width, step.people_only, step.with_judge) for step in estimates.plan
                ],
            )
        )
    facts = f"{estimates.labels:,} labels of {estimates.items:,} judged summaries"
    title = f"{estimates.human}, estimated with {estimates.judge}"
    return JudgeReport(title, estimates.verdict(), facts, sections, [str(estimates.signature)])
