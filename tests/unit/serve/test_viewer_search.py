"""The search in texts on disk: what blocks of bytes find is what every text, read by itself, has."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from rubrica.errors import UsageError
from rubrica.serve.viewer.search import Finder, Pattern, Phrase, finder, required_text
from rubrica.serve.viewer.texts import TextColumn, pack_all, readable

TEXTS = st.lists(st.text("abAB \n.é", max_size=8), max_size=12)


def matches(texts: list[str], words: Finder) -> list[bool]:
    with TemporaryDirectory() as folder:
        column = TextColumn(folder)
        for text in texts:
            column.add(text)
        return column.matching(words).tolist()


@given(TEXTS, st.text("abAB é", min_size=1, max_size=3))
def test_a_phrase_is_found_in_exactly_the_texts_that_have_it(texts: list[str], phrase: str) -> None:
    expected = [phrase.lower() in text.lower() for text in texts]
    assert matches(texts, Phrase(phrase)) == expected


@given(TEXTS, st.text("ab(|)?*+.[^]$\\wx{2} ", max_size=9))
def test_a_pattern_is_found_in_exactly_the_texts_that_have_it(
    texts: list[str], source: str
) -> None:
    try:
        pattern = regex.compile(source, regex.IGNORECASE)
    except regex.error:
        with pytest.raises(UsageError, match="not a regular expression"):
            Pattern(source)
        return
    assert matches(texts, Pattern(source)) == [bool(pattern.search(text)) for text in texts]


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("storm (levy|vote) bridge", " bridge"),
        (r"\bcouncil\b", "council"),
        ("levies?", "levie"),
        ("[a-c]ab.de+", "ab"),
        ("tax|levy", ""),
        (r"\x41bc", ""),
        ("(?x)a b", ""),
        ("a{2}bc", ""),
        (r"\(levy\)", "levy"),
    ],
)
def test_the_plain_text_of_a_pattern_is_in_all_its_matches(pattern: str, text: str) -> None:
    assert required_text(pattern) == text


def test_sentences_and_references_are_searched_as_lines(tmp_path: Path) -> None:
    column = TextColumn(str(tmp_path))
    packed = pack_all([["One two.", "Three"], "four"])
    column.add(packed)
    assert readable(packed) == "One two.\nThree\n\nfour\n"
    assert column.matching(finder("/two.\nthree/")).tolist() == [True]
    assert column.matching(Phrase("TWO.\nthree")).tolist() == [True]


def test_blocks_divide_the_texts_without_losing_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rubrica.serve.viewer.texts._BLOCK_BYTES", 8)
    column = TextColumn(str(tmp_path))
    texts = ["levy", "a longer text about a levy", "", "none", "é levy", "Levy"]
    for text in texts:
        column.add(text)
    assert column.matching(Phrase("levy")).tolist() == [True, True, False, False, True, True]
    assert column.matching(Pattern("^levy$")).tolist() == [True, False, False, False, False, True]
