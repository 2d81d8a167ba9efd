"""N-grams that match by their words' vectors: the plain definition of the kernel `soft_matches`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Gram = tuple[int, ...]

# So many decimals of a similarity count: sums of the same vectors in another order are equal.
DECIMALS = 12


def soft_matches(
    words: NDArray[np.int64],
    ends: NDArray[np.int64],
    pairs: NDArray[np.int64],
    vectors: Floats,
    known: NDArray[np.bool_],
    orders: list[int],
    threshold: float,
) -> NDArray[np.int64]:
    """Matches, n-grams of the reference and of the summary: array [pair, n, 3].

    Texts are numbers of words, one text after the other; `vectors` has a row per word, which counts
    where `known` says so. `pairs` are a summary's and a reference's number each.
    """
    starts = [0, *ends.tolist()]
    texts = [words[a:b].tolist() for a, b in pairwise(starts)]
    out = np.zeros((len(pairs), len(orders), 3), dtype=np.int64)
    for row, (left, right) in enumerate(pairs.tolist()):
        for column, n in enumerate(orders):
            peer, model = _counts(texts[left], n), _counts(texts[right], n)
            out[row, column] = (
                _matches(peer, model, vectors, known, threshold),
                model.total(),
                peer.total(),
            )
    return out


def _counts(text: Sequence[int], n: int) -> Counter[Gram]:
    """How often each n-gram occurs, in order of first appearance."""
    return Counter(zip(*(text[k:] for k in range(n)), strict=False))


def _matches(
    peer: Counter[Gram],
    model: Counter[Gram],
    vectors: Floats,
    known: NDArray[np.bool_],
    threshold: float,
) -> int:
    """How many n-grams of the reference are matched.

    The summary's distinct n-grams choose in order, among the reference's that are left: the most
    similar, the first of several. One uses one of the reference, even if it occurs more often.
    """
    if not peer or not model:
        return 0
    columns = np.array([_unit(gram, vectors, known) for gram in model]).T
    places = {gram: at for at, gram in enumerate(model)}
    left = list(model.values())
    matches = 0
    for gram, count in peer.items():
        # An n-gram with a word that has no vector only matches itself.
        best = places.get(gram, -1)
        if known[list(gram)].all():
            similarity = np.zeros(len(left))
            for value, column in zip(_unit(gram, vectors, known), columns, strict=True):
                # In this order, as the compiled twin adds; a product of matrices has its own.
                similarity += value * column
            similarity = np.round(similarity, DECIMALS)
            if best >= 0:
                similarity[best] = 1.0
            similarity[np.array(left) == 0] = -np.inf
            best = int(similarity.argmax())
            if similarity[best] < threshold:
                continue
        if best >= 0:
            used = min(left[best], count)
            matches += used
            left[best] -= used
    return matches


def _unit(gram: Gram, vectors: Floats, known: NDArray[np.bool_]) -> Floats:
    """The sum of the words' vectors, scaled to length 1; zeros where a word has none."""
    total = np.zeros(vectors.shape[1])
    if not known[list(gram)].all():
        return total
    for word in gram:
        total += vectors[word]
    square = np.cumsum(total * total)[-1]
    scaled: Floats = total / np.sqrt(square) if square else total
    return scaled
