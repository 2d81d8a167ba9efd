"""Porter's second English stemmer ("Porter2"), as Snowball up to 2.x has it and as NLTK has it.

Both take a lower-case word; anything that is not one of aeiouy is a consonant. Snowball 3 changed
some hundred words (added -> add, where Snowball 2 says ad) and is not meant here. NLTK's
`SnowballStemmer("english")` follows the same rules but keeps its regions as strings, which loses
them where a suffix is longer than the region: realization -> realize, where Snowball says realiz.
"""

from __future__ import annotations

from dataclasses import dataclass

_VOWELS = frozenset("aeiouy")
_DOUBLES = ("bb", "dd", "ff", "gg", "mm", "nn", "pp", "rr", "tt")
_APOSTROPHES = str.maketrans("\u2019\u2018\u201b", "'''")

_IRREGULAR = {
    "skis": "ski",
    "skies": "sky",
    "dying": "die",
    "lying": "lie",
    "tying": "tie",
    "idly": "idl",
    "gently": "gentl",
    "ugly": "ugli",
    "early": "earli",
    "only": "onli",
    "singly": "singl",
    **{word: word for word in ("sky", "news", "howe", "atlas", "cosmos", "bias", "andes")},
}
# Snowball looks for these after the plural is off, NLTK for their listed forms at the start.
_VERBS = ("proceed", "exceed", "succeed")
_FINISHED = frozenset(("inning", "outing", "canning", "herring", "earring", *_VERBS))
_NLTK_IRREGULAR = {
    **_IRREGULAR,
    **{word: word for word in _FINISHED},
    **{word + "s": word for word in _FINISHED},
    **{word + end: word for word in _VERBS for end in ("ed", "ing")},
}


@dataclass(frozen=True, slots=True)
class _Rule:
    """A suffix, the part of it that goes, and what comes instead."""

    suffix: str
    cut: int
    new: str

    def letter_fits(self, word: str) -> bool:
        """Whether the letter before the suffix allows it: three suffixes ask for one."""
        letters = _BEFORE.get(self.suffix)
        before = word[-len(self.suffix) - 1 : -len(self.suffix)]
        return letters is None or (before != "" and before in letters)


_BEFORE = {"ogi": "l", "li": "cdeghkmnrt", "ion": "st"}


def _rules(text: str) -> tuple[_Rule, ...]:
    """Read "suffix:cut:new", longest suffix first: only the longest that fits is ever tried."""
    rules = []
    for entry in text.split():
        suffix, cut, new = entry.split(":")
        rules.append(_Rule(suffix, int(cut) if cut else len(suffix), new))
    return tuple(sorted(rules, key=lambda rule: -len(rule.suffix)))


# How much of a suffix a rule cuts does not change the word, but it decides what NLTK makes of a
# region that is shorter than the cut.
_STEP_2 = _rules(
    "tional:2: enci:1:e anci:1:e abli:1:e entli:2: izer::ize ization::ize ational::ate ation::ate "
    "ator::ate alism::al aliti::al alli::al fulness:4: ousli::ous ousness::ous iveness::ive "
    "iviti::ive biliti::ble bli::ble ogi:1: fulli:2: lessli:2: li::"
)
_STEP_3 = _rules(
    "tional:2: ational::ate alize:3: icate::ic iciti::ic ical::ic ful:: ness:: ative::"
)
_STEP_4 = _rules(
    "al:: ance:: ence:: er:: ic:: able:: ible:: ant:: ement:: ment:: ent:: ism:: ate:: iti:: "
    "ous:: ive:: ize:: ion::"
)


def porter2_stem(word: str) -> str:
    """Stem as Snowball's english does up to its version 2."""
    if word in _IRREGULAR or len(word) < 3:
        return _IRREGULAR.get(word, word)
    return _Word(word, nltk=False).stem()


def porter2_nltk_stem(word: str) -> str:
    """Stem as NLTK's SnowballStemmer("english") does."""
    if word in _NLTK_IRREGULAR or len(word) < 3:
        return _NLTK_IRREGULAR.get(word, word)
    return _Word(word.translate(_APOSTROPHES), nltk=True).stem()


