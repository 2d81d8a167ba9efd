"""The random exchanges of a permutation test, and sums of weights over what is exchanged."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rubrica.core import kernels
from rubrica.core.cores import available_cores
from rubrica.meta.correlation.significance import Exchange, TestOptions, swap_masks
from rubrica.meta.scores import BLOCK, Matrix, block_product, blocks

# Exchanges of single cells with at most so many bytes are drawn once and stored.
_STORED = 16 * BLOCK


class Masks:
    """Which cells two metrics exchange in each round; other tests of the same cells find the draws in `shared`."""

    def __init__(
        self,
        shape: tuple[int, int],
        exchange: Exchange,
        options: TestOptions,
        shared: dict[Any, Any],
    ) -> None:
        self.exchange, self.rounds = exchange, options.rounds
        self.threads = options.threads or available_cores()
        self._shape, self._options, self._shared = shape, options, shared

    @property
    def whole(self) -> bool:
        """Whether whole systems or whole inputs are exchanged."""
        return self.exchange in ("systems", "inputs")

    def units(self) -> Matrix:
        """Which systems or inputs are exchanged: [round, unit], 0 or 1."""
        known: Matrix | None = self._shared.get(self.exchange)
        if known is None:
            systems, inputs = self._shape
            known = np.empty((self.rounds, systems if self.exchange == "systems" else inputs))
            for part in blocks(self.rounds, systems * inputs):
                masks = self._drawn(part)
                known[part] = masks[:, :, 0] if self.exchange == "systems" else masks[:, 0]
            self._shared[self.exchange] = known
        return known

    def cells(self, part: slice, columns: NDArray[np.int64] | None = None) -> NDArray[np.bool_]:
        """Which cells are exchanged in some of the rounds, of some inputs only if asked: [round, system, input]."""
        if self.whole:
            units = self.units()[part].astype(np.bool_)
            shape = len(units), self._shape[0], self._shape[1] if columns is None else len(columns)
            if self.exchange == "systems":
                return np.broadcast_to(units[:, :, None], shape)
            return np.broadcast_to(
                (units if columns is None else units[:, columns])[:, None], shape
            )
        masks = self._cell_masks(part)
        return masks if columns is None else np.take(masks, columns, axis=2)

    def _cell_masks(self, part: slice) -> NDArray[np.bool_]:
        if self.rounds * self._shape[0] * self._shape[1] > _STORED:
            return self._drawn(part)
        known: NDArray[np.bool_] | None = self._shared.get(self.exchange)
        if known is None:
            known = self._shared[self.exchange] = self._drawn(slice(0, self.rounds))
        return known[part]

    def sums(self, weights: Matrix) -> Matrix:
        """Sum the weights [system, column, kind] of what is exchanged: [round, kind].

        The columns are inputs, or one column of means where whole systems are exchanged.
        """
        if self.whole:
            return block_product(
                self.units(), weights.sum(axis=1 if self.exchange == "systems" else 0)
            )
        kinds = weights.shape[2]
        flat = np.ascontiguousarray(weights.reshape(-1, kinds))
        out = np.empty((self.rounds, kinds))
        for part in blocks(self.rounds, len(flat) // 8 + 1):
            masks = self.cells(part).reshape(-1, len(flat))
            out[part] = kernels.masked_sums(flat, masks, self.threads)
        return out

    def _drawn(self, part: slice) -> NDArray[np.bool_]:
        options, number = self._options, part.stop - part.start
        return swap_masks(
            *self._shape, self.exchange, number, options.seed, part.start, options.clusters
        )
