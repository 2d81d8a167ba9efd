"""MiniCheck equals its formula on every chunk and claim."""

from __future__ import annotations

import numpy as np
import pytest

from plain_models import (
    DOCUMENT,
    DOCUMENT_SENTENCES,
    SENTENCES,
    SUMMARY,
    logits_of,
    make,
    network_of,
    shares,
    tokenizer_of,
)
from tiny_models import checkpoint, needs_torch

pytestmark = needs_torch


def test_minicheck_with_t5_is_the_probability_of_its_token() -> None:
    import torch

    tokenizer, model = tokenizer_of("t5"), network_of("t5", "AutoModelForSeq2SeqLM")
    expected = []
    for claim in SENTENCES:
        values = []
        # Chunks of at most 20 words: one sentence each but for the last two.
        for chunk in (
            DOCUMENT_SENTENCES[0],
            " ".join(DOCUMENT_SENTENCES[1:2]),
            DOCUMENT_SENTENCES[2],
        ):
            ids = tokenizer(f"predict: {chunk}</s>{claim}", return_tensors="pt")["input_ids"]
            start = torch.tensor([[model.config.decoder_start_token_id]])
            with torch.no_grad():
                step = model(input_ids=ids, decoder_input_ids=start).logits[0, 0].double()
            values.append(float(step[[3, 209]].softmax(0)[1]))
        expected.append(max(values))
    metric = make("minicheck", chunk_size=17)
    assert len(metric.chunks(DOCUMENT)) == 3
    made = metric.score(SUMMARY, [DOCUMENT])["minicheck"]
    assert made["mean"] == pytest.approx(np.mean(expected), abs=1e-5)
    assert made["min"] == pytest.approx(min(expected), abs=1e-5)


def test_minicheck_with_an_encoder_is_its_second_class() -> None:
    metric = make("minicheck", model=checkpoint("support"), claims="summary")
    expected = shares(logits_of("support", f"{DOCUMENT}[SEP]{SUMMARY}"))[1]
    assert metric.score(SUMMARY, [DOCUMENT])["minicheck"]["mean"] == pytest.approx(
        expected, abs=1e-5
    )
