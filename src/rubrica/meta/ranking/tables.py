"""A meta-evaluation as text, Markdown, LaTeX, CSV and JSON."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from itertools import groupby
from string import ascii_lowercase
from typing import Any

from rubrica.formatting.jsonable import to_jsonable
from rubrica.formatting.latex import NEEDS, comment, escaped, table
from rubrica.formatting.table import Cell, Table, latex_text
from rubrica.formatting.text_table import text_table
from rubrica.meta.ranking.rankings import MetaEvaluation, Ranking, Standing
from rubrica.signature import merge_signatures

_LEGEND = (
    "beats: letters of the metrics that this one significantly beats\n"
    "cluster: metrics of one cluster cannot be told apart, which does not mean that they are equally good"
)


def object_of(result: MetaEvaluation, config: dict[str, Any]) -> dict[str, Any]:
    """Return the JSON output; matrices are lists in the order of the standings."""
    return {
        "config": config,
        "alpha": result.alpha,
        "lower_is_better": list(result.lower_is_better),
        "rankings": [
            {
                "human": ranking.human,
                "level": ranking.level.value,
                "coefficient": ranking.coefficient.value,
                "metrics": [
                    {name: getattr(standing, name) for name in Standing.__slots__}
                    for standing in ranking.standings
                ],
                "p_values": ranking.p_values,
                "adjusted_p_values": ranking.adjusted,
                "left_out": ranking.left_out,
                "signature": str(ranking.signature),
            }
            for ranking in result.rankings
        ],
        "curves": [
            {
                "human": curve.human,
                "metric": curve.metric,
                "top_systems": to_jsonable(curve.top, without=("signature",)),
                "close_pairs": to_jsonable(curve.close, without=("signature",)),
                "signatures": [str(part[0].signature) for part in (curve.top, curve.close) if part],
            }
            for curve in result.curves
        ],
        "join": None if result.join is None else asdict(result.join),
    }


def tables(result: MetaEvaluation) -> Iterator[tuple[str, list[Ranking]]]:
    """Yield a title and one ranking per coefficient for each human score and level."""
    for (human, level), group in groupby(
        result.rankings, key=lambda ranking: (ranking.human, ranking.level)
    ):
        yield f"{human}, {level.value} level", list(group)


def letters(rankings: Sequence[Ranking]) -> dict[str, str]:
    """Return a letter for each metric in the order of the first coefficient: a, ..., z, aa, ..."""
    out = {}
    for number, standing in enumerate(rankings[0].standings):
        high, low = divmod(number, 26)
        out[standing.metric] = (ascii_lowercase[high - 1] if high else "") + ascii_lowercase[low]
    return out


def _beaten(standing: Standing, letter_of: dict[str, str]) -> str:
    # Two-letter names need a separator to stay unambiguous.
    between = "," if len(letter_of) > 26 else ""
    return between.join(
        sorted((letter_of[name] for name in standing.beats), key=lambda w: (len(w), w))
    )


def dimension_tables(result: MetaEvaluation) -> list[tuple[str, Table]]:
    """A title and a table of metrics by human scores for each level and coefficient; none for one human score.

    The best agreement in each column is bold; measures whose lower values are better have an arrow.
    """
    if len(result.humans) < 2:
        return []
    groups: dict[tuple[str, str], list[Ranking]] = {}
    for ranking in result.rankings:
        groups.setdefault((ranking.level.value, ranking.coefficient.value), []).append(ranking)
    out = []
    for (level, coefficient), rankings in groups.items():
        rows = [[Cell(marked(result, name))] for name in result.metrics]
        for ranking in rankings:
            standings = {standing.metric: standing for standing in ranking.standings}
            best = ranking.standings[0].value
            clustered = len({standing.cluster for standing in ranking.standings}) > 1
            for name, row in zip(result.metrics, rows, strict=True):
                row.append(_dimension_cell(standings[name], best, clustered))
        title = f"all human scores, {level} level, {coefficient}"
        caption = (
            f"{coefficient.capitalize()} correlations with human scores at the {level} level. "
            "The best of each column is bold."
        )
        headers = ["metric", *(marked(result, ranking.human) for ranking in rankings)]
        notes = [*_dimension_notes(rankings), *arrow_notes(result)]
        out.append((title, Table(headers, rows, caption, notes)))
    return out


def _dimension_cell(standing: Standing, best: float | None, clustered: bool) -> Cell:
    if standing.value is None:
        return Cell("undefined")
    text = f"{standing.value:.3f}"
    if standing.lower is not None:
        text += f" [{standing.lower:.3f}, {standing.upper:.3f}]"
    if clustered:
        text += f" ({standing.cluster})"
    return Cell(text, standing.value == best)


def _dimension_notes(rankings: Sequence[Ranking]) -> list[str]:
    """What brackets and parentheses of the cells hold."""
    standings = [standing for ranking in rankings for standing in ranking.standings]
    notes = []
    if any(standing.lower is not None for standing in standings):
        notes.append("in brackets: intervals of the correlations")
    if any(len({s.cluster for s in ranking.standings}) > 1 for ranking in rankings):
        notes.append("in parentheses: the cluster; metrics of a cluster cannot be told apart")
    return notes


def marked(result: MetaEvaluation, name: str) -> str:
    """A measure's name, with an arrow where lower values are better."""
    return f"{name} ↓" if name in result.lower_is_better else name


