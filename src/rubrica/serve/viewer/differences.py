"""Two texts word by word: which words one has and the other lacks."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from typing import TypeAlias

from rubrica.data.instance import Text

# Whether the words are only in this text, and the words with the blanks after them.
Segment: TypeAlias = tuple[bool, str]
# The time grows with the product of the lengths.
MAX_WORDS = 3000
_WORD = re.compile(r"\s*\S+\s*")
_PUNCTUATION = re.compile(r"^\W+|\W+$")


def differences(first: Text, second: Text) -> tuple[list[Segment], list[Segment]] | None:
    """Return both texts in segments; case and punctuation around words do not count. None for long texts."""
    sides = [_WORD.findall(_lines(text)) for text in (first, second)]
    if max(map(len, sides)) > MAX_WORDS:
        return None
    forms = [[_form(word) for word in words] for words in sides]
    matcher = SequenceMatcher(None, forms[0], forms[1], autojunk=False)
    segments: tuple[list[Segment], list[Segment]] = ([], [])
    for kind, a, b, c, d in matcher.get_opcodes():
        for side, words in zip(segments, (sides[0][a:b], sides[1][c:d]), strict=True):
            if words:
                side.append((kind != "equal", "".join(words)))
    return segments


def _form(word: str) -> str:
    bare = word.strip().casefold()
    return _PUNCTUATION.sub("", bare) or bare


def _lines(text: Text) -> str:
    return text if isinstance(text, str) else "\n".join(text)
