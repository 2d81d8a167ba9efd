"""SUPERT equals greedy matching computed by hand."""

from __future__ import annotations

import numpy as np
import pytest

from rubrica.errors import DataWarning, ParameterError
from rubrica.text.stopwords import stopwords
from support.plain_models import (
    DOCUMENT,
    DOCUMENT_SENTENCES,
    REFERENCE,
    SENTENCES,
    SUMMARY,
    make,
    network_of,
    tokenizer_of,
)
from support.tiny_models import needs_torch

pytestmark = needs_torch


def vectors(sentences: list[str]) -> np.ndarray:
    """Unit vectors of the tokens that count: each sentence alone, at most 128 pieces, no stop words."""
    import torch

    tokenizer, model = tokenizer_of("encoder"), network_of("encoder", "AutoModel")
    rows = []
    for sentence in sentences:
        inputs = tokenizer(sentence, return_tensors="pt", truncation=True, max_length=128)
        with torch.no_grad():
            states = model(**inputs).last_hidden_state[0].numpy()
        tokens = tokenizer.convert_ids_to_tokens(inputs["input_ids"][0])
        rows += [
            v
            for v, t in zip(states, tokens, strict=True)
            if t not in stopwords("nltk") and t not in ("[CLS]", "[SEP]")
        ]
    return np.array([row / np.linalg.norm(row) for row in rows])


def matched(summary: list[str], reference: list[str]) -> float:
    """F1 of the best cosine of each token, on both sides."""
    cosines = vectors(summary) @ vectors(reference).T
    p, r = cosines.max(1).mean(), cosines.max(0).mean()
    return float(2 * p * r / (p + r))


REFERENCE_SENTENCES = [f"{one}." for one in REFERENCE.rstrip(".").split(". ")]


def test_supert_matches_tokens_of_the_first_sentences() -> None:
    made = make("supert").score(SUMMARY, [DOCUMENT])["supert"]
    assert made == pytest.approx(matched(SENTENCES, DOCUMENT_SENTENCES), abs=1e-5)
    first = make("supert", first_sentences=2).score(SUMMARY, [DOCUMENT])["supert"]
    assert first == pytest.approx(matched(SENTENCES, DOCUMENT_SENTENCES[:2]), abs=1e-5)


def test_supert_is_the_mean_over_documents_where_there_is_enough() -> None:
    documents = [DOCUMENT, REFERENCE]
    # Five sentences are fewer than 15: one pseudo reference.
    together = make("supert").score(SUMMARY, documents)["supert"]
    assert together == pytest.approx(
        matched(SENTENCES, DOCUMENT_SENTENCES + REFERENCE_SENTENCES), abs=1e-5
    )
    # With two of each there are four, enough for one per document.
    apart = make("supert", first_sentences=2).score(SUMMARY, documents)["supert"]
    alone = [matched(SENTENCES, DOCUMENT_SENTENCES[:2]), matched(SENTENCES, REFERENCE_SENTENCES)]
    assert apart == pytest.approx(np.mean(alone), abs=1e-5)
    assert abs(apart - together) > 1e-4


def test_supert_reads_128_pieces_of_a_sentence() -> None:
    long = " ".join(["The harbour office said a replacement vessel would arrive"] * 20) + "."
    with pytest.warns(DataWarning, match="128"):
        made = make("supert").score(SUMMARY, [long])["supert"]
    assert made == pytest.approx(matched(SENTENCES, [long]), abs=1e-5)


def test_supert_is_0_without_texts_or_words() -> None:
    for summary, document in (("", DOCUMENT), (SUMMARY, ""), ("the of", DOCUMENT)):
        assert make("supert").score(summary, [document])["supert"] == 0
    with pytest.raises(ParameterError, match="first_sentences"):
        make("supert", first_sentences=0)


def test_supert_has_a_pseudo_reference_per_document_where_there_is_enough() -> None:
    metric = make("supert", first_sentences=3)
    assert metric.pseudo_references([DOCUMENT, REFERENCE]) == [
        DOCUMENT_SENTENCES,
        [f"{one}." for one in REFERENCE.rstrip(".").split(". ")],
    ]
    assert len(metric.pseudo_references([REFERENCE])) == 1
    assert metric.pseudo_references([""]) == []
