"""QuestEval equals the mean of both directions; inputs, answers and weights are computed again here."""

from __future__ import annotations

import json
import shutil
import warnings
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rubrica.errors import DataError, DataWarning, ParameterError
from rubrica.metrics.qa import questeval
from rubrica.metrics.qa.squad import token_f1
from support.plain_models import (
    DOCUMENT,
    REFERENCE,
    SUMMARY,
    make,
    network_of,
    shares,
    tokenizer_of,
)
from support.tiny_models import checkpoint, needs_torch

pytestmark = needs_torch
# Vocabularies of the tests have a few hundred tokens.
TRUE = 17


@pytest.fixture(autouse=True)
def small_vocabulary(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(questeval, "TRUE", TRUE)


@cache
def steps(text: str, most: int) -> tuple[str, np.ndarray]:
    """Greedy writing, token by token, and the logits of the first step."""
    import torch

    tokenizer, model = tokenizer_of("bart"), network_of("bart", "AutoModelForSeq2SeqLM")
    ids = tokenizer(text, return_tensors="pt", truncation=True, max_length=512)["input_ids"]
    with torch.no_grad():
        encoded = model.get_encoder()(ids)
    given: list[int] = [model.config.decoder_start_token_id]
    first = None
    while len(given) < most:
        with torch.no_grad():
            logits = (
                model(encoder_outputs=encoded, decoder_input_ids=torch.tensor([given]))
                .logits[0, -1]
                .double()
            )
        first = logits.numpy() if first is None else first
        # The last token that fits is the end, as BART's settings want it.
        given.append(model.config.eos_token_id if len(given) == most - 1 else int(logits.argmax()))
        if given[-1] == model.config.eos_token_id:
            break
    assert first is not None
    return str(tokenizer.decode(given, skip_special_tokens=True)).strip(), first


def likeness(said: str, gold: str) -> float:
    """BERTScore's F1 at layer 2: all tokens are matched, those that frame a text do not count."""
    import torch

    tokenizer, model = tokenizer_of("encoder"), network_of("encoder", "AutoModel")
    sides = []
    for text in (said, gold):
        inputs = tokenizer(text.strip(), return_tensors="pt")
        if inputs["input_ids"].shape[1] == 2:
            return 0.0
        with torch.no_grad():
            states = model(**inputs, output_hidden_states=True).hidden_states[2][0]
        sides.append((states / states.norm(dim=-1, keepdim=True)).double().numpy())
    cosines = sides[0] @ sides[1].T
    p, r = cosines.max(1)[1:-1].mean(), cosines.max(0)[1:-1].mean()
    return float(2 * p * r / (p + r))


def asked_about(text: str) -> list[tuple[str, str]]:
    """Question and answer of every phrase: names first, then phrases; the generator reads the whole text."""
    made = []
    for answer in make("questeval").answers(text):
        question, _ = steps(f"sv1 </s> {answer} </s> {text}", 20)
        made.append((question, answer))
    return made


def values_of(question: str, gold: str, text: str) -> list[float]:
    said, first = steps(f"{question} </s> {text}", 20)
    answerable = 1 - shares(first)[73]
    return [
        min(1.0, max(0.0, one)) for one in (answerable, likeness(said, gold), token_f1(said, gold))
    ]


def weight_of(question: str, gold: str, text: str) -> float:
    _, first = steps(f"{gold} </s> {question} </s> {text}", 2)
    return float(1 - shares(first)[TRUE])


SHORT, SOURCE = "A boat comes on Friday.", "Engineers stopped the ferry on Tuesday. A ship comes."


def test_questeval_is_the_mean_of_both_directions() -> None:
    of_source, of_summary = asked_about(SOURCE), asked_about(SHORT)
    recalled = [values_of(q, gold, SHORT) for q, gold in of_source]
    weights = [weight_of(q, gold, SOURCE) for q, gold in of_source]
    precise = [values_of(q, gold, SOURCE) for q, gold in of_summary]
    precision = np.mean(precise)
    assert 0 < min(weights) < max(weights) < 1
    for parameters, recall in (
        ({}, np.mean(recalled)),
        (
            {"weighter_model": checkpoint("bart")},
            np.mean([w * v for w, row in zip(weights, recalled, strict=True) for v in row]),
        ),
    ):
        made = make("questeval", **parameters).score(SHORT, [SOURCE])["questeval"]
        assert made["recall"] == pytest.approx(recall, abs=1e-5)
        assert made["precision"] == pytest.approx(precision, abs=1e-5)
        assert made["fscore"] == pytest.approx((recall + precision) / 2, abs=1e-5)


def test_questions_about_references_are_not_weighed() -> None:
    parameters: dict[str, Any] = {"against": ["references"]}
    plain = make("questeval", **parameters).score(SHORT, [SOURCE])
    weighed = make("questeval", **parameters, weighter_model=checkpoint("bart"))
    assert weighed.score(SHORT, [SOURCE]) == plain


def test_phrases_of_the_first_five_sentences_are_asked_about() -> None:
    metric = make("questeval")
    # Names, then phrases: what is both is there twice, what comes again is there again.
    assert metric.answers(REFERENCE) == [
        "Friday",
        *("Engineers found", "crack", "shaft", "ferry", "new boat comes", "Friday"),
    ]
    text = " ".join(f"On Day {at} it rained." for at in range(8))
    assert [one for one in metric.answers(text) if one.startswith("Day")] == [
        f"Day {at}" for at in range(5)
    ] * 2


def test_questeval_takes_the_best_of_document_and_references() -> None:
    both = make("questeval", against=["documents", "references"])
    made = both.score(SUMMARY, [DOCUMENT], [REFERENCE])["questeval"]
    alone = make("questeval").score(SUMMARY, [DOCUMENT])["questeval"]
    other = make("questeval", against=["references"]).score(SUMMARY, [REFERENCE])["questeval"]
    assert alone["fscore"] != other["fscore"]
    best = alone if alone["fscore"] > other["fscore"] else other
    assert made == pytest.approx(best, abs=1e-6)
    with pytest.raises(ParameterError, match="documents, references or both"):
        make("questeval", against=["summaries"])


def test_a_long_text_is_cut_at_512_tokens_and_told_once() -> None:
    long = " ".join([SOURCE] * 60)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        made = make("questeval").score(SHORT, [long])["questeval"]
    told = [str(one.message) for one in caught if issubclass(one.category, DataWarning)]
    # By the model that asks, and once by the one that answers.
    assert len(told) == 2
    assert all("more than 512 tokens and were cut" in one for one in told)
    precise = [values_of(q, gold, long) for q, gold in asked_about(SHORT)]
    assert made["precision"] == pytest.approx(np.mean(precise), abs=1e-5)


def test_a_weighter_with_another_vocabulary_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(questeval, "TRUE", 1176)
    metric = make("questeval", weighter_model=checkpoint("bart"))
    with pytest.raises(DataError, match="no token number 1,176"):
        metric.score(SHORT, [SOURCE])


def test_questeval_is_0_without_texts_or_questions() -> None:
    for summary, document in (("", DOCUMENT), (SUMMARY, ""), ("it was", "so be it")):
        made = make("questeval").score(summary, [document])["questeval"]
        assert made == {"fscore": 0, "precision": 0, "recall": 0}


def test_a_checkpoint_may_say_how_long_its_questions_are(tmp_path: Path) -> None:
    """20 tokens, the first of them not its own; or what `max_length` of the configuration says."""
    copy = tmp_path / "longer"
    shutil.copytree(checkpoint("bart"), copy)
    config = json.loads((copy / "config.json").read_text("utf-8"))
    (copy / "config.json").write_text(json.dumps({**config, "max_length": 6}), "utf-8")
    question, _ = steps(f"sv1 </s> Friday </s> {SHORT}", 6)
    longer, _ = steps(f"sv1 </s> Friday </s> {SHORT}", 20)
    assert longer.startswith(question)
    assert longer != question
    for model, expected in ((str(copy), question), (checkpoint("bart"), longer)):
        asked = make("questeval", generation_model=model)._questions([SHORT])[SHORT]
        assert next(one.text for one in asked if one.answer == "Friday") == expected
