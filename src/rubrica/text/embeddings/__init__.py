"""Static word embeddings: one vector per word, from a file or from an installed package."""

from __future__ import annotations

from rubrica.text.embeddings.table import DEFAULT, Embeddings, load_embeddings

__all__ = ["DEFAULT", "Embeddings", "load_embeddings"]
