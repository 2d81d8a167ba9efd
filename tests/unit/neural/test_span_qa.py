"""Answers are the best spans of all windows, and are compared as SQuAD does."""

from __future__ import annotations

import pytest

from rubrica.errors import DataError
from rubrica.neural.checkpoint import find_checkpoint
from rubrica.neural.running import Settings
from rubrica.neural.span_qa import SpanQA
from support.plain_models import DOCUMENT, REFERENCE, SUMMARY, best_span, make
from support.tiny_models import checkpoint, needs_torch

pytestmark = needs_torch


QUESTIONS = ("Who found a crack?", "When does the vessel arrive?", "Where is the boat?", "Why?")


def answerer() -> SpanQA:
    found = find_checkpoint(checkpoint("qa"), remedy="")
    return SpanQA(found, Settings(device="cpu", cache_dir="off"))


def test_a_span_is_the_best_of_all_with_its_share() -> None:
    model = answerer()
    answers = model.answers([(question, DOCUMENT) for question in QUESTIONS])
    for question, answer in zip(QUESTIONS, answers, strict=True):
        text, share, null = best_span(question, DOCUMENT)
        assert answer.text == text
        assert answer.probability == pytest.approx(share, abs=1e-5)
        assert answer.null_probability == pytest.approx(null, abs=1e-5)
        assert answer.answered is (share > null)


def test_a_long_text_is_read_in_windows_128_tokens_apart() -> None:
    model = answerer()
    long = " ".join(
        f"{one} number {at}" for at in range(9) for one in (DOCUMENT, SUMMARY, REFERENCE)
    )
    windows = model.features("Who found it?", long)
    assert len(windows) > 4
    assert all(len(one.ids) == 384 for one in windows[:-1])
    # Every token is counted in one window only.
    places = [
        (offset, at)
        for at, window in enumerate(windows)
        for offset, best in zip(window.offsets, window.best, strict=True)
        if best
    ]
    assert len({offset for offset, _ in places}) == len(places)
    assert len(places) == len(model.tokenizer(long, add_special_tokens=False)["input_ids"])
    for question in QUESTIONS:
        answer = model.answers([(question, long)])[0]
        text, share, null = best_span(question, long)
        assert answer.text == text
        assert answer.probability == pytest.approx(share, abs=1e-5)
        assert answer.null_probability == pytest.approx(null, abs=1e-5)


def test_a_long_question_is_cut_at_64_tokens() -> None:
    model = answerer()
    question = " ".join([DOCUMENT] * 5)
    feature = model.features(question, SUMMARY)[0]
    ids = model.tokenizer(question, add_special_tokens=False)["input_ids"]
    assert feature.ids[1:65] == ids[:64]
    assert feature.ids[65] == model.tokenizer.sep_token_id
    text, share, _ = best_span(question, SUMMARY)
    answer = model.answers([(question, SUMMARY)])[0]
    assert (answer.text, answer.probability) == (text, pytest.approx(share, abs=1e-5))


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


def test_a_checkpoint_without_the_needed_weights_is_told() -> None:
    """transformers would draw them at random, and every score would be noise."""
    model = SpanQA(
        find_checkpoint(checkpoint("masked"), remedy=""), Settings(device="cpu", cache_dir="off")
    )
    with pytest.raises(DataError, match=r"2 weights are missing \(qa_outputs.bias"):
        model.answers([("Who?", DOCUMENT)])
    for name, parameter, kind in (
        ("summac", "model", "encoder"),
        ("bleurt", "checkpoint", "encoder"),
        ("blanc", "model", "encoder"),
        ("alignscore", "model", "masked"),
    ):
        labels = {"entailment_label": 0, "contradiction_label": 1} if name == "summac" else {}
        metric = make(name, **{parameter: checkpoint(kind), **labels})
        with pytest.raises(DataError, match="weights are missing"):
            metric.score(SUMMARY, [DOCUMENT])
    # An encoder may be without its pooler.
    assert make("supert", model_type=checkpoint("masked")).score(SUMMARY, [DOCUMENT])["supert"]


def test_tokens_that_frame_a_text_are_asked_for() -> None:
    for name, parameter, fields in (
        ("blanc", "model", (SUMMARY, [DOCUMENT])),
        ("sum-qe", "model", (SUMMARY,)),
        ("bleurt", "checkpoint", (SUMMARY, [REFERENCE])),
    ):
        with pytest.raises(DataError, match="no token for cls and sep"):
            make(name, **{parameter: checkpoint("bart")}).score(*fields)
    wrong = {"generation_model": checkpoint("t5"), "answering_model": checkpoint("qa")}
    with pytest.raises(DataError, match="--decoding transformers"):
        make("qa-eval", **wrong).score(SUMMARY, [REFERENCE])
