"""Token links as text and Markdown; similarity matrices as LaTeX for a paper."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from rubrica.formatting.latex import comment, escaped, float_name, tabular
from rubrica.formatting.text_table import text_table
from rubrica.meta.ranking.tables import markdown_lines, markdown_text
from rubrica.metrics.base.alignment import TokenAlignment, shares
from rubrica.reports.embeddings import AlignedSummary, EmbeddingsReport

_LATEX_HEAD = r"""% Needs \usepackage{booktabs,graphicx} and \usepackage[table]{xcolor}; other scripts than
% Latin need XeLaTeX or LuaLaTeX with fonts that have them. Links are bold."""


def _pairs(report: EmbeddingsReport) -> Iterator[tuple[str, AlignedSummary, TokenAlignment]]:
    for row in report.rows:
        for at, alignment in enumerate(row.alignments, 1):
            yield (
                f"{row.instance}, {row.system}, reference {at} of {len(row.alignments)}",
                row,
                alignment,
            )


def _values(alignment: TokenAlignment) -> str:
    return ", ".join(f"{name} {value:.4f}" for name, value in alignment.values.items())


def _headers(alignment: TokenAlignment) -> list[str]:
    share = "of the distance" if alignment.measure == "distance" else "of what is lacking"
    return ["summary", "reference", "for", alignment.measure, "weight", share]


def _rows(alignment: TokenAlignment) -> list[list[str]]:
    """Return a row per link; links that lower the score most come first."""
    links = sorted(zip(alignment.links, shares(alignment), strict=True), key=lambda pair: -pair[1])
    return [
        [
            alignment.summary[link.summary],
            alignment.reference[link.reference],
            link.kind,
            f"{alignment.closeness[link.summary][link.reference]:.3f}",
            f"{100 * link.amount:.1f} %",
            f"{100 * share:.1f} %",
        ]
        for link, share in links
    ]


def _text(report: EmbeddingsReport) -> str:
    parts = []
    for title, _, alignment in _pairs(report):
        links = (
            text_table(_headers(alignment), _rows(alignment), right=3)
            if alignment.links
            else "no links"
        )
        parts.append(f"{title}: {_values(alignment)}\n\n{links}")
    return "\n\n".join([*parts, report.signature])


def _markdown(report: EmbeddingsReport) -> str:
    parts = []
    for title, _, alignment in _pairs(report):
        rule = ["---", "---", "---", "---:", "---:", "---:"]
        lines = (
            markdown_lines(_headers(alignment), rule, *_rows(alignment))
            if alignment.links
            else ["no links"]
        )
        parts.append("\n".join([f"**{markdown_text(title)}:** {_values(alignment)}", "", *lines]))
    return "\n\n".join([*parts, f"`{report.signature}`"])


def _latex(report: EmbeddingsReport) -> str:
    return "\n\n".join(
        [
            _LATEX_HEAD,
            comment(report.signature),
            *(_matrix(t, alignment) for t, _, alignment in _pairs(report)),
        ]
    )


def _matrix(title: str, alignment: TokenAlignment) -> str:
    if not alignment.links:
        return comment(f"{title}: no links")
    links = {(link.summary, link.reference) for link in alignment.links}
    low, high = _range(alignment.closeness)
    heads = [rf"\rotatebox{{90}}{{{escaped(token)}}}" for token in alignment.reference]
    lines = []
    for s, row in enumerate(alignment.closeness):
        cells = []
        for r, value in enumerate(row):
            near = (high - value if alignment.measure == "distance" else value - low) / (
                high - low or 1
            )
            digits = f"{value:.2f}"
            cell = rf"\textbf{{{digits}}}" if (s, r) in links else digits
            cells.append(rf"\cellcolor{{orange!{round(60 * near)}}}{cell}")
        lines.append(" & ".join([escaped(alignment.summary[s]), *cells]) + r" \\")
    name = float_name(lines, share=0.7, air=2)
    return "\n".join(
        [
            rf"\begin{{{name}}}",
            r"\centering\scriptsize\setlength{\tabcolsep}{2pt}",
            rf"\caption{{{escaped(f'{alignment.measure.capitalize()} of every two tokens ({title}): {_values(alignment)}.')}}}",
            *tabular(
                "l" + "r" * len(alignment.reference), " & ".join(["", *heads]) + r" \\", lines
            ),
            rf"\end{{{name}}}",
        ]
    )


def _range(closeness: Sequence[Sequence[float]]) -> tuple[float, float]:
    values = [value for row in closeness for value in row]
    return min(values), max(values)


WRITERS: Mapping[str, Callable[[EmbeddingsReport], str]] = {
    "text": _text,
    "markdown": _markdown,
    "latex": _latex,
}
