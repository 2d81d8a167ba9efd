"""ROUGE as a row of independent choices, so that one implementation can be turned into another step by step.

A profile is fast and exact; here every choice stands alone, and the combinations that no package has
can be computed too. For the presets both give the same numbers (a test holds them to it).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from types import MappingProxyType
from typing import Any, Literal, cast

from rubrica.data.instance import Text
from rubrica.errors import ParameterError, UnknownNameError
from rubrica.metrics.rouge.non_ascii import Fallback
from rubrica.metrics.rouge.profiles import PROFILES, Combination, Profile


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """What two ROUGE implementations may do differently, in the order in which it is done.

    `sentences`: lines; text (all of it one); rule (a plain rule, besides lines); dots (at every full stop);
    eos (at a full stop between blanks). `limit`: characters kept as py-rouge does, `words` and `bytes` as
    ROUGE-1.5.5 does (-l and -b); 0 for all. `fallback`: how to split texts if `tokens` would drop most of
    their letters; tokens of every script need none. `level` of ROUGE-L: text (one LCS), sentences (the union
    LCS), words (the set of words on any LCS), pairs (the sum of all LCS). `counting` of n-grams: clipped, sets, or negative (a text of k < n
    words has k - n + 1 of them). `weighing`: what the best reference of ROUGE-W is chosen on.
    """

    sentences: Literal["lines", "text", "rule", "dots", "eos"] = "lines"
    limit: int = 0
    words: int = 0
    bytes: int = 0
    tokens: Literal["ascii", "lower", "py-rouge", "whitespace", "blanks", "words", "characters"] = (
        "ascii"
    )
    fallback: Fallback = "none"
    stopwords: bool = False
    stemmer: Literal["none", "porter-rouge", "porter-nltk", "porter-1980"] = "none"
    exceptions: Literal["none", "wordnet", "py-rouge"] = "none"
    counting: Literal["clipped", "sets", "negative"] = "clipped"
    level: Literal["text", "sentences", "words", "pairs"] = "sentences"
    references: Combination = "pooled"
    weighing: Literal["once", "twice", "back"] = "once"
    epsilon: float = 0.0
    rounding: Literal["none", "5-digits", "single"] = "none"
    system: Literal["mean", "resamples", "f-of-means", "median"] = "mean"


MEANINGS: Mapping[str, Mapping[object, str]] = {
    "sentences": {
        "lines": "a sentence per line",
        "text": "the text is one sentence",
        "rule": "split after . ! ? before a capital",
        "dots": "split at every full stop",
        "eos": 'split at " . "',
    },
    "tokens": {
        "ascii": "runs of a-z, 0-9 of the bytes",
        "lower": "runs of a-z, 0-9 after lower()",
        "py-rouge": "as lower; gonna, gimme... in two",
        "whitespace": "split at blanks, case and marks kept",
        "blanks": "split at blanks, case and marks kept; '' too",
        "words": "words of UAX #29",
        "characters": "single characters",
    },
    "fallback": {
        "none": "other letters are dropped",
        "words": "texts in other letters split into words of UAX #29",
        "characters": "texts in other letters split into characters",
    },
    "stopwords": {False: "kept", True: "dropped"},
    "stemmer": {
        "none": "no stemming",
        "porter-rouge": "Porter of ROUGE-1.5.5",
        "porter-nltk": "Porter of NLTK",
        "porter-1980": "Porter of 1980",
    },
    "exceptions": {
        "none": "no table of irregular forms",
        "wordnet": "WordNet's irregular forms",
        "py-rouge": "WordNet's, and 138 words of py-rouge",
    },
    "counting": {
        "clipped": "each n-gram as often as in both",
        "sets": "each n-gram once",
        "negative": "clipped; short texts have fewer than none",
    },
    "level": {
        "text": "one LCS of the whole texts",
        "sentences": "union LCS of sentences",
        "words": "set of words on any LCS",
        "pairs": "sum over all pairs of sentences",
    },
    "references": {
        "pooled": "counts of all added up",
        "best-recall": "the one with the best recall",
        "best-f": "the one with the best F",
        "mean": "mean of the scores",
    },
    "weighing": {
        "once": "the best by a count weighted once",
        "twice": "the best by a count weighted twice",
        "back": "the best by a count weighted twice and taken back; weight 1 is ROUGE-L",
    },
    "rounding": {
        "none": "double precision",
        "5-digits": "P, R, F rounded to 5 digits",
        "single": "single precision",
    },
    "system": {
        "mean": "mean of the summaries",
        "resamples": "mean of 1000 seeded resamples",
        "f-of-means": "F of mean P and mean R",
        "median": "median of 1000 resampled means",
    },
}

# Choices that are numbers: what 0 means, and what another number means.
_NUMBERS = {
    "limit": ("no limit of characters", "the first {} characters"),
    "words": ("no limit of words", "the first {} words"),
    "bytes": ("no limit of bytes", "the first {} bytes"),
    "epsilon": ("exact F", "F with {} in the denominator"),
}

# What a profile and a row of choices call by different names; all other names are the same.
_TOKENS = {"ascii-given": "ascii", "dots": "blanks"}
_SYSTEM = {"rouge155": "resamples"}


def _defaults(profile: Profile) -> Choices:
    """Return the choices of a package that nobody gave parameters."""
    return Choices(
        sentences=_sentences(profile),
        limit=profile.max_bytes or 0,
        tokens=cast(Any, _TOKENS.get(profile.tokens, profile.tokens)),
        stemmer=(profile.stem and profile.stemmer) or "none",
        exceptions=_exceptions(profile),
        counting=_counting(profile),
        level=_level(profile),
        references=next(iter(profile.combine.values())),
        weighing=profile.best_w,
        epsilon=profile.epsilon,
        rounding="5-digits"
        if profile.printed
        else "single"
        if profile.single_precision
        else "none",
        system=cast(Any, _SYSTEM.get(profile.system, profile.system)),
    )


def _sentences(profile: Profile) -> Literal["lines", "text", "dots"]:
    if profile.pltrdy_l:
        return "dots"
    return "lines" if profile.newline_units else "text"


def _exceptions(profile: Profile) -> Literal["none", "wordnet", "py-rouge"]:
    if not (profile.stem and profile.exceptions):
        return "none"
    return "py-rouge" if profile.tokens == "py-rouge" else "wordnet"


def _counting(profile: Profile) -> Literal["clipped", "sets", "negative"]:
    if profile.distinct:
        return "sets"
    return "negative" if profile.negative_counts else "clipped"


def _level(profile: Profile) -> Literal["text", "sentences", "words", "pairs"]:
    if profile.pltrdy_l:
        return "words" if profile.distinct else "pairs"
    return "sentences" if profile.rouge_l == "lsum" else "text"


_UNSTEMMED: Mapping[str, Any] = {"stemmer": "none", "exceptions": "none"}
# What calls a package with other settings: the profile of the package, and the choices that differ.
_CALLERS: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "pyrouge": ("rouge-1.5.5", _UNSTEMMED),
    "files2rouge": ("rouge-1.5.5", {**_UNSTEMMED, "sentences": "eos"}),
    "evaluate": ("rouge-score", {"system": "median"}),
    "rubrica": ("rouge-1.5.5", {"fallback": "words"}),
}
PRESETS: Mapping[str, Choices] = MappingProxyType(
    {name: _defaults(profile) for name, profile in PROFILES.items()}
    | {
        name: replace(_defaults(PROFILES[profile]), **changes)
        for name, (profile, changes) in _CALLERS.items()
    }
)
# Numbers that are limits: any will do.
_LIMITS = ("limit", "words", "bytes")


def has_measure(preset: str, measure: str) -> bool:
    """Return whether the preset's package computes a measure (`rouge-w-1.2`, `rouge-su4`, ...) at all."""
    name = preset.partition(",")[0]
    unsupported = PROFILES[_CALLERS[name][0] if name in _CALLERS else name].unsupported
    kind = measure.removeprefix("rouge-")[:1]
    return {"w": "wlcs_weight", "s": "skip_bigram_gap_length"}.get(kind) not in unsupported