def arrow_notes(result: MetaEvaluation) -> list[str]:
    """What the arrow means; nothing without one."""
    if not result.lower_is_better:
        return []
    return [
        "↓ lower is better: correlations are plain coefficients; order, tests and clusters reverse their sign"
    ]


def _cells(
    result: MetaEvaluation, rankings: Sequence[Ranking]
) -> tuple[list[str], list[list[str]]]:
    """Return the headers and rows that text and Markdown share."""
    letter_of = letters(rankings)
    headers = ["", "metric"]
    rows = [[letter, marked(result, name)] for name, letter in letter_of.items()]
    for ranking in rankings:
        headers += [ranking.coefficient.value, "interval", "cluster", "beats"]
        standings = {standing.metric: standing for standing in ranking.standings}
        for name, row in zip(letter_of, rows, strict=True):
            standing = standings[name]
            row += [
                "undefined" if standing.value is None else f"{standing.value:.3f}",
                "-" if standing.lower is None else f"[{standing.lower:.3f}, {standing.upper:.3f}]",
                "-" if standing.cluster is None else str(standing.cluster),
                _beaten(standing, letter_of) or "-",
            ]
    return headers, rows


def as_text(result: MetaEvaluation, *, bold: bool = False) -> str:
    """Return the tables of all human scores, then one for each human score and level.

    On terminals the best, and the first cluster, are `bold`.
    """
    parts = [f"{title}\n\n{table.to_text(bold=bold)}" for title, table in dimension_tables(result)]
    for title, rankings in tables(result):
        headers, rows = _cells(result, rankings)
        signature = merge_signatures([ranking.signature for ranking in rankings])
        best = _first_clusters(rankings) if bold else ()
        text = text_table(headers, rows, right=2, bold=best)
        parts.append(f"{title}\n\n{text}\n\n{signature}")
    if len(result.metrics) > 1:
        parts.append(_LEGEND)
    if result.lower_is_better and len(result.humans) < 2:
        parts += arrow_notes(result)
    return "\n\n".join(parts)


def _first_clusters(rankings: Sequence[Ranking]) -> set[tuple[int, int]]:
    """Return the places of the values in the first clusters, in the rows and columns of `_cells`."""
    order = {standing.metric: row for row, standing in enumerate(rankings[0].standings)}
    return {
        (order[standing.metric], 2 + 4 * number)
        for number, ranking in enumerate(rankings)
        for standing in ranking.standings
        if standing.cluster == 1
    }


def compact_tables(result: MetaEvaluation) -> list[Table]:
    """Return a table per human score and level, with interval and value in one cell; then those of `dimension_tables`.

    The values in the first cluster are bold.
    """
    note = "bold: first cluster; > names the metrics that are significantly beaten"
    compact = []
    for title, rankings in tables(result):
        letter_of = letters(rankings)
        standings = [{s.metric: s for s in ranking.standings} for ranking in rankings]
        rows = [
            [
                Cell(letter),
                Cell(marked(result, name)),
                *(_compact(s[name], letter_of) for s in standings),
            ]
            for name, letter in letter_of.items()
        ]
        headers = ["", "metric", *(ranking.coefficient.value for ranking in rankings)]
        signature = merge_signatures([ranking.signature for ranking in rankings])
        notes = [note, *arrow_notes(result)]
        compact.append(Table(headers, rows, title, notes, [str(signature)], labels=2))
    return compact + [table for _, table in dimension_tables(result)]


