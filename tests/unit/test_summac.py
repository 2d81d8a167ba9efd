"""SummaC equals its formula on every pair of chunks."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from plain_models import DOCUMENT, DOCUMENT_SENTENCES, SENTENCES, SUMMARY, logits_of, make, shares
from rubrica.errors import DataError, ParameterError
from tiny_models import checkpoint, needs_torch

pytestmark = needs_torch


def test_summac_zs_is_entailment_minus_contradiction() -> None:
    entail = np.array(
        [[shares(logits_of("nli", d, s))[0] for s in SENTENCES] for d in DOCUMENT_SENTENCES]
    )
    contra = np.array(
        [[shares(logits_of("nli", d, s))[2] for s in SENTENCES] for d in DOCUMENT_SENTENCES]
    )
    expected = (entail.max(0) - contra.max(0)).mean()
    made = make("summac").score(SUMMARY, [DOCUMENT])["summac"]
    assert made == pytest.approx(expected, abs=1e-5)
    least = make("summac", op1="min", op2="max", use_con=False).score(SUMMARY, [DOCUMENT])["summac"]
    assert least == pytest.approx(entail.min(0).max(), abs=1e-5)


def test_summac_conv_is_a_histogram_through_two_layers(tmp_path: Path) -> None:
    import torch

    draw = torch.Generator().manual_seed(3)
    weights = {
        "mlp.weight": torch.randn(1, 5, generator=draw),
        "mlp.bias": torch.randn(1, generator=draw),
        "layer_final.weight": torch.randn(2, 3, generator=draw),
        "layer_final.bias": torch.randn(2, generator=draw),
    }
    file = tmp_path / "conv.bin"
    torch.save(weights, file)
    entail = np.array(
        [[shares(logits_of("nli", d, s))[0] for s in SENTENCES] for d in DOCUMENT_SENTENCES]
    )
    outputs = []
    for column in entail.T:
        counts = [
            sum(low <= v < low + 0.2 or (v == 1 and low > 0.7) for v in column)
            for low in (0, 0.2, 0.4, 0.6, 0.8)
        ]
        outputs.append(
            float(
                weights["mlp.weight"][0] @ torch.tensor(counts, dtype=torch.float)
                + weights["mlp.bias"][0]
            )
        )
    feature = torch.full((3,), sum(outputs) / len(outputs))
    logits = weights["layer_final.weight"] @ feature + weights["layer_final.bias"]
    metric = make("summac", variant="conv", conv_weights=str(file), bins="even5")
    assert metric.score(SUMMARY, [DOCUMENT])["summac"] == pytest.approx(
        float(logits.softmax(0)[1]), abs=1e-4
    )
    assert f"conv_weights:{metric._conv.digest()}" in str(metric.signature())


def test_summac_conv_wants_its_weights(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match=r"summac_conv_vitc_sent_perc_e\.bin"):
        make("summac", variant="conv")
    wrong = tmp_path / "wrong.bin"
    wrong.write_bytes(b"not weights")
    with pytest.raises(DataError, match="not a file of weights"):
        make("summac", variant="conv", conv_weights=str(wrong)).score(SUMMARY, [DOCUMENT])


def test_summac_granularities() -> None:
    from rubrica.metrics.summac import chunks_of

    text = "First sentence here. Second sentence here.\n\nAnother paragraph here. Tiny."
    assert chunks_of(text, "paragraph") == [
        "First sentence here. Second sentence here.",
        "Another paragraph here. Tiny.",
    ]
    assert chunks_of(text, "sentence") == [
        "First sentence here.",
        "Second sentence here.",
        "Another paragraph here.",
    ]
    assert chunks_of(text, "2sents")[0] == "First sentence here. Second sentence here."
    assert chunks_of(text, "document") == [text]
    with pytest.raises(ParameterError, match="granularity"):
        make("summac", granularity="word")


def test_an_nli_checkpoint_must_say_which_class_is_which() -> None:
    with pytest.raises(ParameterError, match="entailment_label and contradiction_label"):
        make("summac", model=checkpoint("support")).score(SUMMARY, [DOCUMENT])
