"""Porter's stemmer of 1980 in the four variants that metrics use.

`porter_1980_stem` is the algorithm as printed (py-rouge, SacreROUGE's python-rouge), `porter_stem`
Porter's own later program, `porter_nltk_stem` NLTK's default mode (rouge-score and its copies),
`porter_rouge_stem` the variant inside ROUGE-1.5.5. All take a lower-case word; anything that is not
a vowel, digits included, is a consonant. Callers decide which words to stem: every ROUGE leaves
words of three letters and less alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

Rules = tuple[tuple[str, str], ...]


def _table(text: str) -> Rules:
    """Read "suffix:replacement" pairs, longest suffix first: only the longest match is ever tried."""
    pairs = [entry.split(":") for entry in text.split()]
    return tuple(sorted(((old, new) for old, new in pairs), key=lambda rule: -len(rule[0])))


_STEP_2 = (
    "ational:ate tional:tion enci:ence anci:ance izer:ize alli:al entli:ent eli:e ousli:ous "
    "ization:ize ation:ate ator:ate alism:al iveness:ive fulness:ful ousness:ous aliti:al "
    "iviti:ive biliti:ble "
)
_STEP_3 = _table("icate:ic ative: alize:al iciti:ic ical:ic ful: ness:")
_SIMPLE_4 = (
    "al: ance: ence: er: ic: able: ible: ant: ement: ou: ism: ate: iti: ous: ive: ize: "  # no *ent
)
_IRREGULAR = {
    form: stem
    for stem, forms in {
        "sky": "sky skies",
        "die": "dying",
        "lie": "lying",
        "tie": "tying",
        "news": "news",
        "inning": "innings inning",
        "outing": "outings outing",
        "canning": "cannings canning",
        "howe": "howe",
        "proceed": "proceed",
        "exceed": "exceed",
        "succeed": "succeed",
    }.items()
    for form in forms.split()
}


@dataclass(frozen=True, slots=True)
class _Variant:
    step_2: Rules
    step_4: Rules
    nltk: bool = False
    cascade: bool = False


_ORIGINAL = _Variant(_table(_STEP_2 + "abli:able"), _table(_SIMPLE_4 + "ment: ent: ion:"))
_MARTIN = _Variant(_table(_STEP_2 + "bli:ble logi:log"), _ORIGINAL.step_4)
_NLTK = _Variant(_table(_STEP_2 + "bli:ble fulli:ful logi:log"), _ORIGINAL.step_4, nltk=True)
_ROUGE = _Variant(_MARTIN.step_2, _table(_SIMPLE_4), cascade=True)


def porter_rouge_stem(word: str) -> str:
    """Stem as ROUGE-1.5.5 does, without its table of exceptions."""
    return word if len(word) < 3 else _stem(word, _ROUGE)


def porter_nltk_stem(word: str) -> str:
    """Stem as NLTK's PorterStemmer does in its default mode, NLTK_EXTENSIONS."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    return word if len(word) < 3 else _stem(word, _NLTK)


def porter_stem(word: str) -> str:
    """Stem as Porter's own program does (NLTK's MARTIN_EXTENSIONS)."""
    return word if len(word) < 3 else _stem(word, _MARTIN)


def porter_1980_stem(word: str) -> str:
    """Stem as the paper of 1980 says (NLTK's ORIGINAL_ALGORITHM)."""
    return _stem(word, _ORIGINAL)


def _stem(word: str, variant: _Variant) -> str:
    word = _step_1c(_step_1b(_step_1a(word, variant), variant), variant)
    word = _step_2(word, variant)
    word = _replace(word, _STEP_3)
    word = _step_4(word, variant)
    return _step_5(word, variant)


def _consonants(word: str) -> list[bool]:
    flags: list[bool] = []
    for letter in word:
        # y is a consonant at the start and after a vowel.
        flags.append(letter not in "aeiou" and (letter != "y" or not flags or not flags[-1]))
    return flags


