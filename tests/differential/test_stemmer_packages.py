"""Stemmers: compiled equals plain, and both equal the public packages, on words that meet every rule."""

from __future__ import annotations

import random
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rubrica.core import kernels
from rubrica.core.python import stem as stem_py
from rubrica.core.rouge_words import smart_stopwords, wordnet_exceptions
from rubrica.text.stem import STEMMERS, stem_words

_ENDINGS = """
s es ed ing ied ies eed eedly ingly edly ly ally y ational tional enci anci izer bli abli alli entli
eli ousli ization ation ator alism iveness fulness ousness aliti iviti biliti logi ogi fulli lessli li
icate ative alize iciti ical ful ness al ance ence er ic able ible ant ement ment ent sion tion ion ou
ism ate iti ous ive ize e ll l z ss us 's ' 's' at bl iz tt sses
"""
ENDINGS = _ENDINGS.split()
STARTS = ("gener", "commun", "arsen", "herring", "proceed", "skis", "'", "y")


@cache
def made_up(letters: str) -> list[str]:
    draw = random.Random(7)
    made = {
        "".join(draw.choices((*STARTS, *[""] * 60)))
        + "".join(draw.choices(letters, k=draw.randrange(7)))
        + "".join(draw.choices(ENDINGS, k=draw.randrange(3)))
        for _ in range(8_000)
    }
    known = {*wordnet_exceptions(), *wordnet_exceptions().values(), *smart_stopwords()}
    return sorted(made | known)


words = st.text("abcdeiouylstzwxn0'éß\u2019\u4e2d", max_size=8).flatmap(
    lambda start: st.lists(st.sampled_from(ENDINGS), max_size=3).map(lambda e: start + "".join(e))
)


@settings(max_examples=200, deadline=None)
@given(st.lists(words | st.text(max_size=6), max_size=20))
def test_compiled_stems_equal_their_definition(some: list[str]) -> None:
    if kernels.IMPLEMENTATION != "native":
        pytest.skip("the compiled kernels are not built")
    for name in STEMMERS:
        assert kernels.stem_words(some, name) == stem_py.stem_words(some, name)


@pytest.mark.parametrize(
    ("mode", "stemmer"),
    [
        ("NLTK_EXTENSIONS", "porter-nltk"),
        ("MARTIN_EXTENSIONS", "porter"),
        ("ORIGINAL_ALGORITHM", "porter-1980"),
    ],
)
def test_porter_stems_as_nltk_does(mode: str, stemmer: str) -> None:
    porter = pytest.importorskip("nltk.stem.porter").PorterStemmer(mode)
    some = made_up("aeioubcdlstyxwz1é")
    pairs = zip(some, stem_words(some, stemmer), strict=True)
    assert [word for word, stem in pairs if porter.stem(word) != stem] == []


def test_porter2_nltk_stems_as_nltk_does() -> None:
    snowball = pytest.importorskip("nltk.stem.snowball").SnowballStemmer("english")
    some = made_up("aeioubcdlstyxwz1é'\u2019")
    differing = []
    for word, stem in zip(some, stem_words(some, "porter2-nltk"), strict=True):
        try:
            theirs = snowball.stem(word)
        except IndexError:
            # NLTK fails on some words of apostrophes; ours stems them by the same rules.
            continue
        if theirs != stem:
            differing.append(word)
    assert differing == []


def test_porter2_stems_as_snowball_2_does() -> None:
    # The module itself: the package's front would take PyStemmer, a later Snowball, if that is there.
    english = pytest.importorskip("snowballstemmer.english_stemmer").EnglishStemmer()
    some = made_up("aeioubcdlstyxwz1é'")
    pairs = zip(some, stem_words(some, "porter2"), strict=True)
    assert [word for word, stem in pairs if english.stemWord(word) != stem] == []
