"""Masked language models: predictions for masked tokens."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rubrica.neural.cache import Matrix
from rubrica.neural.model import Model


class MaskedLM(Model):
    """The most likely token at chosen places of a text with masks."""

    auto_class = "AutoModelForMaskedLM"
    only_inference = False  # BLANC-tune trains copies

    def predictions(
        self, inputs: Sequence[tuple[Sequence[int], Sequence[int]]]
    ) -> list[NDArray[np.int64]]:
        """For each (token ids, places): the most likely token at each place."""
        requests = [(list(ids), list(places)) for ids, places in inputs]
        results = self.results(
            "predictions",
            requests,
            [len(ids) for ids, _ in requests],
            lambda places: self._forward([requests[at] for at in places]),
            what="masked sentences",
        )
        # Token ids are far below 2 ** 24, so float32 holds them exactly.
        return [row[0].astype(np.int64) for row in results]

    def _forward(self, inputs: Sequence[tuple[list[int], list[int]]]) -> list[Matrix]:
        ids, mask = self.padded([row for row, _ in inputs])
        best = self.network(input_ids=ids, attention_mask=mask).logits.argmax(-1).cpu().numpy()
        return [
            best[at, places].astype(np.float32)[None, :] for at, (_, places) in enumerate(inputs)
        ]
