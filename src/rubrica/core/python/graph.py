"""N-gram graphs in plain Python: the definition of the compiled kernel `graph_similarities`.

An edge joins two nearby character n-grams. A text's edges come in both directions
with equal weights, so each pair is kept once, by its sorted ends; a loop is one edge, any other pair
counts as two.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from rubrica.core.rouge_options import LONGEST_GRAM

Graph = dict[tuple[str, str], float]


def graph_similarities(
    summaries: list[str], references: list[str], min_n: int, max_n: int, window: int
) -> NDArray[np.float64]:
    """Return the similarities of the graphs of summaries and references: array [summary, 1 + reference, 3].

    The first of the rows of a summary is against the merged graph of the references. The numbers are
    value similarity, containment and size similarity, each a mean over the ranks `min_n` to `max_n`
    that weights rank n by min_n + ... + n. A text's symbols are its UTF-16 units.
    """
    if not 1 <= min_n <= max_n <= LONGEST_GRAM:
        raise ValueError(f"ranks must be 1 <= min_n <= max_n <= {LONGEST_GRAM:,}")
    out = np.zeros((len(summaries), 1 + len(references), 3))
    summary_units, reference_units = list(map(_units, summaries)), list(map(_units, references))
    ranks = range(min_n, max_n + 1)
    weights = list(accumulate(ranks))
    for n, weight in zip(ranks, weights, strict=True):
        graphs = [_graph(text, n, window) for text in reference_units]
        against = [_merged(graphs), *graphs]
        for row, text in enumerate(summary_units):
            summary = _graph(text, n, window)
            for column, other in enumerate(against):
                out[row, column] += np.array(_compare(summary, other)) * (weight / sum(weights))
    return out


def _units(text: str) -> str:
    """Return the text with every UTF-16 unit as a character."""
    if text.isascii():
        return text
    return "".join(map(chr, memoryview(text.encode("utf-16-le", "surrogatepass")).cast("H")))


def _graph(text: str, n: int, window: int) -> Graph:
    grams = [text[i : i + n] for i in range(len(text) - n + 1)]
    graph: Graph = {}
    for i, gram in enumerate(grams):
        for other in grams[max(0, i - window) : i]:
            ends = (gram, other) if gram <= other else (other, gram)
            graph[ends] = graph.get(ends, 0.0) + (2.0 if gram == other else 1.0)
    return graph


def _merged(graphs: Sequence[Graph]) -> Graph:
    """Return the first graph, moved towards the k-th by 1/k of the difference; new edges are added."""
    merged: Graph = dict(graphs[0]) if graphs else {}
    for k, graph in enumerate(graphs[1:], 2):
        for ends, weight in graph.items():
            old_weight = merged.get(ends)
            merged[ends] = (
                weight if old_weight is None else old_weight + (weight - old_weight) * (1.0 / k)
            )
    return merged


def _size(graph: Graph) -> int:
    return sum(1 if a == b else 2 for a, b in graph)


def _compare(a: Graph, b: Graph) -> tuple[float, float, float]:
    small, large = (a, b) if _size(a) <= _size(b) else (b, a)
    small_size, large_size = _size(small), _size(large)
    if not small_size:
        return 0.0, 0.0, 0.0
    common, total = 0, 0.0
    for ends, weight in small.items():
        other_weight = large.get(ends)
        if other_weight is not None:
            directions = 1 if ends[0] == ends[1] else 2
            common += directions
            total += directions * (min(weight, other_weight) / max(weight, other_weight))
    return total / large_size, common / small_size, small_size / large_size
