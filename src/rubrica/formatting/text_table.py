"""Tables in plain text."""

from __future__ import annotations

from collections.abc import Container, Sequence

from rubrica.errors import one_line

# What terminals need for bold text.
BOLD, PLAIN = "\x1b[1m", "\x1b[0m"


def text_table(
    headers: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    right: int = 1,
    bold: Container[tuple[int, int]] = (),
) -> str:
    """Return columns of text; from column `right` on they are right-aligned.

    The cells at the places (row, column) of `bold` are bold, for terminals.
    """
    headers = list(map(one_line, headers))
    rows = [list(map(one_line, row)) for row in rows]
    widths = [max(map(len, column)) for column in zip(headers, *rows, strict=True)]

    def line(cells: Sequence[str], number: int = -1) -> str:
        padded = [
            cell.ljust(width) if at < right else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(cells, widths, strict=True))
        ]
        for at, cell in enumerate(cells):
            if cell and (number, at) in bold:
                padded[at] = padded[at].replace(cell, f"{BOLD}{cell}{PLAIN}", 1)
        return "  ".join(padded).rstrip()

    rule = "  ".join("-" * width for width in widths)
    return "\n".join([line(headers), rule, *(line(row, number) for number, row in enumerate(rows))])


def format_p(p: float | None) -> str:
    """A p-value in a table: four digits, or the power of ten."""
    if p is None:
        return "-"
    digits = f"{p:.4f}"
    return digits if p == 0 or float(digits) else f"{p:.1e}"


def format_value(value: float | None, digits: int = 4, missing: str = "undefined") -> str:
    """Return a number as tables and sentences show it."""
    return missing if value is None else f"{value:.{digits}f}"
