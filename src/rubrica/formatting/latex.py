"""LaTeX: text from outside inside it, and tables that stay on the page."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from rubrica.errors import one_line

_SPECIAL = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
_SPECIAL |= {char: f"\\{char}" for char in "&%$#_{}"}
# In LaTeX's old fonts these three stand for other characters.
_SPECIAL |= {"<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}"}
_SPECIAL |= {"±": r"$\pm$", "<=": r"$\leq$"}


def escaped(text: str) -> str:
    """The text as LaTeX prints it, on one line."""
    text = re.sub(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+", " ", text)
    return re.sub(r"<=|[\\~^&%$#_{}<>|±]", lambda match: _SPECIAL[match[0]], text)


def comment(text: str) -> str:
    """The text as a comment: in one line, of which LaTeX reads nothing."""
    return f"% {one_line(text)}"


# What a document needs for `table` and `tabular`.
NEEDS = r"% Needs \usepackage{booktabs,graphicx}."


def tabular(columns: str, head: str, rows: Iterable[str]) -> list[str]:
    """The lines of a table, which is made smaller where it is wider than the text."""
    return [
        r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%",
        rf"\begin{{tabular}}{{{columns}}}",
        r"\toprule",
        head,
        r"\midrule",
        *rows,
        r"\bottomrule",
        r"\end{tabular}}",
    ]


# A page of 10 points takes about as many rows.
_MAX_ROWS = 40
# In points: the text of an article, a column of one with two columns, and a letter at 10.
_TEXT_WIDE, _COLUMN_WIDE, _LETTER_WIDE = 345, 219, 5
# A table is shrunk this far to stay in a column: to letters of 8 points.
_LEAST_SCALE = 0.8
# A table over both columns is shrunk this far; a wider one is split.
_LEAST_SCALE_OF_PARTS = 0.4
# Sizes with their letters and \tabcolsep.
_SIZES = (
    ("normalsize", 1.0, 6),
    ("small", 0.9, 5),
    ("footnotesize", 0.8, 4),
    ("scriptsize", 0.7, 3),
    ("tiny", 0.5, 1.5),
)


def table(
    caption: str, columns: str, head: str, rows: Sequence[str], *, together: int = 1
) -> list[str]:
    """The lines of a table with a caption, which is LaTeX as all else here.

    It floats: over both columns of a page that has two if it is too wide for one. A table whose letters would be
    unreadable is split into several, which repeat the columns of names at the left. A table with more rows than a page takes does not
    float: it goes on with its head repeated.

    Args:
        caption: The caption.
        columns: A letter per column; names are `l`.
        head: The first row.
        rows: The other rows.
        together: How many columns after the names form a group, which is not split.
    """
    if len(rows) <= _MAX_ROWS:
        lines: list[str] = []
        for number, (part_columns, part_head, *part_rows) in enumerate(
            _parts(columns, head, rows, together)
        ):
            name = float_name([part_head, *part_rows])
            content = tabular(part_columns, part_head, part_rows)
            above = rf"\caption{{{'Continued.' if number else caption}}}\smallskip"
            lines += [rf"\begin{{{name}}}", r"\centering", above, *content, rf"\end{{{name}}}"]
        return lines
    across = rf"\multicolumn{{{len(columns)}}}"
    return [
        r"% Longer than a page: needs \usepackage{longtable}, too, and a page of one column.",
        rf"\begingroup{_fitting_size([head, *rows])}",
        # What is still too wide reaches into both margins alike.
        *(rf"\setlength{{\LT{side}}}{{0pt plus 1fill minus 1fill}}" for side in ("left", "right")),
        rf"\begin{{longtable}}{{{columns}}}",
        rf"\caption{{{caption}}} \\",
        r"\toprule",
        head,
        r"\midrule",
        r"\endfirsthead",
        rf"{across}{{l}}{{\emph{{continued}}}} \\",
        r"\toprule",
        head,
        r"\midrule",
        r"\endhead",
        r"\bottomrule",
        r"\endfoot",
        *rows,
        r"\end{longtable}",
        r"\endgroup",
    ]


def _parts(columns: str, head: str, rows: Sequence[str], together: int) -> list[list[str]]:
    """Return column letters, head and rows of each part of a table: as few parts as leave its letters readable."""
    whole = [columns, head, *rows]
    cells = [_cells(row.removesuffix(r"\\").rstrip()) for row in (head, *rows)]
    count = len(columns)
    names = count - len(columns.lstrip("l"))
    widest = _TEXT_WIDE / _LEAST_SCALE_OF_PARTS
    # Cells over several columns cannot be split.
    splits = [whole]
    if any(len(row) != count for row in cells) or _width(*_letters([head, *rows])) <= widest:
        return splits
    groups = (count - names) // together
    for parts in range(2, groups + 1):
        size = together * -(-groups // parts)
        splits = []
        for start in range(names, count, size):
            part = [*range(names), *range(start, min(start + size, count))]
            lines = [" & ".join(row[at].strip() for at in part) + r" \\" for row in cells]
            splits.append(["".join(columns[at] for at in part), *lines])
        if all(_width(*_letters(lines)) <= widest for _, *lines in splits):
            return splits
    return splits


def _cells(row: str) -> list[str]:
    return re.split(r"(?<!\\)&", row)


def float_name(rows: Sequence[str], share: float = 1, air: float = 6) -> str:
    """The environment of a floating table: `table*`, over both columns of a page that has two, if it is too wide for one.

    Args:
        rows: The rows that take the width.
        share: The size of their letters, as a share of the usual one.
        air: Their `\\tabcolsep` in points.
    """
    return (
        "table*" if _LEAST_SCALE * _width(*_letters(rows), share, air) > _COLUMN_WIDE else "table"
    )


def _letters(rows: Sequence[str]) -> tuple[int, int]:
    """The letters of the longest cells of all columns, and the number of columns."""
    # Letters above the line take half the width.
    raised = re.compile(r"\^\{(?:\\[a-z]+\{)?([^{}]*)\}+")
    cells = [
        _cells(raised.sub(lambda match: match[1][: -(-len(match[1]) // 2)], row)) for row in rows
    ]
    commands = r"\\cellcolor\{[^}]*\}|\\[a-z]+|[\\{}$^ ]"
    plain = [[re.sub(commands, "", cell) for cell in row] for row in cells]
    count = max(map(len, plain))
    # Of cells over several columns the width is not theirs.
    whole = [row for row in plain if len(row) == count]
    return sum(max(map(len, column)) for column in zip(*whole, strict=True)), count


def _width(letters: int, count: int, share: float = 1, air: float = 6) -> float:
    return letters * share * _LETTER_WIDE + 2 * air * count


def _fitting_size(rows: Sequence[str]) -> str:
    """The largest letters at which rows are likely to fit: a long table cannot be shrunk."""
    letters, count = _letters(rows)

    def fits(share: float, air: float) -> bool:
        return _width(letters, count, share, air) <= _TEXT_WIDE

    size, _, air = next(
        (size_and_spacing for size_and_spacing in _SIZES if fits(*size_and_spacing[1:])), _SIZES[-1]
    )
    return rf"\{size}\setlength{{\tabcolsep}}{{{air}pt}}"
