"""English tokens as spaCy's tokenizer cuts them, without spaCy.

Blanks separate; punctuation at both ends of a piece is cut off; a hyphen or slash inside cuts where a
letter follows; `don't` gives `do` and `n't`, `island's` gives `island` and `'s`; abbreviations keep
their full stop. Emoticons and the rarer entries of spaCy's table of exceptions are not known here.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache

from rubrica.text.abbreviations import ABBREVIATIONS

_LETTER = r"[^\W\d_]"
# Latin, Greek and Cyrillic letters by case, which the patterns of `re` have no name for.
_LOWER = "".join(c for c in map(chr, range(0x530)) if c.isalpha() and c.islower())
_UPPER = "".join(c for c in map(chr, range(0x530)) if c.isalpha() and c.isupper())
_QUOTES = "'\"”“`‘´’‚„»«「」『』（）〔〕【】《》〈〉〈〉⟦⟧"
_CURRENCY = r"\$£€¥฿₽﷼₴₠₡₢₣₤₥₦₧₨₩₪₫₭₮₯₰₱₲₳₵₶₷₸₹₺₻₼₾₿"
_PUNCTUATION = r"…,:;!?¿؟¡()\[\]{}<>_#*&。？！，、；：～·।،۔؛٪"
_UNITS = (
    "km km² km³ m m² m³ dm dm² dm³ cm cm² cm³ mm mm² mm³ ha µm nm yd in ft kg g mg µg t lb oz "
    "m/s km/h kmh mph hPa Pa mbar mb MB kb KB gb GB tb TB T G M K %"
)
_PREFIX = re.compile(
    rf"§|%|=|—|–|\+(?![0-9])|\.\.+|''|[{_PUNCTUATION}{re.escape(_QUOTES)}{_CURRENCY}]"
    r"|[^\w\s!-~\u00a0-\u2bff\u3000-\uffff]"
)
_UNIT = "|".join(map(re.escape, sorted(_UNITS.split(), key=len, reverse=True)))
_SUFFIX = re.compile(
    rf"(?:['’][sS]|—|–|\.\.+|''|[{_PUNCTUATION}{re.escape(_QUOTES)}]"
    rf"|(?<=[0-9])\+|(?<=[0-9])[{_CURRENCY}]|(?<=[0-9])(?:{_UNIT})"
    rf"|(?<=[0-9{_LOWER}%²\-+{_PUNCTUATION}{re.escape(_QUOTES)}])\."
    rf"|(?<=[{_UPPER}][{_UPPER}])\."
    r"|[^\w\s!-~\u00a0-\u2bff\u3000-\uffff])$"
)
_INFIX = re.compile(
    rf"\.\.+|…|(?<=[0-9])[+\-*^](?=[0-9-])"
    rf"|(?<=[{_LOWER}{re.escape(_QUOTES)}])\.(?=[{_UPPER}{re.escape(_QUOTES)}])"
    rf"|(?<={_LETTER}),(?={_LETTER})"
    rf"|(?<=[^\W_])(?:-{{1,3}}|[–~]|—{{1,2}})(?={_LETTER})"
    rf"|(?<=[^\W_])[:<>=/](?={_LETTER})"
    r"|[^\w\s!-~\u00a0-\u2bff\u3000-\uffff]"
)
_ADDRESS = re.compile(
    r"(?:https?|ftp)://\S+|[\w.+-]+@[\w-]+(?:\.[\w-]+)+"
    r"|(?:[A-Za-z0-9-]+\.)+(?:com|org|net|edu|gov|mil|info|io|uk|de|fr|au|ca|us|eu|co)(?:[:/]\S*)?",
    re.IGNORECASE,
)
_TIME = re.compile(r"(1[0-2]|[1-9])(a\.m\.|am|p\.m\.|pm)")


def english_tokens(text: str) -> list[str]:
    """All tokens of a text, punctuation included, in order."""
    return [token for piece in text.split() for token in _tokens(piece)]


@lru_cache(maxsize=1 << 16)
def _tokens(piece: str) -> tuple[str, ...]:
    before: list[str] = []
    after: list[str] = []
    size = -1
    while piece and len(piece) != size and _exception(piece) is None:
        size = len(piece)
        prefix = _PREFIX.match(piece)
        if prefix is not None:
            rest = piece[prefix.end() :]
            if rest and _exception(rest) is not None:
                before.append(prefix[0])
                piece = rest
                break
        suffix = _SUFFIX.search(piece, prefix.end() if prefix else 0)
        if suffix is not None:
            rest = piece[: suffix.start()]
            if rest and _exception(rest) is not None:
                after.append(suffix[0])
                piece = rest
                break
            after.append(suffix[0])
            piece = rest
        if prefix is not None:
            before.append(prefix[0])
            piece = piece[prefix.end() :]
    return _with_full_stop((*before, *_inside(piece), *reversed(after)))


def _with_full_stop(tokens: tuple[str, ...]) -> tuple[str, ...]:
    """`ex-Gov.` ends in `Gov.`: an abbreviation keeps its full stop behind an infix too."""
    if len(tokens) > 1 and tokens[-2] + tokens[-1] in ABBREVIATIONS:
        return (*tokens[:-2], tokens[-2] + tokens[-1])
    return tokens


def _inside(piece: str) -> tuple[str, ...]:
    """What is left when the ends are bare: an exception, an address, or words between infixes."""
    if not piece:
        return ()
    known = _exception(piece)
    if known is not None:
        return known
    if _ADDRESS.fullmatch(piece):
        return (piece,)
    found, begin = [], 0
    for infix in _INFIX.finditer(piece):
        found += [piece[begin : infix.start()], infix[0]]
        begin = infix.end()
    return tuple(one for one in [*found, piece[begin:]] if one)


def _exception(piece: str) -> tuple[str, ...] | None:
    """The tokens of a piece that is not cut by rule, or None."""
    if piece in ABBREVIATIONS or (len(piece) == 2 and piece[1] == "." and piece[0].isalpha()):
        return (piece,)
    time = _TIME.fullmatch(piece)
    return (time[1], time[2]) if time else _contractions().get(piece)


_MARKS = {
    "i": "'m 'll 've 'd 'll+'ve 'd+'ve 'm+a",
    "you we they": "'ll 've 're 'd 'll+'ve 'd+'ve",
    "he she it": "'ll 's 'd 'll+'ve 'd+'ve",
    "who what when where why how there": "'s 'll 're 'd 've 'll+'ve 'd+'ve",
    "that this": "'s 'll 'd 'll+'ve 'd+'ve",
    "these those": "'ll 're 'd 've 'll+'ve 'd+'ve",
    "ca could do does did had may might must need ought sha should wo would": "n't n't+'ve",
    "ai are is was were have has dare": "n't",
    "could might must not should would": "'ve",
    "can": "not",
    "gon": "na",
    "got": "ta",
    "let": "'s",
    "y'": "all",
    "c'm": "on",
}
# Whole: what stands without its beginning or its end.
_WHOLE = (
    "'s ‘s 'd 'll 're 'em 'bout 'nuff 'cause 'cos 'coz 'cuz doin' goin' havin' lovin' nothin' nuthin' "
    "somethin' ol' and/or w/o o'clock ma'am"
)
# Words that look like a contraction without its apostrophe, and are none.
_WORDS = frozenset({"ill", "its", "hell", "shell", "shed", "lets", "were", "well", "whore"})


@cache
def _contractions() -> dict[str, tuple[str, ...]]:
    """Each contraction with its tokens: in lower and title case, with ', ’ or (where usual) neither."""
    found: list[tuple[str, ...]] = [(one,) for one in _WHOLE.split()]
    for stems, marks in _MARKS.items():
        for stem in stems.split():
            for mark in marks.split():
                parts = (stem, *mark.split("+"))
                bare = tuple(part.replace("'", "") for part in parts)
                found += [parts] if "".join(bare) in _WORDS else [parts, bare]
    made = {}
    for parts in found:
        for apostrophe in "'’":
            told = tuple(part.replace("'", apostrophe) for part in parts)
            made["".join(told)] = told
            if parts[-1] != "all":
                # spaCy knows y'all, not Y'all.
                title = (_title(told[0]), *told[1:])
                made["".join(title)] = title
    return made


def _title(word: str) -> str:
    """With a capital as its first letter, which may follow an apostrophe."""
    return re.sub(_LETTER, lambda found: found[0].upper(), word, count=1)
