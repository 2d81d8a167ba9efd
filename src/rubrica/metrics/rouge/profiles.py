"""Profiles: what each public ROUGE does differently, as data.

A profile is a row of choices. The engine reads them; it never asks for a profile by name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Literal, TypeAlias, cast

from rubrica.errors import UnknownNameError

Tokens: TypeAlias = Literal[
    "ascii", "lower", "ascii-given", "py-rouge", "whitespace", "dots", "words", "characters"
]
Combination: TypeAlias = Literal["pooled", "best-recall", "best-f", "mean"]
ScoringFunction: TypeAlias = Literal["average", "max"]
# What a package cannot do, named as the parameters of `Rouge`.
_ADDITIONS = (
    "remove_stopwords",
    "max_words",
    "max_bytes",
    "wlcs_weight",
    "skip_bigram_gap_length",
    "stemmer",
)
_OWN_TOKENS = ("tokenizer", "stemmer")
_CUTS = ("use_porter_stemmer", "remove_stopwords", "max_words", "max_bytes", "fallback")


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """The choices of one ROUGE implementation.

    `tokens`: "ascii" keeps runs of [a-z0-9] of the bytes, "lower" lower-cases as Python does first;
    both are compiled. The others are made in Python (`tokens.py`). `combine`: how several references
    make one score, for each `scoring_function`; the first is the default. `printed`: recall and
    precision are rounded to 5 digits, F is computed from the rounded ones and rounded again, and of
    equal printed recalls the first reference is "best". `system`: how summaries make a system's
    score: "rouge155" is the mean of seeded resamples, "f-of-means" forms F from mean P and R.
    """

    name: str
    origin: str
    tokens: Tokens
    stemmer: Literal["porter-rouge", "porter-nltk", "porter-1980", None] = None
    exceptions: bool = False
    stem: bool = False
    distinct: bool = False
    """N-grams are sets: a repeated one counts once."""
    pltrdy_l: bool = False
    """ROUGE-L unites the *words* found in all pairs of sentences, across reference sentences."""
    rouge_l: Literal["l", "lsum"] = "l"
    newline_units: bool = True
    """A line is a unit (a sentence) of its own."""
    punkt: bool = False
    """`split_summaries` cuts sentences by NLTK's trained model, not by our rule."""
    combine: Mapping[ScoringFunction, Combination]
    best_w: Literal["once", "twice", "back"] = "once"
    """What the best reference of ROUGE-W is chosen on: the count weighted once, twice, or twice and
    then taken back once (in exact numbers the same as once; in doubles it decides ties)."""
    l_inverse_weight: bool = False
    """ROUGE-L too is raised to 1 / weight."""
    l_for_w1: bool = False
    """ROUGE-W with weight 1 is ROUGE-L: no run of matches is lost."""
    negative_counts: bool = False
    """A text of k < n tokens has k - n + 1 n-grams: fewer than none."""
    printed: bool = False
    single_precision: bool = False
    epsilon: float = 0.0
    """Added to the denominator of F."""
    scale: float = 1.0
    scale_first: bool = False
    """F is computed from the scaled recall and precision (it differs in the last bit)."""
    max_bytes: int | None = None
    """A limit the package applies unless told otherwise."""
    system: Literal["rouge155", "mean", "f-of-means"] = "mean"
    unsupported: tuple[str, ...] = ()


def _combine(**rules: Combination) -> Mapping[ScoringFunction, Combination]:
    return MappingProxyType(cast(dict[ScoringFunction, Combination], rules))


_POOLED = _combine(average="pooled", max="best-recall")

_OFFICIAL = Profile(
    name="rouge-1.5.5",
    origin="ROUGE-1.5.5.pl (Chin-Yew Lin, 2005)",
    tokens="ascii",
    stemmer="porter-rouge",
    exceptions=True,
    stem=True,
    rouge_l="lsum",
    combine=_POOLED,
    printed=True,
    scale=100.0,
    system="rouge155",
    unsupported=_OWN_TOKENS,
)
_ROUGE_SCORE = Profile(
    name="rouge-score",
    origin="rouge-score 0.1.2 (Google)",
    tokens="lower",
    stemmer="porter-nltk",
    punkt=True,
    combine=_combine(max="best-f"),
    unsupported=_ADDITIONS,
)
_PLTRDY = Profile(
    name="rouge",
    origin="rouge 1.0.1 (pltrdy)",
    tokens="dots",
    distinct=True,
    pltrdy_l=True,
    combine=_combine(average="mean"),
    epsilon=1e-8,
    unsupported=("use_porter_stemmer", *_ADDITIONS, "compute_rouge_lsum", "tokenizer", "fallback"),
)
_UNICODE = replace(
    _OFFICIAL,
    name="unicode",
    origin="ROUGE-1.5.5 on words of UAX #29 (NFKC, case folded)",
    tokens="words",
    stemmer=None,
    exceptions=False,
    stem=False,
    unsupported=_CUTS,
)

_ALL = (
    _OFFICIAL,
    _ROUGE_SCORE,
    replace(
        _ROUGE_SCORE,
        name="torchmetrics",
        origin="torchmetrics 1.9.0 (Lightning)",
        combine=_combine(max="best-f", average="mean"),
        single_precision=True,
    ),
    _PLTRDY,
    replace(
        _PLTRDY, name="rouge-nonexclusive", origin="rouge 1.0.1, exclusive=False", distinct=False
    ),
    Profile(
        name="rouge-metric",
        origin="rouge-metric 1.0.1, PyRouge (li-plus)",
        tokens="whitespace",
        rouge_l="lsum",
        combine=_POOLED,
        best_w="twice",
        system="f-of-means",
        unsupported=(*_CUTS, *_OWN_TOKENS),
    ),
    Profile(
        name="py-rouge",
        origin="py-rouge 1.1 (Diego999)",
        tokens="py-rouge",
        stemmer="porter-1980",
        exceptions=True,
        stem=True,
        rouge_l="lsum",
        combine=_POOLED,
        best_w="back",
        l_inverse_weight=True,
        l_for_w1=True,
        negative_counts=True,
        max_bytes=665,
        unsupported=("remove_stopwords", "skip_bigram_gap_length", "fallback", *_OWN_TOKENS),
    ),
    Profile(
        name="python-rouge",
        origin="sacrerouge 0.2.5, PythonRouge",
        tokens="ascii-given",
        stemmer="porter-1980",
        exceptions=True,
        stem=True,
        rouge_l="lsum",
        newline_units=False,
        combine=_POOLED,
        scale=100.0,
        scale_first=True,
        unsupported=("max_words", "max_bytes", "fallback", *_OWN_TOKENS),
    ),
    _UNICODE,
    replace(
        _UNICODE,
        name="character",
        origin="ROUGE-1.5.5 on letters and digits as graphemes (NFKC, case folded)",
        tokens="characters",
    ),
)
# The profile if none is named; only then is there a fallback by default.
UNNAMED = "rouge-1.5.5"
PROFILES: Mapping[str, Profile] = MappingProxyType({profile.name: profile for profile in _ALL})


def profile_named(name: str) -> Profile:
    """Return the profile of that name."""
    if name not in PROFILES:
        raise UnknownNameError("ROUGE profile", name, PROFILES)
    return PROFILES[name]
