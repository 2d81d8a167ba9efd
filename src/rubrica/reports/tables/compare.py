"""A comparison of systems as Markdown, LaTeX, CSV and JSON; as text it is in `comparison.text`."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Callable, Mapping

from rubrica.comparison.notes import notes
from rubrica.comparison.records import METHODS, Comparison
from rubrica.comparison.text import (
    against_baseline,
    as_text,
    digits_shown,
    pair_rows,
    system_rows,
    value_shown,
)
from rubrica.data.jsonl import encoded_json
from rubrica.formatting.latex import NEEDS, escaped, table


def scores_only(made: Comparison, width: int | None) -> str:
    """The scores alone: a line for each system, tabs between the measures."""
    lines = []
    digits = digits_shown(made, width)
    for one in made.evaluation.systems.values():
        cells = [f"{one.scores[name].value:.{digits[name]}f}" for name in made.measures]
        lines.append("\t".join(cells))
    return "\n".join(lines)


def as_markdown(made: Comparison, width: int | None) -> str:
    """One or two tables, the notes, and the signatures."""
    tables = [(1, *system_rows(made, width))]
    if made.tests and made.plan.all_pairs:
        tables.append((3, *pair_rows(made, width)))
    parts = []
    for left, headers, rows in tables:
        rule = ["---"] * left + ["---:"] * (len(headers) - left)
        # Names are the users'; the stars of p-values stand before a blank and mean nothing.
        named = [[*map(_plain, row[:left]), *row[left:]] for row in rows]
        lines = [[*map(_plain, headers)], rule, *named]
        parts.append("\n".join(f"| {' | '.join(map(str.strip, row))} |" for row in lines))
    parts.append("\n".join(f"- {_plain(note)}" for note in notes(made)))
    parts.append("\n".join(f"- `{one}`" for one in made.signatures))
    return "\n\n".join(parts)


# What Markdown would read as a mark: of underscores those at the ends of words, of < those of tags.
_MARKDOWN = re.compile(r"[\\`*\[\]|~]|(?<!\w)_|_(?!\w)|<(?=[A-Za-z/!?])")


def _plain(text: str) -> str:
    """Text that Markdown shows as it stands."""
    return _MARKDOWN.sub(r"\\\g<0>", text)


# What marks a significant difference in LaTeX, where p-values are not printed: of the first test, of the second.
_MARKS = ("*", r"\dagger")


def as_latex(made: Comparison, width: int | None) -> str:
    """A booktabs table, marked where a system differs from the baseline; all pairs have a second one."""
    caption = escaped(". ".join(notes(made)))
    if len(made.plan.methods) > 1 and against_baseline(made):
        named = (f"${m}$ {METHODS[one]}" for one, m in zip(made.plan.methods, _MARKS, strict=False))
        caption += f". Marks: {', '.join(named)}"
    rows = [["system", *map(escaped, made.measures)]]
    digits = digits_shown(made, width)
    for system, found in made.evaluation.systems.items():
        rows.append([escaped(system)])
        for name in made.measures:
            cell = value_shown(found.scores[name], digits[name], r" \pm ")
            marks = _latex_marks(made, system, name)
            rows[-1].append("--" if cell == "undefined" else f"${cell}{marks}$")
    lines = [NEEDS, *(f"% {one}" for one in made.signatures)]
    lines += _table(caption, rows, "l" + "r" * len(made.measures))
    if made.tests and made.plan.all_pairs:
        headers, pairs = pair_rows(made, width)
        # In mathematics a minus, in text a hyphen.
        tests = [[*map(escaped, row[:3]), f"${row[3]}$", *map(escaped, row[4:])] for row in pairs]
        columns = "lll" + "r" * (len(headers) - 3)
        told = "Every two systems: the difference of their scores, and its tests."
        lines += ["", *_table(told, [list(map(escaped, headers)), *tests], columns)]
    return "\n".join(lines)


def _latex_marks(made: Comparison, system: str, measure: str) -> str:
    if not against_baseline(made):
        return ""
    marks = ""
    for method, mark in zip(made.plan.methods, _MARKS, strict=False):
        test = made.test(method, system, measure)
        marks += mark if test and made.significant(test) else ""
    return f"^{{{marks}}}" if marks else ""


def _table(caption: str, rows: list[list[str]], columns: str) -> list[str]:
    head, *body = (" & ".join(row) + r" \\" for row in rows)
    return table(caption, columns, head, body)


_CSV_HEADER = (
    "system n measure value lower upper against method difference p_value adjusted significant"
)


def as_csv(made: Comparison, width: int | None) -> str:
    """A line for each system, measure and test (one without a test has none); all digits."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(_CSV_HEADER.split())
    for system, found in made.evaluation.systems.items():
        for name in made.measures:
            one = found.scores[name]
            value = None if math.isnan(one.value) else one.value
            row = [system, found.num_summaries, name, value, one.lower, one.upper]
            tests = [t for t in made.tests if (t.system, t.measure) == (system, name)]
            for test in tests:
                told = [test.baseline, test.method, test.difference, test.p_value, test.adjusted]
                writer.writerow([*row, *told, made.significant(test)])
            if not tests:
                writer.writerow([*row, *[None] * 6])
    return out.getvalue().rstrip("\n")


def as_json(made: Comparison, width: int | None) -> str:
    """Everything, with all digits."""
    return encoded_json(made.to_dict()).decode().rstrip()


WRITERS: Mapping[str, Callable[[Comparison, int | None], str]] = {
    "text": as_text,
    "markdown": as_markdown,
    "latex": as_latex,
    "csv": as_csv,
    "json": as_json,
}
