"""Answers are the best spans of all windows, and are compared as SQuAD does."""

from __future__ import annotations

import pytest

from plain_models import DOCUMENT, best_span
from tiny_models import checkpoint, needs_torch

pytestmark = needs_torch


def test_a_span_is_the_best_of_all_with_its_share() -> None:
    from rubrica.text.checkpoint import find_checkpoint
    from rubrica.text.running import Settings
    from rubrica.text.span_qa import SpanQA

    model = SpanQA(
        find_checkpoint(checkpoint("qa"), remedy=""), Settings(device="cpu", cache_dir="off")
    )
    for question in ("Who found a crack?", "When does the vessel arrive?"):
        answer = model.answers([(question, DOCUMENT)])[0]
        text, share, null = best_span(question, DOCUMENT)
        assert answer.text == text
        assert answer.probability == pytest.approx(share, abs=1e-5)
        assert answer.null_probability == pytest.approx(null, abs=1e-5)
        assert answer.answered is (share > null)


def test_a_long_text_is_read_in_windows_and_a_long_question_is_cut() -> None:
    from rubrica.text.checkpoint import find_checkpoint
    from rubrica.text.running import Settings
    from rubrica.text.span_qa import SpanQA

    model = SpanQA(
        find_checkpoint(checkpoint("qa"), remedy=""), Settings(device="cpu", cache_dir="off")
    )
    windows = model.features("Who found it?", " ".join([DOCUMENT] * 12))
    assert len(windows) > 2
    assert all(len(one.ids) <= 384 for one in windows)
    assert len(model.features("word " * 2000, DOCUMENT)[0].ids) <= 384


@pytest.mark.parametrize(
    ("prediction", "gold", "em", "f1"),
    [
        ("The Crack!", "a crack", 1, 1),
        ("the main drive shaft", "drive shaft", 0, 0.8),
        ("boat", "ferry", 0, 0),
        ("the", "a", 1, 1),
        ("", "ferry", 0, 0),
    ],
)
def test_answers_are_compared_as_squad_does(
    prediction: str, gold: str, em: float, f1: float
) -> None:
    from rubrica.metrics.qa.squad import exact_match, token_f1

    assert exact_match(prediction, gold) == em
    assert token_f1(prediction, gold) == pytest.approx(f1)
