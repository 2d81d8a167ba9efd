"""A comparison of systems as text, Markdown, LaTeX, CSV and JSON."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Callable, Mapping

from rubrica.cli.compare_notes import notes
from rubrica.cli.latex import NEEDS, escaped, table
from rubrica.cli.meta_inputs import shown_p
from rubrica.comparison.records import METHODS, Comparison, PairedTest
from rubrica.data.jsonl import encoded_json
from rubrica.data.text_table import text_table
from rubrica.metrics.digits import digits_of
from rubrica.metrics.intervals import Interval


def _digits(made: Comparison, width: int | None) -> dict[str, int]:
    """Digits after the point: as many as were asked for, or as the size of the numbers asks for."""
    if width is not None:
        return dict.fromkeys(made.measures, width)
    systems = made.evaluation.systems.values()
    return digits_of({name: [one.scores[name].value for one in systems] for name in made.measures})


def scores_only(made: Comparison, width: int | None) -> str:
    """The scores alone: a line for each system, tabs between the measures."""
    lines = []
    digits = _digits(made, width)
    for one in made.evaluation.systems.values():
        cells = [f"{one.scores[name].value:.{digits[name]}f}" for name in made.measures]
        lines.append("\t".join(cells))
    return "\n".join(lines)


def _value(interval: Interval, digits: int, between: str = " ±") -> str:
    if math.isnan(interval.value):
        return "undefined"
    text = f"{interval.value:.{digits}f}"
    if interval.lower is not None and interval.upper is not None:
        text += f"{between}{(interval.upper - interval.lower) / 2:.{digits}f}"
    return text


def _p(made: Comparison, test: PairedTest) -> str:
    mark = "*" if made.significant(test) else ""
    return f"p = {shown_p(test.adjusted)}{mark}"


def _against_baseline(made: Comparison) -> bool:
    return bool(made.tests) and not made.plan.all_pairs


def _systems(made: Comparison, width: int | None) -> tuple[list[str], list[list[str]]]:
    """Headers and rows of scores; under a system's scores stand the p-values of its tests."""
    rows = []
    digits = _digits(made, width)
    for system, found in made.evaluation.systems.items():
        cells = [_value(found.scores[name], digits[name]) for name in made.measures]
        baseline = _against_baseline(made) and system == made.systems[0]
        name = f"{system} (baseline)" if baseline else system
        rows.append([name, f"{found.num_summaries:,}", *cells])
        if not _against_baseline(made) or baseline:
            continue
        for method in made.plan.methods:
            tests = [made.test(method, system, name) for name in made.measures]
            label = f"  {method}" if len(made.plan.methods) > 1 else ""
            rows.append([label, "", *(_p(made, one) if one else "" for one in tests)])
    return ["system", "n", *made.measures], rows


def _pairs(made: Comparison, width: int | None) -> tuple[list[str], list[list[str]]]:
    """Headers and rows of the tests of all pairs."""
    corrected = made.plan.correction != "none"
    headers = ["measure", "system", "against", "difference", "test", "p"]
    headers += [f"p ({made.plan.correction})"] * corrected
    rows = []
    digits = _digits(made, width)
    for one in made.tests:
        difference = f"{one.difference:+.{digits[one.measure]}f}"
        row = [one.measure, one.system, one.baseline, difference, one.method]
        row += [shown_p(one.p_value)] + [shown_p(one.adjusted)] * corrected
        row[-1] += "*" if made.significant(one) else ""
        rows.append(row)
    return headers, rows


def as_text(made: Comparison, width: int | None) -> str:
    """Columns of text, then what the numbers mean, then the signatures."""
    headers, rows = _systems(made, width)
    parts = [text_table(headers, rows)]
    if made.tests and made.plan.all_pairs:
        headers, rows = _pairs(made, width)
        parts.append(text_table(headers, rows, right=3))
    parts += ["\n".join(notes(made)), "\n".join(made.signatures)]
    return "\n\n".join(part for part in parts if part)


def as_markdown(made: Comparison, width: int | None) -> str:
    """One or two tables, the notes, and the signatures."""
    tables = [(1, *_systems(made, width))]
    if made.tests and made.plan.all_pairs:
        tables.append((3, *_pairs(made, width)))
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
    if len(made.plan.methods) > 1 and _against_baseline(made):
        named = (f"${m}$ {METHODS[one]}" for one, m in zip(made.plan.methods, _MARKS, strict=False))
        caption += f". Marks: {', '.join(named)}"
    rows = [["system", *map(escaped, made.measures)]]
    digits = _digits(made, width)
    for system, found in made.evaluation.systems.items():
        rows.append([escaped(system)])
        for name in made.measures:
            cell = _value(found.scores[name], digits[name], r" \pm ")
            marks = _latex_marks(made, system, name)
            rows[-1].append("--" if cell == "undefined" else f"${cell}{marks}$")
    lines = [NEEDS, *(f"% {one}" for one in made.signatures)]
    lines += _table(caption, rows, "l" + "r" * len(made.measures))
    if made.tests and made.plan.all_pairs:
        headers, pairs = _pairs(made, width)
        # In mathematics a minus, in text a hyphen.
        tests = [[*map(escaped, row[:3]), f"${row[3]}$", *map(escaped, row[4:])] for row in pairs]
        columns = "lll" + "r" * (len(headers) - 3)
        told = "Every two systems: the difference of their scores, and its tests."
        lines += ["", *_table(told, [list(map(escaped, headers)), *tests], columns)]
    return "\n".join(lines)


def _latex_marks(made: Comparison, system: str, measure: str) -> str:
    if not _against_baseline(made):
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
