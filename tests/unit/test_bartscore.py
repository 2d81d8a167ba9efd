"""BARTScore equals a likelihood computed token by token."""

from __future__ import annotations

import math

import pytest

from plain_models import REFERENCE, SUMMARY, make, network_of, shares, tokenizer_of
from tiny_models import needs_torch

pytestmark = needs_torch


def likelihood(source: str, target: str) -> float:
    """Token by token, each from its own run of the model."""
    import torch

    tokenizer, model = tokenizer_of("bart"), network_of("bart", "AutoModelForSeq2SeqLM")
    ids = tokenizer(source, return_tensors="pt")["input_ids"]
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
    both = [
        make("bartscore", mode="precision").score("A boat.", [r])["bartscore"]
        for r in (REFERENCE, SUMMARY)
    ]
    several = [REFERENCE, SUMMARY]
    mean = make("bartscore", mode="precision").score("A boat.", several)["bartscore"]
    best = make("bartscore", mode="precision", multi_ref="max").score("A boat.", several)[
        "bartscore"
    ]
    assert mean == pytest.approx(sum(both) / 2, abs=1e-6)
    assert best == pytest.approx(max(both), abs=1e-6)
