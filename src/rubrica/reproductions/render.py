"""Results of recipes as text, Markdown, JSON and an HTML page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

import msgspec

from rubrica.formatting.table import Cell as TableCell
from rubrica.formatting.table import Table
from rubrica.reports.judges import JudgeReport, ReportSection
from rubrica.reproductions.results import Cell, Reproduction, Verdict

OutputFormat: TypeAlias = Literal["text", "json", "markdown", "html"]
HEADERS = ("table", "row", "column", "published", "recomputed", "difference", "verdict")


def render(results: Sequence[Reproduction], output: OutputFormat) -> bytes:
    """Return the results in a format, with every cell."""
    if output == "json":
        return msgspec.json.format(msgspec.json.encode(list(results)), indent=1) + b"\n"
    if output == "html":
        return report(results).page()
    parts = [_text(result) if output == "text" else _markdown(result) for result in results]
    return ("\n\n".join([*parts, summary(results)]) + "\n").encode()


def summary(results: Sequence[Reproduction]) -> str:
    """Return the counts of all cells by verdict, in a sentence."""
    cells = sum(len(result.cells) for result in results)
    counts = ", ".join(
        f"{sum(result.count(verdict) for result in results):,} {_counted(verdict)}"
        for verdict in Verdict
    )
    return f"{cells:,} cells: {counts}."


def _counted(verdict: Verdict) -> str:
    return {
        Verdict.EQUAL: "equal to the printed digits",
        Verdict.EXPLAINED: "differ for a known reason",
        Verdict.UNEXPLAINED: "differ without a known reason",
        Verdict.UNAVAILABLE: "cannot be computed",
    }[verdict]


def cell_row(cell: Cell) -> list[str]:
    """Return a cell as the columns of `HEADERS`."""
    difference = "-" if cell.difference is None else f"{cell.difference:+.2g}"
    shown = "-" if cell.recomputed is None else f"{cell.recomputed:.{_digits(cell)}f}"
    names = [cell.table, cell.row, cell.column]
    return [*names, cell.published, shown, difference, str(cell.verdict)]


def _digits(cell: Cell) -> int:
    """Return two digits more than were published, so that roundings can be seen."""
    return len(cell.published.partition(".")[2]) + 2


def cells_table(cells: Sequence[Cell]) -> Table:
    """Return cells as a table, with each different reason as a note."""
    notes = dict.fromkeys(f"{c.verdict}: {c.reason}" for c in cells if c.reason)
    rows = [[TableCell(text) for text in cell_row(cell)] for cell in cells]
    return Table(HEADERS, rows, notes=list(notes), labels=3)


def _text(result: Reproduction) -> str:
    return f"{_heading(result)}\n\n{cells_table(result.cells).to_text()}"


def _markdown(result: Reproduction) -> str:
    return f"## {_heading(result)}\n\n{cells_table(result.cells).to_markdown()}"


def _heading(result: Reproduction) -> str:
    return f"{result.recipe}: {result.title} ({result.paper})"


def report(results: Sequence[Reproduction]) -> JudgeReport:
    """Return the page: counts per recipe, then every cell, sortable."""
    headers = ["Recipe", "Paper", "Cells", "Equal", "Explained", "Unexplained", "Not computed"]
    counts: list[list[str | float | int | bool | None]] = [
        [r.recipe, r.paper, len(r.cells), *(r.count(verdict) for verdict in Verdict)]
        for r in results
    ]
    sections = [ReportSection("Recipes", headers=headers, rows=counts)]
    for result in results:
        different = sum(cell.verdict is not Verdict.EQUAL for cell in result.cells)
        cells = sorted(result.cells, key=lambda cell: cell.verdict is Verdict.EQUAL)
        sections.append(
            ReportSection(
                result.title,
                f"{result.paper}; {len(result.cells):,} cells, {different:,} not equal (shown first).",
                headers=["Table", "Row", "Column", "Published", "Recomputed", "Verdict", "Reason"],
                rows=[
                    (c.table, c.row, c.column, c.published, c.shown, str(c.verdict), c.reason)
                    for c in cells
                ],
            )
        )
    dates = sorted({result.date for result in results})
    facts = f"computed {', '.join(dates)}" if dates else ""
    return JudgeReport("Reproductions", summary(results), facts, sections)