def _measure(word: str) -> int:
    """Porter's m: how often a run of vowels is followed by a run of consonants."""
    flags = _consonants(word)
    return sum(now and not before for before, now in pairwise(flags))


def _has_vowel(word: str) -> bool:
    return not all(_consonants(word))


def _ends_short(word: str, variant: _Variant) -> bool:
    """Porter's *o: the end is consonant, vowel, consonant, the last not w, x or y."""
    flags = _consonants(word)
    if flags[-3:] == [True, False, True]:
        return word[-1] not in "wxy"
    return variant.nltk and flags == [False, True]


def _replace(word: str, rules: Rules, above: int = 0) -> str:
    """Apply the rule with the longest matching suffix, if the measure of the rest is `above`."""
    for old, new in rules:
        if word.endswith(old):
            rest = word[: -len(old)]
            return rest + new if _measure(rest) > above else word
    return word


def _step_1a(word: str, variant: _Variant) -> str:
    if variant.nltk and len(word) == 4 and word.endswith("ies"):
        return word[:-1]
    if word.endswith(("sses", "ies")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _step_1b(word: str, variant: _Variant) -> str:
    if variant.nltk and word.endswith("ied"):
        return word[:-1] if len(word) == 4 else word[:-2]
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    for ending in ("ed", "ing"):
        rest = word.removesuffix(ending)
        if rest != word and _has_vowel(rest):
            return _restore(rest, variant)
    return word


def _restore(rest: str, variant: _Variant) -> str:
    """Mend the word after -ed or -ing was taken off: hopp -> hop, fil -> file."""
    if rest.endswith(("at", "bl", "iz")):
        return rest + "e"
    if len(rest) > 1 and rest[-1] == rest[-2] and _consonants(rest)[-1]:
        return rest if rest[-1] in "lsz" or (variant.cascade and rest[-1] == "y") else rest[:-1]
    return rest + "e" if _measure(rest) == 1 and _ends_short(rest, variant) else rest


def _step_1c(word: str, variant: _Variant) -> str:
    if not word.endswith("y"):
        return word
    rest = word[:-1]
    if variant.nltk:
        return rest + "i" if len(rest) > 1 and _consonants(rest)[-1] else word
    return rest + "i" if _has_vowel(rest) else word


def _step_2(word: str, variant: _Variant) -> str:
    if variant.nltk:
        # NLTK strips -ly first and looks again, and counts the l of -logy with the stem.
        if word.endswith("alli") and _measure(word[:-4]) > 0:
            word = word[:-2]
        elif word.endswith("logi"):
            return word[:-1] if _measure(word[:-3]) > 0 else word
    return _replace(word, variant.step_2)


def _step_4(word: str, variant: _Variant) -> str:
    if not variant.cascade:
        if word.endswith("ion"):
            return word[:-3] if word[:-3].endswith(("s", "t")) and _measure(word[:-3]) > 1 else word
        return _replace(word, variant.step_4, above=1)
    # ROUGE-1.5.5 runs three tests, each on the result of the one before: environmental loses -al,
    # then -ment; statement keeps -ement (measure 1) and then loses -ent.
    word = _replace(word, variant.step_4, above=1)
    word = _replace(word, (("ment", ""),), above=1)
    if word.endswith("ent"):
        return _replace(word, (("ent", ""),), above=1)
    if word.endswith(("sion", "tion")) and _measure(word[:-3]) > 1:
        return word[:-3]
    return word


def _step_5(word: str, variant: _Variant) -> str:
    if word.endswith("e"):
        rest = word[:-1]
        measure = _measure(rest)
        if measure > 1 or (measure == 1 and not _ends_short(rest, variant)):
            word = rest
    # m of the word and of the word less one l is the same: both end in one run of consonants.
    return word[:-1] if word.endswith("ll") and _measure(word[:-1]) > 1 else word
