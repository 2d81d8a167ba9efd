"""SUPERT equals greedy matching computed by hand."""

from __future__ import annotations

import numpy as np
import pytest

from plain_models import (
    DOCUMENT,
    DOCUMENT_SENTENCES,
    REFERENCE,
    SENTENCES,
    SUMMARY,
    make,
    network_of,
    tokenizer_of,
)
from tiny_models import needs_torch

pytestmark = needs_torch


def test_supert_matches_tokens_of_the_first_sentences() -> None:
    import torch

    from rubrica.text.stopwords import stopwords

    tokenizer, model = tokenizer_of("encoder"), network_of("encoder", "AutoModel")

    def vectors(sentences: list[str]) -> np.ndarray:
        rows = []
        for sentence in sentences:
            inputs = tokenizer(sentence, return_tensors="pt")
            with torch.no_grad():
                states = model(**inputs).last_hidden_state[0].numpy()
            tokens = tokenizer.convert_ids_to_tokens(inputs["input_ids"][0])
            rows += [
                v
                for v, t in zip(states, tokens, strict=True)
                if t not in stopwords("nltk") and t not in ("[CLS]", "[SEP]")
            ]
        return np.array([row / np.linalg.norm(row) for row in rows])

    cosines = vectors(SENTENCES) @ vectors(DOCUMENT_SENTENCES).T
    p, r = cosines.max(1).mean(), cosines.max(0).mean()
    made = make("supert").score(SUMMARY, [DOCUMENT])["supert"]
    assert made == pytest.approx(2 * p * r / (p + r), abs=1e-5)


def test_supert_has_a_pseudo_reference_per_document_where_there_is_enough() -> None:
    metric = make("supert", first_sentences=3)
    assert metric.pseudo_references([DOCUMENT, REFERENCE]) == [
        DOCUMENT_SENTENCES,
        [f"{one}." for one in REFERENCE.rstrip(".").split(". ")],
    ]
    assert len(metric.pseudo_references([REFERENCE])) == 1
    assert metric.pseudo_references([""]) == []
