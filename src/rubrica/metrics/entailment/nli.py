"""Entailment models: which of their classes is which, and the probabilities of pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rubrica.errors import DataError, ParameterError
from rubrica.neural.checkpoint import Checkpoint

# How checkpoints name their classes, in lower case.
_ENTAILMENT = ("entailment", "entail", "supports", "aligned")
_CONTRADICTION = ("contradiction", "contradict", "refutes")


@dataclass(frozen=True, slots=True)
class NliLabels:
    """The places of entailment and contradiction among a model's classes."""

    entailment: int
    contradiction: int

    @classmethod
    def of(
        cls, checkpoint: Checkpoint, entailment: int | None, contradiction: int | None
    ) -> NliLabels:
        """Return the given indices, else those in the checkpoint's configuration."""
        if entailment is not None and contradiction is not None:
            return cls(entailment, contradiction)
        labels = {
            str(v).lower(): int(k) for k, v in checkpoint.config().get("id2label", {}).items()
        }

        def place(index: int | None, words: Sequence[str]) -> int | None:
            return (
                index
                if index is not None
                else next((labels[w] for w in words if w in labels), None)
            )

        yes, no = place(entailment, _ENTAILMENT), place(contradiction, _CONTRADICTION)
        if yes is None or no is None:
            raise ParameterError(
                f"{checkpoint.name}: its classes {sorted(labels)} do not show which is entailment and "
                "which contradiction; give entailment_label and contradiction_label"
            )
        return cls(yes, no)

    def check(self, logits: Sequence[NDArray[np.float64]], checkpoint: Checkpoint) -> None:
        """Raise if the model does not have these classes."""
        if logits and len(logits[0]) <= max(self.entailment, self.contradiction):
            raise DataError(
                f"has {len(logits[0])} classes, none of them number {max(self.entailment, self.contradiction)}; "
                "is it an entailment model?",
                file=str(checkpoint.folder),
            )


def probabilities(logits: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    """Return the softmax of every row."""
    rows = np.array(logits)
    raised = np.exp(rows - rows.max(axis=1, keepdims=True))
    shares: NDArray[np.float64] = raised / raised.sum(axis=1, keepdims=True)
    return shares
