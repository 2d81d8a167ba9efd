"""The notes under a table of compared systems: what its numbers, p-values and stars mean."""

from __future__ import annotations

from rubrica.comparison.records import Comparison
from rubrica.statistics.significance import PAIRED_TESTS


def notes(comparison: Comparison) -> list[str]:
    """Return a sentence or two for each thing that the table shows."""
    lines = []
    resampling = comparison.evaluation.resampling
    unit = comparison.evaluation.resampled_units
    if resampling.rounds:
        lines.append(
            f"±: half the width of the {resampling.confidence:g} % bootstrap interval over {unit}"
        )
    if comparison.tests:
        lines += _tests(comparison)
    if any(name in comparison.evaluation.lower_is_better for name in comparison.measures):
        lines.append("↓ lower is better")
    if any(name in comparison.sentence_means for name in comparison.measures):
        lines.append(
            "sentence mean: the mean of sentence scores, not the metric's corpus score; compare texts "
            "(not scores) to get that"
        )
    for name, count in comparison.evaluation.overall.undefined.items():
        if name in comparison.measures:
            lines.append(f"{name}: undefined for {count:,} summaries, which are left out")
    return [*lines, *comparison.evaluation.usage]


def _tests(comparison: Comparison) -> list[str]:
    plan = comparison.plan
    pair = "two systems'"
    if not plan.all_pairs:
        pair = f"a system's and the baseline {comparison.systems[0]}'s"
    unit = "input" if comparison.clusters is None else "cluster"
    lines = [f"null hypothesis: {pair} outputs are exchangeable on every {unit}"]
    for method, rounds in plan.methods.items():
        test = PAIRED_TESTS[method]
        drawn = f" ({rounds:,} rounds)" if test.rounds else ""
        lines.append(f"p: {test.meaning}; {test.label}{drawn}")
    star = f"* p <= {plan.alpha:g}: the null hypothesis is rejected"
    pairs = len({(test.system, test.baseline) for test in comparison.tests})
    if plan.correction != "none" and pairs > 1:
        star += f"; p corrected ({plan.correction}) for the {pairs} comparisons of each measure"
    lines.append(star)
    lines.append("no star: not significant, which is not evidence of equality")
    return [*lines, *_shared_inputs(comparison)]


def _shared_inputs(comparison: Comparison) -> list[str]:
    """Return a note where tests leave out inputs that only one of their two systems has."""
    systems = comparison.evaluation.systems
    largest = max(system.num_summaries for system in systems.values())
    shared = sorted({test.inputs for test in comparison.tests})
    if shared[0] == largest:
        return []
    numbers = f"{shared[0]:,}" if len(shared) == 1 else f"{shared[0]:,} to {shared[-1]:,}"
    return [
        "systems have different inputs: scores are over a system's own inputs (n), a test is over those that both "
        f"systems have ({numbers})"
    ]