class _Word:
    """A word on its way to its stem, with the lengths of its regions R1 and R2 (counted from its end).

    Snowball keeps where a region begins, so that a length goes below 0 when more than the region is
    cut. In NLTK a region that is cut through is empty from then on, with one exception.
    """

    def __init__(self, word: str, *, nltk: bool) -> None:
        letters = list(word.removeprefix("'"))
        for at, letter in enumerate(letters):
            # A y that opens the word or follows a vowel is a consonant.
            if letter == "y" and (at == 0 or letters[at - 1] in _VOWELS):
                letters[at] = "Y"
        self.text, self.nltk = "".join(letters), nltk
        start = 0
        for prefix in ("gener", "commun", "arsen"):
            if self.text.startswith(prefix):
                start = len(prefix)
        start = start or self._region(0)
        self.r1, self.r2 = len(self.text) - start, len(self.text) - self._region(start)

    def stem(self) -> str:
        """All steps."""
        self._step_0()
        self._step_1a()
        if self.nltk or self.text not in _FINISHED:
            self._step_1b()
            self._step_1c()
            self._step_2()
            self._step_3()
            self._step_4()
            self._step_5()
        return self.text.replace("Y", "y")

    def _region(self, start: int) -> int:
        """Where the region after the first consonant that follows a vowel begins."""
        for at in range(start + 1, len(self.text)):
            if self.text[at - 1] in _VOWELS and self.text[at] not in _VOWELS:
                return at + 1
        return len(self.text)

    def _cut(self, count: int, new: str = "", *, r2_left: int = 0) -> None:
        """Take letters off the end and put others there."""
        self.text = self.text[: len(self.text) - count] + new
        change = len(new) - count
        if self.nltk:
            self.r1 = self.r1 + change if self.r1 >= count else 0
            self.r2 = self.r2 + change if self.r2 >= count else r2_left
        else:
            self.r1 += change
            self.r2 += change

    def _fitting(self, rules: tuple[_Rule, ...]) -> _Rule | None:
        for rule in rules:
            if self.text.endswith(rule.suffix):
                return rule
        return None

    def _has_vowel(self, end: int) -> bool:
        return not _VOWELS.isdisjoint(self.text[:end])

    def _ends_short(self, end: int) -> bool:
        """The first `end` letters end in consonant, vowel, consonant but w, x, Y; or are vowel, consonant."""
        if end < 2 or self.text[end - 1] in _VOWELS or self.text[end - 2] not in _VOWELS:
            return False
        return end == 2 or (self.text[end - 1] not in "wxY" and self.text[end - 3] not in _VOWELS)

    def _step_0(self) -> None:
        for suffix in ("'s'", "'s", "'"):
            if self.text.endswith(suffix):
                self._cut(len(suffix))
                return

    def _step_1a(self) -> None:
        if self.text.endswith("sses"):
            self._cut(2)
        elif self.text.endswith(("ied", "ies")):
            self._cut(2 if len(self.text) > 4 else 1)
        elif self.text.endswith(("us", "ss")) or not self.text.endswith("s"):
            return
        elif self._has_vowel(max(0, len(self.text) - 2)):
            self._cut(1)

    def _step_1b(self) -> None:
        for suffix in ("eedly", "ingly", "edly", "eed", "ing", "ed"):
            if not self.text.endswith(suffix):
                continue
            if suffix.startswith("eed"):
                if self.r1 >= len(suffix):
                    self._cut(len(suffix), "ee")
            elif self._has_vowel(len(self.text) - len(suffix)):
                self._cut(len(suffix))
                self._restore()
            return

    def _restore(self) -> None:
        """Mend the word after -ed or -ing was taken off: hopp -> hop, hop -> hope."""
        if self.text.endswith(("at", "bl", "iz")):
            r2 = self.r2
            self._cut(0, "e")
            if self.nltk and len(self.text) <= 5 and self.r1 < 3:
                self.r2 = r2
        elif self.text.endswith(_DOUBLES):
            self._cut(1)
        elif self.r1 == 0 and self._ends_short(len(self.text)):
            self._cut(0, "e")
            if self.nltk:
                self.r1 = self.r2 = 0

    def _step_1c(self) -> None:
        if len(self.text) > 2 and self.text[-1] in "yY" and self.text[-2] not in _VOWELS:
            self._cut(1, "i")

    def _step_2(self) -> None:
        rule = self._fitting(_STEP_2)
        if rule and self.r1 >= len(rule.suffix) and rule.letter_fits(self.text):
            self._cut(rule.cut, rule.new, r2_left=rule.new in ("ate", "ive"))

    def _step_3(self) -> None:
        rule = self._fitting(_STEP_3)
        if rule:
            region = self.r2 if rule.suffix == "ative" else self.r1
            if region >= len(rule.suffix):
                self._cut(rule.cut, rule.new)

    def _step_4(self) -> None:
        rule = self._fitting(_STEP_4)
        if rule and self.r2 >= len(rule.suffix) and rule.letter_fits(self.text):
            self._cut(rule.cut)

    def _step_5(self) -> None:
        if self.text.endswith("l"):
            if self.r2 >= 1 and self.text.endswith("ll"):
                self._cut(1)
        elif self.text.endswith("e"):
            short = self._ends_short(len(self.text) - 1)
            if self.r2 >= 1 or (self.r1 >= 1 and not short):
                self._cut(1)
