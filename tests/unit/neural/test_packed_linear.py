"""Weights laid out for the CPU: the same vectors, nothing packed that is shared, read or trained."""

from __future__ import annotations

from typing import Any

import pytest

from rubrica.neural.onednn_linear import pack_linear_layers
from support.tiny_models import needs_torch

pytestmark = needs_torch


def network(kind: str = "bert") -> Any:
    import torch
    from transformers import AutoConfig, AutoModelForMaskedLM

    torch.manual_seed(3)
    config = AutoConfig.for_model(
        kind, vocab_size=50, hidden_size=32, num_hidden_layers=2, num_attention_heads=2
    )
    return AutoModelForMaskedLM.from_config(config).eval()


def logits(model: Any) -> Any:
    import torch

    with torch.inference_mode():
        return model(input_ids=torch.arange(24).reshape(2, 12)).logits


def packed_layers(model: Any) -> int:
    return sum(type(module).__name__ == "PackedLinear" for module in model.modules())


@pytest.mark.parametrize("kind", ["bert", "roberta", "electra", "mpnet"])
def test_packed_layers_give_the_same_logits(kind: str) -> None:
    import torch

    model = network(kind)
    before = logits(model)
    pack_linear_layers(model)
    assert packed_layers(model) >= 12
    torch.testing.assert_close(logits(model), before, atol=1e-5, rtol=1e-5)


def test_a_weight_shared_with_the_embeddings_stays_one() -> None:
    model = network()
    pack_linear_layers(model)
    decoder = model.cls.predictions.decoder
    assert decoder.weight is model.bert.embeddings.word_embeddings.weight


def test_a_kind_not_known_to_call_its_layers_only_is_left_alone() -> None:
    model = network("albert")
    pack_linear_layers(model)
    assert packed_layers(model) == 0


def test_other_number_types_are_left_alone() -> None:
    import torch

    model = network().to(torch.bfloat16)
    pack_linear_layers(model)
    assert packed_layers(model) == 0
