"""Stemmers and stop lists by name."""

from __future__ import annotations

import sys

import pytest

from rubrica.errors import MissingResourceError, ParameterError, UnknownNameError
from rubrica.text.stem import STEMMERS, stem_function, stem_words
from rubrica.text.stopwords import STOP_LISTS, stopwords


@pytest.mark.parametrize(
    ("stemmer", "stems"),
    [
        ("porter-1980", "realiz apologi skill statement"),
        ("porter", "realiz apolog skill statement"),
        ("porter-nltk", "realiz apolog skill statement"),
        ("porter-rouge", "realiz apolog skill statem"),
        ("porter2", "realiz apolog skill statement"),
        ("porter2-nltk", "realize apolog skill statement"),
    ],
)
def test_each_name_is_one_stemmer(stemmer: str, stems: str) -> None:
    words = ["realization", "apologies", "skills", "statement"]
    assert stem_words(words, stemmer) == stems.split()
    assert [stem_function(stemmer)(word) for word in words] == stems.split()


def test_letters_beyond_ascii_are_consonants_and_come_back() -> None:
    for stemmer in STEMMERS:
        assert stem_words(["caféing", "\U0001f600s", "naïvely"], stemmer)[1] in (
            "\U0001f600",
            "\U0001f600s",
        )
        assert stem_words(["naïveté"], stemmer) == ["naïveté"]


def test_other_languages_are_snowballs() -> None:
    pytest.importorskip("Stemmer")
    assert stem_words(["häuser", "katzen"], "german") == ["haus", "katz"]
    assert stem_function("french")("maisons") == "maison"


def test_english_is_not_a_name_of_one_stemmer() -> None:
    with pytest.raises(ParameterError, match="porter2-nltk"):
        stem_words(["a"], "english")


def test_a_mistyped_name_is_told_with_near_ones() -> None:
    with pytest.raises(UnknownNameError, match="porter2"):
        stem_words(["a"], "poter2")


def test_a_language_without_its_package_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "Stemmer", None)
    with pytest.raises(MissingResourceError, match=r"rubrica\[stemmers\]"):
        stem_words(["a"], "swedish")
    with pytest.raises(UnknownNameError, match="swedish"):
        stem_words(["a"], "sweedish")


def test_the_stop_lists() -> None:
    assert {name: len(stopwords(name)) for name in STOP_LISTS} == {"nltk": 179, "smart": 543}
    assert sum("'" in word for word in stopwords("nltk")) == 26
    with pytest.raises(UnknownNameError, match="smart"):
        stopwords("smrt")
