"""BERTScore's arithmetic on token vectors: greedy matching, weights, idf."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from rubrica.metrics.base.alignment import Link
from rubrica.metrics.base.neural import harmonic_mean
from rubrica.neural.encoder import EncodedText

Vector = NDArray[np.float64]


class Idf:
    """Inverse document frequency of token ids: ln((N + 1) / (df + 1)), for N texts.

    A token that no text has weighs ln(N + 1).
    """

    def __init__(self, texts: Iterable[Iterable[int]]) -> None:
        frequencies: Counter[int] = Counter()
        count = 0
        for ids in texts:
            frequencies.update(set(ids))
            count += 1
        self._unseen = math.log(count + 1)
        self._weights = {
            token: math.log((count + 1) / (df + 1)) for token, df in frequencies.items()
        }

    def weights(self, ids: Iterable[int]) -> Vector:
        """Return the weight of each token."""
        return np.array([self._weights.get(token, self._unseen) for token in ids], dtype=np.float64)

    def table(self) -> Mapping[int, float]:
        """Return the weights of the ids that occur."""
        return self._weights


def plain_weights(text: EncodedText) -> Vector:
    """Return 1 for the text's own tokens, 0 for those the tokenizer added."""
    return 1.0 - np.array(text.special, dtype=np.float64)


def unit_vectors(text: EncodedText) -> NDArray[np.float32]:
    """Return vectors of length 1."""
    norms: NDArray[np.float32] = np.linalg.norm(text.vectors, axis=1, keepdims=True)
    # A zero vector stays zero: it is similar to nothing.
    norms[norms == 0] = 1
    units: NDArray[np.float32] = text.vectors / norms
    return units


def greedy_match(
    summary: NDArray[np.float32],
    reference: NDArray[np.float32],
    summary_weights: Vector,
    reference_weights: Vector,
) -> tuple[float, float, float]:
    """Return precision, recall and F1; 0, 0, 0 if a side has no weighted token.

    Tokens that the tokenizer added have no weight but can be matched, as in the original.
    """
    weight_s, weight_r = summary_weights.sum(), reference_weights.sum()
    if not (weight_s > 0 and weight_r > 0):
        return 0.0, 0.0, 0.0
    similarity = summary @ reference.T
    precision = float(similarity.max(axis=1) @ summary_weights / weight_s)
    recall = float(similarity.max(axis=0) @ reference_weights / weight_r)
    return precision, recall, harmonic_mean(precision, recall)


def greedy_links(
    similarity: NDArray[np.float64], summary_weights: Vector, reference_weights: Vector
) -> list[Link]:
    """Return the best match of every weighted token: from the summary for precision, from the reference for recall."""
    links: list[Link] = []
    if not (summary_weights.sum() > 0 and reference_weights.sum() > 0):
        return links
    for kind, matrix, weights in (
        ("precision", similarity, summary_weights),
        ("recall", similarity.T, reference_weights),
    ):
        total = weights.sum()
        for at in np.flatnonzero(weights > 0).tolist():
            best, amount = int(matrix[at].argmax()), float(weights[at] / total)
            ends = (at, best) if kind == "precision" else (best, at)
            links.append(Link(*ends, amount, kind))
    return links
