"""Compact texts for the page of ROUGE matches, where several variants read each text.

The page stores a text once. Variants that split it in the same way share the positions of its words, and
each variant stores the token of a word once, not at every occurrence.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rubrica.core.python.rouge_text import Text as Tokens
from rubrica.reports.page import utf16_places
from rubrica.reports.token_spans import ShownText

Form = str | None


@dataclass(frozen=True, slots=True)
class Cut:
    """Positions of the words in the lines of a text; `lines` is None if they are the text's own.

    `words` is how many each line has. `places` has two numbers for each word: how far it is from
    the end of the one before in its line, and its length; in UTF-16 units, as JavaScript counts.
    """

    lines: Sequence[str] | None
    words: Sequence[int]
    places: Sequence[int]


@dataclass(frozen=True, slots=True)
class TextTokens:
    """A text as one variant reads it: the number of its cut, and the tokens of its words.

    The token of a word is in the variant's `forms`, else it is the word in lower case; `odd` has the
    exceptions by word number. Words from number `end` on are dropped. `units` has the number of
    tokens of each unit that common subsequences are computed in; None where units are lines.
    """

    cut: int
    end: int
    units: Sequence[int] | None
    odd: Mapping[int, Form]


class TextPacker:
    """Packs texts and stores what variants share only once.

    `forms[variant]` has the words whose token is not the word in lower case: the token, or None for a
    dropped word.
    """

    def __init__(self, variants: int) -> None:
        self.cuts: list[Cut] = []
        self.forms: list[dict[str, Form]] = [{} for _ in range(variants)]
        self._known: list[dict[str, Form]] = [{} for _ in range(variants)]
        self._numbers: dict[tuple[object, ...], int] = {}

    def pack(self, variant: int, shown: ShownText, tokens: Tokens, text: int) -> TextTokens:
        """Return text number `text` as a variant shows it; `tokens` are what the variant compares."""
        words, places = [0] * len(shown.units), []
        at, maps = [0] * len(shown.units), [utf16_places(unit) for unit in shown.units]
        for word in shown.words:
            in_line = maps[word.unit]
            start, end = (
                (word.start, word.end)
                if in_line is None
                else (in_line[word.start], in_line[word.end])
            )
            places += [start - at[word.unit], end - start]
            words[word.unit] += 1
            at[word.unit] = end
        lines = None if shown.literal else shown.units
        key = (text, lines, tuple(places))
        if key not in self._numbers:
            self._numbers[key] = len(self.cuts)
            self.cuts.append(Cut(lines, words, places))
        compared = [at for at, word in enumerate(shown.words, 1) if word.form is not None]
        end = compared[-1] if compared else 0
        units, by_line = [len(unit) for unit in tokens.units], [0] * len(shown.units)
        for word in shown.words:
            by_line[word.unit] += word.form is not None
        same = [size for size in by_line if size] == [size for size in units if size]
        odd = self._odd(variant, shown, end)
        return TextTokens(self._numbers[key], end, None if same else units, odd)

    def _odd(self, variant: int, shown: ShownText, end: int) -> dict[int, Form]:
        """Return the words whose token differs from that of an earlier equal word."""
        odd = {}
        forms, forms_before = self.forms[variant], self._known[variant]
        for number, word in enumerate(shown.words[:end]):
            text = shown.units[word.unit][word.start : word.end]
            if text not in forms_before:
                forms_before[text] = word.form
                if word.form != text.lower():
                    forms[text] = word.form
            elif forms_before[text] != word.form:
                odd[number] = word.form
        return odd
