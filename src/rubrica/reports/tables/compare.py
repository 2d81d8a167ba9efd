"""A comparison of systems as Markdown, LaTeX, CSV and JSON; as text it is in `comparison.text`."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Callable, Mapping

from rubrica.comparison.notes import notes
from rubrica.comparison.records import Comparison
from rubrica.comparison.text import as_text, digits_shown, pair_rows, system_rows
from rubrica.data.jsonl import encoded_json
from rubrica.reports.tables.compare_latex import as_latex
from rubrica.signature import parse_signature


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
        body = [[*map(_escaped, row[:name_columns]), *row[name_columns:]] for row in rows]
        lines = [[*map(_escaped, headers)], rule, *body]
        parts.append("\n".join(f"| {' | '.join(map(str.strip, row))} |" for row in lines))
    parts.append("\n".join(f"- {_escaped(note)}" for note in notes(comparison)))
    parts.append("\n".join(f"- `{line}`" for line in comparison.signatures))
    return "\n\n".join(parts)


# What Markdown would read as markup: underscores at the ends of words, < only before a tag.
_MARKDOWN = re.compile(r"[\\`*\[\]|~]|(?<!\w)_|_(?!\w)|<(?=[A-Za-z/!?])")


def _escaped(text: str) -> str:
    """Return text that Markdown shows as it is."""
    return _MARKDOWN.sub(r"\\\g<0>", text)


_CSV_HEADER = (
    "system n measure value lower upper against method difference p_value adjusted significant "
    "better_direction signature"
)


def as_csv(comparison: Comparison, width: int | None) -> str:
    """Return a line for each system, measure and test (or one without a test), with all digits."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(_CSV_HEADER.split())
    groups = comparison.evaluation.measures
    for system, scores in comparison.evaluation.systems.items():
        for name in comparison.measures:
            interval = scores.scores[name]
            value = None if math.isnan(interval.value) else interval.value
            row = [system, scores.num_summaries, name, value, interval.lower, interval.upper]
            about = [groups[name].direction, _signatures(comparison, groups[name].metric)]
            tests = [t for t in comparison.tests if (t.system, t.measure) == (system, name)]
            for test in tests:
                cells = [test.baseline, test.method, test.difference, test.p_value, test.adjusted]
                writer.writerow([*row, *cells, comparison.significant(test), *about])
            if not tests:
                writer.writerow([*row, *[None] * 6, *about])
    return out.getvalue().rstrip("\n")


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
