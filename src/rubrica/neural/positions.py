"""Token positions of BERT-like encoders."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

# Models whose positions begin after the id of the padding token.
AFTER_PADDING = ("roberta", "xlm-roberta", "camembert", "mpnet", "longformer")


def token_positions(ids: Sequence[int], config: Mapping[str, Any]) -> NDArray[np.int64]:
    """Return the position of each token of a text, for a model with this `config.json`."""
    if config.get("model_type") not in AFTER_PADDING:
        return np.arange(len(ids), dtype=np.int64)
    padding = int(config.get("pad_token_id", 1))
    # A padding token spelled out in a text has no position, and later tokens move up.
    real = (np.asarray(ids, dtype=np.int64) != padding).astype(np.int64)
    positions: NDArray[np.int64] = np.cumsum(real) * real + padding
    return positions
