"""REALSumm's spellings of one thing: sentences in a line."""

from __future__ import annotations

import pytest

from rubrica.datasets.realsumm.texts import between_tags, cut_after_stops, cut_at_gaps


@pytest.mark.parametrize(
    ("line", "sentences"),
    [
        (" <t> a b . </t>  <t> c . </t> ", ["a b .", "c ."]),
        # BART's file has a pair of tags around the tagged sentences.
        ("<t> <t> a . </t> <t> b . </t> </t>", ["a .", "b ."]),
        ("<t> a . </t> <t>  </t>", ["a ."]),
        # A last sentence that was cut off within its tag is not one.
        ("<t> a . </t> <t> b", ["a ."]),
        ("no tags at all", ["no tags at all"]),
        ("<t>   </t>", []),
        ("", []),
    ],
)
def test_tags_hold_sentences(line: str, sentences: list[str]) -> None:
    assert between_tags(line) == sentences


def test_three_blanks_separate_sentences_inside_of_tags_or_without() -> None:
    assert cut_at_gaps("a b .   c .    d") == ["a b .", "c .", "d"]
    assert cut_at_gaps("<t> a  b .   c . </t>") == ["a  b .", "c ."]
    assert cut_at_gaps("   ") == []


def test_marks_that_stand_by_themselves_end_sentences() -> None:
    assert cut_after_stops("<t> a.m . b ! c ? d </t>") == ["a.m .", "b !", "c ?", "d"]
    assert cut_after_stops("") == []
