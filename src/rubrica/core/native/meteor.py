"""METEOR's compiled kernel behind the signature of its plain twin. Import `rubrica.core.kernels`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rubrica.core import _native  # noqa: TID251 (behind the door)
from rubrica.core.meteor_texts import MODULES, MeteorTexts, PhraseTable

_NO_PHRASES = PhraseTable(*(np.zeros(0, dtype=np.int32) for _ in range(5)))


def meteor_statistics(
    texts: MeteorTexts,
    pairs: NDArray[np.int64],
    modules: int = MODULES,
    phrases: PhraseTable | None = None,
    threads: int = 1,
) -> NDArray[np.float64]:
    """Counts of the best alignment of each pair (summary, reference); see the plain twin."""
    table = phrases or _NO_PHRASES
    return _native.meteor_statistics(
        starts=texts.starts,
        words=texts.words,
        function=texts.function,
        stems=texts.stems,
        synset_starts=texts.synset_starts,
        synsets=texts.synsets,
        phrase_words=texts.phrase_words,
        first_child=table.first_child,
        node_words=table.node_words,
        first_entry=table.first_entry,
        entry_starts=table.entry_starts,
        entry_words=table.entry_words,
        pairs=np.ascontiguousarray(pairs),
        modules=modules,
        threads=max(1, threads),
    )
