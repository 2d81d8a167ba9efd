"""N-grams that match by their words' vectors: the plain definition of the kernel `soft_matches`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
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
            peer, model = gram_counts(texts[left], n), gram_counts(texts[right], n)
            out[row, column] = (
                sum(used for *_, used in soft_links(peer, model, vectors, known, threshold)),
                model.total(),
                peer.total(),
            )
    return out


def gram_counts(text: Sequence[int], n: int) -> Counter[Gram]:
    """How often each n-gram occurs, in order of first appearance."""
    return Counter(zip(*(text[k:] for k in range(n)), strict=False))


def soft_links(
    peer: Counter[Gram],
    model: Counter[Gram],
    vectors: Floats,
    known: NDArray[np.bool_],
    threshold: float,
) -> Iterator[tuple[int, int, int]]:
    """Which distinct n-gram of the summary takes which of the reference, and how often.

    The summary's distinct n-grams choose in order, among the reference's that are left: the most
    similar, the first of several. One uses one of the reference, even if it occurs more often.
    """
    if not peer or not model:
        return
    columns = np.array([_unit(gram, vectors, known) for gram in model]).T
    places = {gram: at for at, gram in enumerate(model)}
    left = list(model.values())
    for number, (gram, count) in enumerate(peer.items()):
        # An n-gram with a word that has no vector only matches itself.
        best = places.get(gram, -1)
        if known[list(gram)].all():
            similarity = _cosines(gram, columns, vectors, known)
            if best >= 0:
                similarity[best] = 1.0
            similarity[np.array(left) == 0] = -np.inf
            best = int(similarity.argmax())
            if similarity[best] < threshold:
                continue
        if best >= 0 and left[best]:
            used = min(left[best], count)
            left[best] -= used
            yield number, best, used


def soft_similarities(
    peer: Iterable[Gram], model: Sequence[Gram], vectors: Floats, known: NDArray[np.bool_]
) -> Floats:
    """Cosines of all n-grams: array [summary, reference]; 1 for equal ones, 0 for unknown words."""
    columns = np.array([_unit(gram, vectors, known) for gram in model]).T
    rows = []
    for gram in peer:
        row = _cosines(gram, columns, vectors, known)
        row[[other == gram for other in model]] = 1.0
        rows.append(row)
    return np.array(rows)


def _cosines(gram: Gram, columns: Floats, vectors: Floats, known: NDArray[np.bool_]) -> Floats:
    similarity = np.zeros(columns.shape[1])
    for value, column in zip(_unit(gram, vectors, known), columns, strict=True):
        # In this order, as the compiled twin adds; a product of matrices has its own.
        similarity += value * column
    rounded: Floats = np.round(similarity, DECIMALS)
    return rounded


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
