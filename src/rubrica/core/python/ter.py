"""The plain kernel `ter_edits`: sacrebleu's own search, which defines the number."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def ter_edits(summary: NDArray[np.int64], reference: NDArray[np.int64]) -> int:
    """Edits, shifts included, from a summary to a reference, both as numbers of words."""
    from sacrebleu.metrics.lib_ter import translation_edit_rate

    edits, _ = translation_edit_rate(summary.tolist(), reference.tolist())
    return int(edits)
