"""Sentences of a text by rules: no model, no download; English abbreviations, terminators of many scripts.

It reads running text, tokenised text (`he left . she stayed`) and text without capitals. Where a
period may end a sentence or an abbreviation, the next word decides.
"""

from __future__ import annotations

import re

from rubrica.data.instance import Text
from rubrica.text.abbreviations import FIRMS, LATIN, MONTHS, STATES, TITLES


def _plain(words: str) -> frozenset[str]:
    """Abbreviations in small letters, without their last full stop."""
    return frozenset(word.removesuffix(".") for word in words.lower().split())


# Never the end of a sentence: a name follows.
_TITLES = _plain(
    TITLES
    + " mx fr sr jr cpl cmdr brig pres supt insp mme mlle v cf eg e.g. ie i.e. viz al ed eds "
    "trans st mt ft ave blvd rd vs."
)
# Not the end before a number: `no. 5`, `fig. 2`.
_NUMBERED = _plain("no nos fig figs eq eqs sec secs vol vols pp ch art")
# An end only where the next word looks like the beginning of a sentence.
_SHORTENED = (
    _plain(
        " ".join([FIRMS, MONTHS, STATES, LATIN])
        + " llc plc assn dept univ est approx mon tue tues wed thu thur thurs fri sat sun u.s. u.k. u.n. "
        "e.u. u.s.a. u.a.e. l.a. tex b.a. m.a. m.d. b.c. a.d. etc esq bc ad oz lb lbs kg km cm mm hrs hr "
        "mins min"
    )
    - _TITLES
)
# Frequent first words, so that "in the U.S. The" is cut and "the U.S. Senate" is not.
_STARTERS = frozenset(
    [
        "the",
        "a",
        "an",
        "he",
        "she",
        "it",
        "they",
        "we",
        "you",
        "i",
        "his",
        "her",
        "its",
        "their",
        "our",
        "my",
        "this",
        "that",
        "these",
        "those",
        "there",
        "here",
        "in",
        "on",
        "at",
        "by",
        "for",
        "from",
        "with",
        "as",
        "but",
        "and",
        "so",
        "or",
        "if",
        "when",
        "while",
        "after",
        "before",
        "since",
        "although",
        "though",
        "however",
        "then",
        "now",
        "once",
        "one",
        "two",
        "some",
        "many",
        "most",
        "all",
        "both",
        "each",
        "no",
        "not",
        "only",
        "what",
        "who",
        "where",
        "why",
        "how",
        "also",
        "according",
        "police",
        "officials",
        "meanwhile",
        "still",
        "yet",
        "despite",
        "during",
        "until",
        "under",
    ]
)
# Of the titles, those that are safe where the period stands apart: `dr . jones`, not `he said no .`
_NAMED = frozenset(["mr", "mrs", "ms", "dr", "prof", "gen", "sen", "gov", "lt", "sgt", "capt"])
_SAID = frozenset(
    [
        "said",
        "says",
        "asked",
        "asks",
        "told",
        "wrote",
        "writes",
        "added",
        "replied",
        "exclaimed",
        "shouted",
    ]
)

_END = re.compile(
    # Terminators of scripts without blanks after them (and with: Arabic, Devanagari).
    r"(?P<wide>[。！？｡．؟۔।॥]++[”’」』）》\"']*+)"
    # Ours, with closing quotes and brackets, before a blank or the end; tokens may stand apart.
    r"|(?<![.!?…])(?P<mark>[.!?…]++)(?P<close>(?:\s?(?:''|-rrb-|-RRB-|[\"'”’»)\]}])){0,8})(?=\s|$)"
)
_WORD = re.compile(r"[\w.&'’-]+", re.UNICODE)
# How far is looked ahead and back, for words and for an open quote: hostile texts cost no more than others.
_NEAR, _FAR = 80, 500
_OPENERS = "\"'“‘«([{`"


def sentences_of(text: Text) -> list[str]:
    """The sentences of a text: those of a list as they are, those of a string found by rule.

    Blank ones are left out.
    """
    if isinstance(text, str):
        return split_sentences(text)
    return [sentence for piece in text if (sentence := piece.strip())]


