"""A meta-evaluation as text, Markdown, LaTeX, CSV and JSON."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from itertools import groupby
from string import ascii_lowercase
from typing import Any

from rubrica.formatting.latex import NEEDS, escaped, table
from rubrica.formatting.table import Cell, Table, latex_text
from rubrica.formatting.text_table import text_table
from rubrica.meta.jsonable import plain
from rubrica.meta.ranking.rankings import MetaEvaluation, Ranking, Standing
from rubrica.signature import merge_signatures


def object_of(made: MetaEvaluation, config: dict[str, Any]) -> dict[str, Any]:
    """The JSON output; matrices are lists in the order of the standings."""
    return {
        "config": config,
        "alpha": made.alpha,
        "lower_is_better": list(made.lower_is_better),
        "rankings": [
            {
                "human": one.human,
                "level": one.level.value,
                "coefficient": one.coefficient.value,
                "metrics": [
                    {name: getattr(standing, name) for name in Standing.__slots__}
                    for standing in one.standings
                ],
                "p_values": one.p_values,
                "adjusted_p_values": one.adjusted,
                "left_out": one.left_out,
                "signature": str(one.signature),
            }
            for one in made.rankings
        ],
        "curves": [
            {
                "human": one.human,
                "metric": one.metric,
                "top_systems": plain(one.top, without=("signature",)),
                "close_pairs": plain(one.close, without=("signature",)),
                "signatures": [str(part[0].signature) for part in (one.top, one.close) if part],
            }
            for one in made.curves
        ],
        "join": None if made.join is None else asdict(made.join),
    }


def tables(made: MetaEvaluation) -> Iterator[tuple[str, list[Ranking]]]:
    """A title and the rankings, one for each coefficient, of each human score and level."""
    for (human, level), group in groupby(made.rankings, key=lambda one: (one.human, one.level)):
        yield f"{human}, {level.value} level", list(group)


def letters(rankings: Sequence[Ranking]) -> dict[str, str]:
    """A letter for each metric in the order of the first coefficient: a, ..., z, aa, ab, ..."""
    out = {}
    for number, one in enumerate(rankings[0].standings):
        high, low = divmod(number, 26)
        out[one.metric] = (ascii_lowercase[high - 1] if high else "") + ascii_lowercase[low]
    return out


def _beaten(one: Standing, named: dict[str, str]) -> str:
    # With two letters a run of them could be read in several ways.
    between = "," if len(named) > 26 else ""
    return between.join(sorted((named[name] for name in one.beats), key=lambda w: (len(w), w)))


def dimension_tables(made: MetaEvaluation) -> list[tuple[str, Table]]:
    """A title and a table of metrics by human scores for each level and coefficient; none for one human score.

    The best agreement in each column is bold; measures whose lower values are better have an arrow.
    """
    if len(made.humans) < 2:
        return []
    groups: dict[tuple[str, str], list[Ranking]] = {}
    for one in made.rankings:
        groups.setdefault((one.level.value, one.coefficient.value), []).append(one)
    out = []
    for (level, coefficient), rankings in groups.items():
        rows = [[Cell(marked(made, name))] for name in made.metrics]
        for ranking in rankings:
            values = {one.metric: one for one in ranking.standings}
            best = ranking.standings[0].value
            for name, row in zip(made.metrics, rows, strict=True):
                value = values[name].value
                text = "undefined" if value is None else f"{value:.3f}"
                row.append(Cell(text, value is not None and value == best))
        title = f"all human scores, {level} level, {coefficient}"
        caption = (
            f"{coefficient.capitalize()} with human scores at the {level} level; the best in bold."
        )
        headers = ["metric", *(marked(made, one.human) for one in rankings)]
        out.append((title, Table(headers, rows, caption, arrow_notes(made))))
    return out


def marked(made: MetaEvaluation, name: str) -> str:
    """A measure's name, with an arrow where lower values are better."""
    return f"{name} ↓" if name in made.lower_is_better else name


def arrow_notes(made: MetaEvaluation) -> list[str]:
    """What the arrow means; nothing without one."""
    if not made.lower_is_better:
        return []
    return [
        "↓ lower is better: correlations are plain coefficients; order, tests and clusters reverse their sign"
    ]


