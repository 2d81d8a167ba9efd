"""The metrics of sacrebleu: what becomes of equal and of empty texts, and of several references."""

from __future__ import annotations

import pytest

from rubrica.metrics import Bleu, ChrF, SentBleu, Ter

TEXT = "The council voted to reopen the library."


@pytest.mark.parametrize("metric", [Bleu(), SentBleu(), ChrF()])
def test_equal_texts_score_100_and_not_a_bit_more(metric):
    macro, rows = metric.evaluate([TEXT], [[TEXT]])
    assert macro == rows[0] == {metric.name: 100.0}


def test_an_empty_summary_has_a_ter_of_inserting_the_shortest_reference():
    assert Ter().score("", ["one two three four"]) == {"ter": 100.0}
    # Shortest reference 4 words, mean length 5.
    assert Ter().score("", ["one two three four", "one two three four five six"]) == {"ter": 80.0}
    assert Ter().score("", [""]) == {"ter": 0.0}
    assert Ter().score("something", [""]) == {"ter": 100.0}


def test_several_references_are_not_averaged():
    other = "Nothing of the kind happened anywhere."
    assert ChrF().score(TEXT, [TEXT, other]) == {"chrf": 100.0}
    assert Bleu().score(TEXT, [TEXT, other]) == {"bleu": 100.0}
    # The edits to the best reference, but the mean length.
    assert Ter().score(TEXT, [TEXT, other]) == {"ter": 0.0}
