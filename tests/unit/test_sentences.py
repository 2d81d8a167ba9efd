"""Sentences found by rule."""

from __future__ import annotations

import pytest

from rubrica.text.sentences import sentences_of


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


def test_no_character_is_lost() -> None:
    text = "A b. C d? (E f.) g h! “I j.” K"
    assert "".join(sentences_of(text)).replace(" ", "") == text.replace(" ", "")