def split_sentences(text: str) -> list[str]:
    """The sentences of a text in order, without blanks around them; [] for a blank text.

    A line's end ends a sentence. No character but blanks between sentences is lost.
    """
    return [sentence for line in text.splitlines() for sentence in _paragraph(line)]


def _paragraph(text: str) -> list[str]:
    text = text.strip()
    cased = text != text.lower()
    sentences, start = [], 0
    for found in _END.finditer(text):
        if found.start() < start:
            continue
        end = found.end()
        if found["wide"] is None:
            end = _closed(text, start, found)
            if not _ends(text, found, end, cased):
                continue
        if sentence := text[start:end].strip():
            sentences.append(sentence)
        start = end
    if rest := text[start:].strip():
        sentences.append(rest)
    return sentences


def _closed(text: str, start: int, found: re.Match[str]) -> int:
    """Where the sentence would end: closing marks belong to it, an opening quote does not."""
    end = found.end("mark")
    for mark in re.finditer(r"\s?(''|-rrb-|-RRB-|[\"'”’»)\]}])", text[end : found.end()]):
        # A straight quote that stands apart closes only if one is open.
        straight, apart = mark[1] in "\"'", mark[0] != mark[1]
        place = end + mark.start()
        if straight and apart and not _open(text[max(start, place - _FAR) : place], mark[1]):
            return place
    return found.end()


def _open(text: str, quote: str) -> bool:
    """Whether a straight quote was opened and not closed; an apostrophe inside a word is none."""
    if quote == '"':
        return text.count(quote) % 2 == 1
    return len(re.findall(r"(?:^|\s)'(?=\S)", text)) > len(re.findall(r"'(?=\s|$)", text))


def _ends(text: str, found: re.Match[str], end: int, cased: bool) -> bool:
    if end >= len(text):
        return True
    mark, at = found["mark"], found.start()
    following = text[end : end + _NEAR].lstrip(_OPENERS + " \t\u00a0")
    if not following:
        return True
    apart = at > 0 and text[at - 1].isspace()
    next_word = _WORD.match(following)
    word = next_word[0] if next_word else ""
    lower = following[0].islower()
    if mark == "." and not apart:
        before = _last_word(text, at)
        if _never(before) or (before.lower() in _NUMBERED and following[0].isdigit()):
            return False
        if before.lower() in _SHORTENED or _dotted(before):
            return (not lower or not cased) and word.lower() in _STARTERS
    if mark == "." and apart:
        before = _last_word(text, at - 1)
        named = before.lower() in _NAMED or (len(before) == 1 and _never(before))
        # `3 . 30` is a number torn apart; after a year or a date a sentence may begin with one.
        if named or (before.isdigit() and len(before) < 3 and following[0].isdigit()):
            return False
    if mark.startswith("..") or mark.startswith("…"):
        return cased and not lower
    if not lower:
        return True
    # A small letter: no end in running text; in tokenised or small text the mark decides.
    quoted = end > found.end("mark")
    return (apart or not cased) and not (quoted and _speech(following))


def _last_word(text: str, end: int) -> str:
    start = end
    while start > max(0, end - _NEAR) and not text[start - 1].isspace():
        start -= 1
    return text[start:end].lstrip(_OPENERS)


def _never(word: str) -> bool:
    """A title, or an initial: `J.` in `J. Edgar`; a lone `I` is rather the pronoun."""
    return word.lower() in _TITLES or (len(word) == 1 and word.isalpha() and word not in "Ii")


def _dotted(word: str) -> bool:
    """Letters with periods between them: U.S, a.m, J.R.R."""
    parts = word.split(".")
    return len(parts) > 1 and all(len(part) == 1 and part.isalpha() for part in parts)


def _speech(following: str) -> bool:
    """`she asked`, `said he`: the speaker of what was quoted."""
    return any(word in _SAID for word in following.lower().split()[:3])
