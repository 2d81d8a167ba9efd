"""Links of tokens as text and Markdown; matrices as LaTeX, for the figure of a paper."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from rubrica.formatting.latex import escaped, tabular
from rubrica.formatting.text_table import text_table
from rubrica.metrics.base.alignment import TokenAlignment, shares
from rubrica.reports.embeddings import AlignedSummary, EmbeddingsReport
from rubrica.reports.tables.meta import markdown_lines, markdown_text

_LATEX_HEAD = r"""% Needs \usepackage{booktabs,graphicx} and \usepackage[table]{xcolor}; other scripts than
% Latin need XeLaTeX or LuaLaTeX with fonts that have them. Links are bold."""


def _pairs(report: EmbeddingsReport) -> Iterator[tuple[str, AlignedSummary, TokenAlignment]]:
    for row in report.rows:
        for at, one in enumerate(row.alignments, 1):
            yield f"{row.instance}, {row.system}, reference {at} of {len(row.alignments)}", row, one


def _values(one: TokenAlignment) -> str:
    return ", ".join(f"{name} {value:.4f}" for name, value in one.values.items())


def _headers(one: TokenAlignment) -> list[str]:
    lost = "of the distance" if one.measure == "distance" else "of what is lacking"
    return ["summary", "reference", "for", one.measure, "weight", lost]


def _rows(one: TokenAlignment) -> list[list[str]]:
    """The links, those first that cost the score most."""
    made = sorted(zip(one.links, shares(one), strict=True), key=lambda pair: -pair[1])
    return [
        [
            one.summary[link.summary],
            one.reference[link.reference],
            link.kind,
            f"{one.closeness[link.summary][link.reference]:.3f}",
            f"{100 * link.amount:.1f} %",
            f"{100 * share:.1f} %",
        ]
        for link, share in made
    ]


def _text(report: EmbeddingsReport) -> str:
    parts = []
    for title, _, one in _pairs(report):
        links = text_table(_headers(one), _rows(one), right=3) if one.links else "no links"
        parts.append(f"{title}: {_values(one)}\n\n{links}")
    return "\n\n".join([*parts, report.signature])


def _markdown(report: EmbeddingsReport) -> str:
    parts = []
    for title, _, one in _pairs(report):
        rule = ["---", "---", "---", "---:", "---:", "---:"]
        lines = markdown_lines(_headers(one), rule, *_rows(one)) if one.links else ["no links"]
        parts.append("\n".join([f"**{markdown_text(title)}:** {_values(one)}", "", *lines]))
    return "\n\n".join([*parts, f"`{report.signature}`"])


def _latex(report: EmbeddingsReport) -> str:
    return "\n\n".join(
        [_LATEX_HEAD, f"% {report.signature}", *(_matrix(t, one) for t, _, one in _pairs(report))]
    )


def _matrix(title: str, one: TokenAlignment) -> str:
    if not one.links:
        return f"% {escaped(title)}: no links"
    linked = {(link.summary, link.reference) for link in one.links}
    low, high = _range(one.closeness)
    heads = [rf"\rotatebox{{90}}{{{escaped(token)}}}" for token in one.reference]
    lines = []
    for s, row in enumerate(one.closeness):
        cells = []
        for r, value in enumerate(row):
            near = (high - value if one.measure == "distance" else value - low) / (high - low or 1)
            shown = f"{value:.2f}"
            told = rf"\textbf{{{shown}}}" if (s, r) in linked else shown
            cells.append(rf"\cellcolor{{orange!{round(60 * near)}}}{told}")
        lines.append(" & ".join([escaped(one.summary[s]), *cells]) + r" \\")
    return "\n".join(
        [
            r"\begin{table}",
            r"\centering\scriptsize\setlength{\tabcolsep}{2pt}",
            rf"\caption{{{escaped(f'{one.measure.capitalize()} of every two tokens ({title}): {_values(one)}.')}}}",
            *tabular("l" + "r" * len(one.reference), " & ".join(["", *heads]) + r" \\", lines),
            r"\end{table}",
        ]
    )


def _range(closeness: Sequence[Sequence[float]]) -> tuple[float, float]:
    every = [value for row in closeness for value in row]
    return min(every), max(every)


WRITERS: Mapping[str, Callable[[EmbeddingsReport], str]] = {
    "text": _text,
    "markdown": _markdown,
    "latex": _latex,
}
