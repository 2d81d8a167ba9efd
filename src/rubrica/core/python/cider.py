"""CIDEr-D in plain Python: the definition of `cider_frequencies` and `cider_similarities`."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

Gram = tuple[str, ...]


class Frequencies:
    """Document frequencies of n-grams of 1 to n words."""

    def __init__(self, examples: int, counts: Mapping[Gram, int], n: int) -> None:
        self.n, self._counts = n, counts
        # An unseen n-gram counts as if it occurred in one example.
        largest = max(counts.values(), default=0)
        logs = [math.log(max(1, number)) for number in (examples, *range(largest + 1))]
        self._idf = [logs[0] - log for log in logs[1:]]

    def weights(self, words: list[str]) -> list[dict[Gram, float]]:
        """Return for every n each n-gram's count in a text times its inverse document frequency."""
        document_count, idf = self._counts.get, self._idf
        return [
            {gram: count * idf[document_count(gram, 0)] for gram, count in Counter(grams).items()}
            for grams in _grams(words, self.n)
        ]


def cider_frequencies(examples: list[list[list[str]]], n: int) -> Any:
    """Return in how many examples n-grams occur; an example is the references of one input, lists of words."""
    if n < 1:
        raise ValueError("n-grams have at least 1 word")
    counts: Counter[Gram] = Counter()
    for references in examples:
        counts.update(
            {gram for words in references for grams in _grams(words, n) for gram in grams}
        )
    return Frequencies(len(examples), dict(counts), n)


def cider_similarities(
    frequencies: Any, texts: list[list[str]], pairs: NDArray[np.int64], sigma: float
) -> NDArray[np.float64]:
    """Return CIDEr-D, 0 to 10, of pairs (summary, reference) of indices of texts."""
    if len(pairs) and not (pairs.min() >= 0 and pairs.max() < len(texts)):
        raise IndexError("a pair names a text that is not there")
    weights = [frequencies.weights(words) for words in texts]
    norms = [[_norm(gram_weights) for gram_weights in orders] for orders in weights]
    scores = []
    for summary, reference in pairs.tolist():
        total = 0.0
        for k in range(frequencies.n):
            dot = _clipped_product(weights[summary][k], weights[reference][k])
            norm = norms[summary][k] * norms[reference][k]
            total += dot / norm if norm else dot
        # The original uses the number of bigrams as the length.
        apart = float(max(0, len(texts[summary]) - 1) - max(0, len(texts[reference]) - 1))
        scores.append(
            10 * math.exp(-(apart * apart) / (2 * (sigma * sigma))) * total / frequencies.n
        )
    return np.array(scores, dtype=np.float64)


def _grams(words: list[str], n: int) -> list[list[Gram]]:
    """Return the n-grams of 1, 2, ... n words."""
    return [
        list(zip(*(words[start:] for start in range(k)), strict=False)) for k in range(1, n + 1)
    ]


def _norm(weights: Mapping[Gram, float]) -> float:
    squares = 0.0
    for value in weights.values():
        squares += value * value
    return math.sqrt(squares)


def _clipped_product(summary: Mapping[Gram, float], reference: Mapping[Gram, float]) -> float:
    """Return the dot product, with summary weights clipped to those of the reference."""
    dot = 0.0
    for gram, weight in summary.items():
        theirs = reference.get(gram)
        if theirs is not None:
            dot += min(weight, theirs) * theirs
    return dot
