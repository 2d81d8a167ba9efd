"""Texts of a batch one after another in one row, without padding; each attends to itself alone.

On a CPU this is quicker than padding, and a text's vectors are the same to the last bit whatever
else is in its batch.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rubrica.neural.positions import token_positions
from rubrica.neural.running import import_torch

_NAME = "rubrica_each_text_alone"
# Encoders that take positions and hand what they do not know on to the attention.
_KINDS = ("bert", "electra", "roberta", "xlm-roberta", "camembert")


def can_run_unpadded(kind: object, device: str) -> bool:
    """Whether networks of this kind (`model_type`) can, on a device where it pays."""
    return kind in _KINDS and device == "cpu"


def attend_alone(network: Any) -> None:
    """Make the network's attention that of `run_unpadded`."""
    from transformers import AttentionInterface
    from transformers.masking_utils import AttentionMaskInterface

    AttentionInterface.register(_NAME, _attention)
    AttentionMaskInterface.register(_NAME, _no_mask)
    network.set_attn_implementation(_NAME)


def run_unpadded(network: Any, rows: Sequence[Sequence[int]], **options: Any) -> Any:
    """The network's output for the tokens of all rows, in one row."""
    torch = import_torch()
    config = {name: getattr(network.config, name, 0) for name in ("model_type", "pad_token_id")}
    places = np.concatenate([token_positions(row, config) for row in rows])
    return network(
        input_ids=torch.tensor([[token for row in rows for token in row]]),
        position_ids=torch.from_numpy(places)[None],
        attention_mask=None,
        text_lengths=[len(row) for row in rows],
        **options,
    )


def _attention(
    module: Any,
    query: Any,
    key: Any,
    value: Any,
    attention_mask: None,
    *,
    scaling: float | None = None,
    text_lengths: list[int],
    **_: Any,
) -> tuple[Any, None]:
    torch = import_torch()
    attend = torch.nn.functional.scaled_dot_product_attention
    parts = zip(*(side.split(text_lengths, dim=2) for side in (query, key, value)), strict=True)
    outputs = [attend(*part, scale=scaling) for part in parts]
    return torch.cat(outputs, dim=2).transpose(1, 2).contiguous(), None


def _no_mask(*_: Any, **__: Any) -> None:
    return None
