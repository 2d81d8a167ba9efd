"""The learned part of SummaC-Conv: histograms of entailments through two small linear layers."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rubrica.errors import DataError, MissingResourceError, ParameterError
from rubrica.neural.running import import_torch

ROWS = 10
_PERCENTILE = (
    *(0.0, 0.01, 0.02, 0.03, 0.04, 0.07, 0.13, 0.37, 0.90, 0.91, 0.92, 0.93, 0.94, 0.95),
    *(0.955, 0.96, 0.965, 0.97, 0.975, 0.98, 0.985, 0.99, 0.995, 1.0),
)


class ConvolutionWeights:
    """Weights of a file, read when first needed."""

    def __init__(self, path: str, bins: str) -> None:
        self._path = Path(path).expanduser()
        even = re.fullmatch(r"even([1-9][0-9]*)", bins)
        if even:
            count = int(even[1])
            self.edges = [*np.arange(0, 1, 1 / count).tolist()[:count], 1.0]
        elif bins == "percentile":
            self.edges = list(_PERCENTILE)
        else:
            raise ParameterError(f"summac: bins are percentile or evenN (even50), not {bins!r}")
        self._weights: dict[str, NDArray[np.float64]] | None = None

    def digest(self) -> str:
        """Return the start of the file's sha256."""
        return hashlib.sha256(self._read_bytes()).hexdigest()[:12]

    def score(self, entailments: NDArray[np.float64]) -> float:
        """Return the probability of consistency, from [document chunk, summary chunk]."""
        weights = self._loaded()
        rows = [np.histogram(column, bins=self.edges)[0] for column in entailments.T[:ROWS]]
        outputs = [float(weights["mlp.weight"][0] @ row + weights["mlp.bias"][0]) for row in rows]
        # The original feeds the mean three times, in place of other statistics.
        feature = np.full(3, np.mean(outputs))
        logits = weights["layer_final.weight"] @ feature + weights["layer_final.bias"]
        return float(1 / (1 + np.exp(logits[0] - logits[1])))

    def _loaded(self) -> dict[str, NDArray[np.float64]]:
        if self._weights is None:
            self._weights = self._checked(self._read())
        return self._weights

    def _read_bytes(self) -> bytes:
        if not self._path.is_file():
            raise MissingResourceError(
                f"{self._path}: no such file; get summac_conv_vitc_sent_perc_e.bin from the SummaC repository"
            )
        return self._path.read_bytes()

    def _read(self) -> Any:
        self._read_bytes()
        try:
            # weights_only: loads tensors and never runs code.
            return import_torch().load(self._path, map_location="cpu", weights_only=True)
        except Exception as error:
            raise DataError(f"not a file of weights: {error}", file=str(self._path)) from error

    def _checked(self, state: Any) -> dict[str, NDArray[np.float64]]:
        shapes = {
            "mlp.weight": (1, len(self.edges) - 1),
            "mlp.bias": (1,),
            "layer_final.weight": (2, 3),
            "layer_final.bias": (2,),
        }
        arrays = {}
        for name, shape in shapes.items():
            actual = tuple(state[name].shape) if name in state else None
            if actual != shape:
                raise DataError(
                    f"{name} has shape {actual}, not {shape}; do the bins match the weights?",
                    file=str(self._path),
                )
            arrays[name] = state[name].double().numpy()
        return arrays