def _compact(standing: Standing, letter_of: dict[str, str]) -> Cell:
    if standing.value is None:
        return Cell("undefined")
    text = f"{standing.value:.3f}"
    if standing.lower is not None:
        text += f" [{standing.lower:.3f}, {standing.upper:.3f}]"
    if beats := _beaten(standing, letter_of):
        text += f" >{beats}"
    return Cell(text, standing.cluster == 1)


def as_markdown(result: MetaEvaluation) -> str:
    """Return the tables of all human scores, then one for each human score and level, under headings."""
    parts = [f"### {title}\n\n{table.to_markdown()}" for title, table in dimension_tables(result)]
    for title, rankings in tables(result):
        headers, rows = _cells(result, rankings)
        rule = ["---", "---", *["---:"] * (len(headers) - 2)]
        lines = markdown_lines(headers, rule, *rows)
        signature = merge_signatures([ranking.signature for ranking in rankings])
        parts.append("\n".join([f"### {markdown_text(title)}", "", *lines, "", f"`{signature}`"]))
    if result.lower_is_better and len(result.humans) < 2:
        parts += arrow_notes(result)
    return "\n\n".join(parts)


def markdown_lines(*rows: Sequence[str]) -> list[str]:
    """Return rows of cells as the lines of a Markdown table."""
    return ["| " + " | ".join(map(markdown_text, row)) + " |" for row in rows]


def markdown_text(text: str) -> str:
    """Return untrusted text as one line of Markdown, with cells, HTML and links escaped."""
    return re.sub(r"[|<]|(?<=\])\(", r"\\\g<0>", " ".join(text.split()))


def as_latex(result: MetaEvaluation) -> str:
    """Return booktabs tables; superscripts name the metrics that a metric significantly beats."""
    parts = [table.to_latex() for _, table in dimension_tables(result)] or [NEEDS]
    parts += [_latex(result, rankings) for _, rankings in tables(result)]
    return "\n\n".join(parts)


def _latex(result: MetaEvaluation, rankings: Sequence[Ranking]) -> str:
    letter_of = letters(rankings)
    heads = "".join(rf" & {ranking.coefficient.value} & interval & cl." for ranking in rankings)
    signatures = comment(str(merge_signatures([ranking.signature for ranking in rankings])))
    caption = (
        f"Correlations with {escaped(rankings[0].human)} at the {rankings[0].level.value} level. The best is bold. "
        "Superscripts name the metrics that a metric significantly beats; cl. is its cluster."
    )
    caption += "".join(f" {latex_text(note)}." for note in arrow_notes(result))
    rows = []
    for name, letter in letter_of.items():
        row = f"{letter} & {latex_text(marked(result, name))}"
        for ranking in rankings:
            standing = next(standing for standing in ranking.standings if standing.metric == name)
            value = "--" if standing.value is None else f"{standing.value:.3f}"
            if standing.value is not None:
                is_best = standing.value == ranking.standings[0].value
                value = rf"$\mathbf{{{value}}}$" if is_best else f"${value}$"
            beats = _beaten(standing, letter_of)
            if beats:
                value += rf"$^{{\mathrm{{{beats}}}}}$"
            span = (
                "--"
                if standing.lower is None
                else f"$[{standing.lower:.3f}, {standing.upper:.3f}]$"
            )
            row += f" & {value} & {span} & {'--' if standing.cluster is None else standing.cluster}"
        rows.append(rf"{row} \\")
    lines = table(caption, "ll" + "rrr" * len(rankings), rf" & metric{heads} \\", rows, together=3)
    return "\n".join([signatures, *lines])


def as_csv(result: MetaEvaluation) -> str:
    """Return a CSV row per human score, level, coefficient and metric; empty cells are undefined."""
    return result.to_csv()


WRITERS: dict[str, Callable[[MetaEvaluation], str]] = {
    "text": as_text,
    "markdown": as_markdown,
    "latex": as_latex,
    "csv": as_csv,
}
