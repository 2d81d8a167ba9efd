"""A comparison of systems as a LaTeX table for a paper: best scores bold, better and worse ones marked."""

from __future__ import annotations

import math

from rubrica.comparison.records import Comparison
from rubrica.comparison.text import against_baseline, digits_shown, pair_rows
from rubrica.formatting.latex import NEEDS, comment, escaped, table
from rubrica.statistics.corrections import PROCEDURES
from rubrica.statistics.significance import PAIRED_TESTS

# Significantly better, significantly worse: by the first test, the second, the third.
_MARKS = (("+", "-"), (r"\oplus", r"\ominus"), (r"\triangleright", r"\triangleleft"))
_ARROWS = {"higher": r" $\uparrow$", "lower": r" $\downarrow$", "none": ""}


def as_latex(comparison: Comparison, width: int | None) -> str:
    """Return a booktabs table with a caption in sentences; the tests of all pairs get a second table."""
    groups, digits = comparison.evaluation.measures, digits_shown(comparison, width)
    head = [escaped(name) + _ARROWS[groups[name].direction] for name in comparison.measures]
    best = {name: best_shown(comparison, name, digits[name]) for name in comparison.measures}
    rows = [["system", *head]]
    for system in comparison.systems:
        cells = [_cell(comparison, system, name, digits[name], best[name]) for name in best]
        rows.append([escaped(system), *cells])
    lines = [
        NEEDS,
        *map(comment, [*comparison.signatures, *comparison.evaluation.usage]),
    ]
    lines += _table(_caption(comparison), rows, "l" + "r" * len(best))
    if comparison.tests and comparison.plan.all_pairs:
        headers, pairs = pair_rows(comparison, width)
        # A minus in mathematics, a hyphen in text.
        tests = [[*map(escaped, row[:3]), f"${row[3]}$", *map(escaped, row[4:])] for row in pairs]
        caption = f"Pairs of systems: their differences, and the significance of these. {_tested(comparison)}"
        columns = "lll" + "r" * (len(headers) - 3)
        lines += ["", *_table(caption, [list(map(escaped, headers)), *tests], columns)]
    return "\n".join(lines)


def best_shown(comparison: Comparison, measure: str, digits: int) -> str | None:
    """Return the best score as the table shows it; None where no direction is better."""
    direction = comparison.evaluation.measures[measure].direction
    systems = comparison.evaluation.systems.values()
    values = [system.scores[measure].value for system in systems]
    values = [value for value in values if not math.isnan(value)]
    if direction == "none" or len(values) < 2:
        return None
    return f"{min(values) if direction == 'lower' else max(values):.{digits}f}"


def _cell(comparison: Comparison, system: str, measure: str, digits: int, best: str | None) -> str:
    interval = comparison.evaluation.systems[system].scores[measure]
    if math.isnan(interval.value):
        return "--"
    value = f"{interval.value:.{digits}f}"
    cell = rf"\mathbf{{{value}}}" if value == best else value
    if interval.lower is not None and interval.upper is not None:
        cell += rf" \pm {(interval.upper - interval.lower) / 2:.{digits}f}"
    return f"${cell}{_marks(comparison, system, measure)}$"


def _marks(comparison: Comparison, system: str, measure: str) -> str:
    """Return the marks of a system that is significantly better or worse than the baseline."""
    if not against_baseline(comparison):
        return ""
    marks = ""
    for method, (better, worse) in zip(comparison.plan.methods, _MARKS, strict=False):
        test = comparison.test(method, system, measure)
        if test and comparison.significant(test):
            marks += better if comparison.better(test) else worse
    return f"^{{{marks}}}" if marks else ""


def _caption(comparison: Comparison) -> str:
    """Return what the table shows, in sentences of LaTeX."""
    evaluation, resampling = comparison.evaluation, comparison.evaluation.resampling
    counts = {system.num_summaries for system in evaluation.systems.values()}
    inputs = f"{max(counts):,}" if len(counts) == 1 else f"{min(counts):,} to {max(counts):,}"
    sentences = [f"Scores of {len(evaluation.systems):,} systems on {inputs} inputs."]
    if resampling.rounds:
        unit = "" if comparison.clusters is None else f" over {comparison.clusters:,} clusters"
        sentences.append(
            rf"$\pm$ is half the width of the {resampling.confidence:g}\,\% bootstrap interval{unit}."
        )
    if len(evaluation.systems) > 1:
        sentences.append("The best score of each measure is bold.")
    sentences.append(r"$\uparrow$ means that higher scores are better, $\downarrow$ lower ones.")
    if against_baseline(comparison):
        sentences.append(_tested(comparison))
    if any(name in comparison.sentence_means for name in comparison.measures):
        sentences.append("A sentence mean is the mean of sentence scores, not a corpus score.")
    return " ".join(sentences)


def _tested(comparison: Comparison) -> str:
    """Return the sentences about the tests."""
    plan = comparison.plan
    sentences = []
    pairs = len({(test.system, test.baseline) for test in comparison.tests})
    for method, (better, worse) in zip(plan.methods, _MARKS, strict=False):
        test = PAIRED_TESTS[method]
        method_note = escaped(test.label) + (
            f", {plan.methods[method]:,} rounds" if test.rounds else ""
        )
        if plan.correction != "none" and pairs > 1:
            method_note += (
                f", corrected by {PROCEDURES[plan.correction]} over {pairs:,} comparisons"
            )
        level = rf"$p \leq {plan.alpha:g}$; {method_note}"
        if plan.all_pairs:
            sentences.append(f"* marks significant differences ({level}).")
        else:
            sentences.append(
                rf"${{}}^{{{better}}}$ and ${{}}^{{{worse}}}$ mark scores significantly better and worse "
                rf"than the baseline {escaped(comparison.systems[0])} ({level})."
            )
    return " ".join(sentences)


def _table(caption: str, rows: list[list[str]], columns: str) -> list[str]:
    head, *body = (" & ".join(row) + r" \\" for row in rows)
    return table(caption, columns, head, body)
