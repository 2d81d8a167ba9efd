"""Likelihood equals the product of next-token probabilities, computed token by token."""

from __future__ import annotations

import json
import math
import shutil
from pathlib import Path
from typing import Any

import pytest

from rubrica.errors import DataWarning, MissingResourceError
from rubrica.metrics import Metric
from support.plain_models import DOCUMENT, SUMMARY, make, network_of, shares, tokenizer_of
from support.tiny_models import checkpoint, needs_torch

SHORT = "A new boat comes."


def log_probability(text: str, before: str = "") -> float:
    """The mean over tokens, each from its own run of the model."""
    import torch

    tokenizer, model = tokenizer_of("gpt"), network_of("gpt", "AutoModelForCausalLM")
    ids = [0, *tokenizer(before, add_special_tokens=False)["input_ids"]]
    tokens = tokenizer(text, add_special_tokens=False)["input_ids"]
    total = 0.0
    for token in tokens:
        with torch.no_grad():
            logits = model(input_ids=torch.tensor([ids])).logits[0, -1]
        total += math.log(shares(logits.double().numpy())[token])
        ids.append(token)
    return total / len(tokens)


@needs_torch
def test_it_is_the_mean_log_probability_per_token() -> None:
    scores = make("likelihood", context="none").score(SHORT)["likelihood"]
    assert scores["log_prob"] == pytest.approx(log_probability(SHORT), abs=1e-5)
    assert scores["perplexity"] == pytest.approx(math.exp(-log_probability(SHORT)), rel=1e-5)
    assert set(scores) == {"log_prob", "perplexity"}


@needs_torch
def test_after_the_documents_it_is_conditional_and_says_what_they_add() -> None:
    metric = make("likelihood", context="documents")
    assert metric.required_context_fields == ("documents",)
    texts = [SHORT, SUMMARY]
    rows = metric.score_multi(texts, [DOCUMENT, "More."])
    before = f"{DOCUMENT}\n\nMore.\n\nSummary:\n"
    for text, row in zip(texts, rows, strict=True):
        after, alone = log_probability(text, before), log_probability(text)
        assert row["likelihood"]["log_prob"] == pytest.approx(after, abs=1e-5)
        assert row["likelihood"]["gain"] == pytest.approx(after - alone, abs=2e-5)


@needs_torch
def test_a_score_does_not_depend_on_the_other_summaries() -> None:
    metric = make("likelihood", context="documents")
    together = metric.score_multi([SHORT, SUMMARY], [DOCUMENT])
    alone = [make("likelihood", context="documents").score(t, [DOCUMENT]) for t in (SHORT, SUMMARY)]
    assert together == alone


@needs_torch
def test_an_empty_summary_has_no_score() -> None:
    for context in ("none", "documents"):
        fields = [[DOCUMENT]] if context == "documents" else []
        scores = make("likelihood", context=context).score(" ", *fields)["likelihood"]
        assert set(scores.values()) == {None}


@needs_torch
def test_a_document_that_does_not_fit_is_cut_and_the_summary_is_not(tmp_path: Path) -> None:
    folder = tmp_path / "model"
    shutil.copytree(checkpoint("gpt"), folder)
    config = json.loads((folder / "tokenizer_config.json").read_text())
    (folder / "tokenizer_config.json").write_text(json.dumps({**config, "model_max_length": 60}))
    metric = make("likelihood", context="documents", model=str(folder))
    with pytest.warns(DataWarning, match="1 of 2 inputs have more than 60 tokens"):
        scores = metric.score(SHORT, [DOCUMENT])["likelihood"]
    tokenizer = tokenizer_of("gpt")
    room = 59 - len(tokenizer(SHORT, add_special_tokens=False)["input_ids"])
    text = f"{DOCUMENT}\n\nSummary:\n"
    shown = tokenizer.decode(tokenizer(text, add_special_tokens=False)["input_ids"][:room])
    assert scores["log_prob"] == pytest.approx(log_probability(SHORT, shown), abs=1e-5)


@needs_torch
def test_the_signature_has_the_digest_of_the_weights() -> None:
    signature = str(make("likelihood", context="documents").signature())
    assert "|model_weights:" in signature
    assert "|context:documents|" in signature


def test_without_the_model_the_error_says_what_installs_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RUBRICA_DATA_ROOT", str(tmp_path))
    with pytest.raises(MissingResourceError, match="run: rubrica setup-metric likelihood"):
        Metric.from_config("likelihood").score("A boat.")


@needs_torch
def test_setting_it_up_takes_the_packaged_model(
    rubrica: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from rubrica.neural import small_lm

    calls: list[bool] = []
    monkeypatch.setattr(small_lm, "set_up_small_lm", lambda say, *, offline: calls.append(offline))
    done = rubrica("setup-metric", "likelihood", "--offline")
    assert done.code == 0, done.err
    assert calls == [True]


@needs_torch
def test_texts_that_share_a_beginning_score_as_if_alone() -> None:
    """Longer than a chunk of tokens, and with beginnings that end within one, between two, and nowhere."""
    from rubrica.neural.causal_lm import CausalLM

    metric = make("likelihood", context="documents")
    long = " ".join([DOCUMENT] * 6)
    pairs = [
        (long, SHORT),
        (long, SUMMARY),
        (long[:700], SHORT),
        (DOCUMENT[5:], SUMMARY),
        ("", long),
        ("", f"{long} More."),
    ]
    shared = metric.model("model", CausalLM).log_likelihood(pairs)
    for (before, text), tokens in zip(pairs, shared, strict=True):
        alone = make("likelihood").model("model", CausalLM).log_likelihood([(before, text)])[0]
        assert tokens.tolist() == alone.tolist()
    assert shared[1].mean() == pytest.approx(log_probability(SUMMARY, long), abs=1e-5)
