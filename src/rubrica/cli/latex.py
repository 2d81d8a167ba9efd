"""Text from outside inside LaTeX."""

from __future__ import annotations

import re

_SPECIAL = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
_SPECIAL |= {one: f"\\{one}" for one in "&%$#_{}"}
# In LaTeX's old fonts these three stand for other characters.
_SPECIAL |= {"<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}"}
_SPECIAL |= {"±": r"$\pm$", "<=": r"$\leq$"}


def escaped(text: str) -> str:
    """The text as LaTeX prints it."""
    return re.sub(r"<=|[\\~^&%$#_{}<>|±]", lambda found: _SPECIAL[found[0]], text)
