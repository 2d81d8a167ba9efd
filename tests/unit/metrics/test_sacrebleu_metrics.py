"""The metrics of sacrebleu: what becomes of equal and of empty texts, and of several references."""

from __future__ import annotations

from typing import Any

import pytest
import sacrebleu

from rubrica.errors import ParameterError
from rubrica.metrics import Bleu, ChrF, SentBleu, Ter

TEXT = "The council voted to reopen the library."


@pytest.mark.parametrize("metric", [Bleu(), SentBleu(), ChrF(), Ter()])
def test_scores_are_sacrebleus_to_the_last_bit(metric: Any) -> None:
    original = getattr(sacrebleu.metrics, metric.sacrebleu_class)
    options = {"effective_order": True} if metric.name == "sent-bleu" else {}
    other = "The council met in the library."
    for summary, references in [(TEXT, [TEXT]), (TEXT, [other]), (other, [TEXT, "It voted."])]:
        expected = original(**options).sentence_score(summary, references).score
        assert metric.score(summary, references) == {metric.name: expected}
        corpus = original(**options).corpus_score([summary], [[one] for one in references]).score
        assert metric.evaluate([summary], [references])[0] == {metric.name: corpus}


def test_an_empty_summary_has_a_ter_of_inserting_the_shortest_reference() -> None:
    assert Ter().score("", ["one two three four"]) == {"ter": 100.0}
    # Shortest reference 4 words, mean length 5.
    assert Ter().score("", ["one two three four", "one two three four five six"]) == {"ter": 80.0}
    assert Ter().score("", [""]) == {"ter": 0.0}
    assert Ter().score("something", [""]) == {"ter": 100.0}


def test_several_references_are_not_averaged() -> None:
    other = "Nothing of the kind happened anywhere."
    assert ChrF().score(TEXT, [TEXT, other]) == {"chrf": 100.0}
    assert Bleu().score(TEXT, [TEXT, other]) == {"bleu": pytest.approx(100)}
    # The edits to the best reference, but the mean length.
    assert Ter().score(TEXT, [TEXT, other]) == {"ter": 0.0}


@pytest.mark.parametrize(
    ("metric", "options"),
    [
        (Bleu, {"max_ngram_order": 0}),
        (ChrF, {"char_order": 0}),
        (ChrF, {"word_order": -1}),
        (ChrF, {"beta": -1}),
    ],
)
def test_numbers_without_a_meaning_are_refused(metric: Any, options: Any) -> None:
    with pytest.raises(ParameterError, match=r"must be at least [01]"):
        metric(**options)
