"""LaTeX: text from outside inside it, and tables that stay on the page."""

from __future__ import annotations

import re
from collections.abc import Iterable

_SPECIAL = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
_SPECIAL |= {one: f"\\{one}" for one in "&%$#_{}"}
# In LaTeX's old fonts these three stand for other characters.
_SPECIAL |= {"<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}"}
_SPECIAL |= {"±": r"$\pm$", "<=": r"$\leq$"}


def escaped(text: str) -> str:
    """The text as LaTeX prints it."""
    return re.sub(r"<=|[\\~^&%$#_{}<>|±]", lambda found: _SPECIAL[found[0]], text)


# What a document needs for `tabular`.
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
