"""Counts as the package `rouge` (pltrdy) makes them: n-grams as sets, and its own union of LCS."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rubrica.core.python.lcs import lcs_length, mark_lcs
from rubrica.core.rouge_options import RougeOptions

Units = Sequence[Sequence[str]]


def pltrdy_counts(
    options: RougeOptions,
    summaries: Sequence[Units],
    references: Sequence[Units],
    pairs: NDArray[np.int64],
    *,
    distinct: bool,
) -> NDArray[np.float64]:
    """Return the counts for n-grams and L: array [pair, measure, (hits, reference's count, summary's count)]."""
    out = np.zeros((len(pairs), len(options.measures), 3))
    for row, (i, j) in zip(out, pairs.tolist(), strict=True):
        counts = [_ngrams(summaries[i], references[j], n, distinct) for n in options.ngrams]
        if options.lcs:
            counts.append(_union_of_words(summaries[i], references[j], distinct))
        row[:] = counts
    return out


def _ngrams(summary: Units, reference: Units, n: int, distinct: bool) -> tuple[int, int, int]:
    left, right = _count(summary, n, distinct), _count(reference, n, distinct)
    return (left & right).total(), right.total(), left.total()


def _count(units: Units, n: int, distinct: bool) -> Counter[tuple[str, ...]]:
    tokens = [token for unit in units for token in unit]
    grams = zip(*(tokens[k:] for k in range(n)), strict=False)
    return Counter(set(grams)) if distinct else Counter(grams)


def _union_of_words(summary: Units, reference: Units, distinct: bool) -> tuple[int, int, int]:
    """Return the words on a common subsequence of any two sentences: a set, or the sum of all lengths.

    As a sum it grows with the number of sentences; recall and precision can exceed 1.
    """
    _, reference_count, summary_count = _ngrams(summary, reference, 1, distinct)
    if not distinct:
        hits = sum(lcs_length(unit, other) for unit in reference for other in summary)
        return hits, reference_count, summary_count
    words: set[str] = set()
    for unit in reference:
        for other in summary:
            # Of equally long subsequences the package takes the one our rule takes in the
            # transposed table, so the summary's sentence stands where a reference would.
            marks = bytearray(len(other))
            mark_lcs(other, unit, marks)
            words.update(token for token, marked in zip(other, marks, strict=True) if marked)
    return len(words), reference_count, summary_count
