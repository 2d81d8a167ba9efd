"""METEOR's English tokens: its normalisation (`-norm`), lower case, blanks between words.

A sequence of rewritings whose order is part of the numbers; each is one left-to-right pass that does
not look again at what it wrote, which is why some of them come in pairs.
"""

from __future__ import annotations

import re
from itertools import zip_longest

_CYRILLIC = "\u0400-\u04ff\u0500-\u0527\ua640-\ua66e\ua67e-\ua697\u1d00-\u1d7f"
_ALPHA = f"A-Za-zŠŽšžŸÀ-ÖØ-öø-ž{_CYRILLIC}"
_ALNUM = f"{_ALPHA}0-9"
_SPACE = " \t\n\v\f\r"

_SYMBOL = re.compile(f"([^{_ALNUM}{_SPACE}.'`,‘’-])")
_DOTS = re.compile(r"\.(\.+)")
_DOTS_END = re.compile(r"DOTMULTI\.([^.])")
_COMMAS = tuple(
    re.compile(pattern) for pattern in ("([^0-9]),([^0-9])", "([0-9]),([^0-9])", "([^0-9]),([0-9])")
)
_SINGLE_QUOTES = re.compile("[`‘’]")
_DOUBLE_QUOTES = re.compile("[“”]|''")
_HYPHENS = re.compile(f"([{_ALNUM}.])-([{_ALNUM}])")
_APOSTROPHES = (
    (re.compile(f"([^{_ALPHA}])'([^{_ALPHA}])"), r"\1 ' \2"),
    (re.compile(f"([^{_ALPHA}0-9])'([{_ALPHA}])"), r"\1 ' \2"),
    (re.compile(f"([{_ALPHA}])'([^{_ALPHA}])"), r"\1 ' \2"),
    (re.compile(f"([{_ALPHA}])'([{_ALPHA}])"), r"\1 '\2"),
    (re.compile("([0-9])'(s)"), r"\1 '\2"),
)
_LETTER = re.compile(f"[{_ALPHA}]")
_WORD_BREAK = re.compile(f"[{_SPACE}]+")
_BLANKS = re.compile("[ \u2000-\u200a\u202f\u205f\u3000\u00a0]+")
_PUNCTUATION = re.compile(f"[^{_ALNUM}]")
_CONTROLS = "".join(map(chr, range(0x21)))
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
    """The tokens of a text, in lower case.

    Without `normalize` the text is taken as tokenized: only lower-cased and split. Without
    `punctuation` a normalised text loses everything that is neither letter nor digit.
    """
    if normalize:
        text = _normalized(text, punctuation)
    return [token for token in _BREAK.split(text.lower()) if token]


def _normalized(text: str, punctuation: bool) -> str:
    line = _SYMBOL.sub(r" \1 ", f" {text} ")
    line = _dots_hidden(line)
    for comma in _COMMAS:
        line = comma.sub(r"\1 , \2", line)
    line = _DOUBLE_QUOTES.sub(' " ', _SINGLE_QUOTES.sub("'", line))
    line = line.replace("\u2013", "-").replace("--", "-")
    line = _HYPHENS.sub(r"\1 \2", line)
    for apostrophe, replacement in _APOSTROPHES:
        line = apostrophe.sub(replacement, line)
    words = [word for word in _WORD_BREAK.split(line) if word]
    line = " ".join(
        _full_stop(word, after) for word, after in zip_longest(words, words[1:], fillvalue="")
    )
    while "DOTDOTMULTI" in line:
        line = line.replace("DOTDOTMULTI", "DOTMULTI.")
    line = line.replace("DOTMULTI", ".")
    if not punctuation:
        line = _PUNCTUATION.sub(" ", line)
    return _BLANKS.sub(" ", line).strip(_CONTROLS)


def _dots_hidden(line: str) -> str:
    """Runs of dots as words without dots, so that the rules for full stops pass them by."""
    line = _DOTS.sub(r" DOTMULTI\1", line)
    while "DOTMULTI." in line:
        line = _DOTS_END.sub(r"DOTDOTMULTI \1", line)
        line = line.replace("DOTMULTI.", "DOTDOTMULTI")
    return line


def _full_stop(word: str, after: str) -> str:
    """A word with its full stop dropped, kept or set apart."""
    if len(word) < 2 or not word.endswith("."):
        return word
    rest = word[:-1]
    if "." in rest and _LETTER.search(rest):
        return word.replace(".", "")
    if rest in _PREFIXES or "a" <= after[:1] <= "z":
        return word
    if rest in _NUMBER_PREFIXES and "0" <= after[:1] <= "9":
        return word
    return f"{rest} ."
