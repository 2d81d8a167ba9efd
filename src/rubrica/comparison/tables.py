"""A comparison of systems as tables, records, text, Markdown, CSV and JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from rubrica.comparison.latex import as_latex, best_shown
from rubrica.comparison.records import Comparison, PairedTest
from rubrica.comparison.text import digits_shown, pair_rows, system_rows
from rubrica.data.jsonl import encoded_json
from rubrica.formatting.table import Cell, Table, markdown_text
from rubrica.signature import parse_signature
from rubrica.statistics.significance import PAIRED_TESTS
from rubrica.statistics.undefined import none_if_nan


def scores_only(comparison: Comparison, width: int | None) -> str:
    """Return the scores alone: a line for each system, tabs between the measures."""
    lines = []
    digits = digits_shown(comparison, width)
    for system in comparison.evaluation.systems.values():
        cells = [f"{system.scores[name].value:.{digits[name]}f}" for name in comparison.measures]
        lines.append("\t".join(cells))
    return "\n".join(lines)


def as_markdown(comparison: Comparison, width: int | None) -> str:
    """Return one or two tables, the notes, and the signatures."""
    tables = [(1, *system_rows(comparison, width))]
    if comparison.tests and comparison.plan.all_pairs:
        tables.append((3, *pair_rows(comparison, width)))
    parts = []
    for name_columns, headers, rows in tables:
        rule = ["---"] * name_columns + ["---:"] * (len(headers) - name_columns)
        # Names come from users. The stars of p-values precede a blank, so Markdown ignores them.
        body = [[*map(markdown_text, row[:name_columns]), *row[name_columns:]] for row in rows]
        lines = [[*map(markdown_text, headers)], rule, *body]
        parts.append("\n".join(f"| {' | '.join(map(str.strip, row))} |" for row in lines))
    parts.append("\n".join(f"- {markdown_text(note)}" for note in notes(comparison)))
    parts.append("\n".join(f"- `{line}`" for line in comparison.signatures))
    return "\n\n".join(parts)


def as_text(comparison: Comparison, width: int | None = None, *, bold: bool = False) -> str:
    """Return columns of text, then what the numbers mean, then the signatures; the best are `bold` on terminals."""
    tables = comparison_tables(comparison, width)
    return "\n\n".join(table.to_text(bold=bold) for table in tables)


def as_csv(comparison: Comparison, width: int | None) -> str:
    """Return a line for each system, measure and test (or one without a test), with all digits."""
    return comparison.to_csv()


def records(comparison: Comparison) -> list[dict[str, Any]]:
    """Return a record for each system, measure and test (or one without a test)."""
    groups, rows = comparison.evaluation.measures, []
    for system, scores in comparison.evaluation.systems.items():
        for name in comparison.measures:
            tests: list[PairedTest | None] = [
                t for t in comparison.tests if (t.system, t.measure) == (system, name)
            ]
            for test in tests or [None]:
                interval = scores.scores[name]
                rows.append(
                    {
                        "system": system,
                        "n": scores.num_summaries,
                        "measure": name,
                        "value": none_if_nan(interval.value),
                        "lower": interval.lower,
                        "upper": interval.upper,
                        "against": test and test.baseline,
                        "method": test and test.method,
                        "difference": test and test.difference,
                        "p_value": test and test.p_value,
                        "adjusted": test and test.adjusted,
                        "significant": test and comparison.significant(test),
                        "better_direction": groups[name].direction,
                        "signature": _signatures(comparison, groups[name].metric),
                    }
                )
    return rows


def comparison_tables(comparison: Comparison, width: int | None = None) -> list[Table]:
    """Return the table of scores, with the best in bold, and that of all pairs where they were tested."""
    headers, rows = system_rows(comparison, width)
    digits = digits_shown(comparison, width)
    best = [best_shown(comparison, name, digits[name]) for name in comparison.measures]
    cells = [
        [
            *map(Cell, row[:2]),
            *(Cell(t, t.split(" ")[0] == b) for t, b in zip(row[2:], best, strict=True)),
        ]
        for row in rows
    ]
    about = (notes(comparison), comparison.signatures)
    if not (comparison.tests and comparison.plan.all_pairs):
        return [Table(headers, cells, "Systems compared.", *about)]
    pair_headers, pairs = pair_rows(comparison, width)
    pair_cells = [list(map(Cell, row)) for row in pairs]
    return [
        Table(headers, cells, "Systems compared."),
        Table(pair_headers, pair_cells, "Pairs of systems.", *about, labels=3),
    ]


def _signatures(comparison: Comparison, metric: str) -> str:
    """Return the signature of a metric; where it was used twice, both."""
    lines = comparison.signatures
    return " ; ".join(line for line in lines if parse_signature(line)[0] == metric)


def as_json(comparison: Comparison, width: int | None) -> str:
    """Return the whole comparison as JSON, with all digits."""
    return encoded_json(comparison.to_dict()).decode().rstrip()


WRITERS: Mapping[str, Callable[[Comparison, int | None], str]] = {
    "text": as_text,
    "markdown": as_markdown,
    "latex": as_latex,
    "csv": as_csv,
    "json": as_json,
}


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
