"""Texts one after another in a row: the vectors of the padded batch, independent of the batch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rubrica.neural.checkpoint import find_checkpoint
from rubrica.neural.encoder import Encoder
from rubrica.neural.running import Settings
from rubrica.neural.unpadded import attend_alone, can_run_unpadded, run_unpadded
from support.tiny_models import checkpoint, corpus, needs_torch

pytestmark = needs_torch

ROWS = [[2, 7, 9, 11, 4], [5], [8, 8, 6, 3, 21, 30, 31, 32, 33, 40, 41], [12, 13]]


def network(kind: str) -> Any:
    import torch
    from transformers import AutoConfig, AutoModel

    torch.manual_seed(5)
    config = AutoConfig.for_model(
        kind,
        vocab_size=50,
        hidden_size=32,
        num_hidden_layers=3,
        num_attention_heads=2,
        pad_token_id=1 if "roberta" in kind or kind == "camembert" else 0,
    )
    return AutoModel.from_config(config).eval()


@pytest.mark.parametrize("kind", ["bert", "electra", "roberta", "xlm-roberta", "camembert"])
def test_every_text_has_the_vectors_it_has_alone(kind: str) -> None:
    import torch

    model = network(kind)
    assert can_run_unpadded(kind, "cpu")
    assert not can_run_unpadded(kind, "cuda")
    with torch.inference_mode():
        alone = [model(input_ids=torch.tensor([row])).last_hidden_state[0] for row in ROWS]
        attend_alone(model)
        together = run_unpadded(model, ROWS).last_hidden_state[0]
    for one, part in zip(alone, together.split([len(row) for row in ROWS]), strict=True):
        torch.testing.assert_close(part, one, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("kind", ["albert", "mpnet", "distilbert"])
def test_other_kinds_are_padded(kind: str) -> None:
    assert not can_run_unpadded(kind, "cpu")


@pytest.mark.parametrize("layer", [0, 2, -1])
def test_vectors_are_equal_to_the_last_bit_whatever_the_batch(layer: int) -> None:
    texts = corpus()[:40]
    made = []
    for tokens in (1, 64, 512, 100_000):
        settings = Settings(cache_dir="off", device="cpu", threads=1, batch_tokens=tokens)
        encoder = Encoder(find_checkpoint(checkpoint("encoder"), remedy=""), settings, layer=layer)
        made.append([one.vectors for one in encoder.encode(texts)])
        assert encoder._unpadded
    for other in made[1:]:
        for one, two in zip(made[0], other, strict=True):
            np.testing.assert_array_equal(one, two)
