"""BARTScore equals a likelihood computed token by token."""

from __future__ import annotations

import math

import pytest

from rubrica.errors import DataWarning
from support.plain_models import REFERENCE, SUMMARY, make, network_of, shares, tokenizer_of
from support.tiny_models import needs_torch

pytestmark = needs_torch


def likelihood(source: str, target: str) -> float:
    """Token by token, each from its own run of the model."""
    import torch

    tokenizer, model = tokenizer_of("bart"), network_of("bart", "AutoModelForSeq2SeqLM")
    ids = tokenizer(source, return_tensors="pt", truncation=True, max_length=1024)["input_ids"]
    wanted = tokenizer(target)["input_ids"]
    given, total = [model.config.decoder_start_token_id], 0.0
    for token in wanted:
        with torch.no_grad():
            logits = model(input_ids=ids, decoder_input_ids=torch.tensor([given])).logits[0, -1]
        total += math.log(shares(logits.double().numpy())[token])
        given.append(token)
    return total / len(wanted)


def test_bartscore_is_the_mean_log_probability() -> None:
    short = "A new boat comes."
    precision = likelihood(REFERENCE, short)
    recall = likelihood(short, REFERENCE)
    scored = {
        mode: make("bartscore", mode=mode).score(short, [REFERENCE])["bartscore"]
        for mode in ("precision", "recall", "f", "faithfulness")
    }
    assert scored["precision"] == pytest.approx(precision, abs=1e-5)
    assert scored["recall"] == pytest.approx(recall, abs=1e-5)
    assert scored["f"] == pytest.approx((precision + recall) / 2, abs=1e-5)
    assert scored["faithfulness"] == pytest.approx(precision, abs=1e-5)


def test_bartscore_combines_references_as_asked() -> None:
    several = [REFERENCE, SUMMARY]
    there = [likelihood(one, "A boat.") for one in several]
    back = [likelihood("A boat.", one) for one in several]
    both = [(a + b) / 2 for a, b in zip(there, back, strict=True)]
    for mode, values in (("precision", there), ("recall", back), ("f", both)):
        for multi_ref, expected in (("mean", sum(values) / 2), ("max", max(values))):
            metric = make("bartscore", mode=mode, multi_ref=multi_ref)
            made = metric.score("A boat.", several)["bartscore"]
            assert made == pytest.approx(expected, abs=1e-5), (mode, multi_ref)


def test_faithfulness_reads_all_documents_as_one_text() -> None:
    metric = make("bartscore", mode="faithfulness")
    assert metric.required_context_fields == ("documents",)
    assert metric.jackknifer is None
    made = metric.score("A boat.", [SUMMARY, REFERENCE])["bartscore"]
    assert made == pytest.approx(likelihood(f"{SUMMARY}\n\n{REFERENCE}", "A boat."), abs=1e-5)


def test_an_empty_text_is_its_begin_and_end() -> None:
    assert make("bartscore", mode="precision").score("", [REFERENCE])["bartscore"] == pytest.approx(
        likelihood(REFERENCE, ""), abs=1e-5
    )
    assert make("bartscore", mode="recall").score("", [REFERENCE])["bartscore"] == pytest.approx(
        likelihood("", REFERENCE), abs=1e-5
    )


def test_a_long_source_is_cut_at_1024_tokens() -> None:
    long = " ".join([SUMMARY] * 60)
    with pytest.warns(DataWarning, match="1 of 2 inputs have more than 1,024 tokens"):
        made = make("bartscore", mode="precision").score("A boat.", [long])["bartscore"]
    assert made == pytest.approx(likelihood(long, "A boat."), abs=1e-5)
