"""`Table`: a result as plain cells, and the same table as text, Markdown, LaTeX, CSV and HTML."""

from __future__ import annotations

import csv
import html
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass

from rubrica.errors import one_line, printable
from rubrica.formatting.latex import NEEDS, comment, escaped, table
from rubrica.formatting.text_table import text_table


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell; `best` cells are set in bold where the format has bold."""

    text: str
    best: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """Columns with their headers, rows of cells, a caption, notes and signatures.

    The first `labels` columns hold names and are aligned to the left, the others hold numbers.
    """

    headers: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    caption: str = ""
    notes: Sequence[str] = ()
    signatures: Sequence[str] = ()
    labels: int = 1

    def to_text(self, *, bold: bool = False) -> str:
        """Return aligned columns, then the notes and the signatures; the best are `bold` on terminals."""
        rows = [[cell.text for cell in row] for row in self.rows]
        best = {
            (number, at)
            for number, row in enumerate(self.rows)
            for at, cell in enumerate(row)
            if bold and cell.best
        }
        lines = [text_table(self.headers, rows, right=self.labels, bold=best), ""]
        if self.notes:
            lines += [*map(printable, self.notes), ""]
        return "\n".join([*lines, *map(one_line, self.signatures)]).rstrip("\n")

    def to_markdown(self) -> str:
        """Return a Markdown table with its notes and signatures as lists."""
        rule = ["---"] * self.labels + ["---:"] * (len(self.headers) - self.labels)
        rows = [list(map(markdown_text, self.headers)), rule]
        for row in self.rows:
            texts = [markdown_text(cell.text) for cell in row]
            rows.append([f"**{t}**" if c.best else t for c, t in zip(row, texts, strict=True)])
        parts = ["\n".join(f"| {' | '.join(row)} |" for row in rows)]
        parts += ["\n".join(f"- {markdown_text(note)}" for note in self.notes)]
        parts += ["\n".join(f"- `{one_line(signature)}`" for signature in self.signatures)]
        return "\n\n".join(part for part in parts if part)

    def to_latex(self) -> str:
        """Return a booktabs table; the signatures are comments."""
        columns = "l" * self.labels + "r" * (len(self.headers) - self.labels)
        head = " & ".join(map(latex_text, self.headers)) + r" \\"
        rows = [" & ".join(map(_latex_cell, row)) + r" \\" for row in self.rows]
        caption = latex_text(" ".join([self.caption, *map(_sentence, self.notes)]).strip())
        comments = map(comment, self.signatures)
        return "\n".join([NEEDS, *comments, *table(caption, columns, head, rows)])

    def to_csv(self) -> str:
        """Return the cells as printed; formulas are quoted, so that spreadsheets do not run them."""
        stream = io.StringIO()
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(map(inert, self.headers))
        writer.writerows([inert(cell.text) for cell in row] for row in self.rows)
        return stream.getvalue().rstrip("\n")

    def to_html(self) -> str:
        """Return a compact table for notebooks: no scripts, and the colours of the page around it."""
        lines = ['<table style="border-collapse:collapse;font-variant-numeric:tabular-nums">']
        if self.caption:
            caption = html.escape(self.caption)
            lines.append(f'<caption style="text-align:left;padding:.4em .7em">{caption}</caption>')
        lines.append(f"<thead>{self._html_row([Cell(h) for h in self.headers], 'th')}</thead>")
        lines.append("<tbody>")
        lines += [self._html_row(row, "td") for row in self.rows]
        lines.append("</tbody></table>")
        small = 'style="font-size:85%;opacity:.8;margin:.3em 0"'
        if self.notes:
            lines.append(f"<p {small}>{'<br>'.join(map(html.escape, self.notes))}</p>")
        if self.signatures:
            signatures = "<br>".join(map(html.escape, self.signatures))
            lines.append(
                f"<details {small}><summary>signatures</summary><code>{signatures}</code></details>"
            )
        return "\n".join(lines)

    def _html_row(self, cells: Sequence[Cell], tag: str) -> str:
        line = "1px solid" if tag == "th" else "0"
        parts = []
        for number, cell in enumerate(cells):
            side = "left" if number < self.labels else "right"
            style = f"text-align:{side};padding:.2em .7em;border-bottom:{line};background:none"
            text = html.escape(cell.text)
            text = f"<strong>{text}</strong>" if cell.best else text
            parts.append(f'<{tag} style="{style}">{text}</{tag}>')
        return f"<tr>{''.join(parts)}</tr>"


# What Markdown would read as markup: underscores at the ends of words, < at the start of a tag.
_MARKDOWN = re.compile(r"[\\`*\[\]|~]|(?<!\w)_|_(?!\w)|<(?=[A-Za-z/!?])")
# Some spreadsheets also read wide signs, and skip a line break. A sign before a number, as -3 ±2, is none.
_NUMBER = r"[\d.,]+(?:e[+-]?\d+)?"
_FORMULA = re.compile(rf"[=@\t\r\n＝＋－＠]|[+-](?!{_NUMBER}(?:\s*±\s*{_NUMBER})?\s*%?\*?$)")
_ARROWS = {"↑": r"$\uparrow$", "↓": r"$\downarrow$"}


def markdown_text(text: str) -> str:
    """Return the text on one line, escaped so that Markdown shows it as it is."""
    return _MARKDOWN.sub(r"\\\g<0>", " ".join(text.split()))


def latex_text(text: str) -> str:
    """Return the text, escaped for LaTeX, with arrows as mathematics."""
    text = escaped(text)
    for arrow, command in _ARROWS.items():
        text = text.replace(arrow, command)
    return text


def inert(text: str) -> str:
    """Return the text so that a spreadsheet takes it for text or a number, never for a formula."""
    return f"'{text}" if _FORMULA.match(text) else text


def _latex_cell(cell: Cell) -> str:
    # In text, a hyphen before a number is not a minus sign.
    text = re.sub(r"(?<!\w)-(?=\d)", "$-$", latex_text(cell.text))
    return rf"\textbf{{{text}}}" if cell.best else text


def _sentence(note: str) -> str:
    return note[:1].upper() + note[1:].rstrip(".") + "."
