"""Detokenising: Penn Treebank tokens back to running text, as far as rules can tell."""

from __future__ import annotations

import re

_BRACKETS = {"lrb": "(", "rrb": ")", "lsb": "[", "rsb": "]", "lcb": "{", "rcb": "}"}
_BRACKET = re.compile(r"-(lrb|rrb|lsb|rsb|lcb|rcb)-", re.IGNORECASE)
_CONTRACTION = re.compile(
    r"(?<=\w) (?=(?:n't|'(?:s|m|re|ve|ll|d)|’(?:s|m|re|ve|ll|d|t))(?!\w))", re.IGNORECASE
)
_SPLIT_NEGATION = re.compile(
    r"\b(ca|wo|do|does|did|is|are|was|were|has|have|had|could|should|would|must|need|ai) n't\b",
    re.IGNORECASE,
)
_BEFORE_CLOSING = re.compile(r"\s+(?=(?:\.\.\.|[.,;:!?%)\]}…])(?:\s|$|[)\]}\"'”’.,;:!?]))")
_AFTER_OPENING = re.compile(r"(?<=[(\[{$£€#])\s+(?=\S)")


def detokenize(text: str) -> str:
    """Return running text: restores brackets and quotes, removes blanks around punctuation and in contractions.

    A straight quote opens and closes in turn. What cannot be known stays: `a - b` keeps its blanks,
    since it may be a dash. A possessive `'` after s is joined.
    """
    text = _BRACKET.sub(lambda match: _BRACKETS[match[1].lower()], text)
    text = re.sub(r"\s+", " ", text.replace("``", '"').replace("''", '"')).strip()
    text = _SPLIT_NEGATION.sub(lambda match: f"{match[1]}n't", text)
    text = _CONTRACTION.sub("", text)
    text = re.sub(r"(?<=s) '(?= )", "'", text)
    text = _AFTER_OPENING.sub("", _BEFORE_CLOSING.sub("", text))
    text = re.sub(r"\s+(?=[.,;:!?])(?=[.,;:!?](?:\s|$))", "", text)
    return _quotes(re.sub(r"` ?([^`']*?) ?'(?=[\s.,;:!?]|$)", r"'\1'", text))


def _quotes(text: str) -> str:
    """Replace straight double quotes in turn: the first opens, the second closes."""
    out, opening = [], True
    for piece in re.split(r'(\s*"\s*)', text):
        if '"' not in piece or piece.strip() != '"':
            out.append(piece)
            continue
        if opening:
            lead = " " if piece[0].isspace() and out and out[-1] else ""
            out.append(f'{lead}"')
        else:
            out.append('"' + (" " if piece[-1].isspace() else ""))
        opening = not opening
    joined = "".join(out).strip()
    return re.sub(r'(?<=") (?=[.,;:!?](?:\s|$))', "", joined)