def choices_of(text: str) -> Choices:
    """Return a preset by name, with changes after commas: `rouge-score,stemmer=porter-nltk,level=sentences`."""
    name, *changes = text.split(",")
    if name not in PRESETS:
        raise UnknownNameError("ROUGE preset", name, PRESETS)
    choices = PRESETS[name]
    names = [field.name for field in fields(Choices)]
    for change in changes:
        key, _, word = change.partition("=")
        if key not in names:
            raise UnknownNameError(f"choice in {text!r}", key, names)
        value = _value(key, word)
        choices = replace(choices, **{key: value})
    if sum(bool(getattr(choices, name)) for name in _LIMITS) > 1:
        raise ParameterError(f"{text}: of the limits {', '.join(_LIMITS)} only one can be given")
    return choices


def meaning(choice: str, value: Any) -> str:
    """Return in words what a value of a choice means."""
    if choice not in _NUMBERS:
        return MEANINGS[choice][value]
    zero, other = _NUMBERS[choice]
    return other.format(value) if value else zero


def _value(key: str, word: str) -> Any:
    if key in _NUMBERS:
        kind = int if key in _LIMITS else float
        try:
            return kind(word)
        except ValueError:
            raise ParameterError(f"{key} must be a number, not {word!r}") from None
    by_text = {_value_text(value): value for value in MEANINGS[key]}
    if word not in by_text:
        raise UnknownNameError(f"value of {key}", word, by_text)
    return by_text[word]


def _value_text(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)


def check(choices: Choices, references: Sequence[Sequence[Text]]) -> None:
    """Raise if a summary has no reference or a number is negative."""
    if not references or not all(references):
        raise ParameterError("every summary needs a reference")
    for name in _NUMBERS:
        if not 0 <= getattr(choices, name) < math.inf:
            raise ParameterError(f"{name} must be a number from 0: {getattr(choices, name)}")
