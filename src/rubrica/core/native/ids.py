"""Keys of rows from the compiled kernels, also where only the plain twin can encode an id."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rubrica.core import _native  # noqa: TID251 (behind the door)
from rubrica.core._native import TextColumn  # noqa: TID251


def id_keys(
    instance_ids: TextColumn | list[str], summarizer_ids: TextColumn | list[str]
) -> NDArray[np.uint64]:
    """Of each row 128 bits of BLAKE2b over its ids."""
    if isinstance(instance_ids, TextColumn) and isinstance(summarizer_ids, TextColumn):
        return _native.id_keys(instance_ids, summarizer_ids)
    try:
        return _native.id_keys(TextColumn(instance_ids), TextColumn(summarizer_ids))
    except UnicodeEncodeError:
        # Half a surrogate pair, which only the reference implementation encodes.
        from rubrica.core.python import common as kernels_py

        return kernels_py.id_keys(instance_ids, summarizer_ids)
