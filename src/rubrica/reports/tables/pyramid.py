"""Pyramids as text, Markdown and LaTeX: scores of texts, and the units that each expresses."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from rubrica.formatting.latex import NEEDS, comment, escaped, table
from rubrica.formatting.text_table import text_table
from rubrica.meta.ranking.tables import markdown_lines
from rubrica.reports.pyramid import PyramidReport

_SCORES = ["input", "text", "type", "units", "weight", "ideal", "score"]
_UNITS = ["input", "unit", "references", "weight", "summaries"]


def _score_rows(report: PyramidReport) -> list[list[str]]:
    """Return a row per annotated text: peers before references, the best peers first."""
    rows = []
    for view in report.pyramids:
        texts = sorted(view.peers, key=lambda text: -(text.score or 0.0))
        for text in (*texts, *view.references):
            units = sum(weight > 0 for _, weight in text.weights)
            score = "undefined" if text.score is None else f"{text.score:.4f}"
            numbers = map(str, (units, text.found, text.ideal.total))
            rows.append([view.instance, text.name, text.type, *numbers, score])
    return rows


def _unit_rows(report: PyramidReport) -> list[list[str]]:
    """Return a row per unit, the heaviest first: its references and how many peers express it."""
    rows = []
    for view in report.pyramids:
        for unit in view.units:
            names = " ".join(view.references[at].name for at in unit.references)
            peers = sum(any(id == unit.id for id, _ in peer.weights) for peer in view.peers)
            share = f"{peers} of {len(view.peers)}"
            rows.append([view.instance, unit.label, names, str(unit.weight), share])
    return rows


def _text(report: PyramidReport) -> str:
    scores = text_table(_SCORES, _score_rows(report), right=3)
    units = text_table(_UNITS, _unit_rows(report), right=3)
    return f"{scores}\n\n{units}\n\n{report.signature}"


def _markdown(report: PyramidReport) -> str:
    def lines(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
        rule = ["---"] * 3 + ["---:"] * (len(headers) - 3)
        return "\n".join(markdown_lines(headers, rule, *rows))

    parts = lines(_SCORES, _score_rows(report)), lines(_UNITS, _unit_rows(report))
    return "\n\n".join([*parts, f"`{report.signature}`"])


def _latex(report: PyramidReport) -> str:
    def line(cells: Sequence[str]) -> str:
        return " & ".join(map(escaped, cells)) + r" \\"

    rows = _score_rows(report)
    lines = [line(row) for row in rows]
    # Extra space before the next input.
    for at in range(1, len(rows)):
        if rows[at][0] != rows[at - 1][0]:
            lines[at - 1] += r" \addlinespace"
    caption = "Pyramid scores: the weight of the units expressed over that of an ideal summary."
    rendered = table(caption, "lllrrrr", line(_SCORES), lines)
    return "\n".join([NEEDS, comment(report.signature), *rendered])


WRITERS: Mapping[str, Callable[[PyramidReport], str]] = {
    "text": _text,
    "markdown": _markdown,
    "latex": _latex,
}
