"""English tokens as spaCy's tokenizer cuts them, without spaCy.

Blanks separate; punctuation at both ends of a piece is cut off; a hyphen or slash inside cuts where a
letter follows; `don't` gives `do` and `n't`, `island's` gives `island` and `'s`; abbreviations keep
their full stop. Where spaCy sees an emoticon, as in `(so):`, it is one token here too.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache

from rubrica.text.abbreviations import ABBREVIATIONS

_LETTER = r"[^\W\d_]"
# Latin, Greek and Cyrillic letters by case: `re` has no class for them.
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
    rf"(?:['’][sS]|—|–|''|[{_PUNCTUATION}{re.escape(_QUOTES)}]"
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
# Anything that ends in lower-case letters is a host name, including file names.
_ADDRESS = re.compile(
    r"(?:https?|ftp)://\S+|[\w.+-]+@[\w-]+(?:\.[\w-]+)+"
    r"|(?:[A-Za-z0-9](?:[\w-]*[A-Za-z0-9])?\.)+[a-z]{2,63}(?::\d{2,5})?(?:[/?#]\S*)?"
)
_LONGEST_SUFFIX = max(map(len, _UNITS.split()))
_LONGEST_EXCEPTION = 16
_LONGEST_REMEMBERED = 40
_TIME = re.compile(r"(1[0-2]|[1-9])(a\.m\.|am|p\.m\.|pm)")


def english_tokens(text: str) -> list[str]:
    """Return all tokens of a text, punctuation included, in order."""
    return [
        token
        for piece in text.split()
        for token in (_remembered(piece) if len(piece) <= _LONGEST_REMEMBERED else _tokens(piece))
    ]


def _tokens(piece: str) -> tuple[str, ...]:
    before: list[str] = []
    after: list[str] = []
    begin, end = 0, len(piece)
    while begin < end and _exception(piece, begin, end) is None:
        prefix = _PREFIX.match(piece, begin, end)
        inner = prefix.end() if prefix else begin
        if prefix is not None and _exception(piece, inner, end) is not None:
            before.append(prefix[0])
            begin = inner
            break
        outer = _without_suffix(piece, inner, end)
        if outer < end:
            after.append(piece[outer:end])
            if _exception(piece, begin, outer) is not None:
                end = outer
                break
        if prefix is not None:
            before.append(prefix[0])
        if (inner, outer) == (begin, end):
            break
        begin, end = inner, outer
    return _join((*before, *_inside(piece, begin, end), *reversed(after)))


# Texts repeat their words.
_remembered = lru_cache(maxsize=1 << 16)(_tokens)


def _without_suffix(piece: str, begin: int, end: int) -> int:
    """Return where the piece ends without its suffix."""
    dots = end
    while dots > begin and piece[dots - 1] == ".":
        dots -= 1
    if end - dots > 1:
        return dots
    suffix = _SUFFIX.search(piece, max(begin, end - _LONGEST_SUFFIX), end)
    return suffix.start() if suffix else end


def _join(tokens: tuple[str, ...]) -> tuple[str, ...]:
    """Join neighbours that form one token: `ex-Gov.` ends in `Gov.`, and `):` is an emoticon."""
    joined: list[str] = []
    begin = 0
    while begin < len(tokens):
        # The longest emoticons are five tokens.
        for end in range(min(begin + 5, len(tokens)), begin, -1):
            whole = "".join(tokens[begin:end])
            if end == begin + 1 or _exception(whole, 0, len(whole)) == (whole,):
                joined.append(whole)
                begin = end
                break
    return tuple(joined)


def _inside(piece: str, begin: int, end: int) -> tuple[str, ...]:
    """Return the tokens between prefixes and suffixes: an exception, an address, or words between infixes."""
    known = _exception(piece, begin, end)
    if known is not None:
        return known
    if begin < end and _ADDRESS.fullmatch(piece, begin, end):
        return (piece[begin:end],)
    parts = []
    for infix in _INFIX.finditer(piece, begin, end):
        parts += [piece[begin : infix.start()], infix[0]]
        begin = infix.end()
    return tuple(part for part in [*parts, piece[begin:end]] if part)


def _exception(text: str, begin: int, end: int) -> tuple[str, ...] | None:
    """Return the tokens of a piece that is not cut by rule, or None."""
    if not 0 < end - begin <= _LONGEST_EXCEPTION:
        return None
    piece = text[begin:end]
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
_EMOTICONS = (
    "(*_*) (-8 (-: (-; (-_-) (._.) (: (; (= (>_<) (^_^) (o: )-: ): -_- -__- ._. 0.0 0.o 0_0 0_o "
    "8) 8-) 8-D 8D :'( :') :'-( :'-) :( :(( :((( :() :) :)) :))) :* :-( :-(( :-((( :-) :-)) :-))) "
    ":-* :-/ :-0 :-3 :-> :-D :-O :-P :-X :-] :-o :-p :-x :-| :-} :/ :0 :1 :3 :> :D :O :P :X :] :o "
    ":o) :p :x :| :} ;) ;-) ;-D ;D ;_; <.< </3 <3 <33 <333 =( =) =/ =3 =D =[ =] =| >.< >.> >:( "
    ">:o ><(((*> @_@ O.O O.o O_O O_o V.V V_V XD XDD [-: [: [= ]= ^_^ ^__^ ^___^ o.0 o.O o.o o_0 "
    "o_O o_o v.v v_v xD xDD"
)
# Words that look like contractions without an apostrophe, but are not.
_WORDS = frozenset({"ill", "its", "hell", "shell", "shed", "lets", "were", "well", "whore"})


@cache
def _contractions() -> dict[str, tuple[str, ...]]:
    """Return each contraction with its tokens: in lower and title case, with ', ’ or (where usual) neither."""
    contractions: list[tuple[str, ...]] = [(word,) for word in _WHOLE.split()]
    table: dict[str, tuple[str, ...]] = {emoticon: (emoticon,) for emoticon in _EMOTICONS.split()}
    for stems, marks in _MARKS.items():
        for stem in stems.split():
            for mark in marks.split():
                parts = (stem, *mark.split("+"))
                bare = tuple(part.replace("'", "") for part in parts)
                contractions += [parts] if "".join(bare) in _WORDS else [parts, bare]
    for parts in contractions:
        for apostrophe in "'’":
            tokens = tuple(part.replace("'", apostrophe) for part in parts)
            table["".join(tokens)] = tokens
            if parts[-1] != "all":
                # spaCy knows y'all, not Y'all.
                title = (_title(tokens[0]), *tokens[1:])
                table["".join(title)] = title
    return table


def _title(word: str) -> str:
    """Capitalize the first letter, which may follow an apostrophe."""
    return re.sub(_LETTER, lambda match: match[0].upper(), word, count=1)
