"""Tables in plain text."""

from __future__ import annotations

from collections.abc import Sequence

from rubrica.errors import printable


def text_table(headers: Sequence[str], rows: Sequence[Sequence[str]], *, right: int = 1) -> str:
    """Columns of text; from column `right` on they are right-aligned."""
    rows = [[printable(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(headers, *rows, strict=True)]

    def line(cells: Sequence[str]) -> str:
        padded = (
            cell.ljust(width) if at < right else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(cells, widths, strict=True))
        )
        return "  ".join(padded).rstrip()

    rule = "  ".join("-" * width for width in widths)
    return "\n".join([line(headers), rule, *map(line, rows)])


def shown_p(p: float | None) -> str:
    """A p-value in a table: four digits, or the power of ten."""
    if p is None:
        return "-"
    return f"{p:.4f}" if p >= 0.0001 or p == 0 else f"{p:.1e}"
