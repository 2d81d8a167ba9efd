"""Sentences by rules: running, tokenised and small text, abbreviations, quotes, other scripts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rubrica.errors import DataError
from rubrica.text.detokenize import detokenize
from rubrica.text.sentences import sentences_of, split_sentences
from rubrica.text.truecase import Truecaser

CASES = {
    "plain": ["He left.", "She stayed!", "Why?", "Nobody knows."],
    "titles and initials": ["Mr. J. R. Smith met Dr. Jones.", "They spoke with Gen. Lee."],
    "dotted abbreviations": ["He lives in the U.S. Senate district.", "It is 5 p.m. now."],
    "an abbreviation at the end": ["She moved to the U.S. in May.", "He works for Acme Inc.", "The firm grew."],
    "numbers": ["It cost $4.2 million.", "No. 5 won by 3.5 points."],
    "quotes": ['"Why?" she asked.', '"Go away."', "He said no."],
    "a closing bracket": ["It fell (by 3 percent.)", "Then it rose."],
    "ellipsis": ["He waited ... and waited.", "Then he left..."],
    "tokenised": ["he left .", "she stayed , too .", "nobody knows why ."],
    "tokenised quotes": ["`` go , '' he said .", "she went ."],
    "small letters": ["he left.", "she stayed at no. 5 for a while."],
    "Chinese": ["他走了。", "她留下了！", "为什么？"],
    "Hindi": ["वह चला गया।", "वह रुकी।"],
    "Arabic": ["لماذا؟", "لا أحد يعرف."],
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_sentences_are_found(name: str) -> None:
    joiner = "" if name == "Chinese" else " "
    assert split_sentences(joiner.join(CASES[name])) == CASES[name]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        (" \n ", []),
        ("One line", ["One line"]),
        ("It rained. We left!  Why? So.", ["It rained.", "We left!", "Why?", "So."]),
        ("First line\nsecond line", ["First line", "second line"]),
        (
            "Dr. Brown met Gov. Hill in Calif. on Jan. 5.",
            ["Dr. Brown met Gov. Hill in Calif. on Jan. 5."],
        ),
        ("J. K. Rowling left. The U.S. stayed.", ["J. K. Rowling left.", "The U.S. stayed."]),
        ('He said "No." Then he left.', ['He said "No."', "Then he left."]),
        ("“Stop!” “Why?” she asked.", ["“Stop!”", "“Why?” she asked."]),
        ("It cost 3.5 million. 20 came.", ["It cost 3.5 million.", "20 came."]),
        ("We waited ... and left.", ["We waited ... and left."]),
        ("dr. hill left . why ... not ? well .", ["dr. hill left .", "why ... not ?", "well ."]),
        (
            "It ends on May 1. They didn't. We did.",
            ["It ends on May 1.", "They didn't.", "We did."],
        ),
        ("今天下雨。我们走了！", ["今天下雨。", "我们走了！"]),
        ("¿Vienes? ¡Claro! Élan.", ["¿Vienes?", "¡Claro!", "Élan."]),
    ],
)
def test_sentences(text: str, expected: list[str]) -> None:
    assert sentences_of(text) == expected


def test_a_list_is_taken_as_it_is_without_what_is_blank() -> None:
    assert sentences_of(["One. Two.", " ", "Three "]) == ["One. Two.", "Three"]


def test_an_abbreviation_is_cut_only_before_a_likely_first_word() -> None:
    assert split_sentences("He went to the U.S. The trip was long.") == [
        "He went to the U.S.",
        "The trip was long.",
    ]
    assert split_sentences("He met the U.S. President.") == ["He met the U.S. President."]


def test_blank_texts_have_no_sentences() -> None:
    assert split_sentences("") == split_sentences(" \n ") == []


@given(st.text(alphabet="ab .!?\"'\n()A。", max_size=60))
def test_no_character_but_blanks_is_lost(text: str) -> None:
    assert "".join("".join(split_sentences(text)).split()) == "".join(text.split())


@pytest.mark.parametrize(
    ("tokens", "text"),
    [
        ("He did n't know -lrb- or care -rrb- .", "He didn't know (or care)."),
        ("`` Go , '' said Manchester 's mayor .", '"Go," said Manchester\'s mayor.'),
        ("It costs $ 5 , or 34 % more .", "It costs $5, or 34% more."),
        ("the boys ' bikes were red ; ours were n't !", "the boys' bikes were red; ours weren't!"),
    ],
)
def test_tokens_become_running_text(tokens: str, text: str) -> None:
    assert detokenize(tokens) == text


def test_capitals_are_learnt_inside_of_sentences() -> None:
    caser = Truecaser.learn(["We met Anna in Rome. The road to Rome is long.", "In May Anna left."])
    assert caser("the road led anna's friends to rome in may .") == (
        "The road led Anna's friends to Rome in May ."
    )
    assert caser("") == ""


def test_small_texts_cannot_teach_capitals() -> None:
    with pytest.raises(DataError, match="without capitals"):
        Truecaser.learn(["all small here."])