def _cells(made: MetaEvaluation, rankings: Sequence[Ranking]) -> tuple[list[str], list[list[str]]]:
    """Headers and rows that text and Markdown share."""
    named = letters(rankings)
    headers = ["", "metric"]
    rows = [[letter, marked(made, name)] for name, letter in named.items()]
    for ranking in rankings:
        headers += [ranking.coefficient.value, "interval", "cluster", "beats"]
        found = {one.metric: one for one in ranking.standings}
        for name, row in zip(named, rows, strict=True):
            one = found[name]
            row += [
                "undefined" if one.value is None else f"{one.value:.3f}",
                "-" if one.lower is None else f"[{one.lower:.3f}, {one.upper:.3f}]",
                "-" if one.cluster is None else str(one.cluster),
                _beaten(one, named) or "-",
            ]
    return headers, rows


def as_text(made: MetaEvaluation) -> str:
    """Columns of text, a table for each human score and level."""
    parts = []
    for title, rankings in tables(made):
        headers, rows = _cells(made, rankings)
        signature = merge_signatures([one.signature for one in rankings])
        parts.append(f"{title}\n\n{text_table(headers, rows, right=2)}\n\n{signature}")
    parts += [f"{title}\n\n{table.to_text()}" for title, table in dimension_tables(made)]
    if made.lower_is_better and len(made.humans) < 2:
        parts += arrow_notes(made)
    return "\n\n".join(parts)


def as_markdown(made: MetaEvaluation) -> str:
    """A table for each human score and level, under a heading."""
    parts = []
    for title, rankings in tables(made):
        headers, rows = _cells(made, rankings)
        rule = ["---", "---", *["---:"] * (len(headers) - 2)]
        lines = markdown_lines(headers, rule, *rows)
        signature = merge_signatures([one.signature for one in rankings])
        parts.append("\n".join([f"### {title}", "", *lines, "", f"`{signature}`"]))
    parts += [f"### {title}\n\n{table.to_markdown()}" for title, table in dimension_tables(made)]
    if made.lower_is_better and len(made.humans) < 2:
        parts += arrow_notes(made)
    return "\n\n".join(parts)


def markdown_lines(*rows: Sequence[str]) -> list[str]:
    """Rows of cells as a Markdown table."""
    return ["| " + " | ".join(map(markdown_text, row)) + " |" for row in rows]


def markdown_text(text: str) -> str:
    """Text from outside on one line of Markdown: no cell, HTML or link begins in it."""
    return re.sub(r"[|<]|(?<=\])\(", r"\\\g<0>", " ".join(text.split()))


def as_latex(made: MetaEvaluation) -> str:
    """booktabs tables; a value's superscript names the metrics that it significantly beats."""
    parts = [NEEDS, *(_latex(made, title, rankings) for title, rankings in tables(made))]
    parts += [table.to_latex() for _, table in dimension_tables(made)]
    return "\n\n".join(parts)


def _latex(made: MetaEvaluation, title: str, rankings: Sequence[Ranking]) -> str:
    named = letters(rankings)
    heads = "".join(rf" & {one.coefficient.value} & interval & cl." for one in rankings)
    signatures = f"% {merge_signatures([one.signature for one in rankings])}"
    caption = f"{escaped(title)}. Superscripts name the metrics that a metric significantly beats."
    caption += "".join(f" {latex_text(note)}." for note in arrow_notes(made))
    rows = []
    for name, letter in named.items():
        row = f"{letter} & {latex_text(marked(made, name))}"
        for ranking in rankings:
            one = next(one for one in ranking.standings if one.metric == name)
            value = "--" if one.value is None else f"${one.value:.3f}$"
            beats = _beaten(one, named)
            if beats:
                value += rf"$^{{\mathrm{{{beats}}}}}$"
            span = "--" if one.lower is None else f"$[{one.lower:.3f}, {one.upper:.3f}]$"
            row += f" & {value} & {span} & {'--' if one.cluster is None else one.cluster}"
        rows.append(rf"{row} \\")
    lines = table(caption, "ll" + "rrr" * len(rankings), rf" & metric{heads} \\", rows)
    return "\n".join([signatures, *lines])


def as_csv(made: MetaEvaluation) -> str:
    """A line for each human score, level, coefficient and metric; full digits, empty if undefined."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["human", "level", "coefficient", *Standing.__slots__])
    for ranking in made.rankings:
        for one in ranking.standings:
            values = [getattr(one, name) for name in Standing.__slots__]
            values[Standing.__slots__.index("beats")] = " ".join(one.beats)
            writer.writerow([ranking.human, ranking.level, ranking.coefficient, *values])
    return out.getvalue().rstrip("\n")


WRITERS: dict[str, Callable[[MetaEvaluation], str]] = {
    "table": as_text,
    "markdown": as_markdown,
    "latex": as_latex,
    "csv": as_csv,
}
