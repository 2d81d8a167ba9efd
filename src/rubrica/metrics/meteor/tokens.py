"""METEOR's English tokens: its normalisation (`-norm`), lower case, blanks between words.

A sequence of rewritings whose order is part of the numbers; each is one left-to-right pass that does
not look again at what it wrote, which is why some of them come in pairs.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

_RANGES = (
    "AZ az ŠŠ ŽŽ šš žž ŸŸ ÀÖ Øö øž \u0400\u04ff \u0500\u0527 \ua640\ua66e \ua67e\ua697 \u1d00\u1d7f"
)
_ALPHA = frozenset(
    chr(code) for pair in _RANGES.split() for code in range(ord(pair[0]), ord(pair[1]) + 1)
)
_DIGITS = frozenset("0123456789")
_ALNUM = _ALPHA | _DIGITS
_SPACE = " \t\n\v\f\r"

_LETTERS = "".join(f"{pair[0]}-{pair[1]}" for pair in _RANGES.split())
_SYMBOL = re.compile(f"([^{_LETTERS}0-9{_SPACE}.'`,‘’-])")
_DOTS = re.compile(r"\.(\.+)")
_DOTS_END = re.compile(r"DOTMULTI\.([^.])")
_SINGLE_QUOTES = re.compile("[`‘’]")
_DOUBLE_QUOTES = re.compile("[“”]|''")


class _Between(NamedTuple):
    """A mark between two characters, each in a set or not in it, and what stands for the mark."""

    before: frozenset[str]
    before_in: bool
    after: frozenset[str]
    after_in: bool
    replacement: str


_COMMAS = (
    _Between(_DIGITS, False, _DIGITS, False, " , "),
    _Between(_DIGITS, True, _DIGITS, False, " , "),
    _Between(_DIGITS, False, _DIGITS, True, " , "),
)
_HYPHENS = (_Between(_ALNUM | {"."}, True, _ALNUM, True, " "),)
_APOSTROPHES = (
    _Between(_ALPHA, False, _ALPHA, False, " ' "),
    _Between(_ALNUM, False, _ALPHA, True, " ' "),
    _Between(_ALPHA, True, _ALPHA, False, " ' "),
    _Between(_ALPHA, True, _ALPHA, True, " '"),
    _Between(_DIGITS, True, frozenset("s"), True, " '"),
)
_BLANKS = re.compile("[ \u2000-\u200a\u202f\u205f\u3000\u00a0]+")
_PUNCTUATION = re.compile(f"[^{_LETTERS}0-9]")
_CONTROLS = "".join(map(chr, range(0x21)))
# A vertical tab is white space for the rules, but does not separate words.
_BREAK = re.compile("[ \t\n\r\f]+")

# Abbreviations that keep their full stop (the English list of the Moses tokenizer).
_PREFIX_LIST = (
    "A B C D E F G H I J K L M N O P Q R S T U V W X Y Z Adj Adm Adv Asst Bart Bldg Brig Bros Capt "
    "Cmdr Col Comdr Con Corp Cpl DR Dr Drs Ens Gen Gov Hon Hr Hosp Insp Lt MM MR MRS MS Maj Messrs "
    "Mlle Mme Mr Mrs Ms Msgr Op Ord Pfc Ph Prof Pvt Rep Reps Res Rev Rt Sen Sens Sfc Sgt Sr St Supt "
    "Surg v vs i.e rev e.g Nos Nr"
)
_PREFIXES = frozenset(_PREFIX_LIST.split())
_NUMBER_PREFIXES = frozenset(("No", "Art", "pp"))


def tokens(text: str, *, normalize: bool = True, punctuation: bool = True) -> list[str]:
    """Return the tokens of a text, in lower case.

    Without `normalize` the text is taken as tokenized: only lower-cased and split. Without
    `punctuation` a normalised text loses everything that is neither letter nor digit.
    """
    if normalize:
        text = _normalize(text, punctuation)
    return _split(text.lower())


def _split(line: str) -> list[str]:
    # With only these characters, Python's own split gives the same result faster.
    if line.isascii() and line.isprintable():
        return line.split()
    return [word for word in _BREAK.split(line) if word]


def _normalize(text: str, punctuation: bool) -> str:
    line = _SYMBOL.sub(r" \1 ", f" {text} ")
    # Skip rules whose characters do not occur: searching takes most of the time.
    if ".." in line or "DOTMULTI" in line:
        line = _dots_hidden(line)
    line = _replace(line, ",", _COMMAS)
    if not line.isascii() or "`" in line or "''" in line:
        line = _DOUBLE_QUOTES.sub(' " ', _SINGLE_QUOTES.sub("'", line))
    line = line.replace("\u2013", "-").replace("--", "-")
    line = _replace(line, "-", _HYPHENS)
    line = _replace(line, "'", _APOSTROPHES)
    words = _split(line)
    for at, word in enumerate(words):
        if word[-1] == "." and len(word) > 1:
            words[at] = _full_stop(word, words[at + 1] if at + 1 < len(words) else "")
    line = " ".join(words)
    while "DOTDOTMULTI" in line:
        line = line.replace("DOTDOTMULTI", "DOTMULTI.")
    line = line.replace("DOTMULTI", ".")
    if not punctuation:
        line = _PUNCTUATION.sub(" ", line)
    return _BLANKS.sub(" ", line).strip(_CONTROLS)


def _replace(line: str, mark: str, rules: Sequence[_Between]) -> str:
    """Apply each rule in one pass over the line; a character belongs to at most one replacement."""
    if mark not in line:
        return line
    for rule in rules:
        parts, start, at = [], 0, line.find(mark, 1)
        while 0 < at < len(line) - 1:
            if (
                at > start
                and (line[at - 1] in rule.before) is rule.before_in
                and (line[at + 1] in rule.after) is rule.after_in
            ):
                parts += [line[start:at], rule.replacement, line[at + 1]]
                start = at + 2
            at = line.find(mark, at + 1)
        if parts:
            line = "".join([*parts, line[start:]])
    return line


def _dots_hidden(line: str) -> str:
    """Replace runs of dots by placeholder words, so that the full-stop rules skip them."""
    line = _DOTS.sub(r" DOTMULTI\1", line)
    while "DOTMULTI." in line:
        line = _DOTS_END.sub(r"DOTDOTMULTI \1", line)
        line = line.replace("DOTMULTI.", "DOTDOTMULTI")
    return line


def _full_stop(word: str, after: str) -> str:
    """Return a word that ends in a full stop with the stop dropped, kept or split off."""
    rest = word[:-1]
    if "." in rest and not _ALPHA.isdisjoint(rest):
        return word.replace(".", "")
    if rest in _PREFIXES or "a" <= after[:1] <= "z":
        return word
    if rest in _NUMBER_PREFIXES and "0" <= after[:1] <= "9":
        return word
    return f"{rest} ."
