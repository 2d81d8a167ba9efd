"""Plain Python kernels of ROUGE: the definition of the compiled ones, and their stand-in.

Everything ROUGE reports follows from three numbers per pair of summary and reference and measure:
hits, the reference's count, the summary's count. Which of them are divided, pooled or rounded is
decided elsewhere.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rubrica.core.python import lcs as lcs_py
from rubrica.core.python.lcs import lcs_length, mark_lcs, mark_weighted_lcs
from rubrica.core.python.rouge_text import Text, reader
from rubrica.core.rouge_options import RougeFinish, RougeOptions, power, scale_printed

Floats = NDArray[np.float64]
Whole = NDArray[np.int32]
Counts = tuple[float, float, float]
Measure = Callable[[Text, Text], Counts]


def rouge_counts(
    options: RougeOptions,
    summaries: Sequence[object],
    references: Sequence[object],
    pairs: ArrayLike | None = None,
    threads: int = 1,
) -> Floats:
    """Count `options.measures` for pairs of texts: array [pair, measure, 3].

    The last axis holds hits, the reference's count and the summary's count. A text is a string, a
    sequence of strings (its units), or, with tokenizer "given", a sequence of sequences of tokens.
    `pairs` holds rows of (index of summary, index of reference); None takes the texts in parallel.
    `threads` is for the compiled twin. For ROUGE-W the reference's count is weighted once, as the
    sum over units; ROUGE-1.5.5 weighs that sum a second time.
    """
    if pairs is None:
        if len(summaries) != len(references):
            raise ValueError(f"{len(summaries)} summaries but {len(references)} references")
        pairs = np.repeat(np.arange(len(summaries), dtype=np.int64)[:, None], 2, axis=1)
    rows = np.asarray(pairs, dtype=np.int64).reshape(-1, 2)
    read = reader(options)
    return count_texts(options, [*map(read, summaries)], [*map(read, references)], rows)


def count_texts(
    options: RougeOptions,
    summaries: Sequence[Text],
    references: Sequence[Text],
    pairs: NDArray[np.int64],
) -> Floats:
    """As `rouge_counts`, of texts that are tokens already; of the options only the measures count."""
    measures = _measures(options)
    out = np.zeros((len(pairs), len(measures), 3))
    for row, (i, j) in zip(out, pairs.tolist(), strict=True):
        for k, measure in enumerate(measures):
            row[k] = measure(summaries[i], references[j])
    return out


def _measures(options: RougeOptions) -> list[Measure]:
    """One function for each name in `options.measures`, in that order."""
    measures: list[Measure] = [_ngram_measure(n) for n in options.ngrams]
    if options.lcs:
        measures.append(_lcs)
    if options.lcs_union:
        measures.append(_union_lcs)
    if options.wlcs_weight is not None:
        measures.append(_weighted_measure(options.wlcs_weight))
    measures += [_skip_measure(gap, False) for gap in options.skip_gaps]
    measures += [_skip_measure(gap, True) for gap in options.skip_unigram_gaps]
    return measures


def _clipped(summary: Counter[tuple[str, ...]], reference: Counter[tuple[str, ...]]) -> Counts:
    return (summary & reference).total(), reference.total(), summary.total()


def _ngram_measure(n: int) -> Measure:
    return lambda summary, reference: _clipped(summary.ngrams(n), reference.ngrams(n))


def _skip_measure(gap: int | None, unigrams: bool) -> Measure:
    return lambda summary, reference: _clipped(
        summary.skip_bigrams(gap, unigrams), reference.skip_bigrams(gap, unigrams)
    )


def _lcs(summary: Text, reference: Text) -> Counts:
    hits = lcs_length(reference.whole, summary.whole)
    return hits, len(reference.whole), len(summary.whole)


def _union_lcs(summary: Text, reference: Text) -> Counts:
    """Tokens of each reference unit on its subsequence with any summary unit, each used once."""
    summary_left, reference_left = Counter(summary.unigrams), Counter(reference.unigrams)
    hits = base = 0
    for unit in reference.units:
        base += len(unit)
        marks = bytearray(len(unit))
        for summary_unit in summary.units:
            mark_lcs(unit, summary_unit, marks)
        for token, is_marked in zip(unit, marks, strict=True):
            if is_marked and use_token(token, summary_left, reference_left):
                hits += 1
    return hits, base, len(summary.whole)


def use_token(token: str, left: Counter[str], needed: Counter[str]) -> bool:
    """Take the token out of both counts, if both still have it."""
    if left[token] <= 0 or needed[token] <= 0:
        return False
    left[token] -= 1
    needed[token] -= 1
    return True


def _weighted_measure(weight: float) -> Measure:
    def measure(summary: Text, reference: Text) -> Counts:
        longest = max((len(unit) for unit in reference.units), default=0)
        power = [float(k) ** weight for k in range(longest + 2)]
        summary_left, reference_left = Counter(summary.unigrams), Counter(reference.unigrams)
        hits = base = 0.0
        for unit in reference.units:
            base += power[len(unit)]
            marks = bytearray(len(unit) + 1)  # the extra one stays 0 and ends the last run
            for summary_unit in summary.units:
                mark_weighted_lcs(unit, summary_unit, power, marks)
            run = 0
            for i, token in enumerate(unit):
                # A marked token that was used up before neither lengthens nor ends the run: a run
                # may wait for the next one, or be lost at the end of the unit. So ROUGE-1.5.5.
                if marks[i] and use_token(token, summary_left, reference_left):
                    run += 1
                    if not marks[i + 1]:
                        hits += power[run]
                        run = 0
        return hits, base, float(len(summary.whole)) ** weight

    return measure


def rouge_scores(counts: Floats, exponents: Floats, finish: RougeFinish) -> Floats:
    """Recall, precision and F of counts [pair, measure, (hits, reference's, summary's)]."""
    scores = np.empty(counts.shape)
    # A count is at least 1, or 0, and then there are no hits either (py-rouge's are the scorer's affair).
    np.divide(counts[:, :, :1], np.maximum(counts[:, :, 1:], 1), out=scores[:, :, :2])
    for k, exponent in enumerate(exponents.tolist()):
        if exponent != 1:
            scores[:, k, :2] = power(scores[:, k, :2], exponent)
    if finish.printed:
        scores[:, :, :2] = round5(scores[:, :, :2])
    if finish.scale_first:
        scores[:, :, :2] *= finish.scale
    recall, precision = scores[:, :, 0], scores[:, :, 1]
    if finish.epsilon:
        scores[:, :, 2] = 2.0 * ((precision * recall) / (precision + recall + finish.epsilon))
    else:
        below = (1 - finish.alpha) * precision + finish.alpha * recall
        scores[:, :, 2] = precision * recall / (below + (below == 0))
    if finish.printed:
        scores[:, :, 2] = round5(scores[:, :, 2])
    if not finish.scale_first:
        return scale_printed(scores, finish.scale) if finish.printed else scores * finish.scale
    return scores


def round5(values: ArrayLike) -> Floats:
    """Each number as "%.5f" prints it, read back: ROUGE-1.5.5 computes on with printed numbers."""
    array = np.asarray(values, dtype=np.float64)
    return np.array([float(f"{x:.5f}") for x in array.ravel().tolist()]).reshape(array.shape)


def rouge155_bootstrap_sums(values: Floats, rounds: int, threads: int = 1) -> Floats:
    """Column sums of the rows that ROUGE-1.5.5 draws in each of its rounds: array [round, column].

    Round s seeds the generator of Perl's `rand` (drand48) with s and draws as many rows as there
    are, adding them in the order drawn.
    """
    n, columns = values.shape
    totals = np.zeros((rounds, columns))
    state = (np.arange(rounds, dtype=np.uint64) << np.uint64(16)) + np.uint64(0x330E)
    for _ in range(n):
        state = (state * np.uint64(0x5DEECE66D) + np.uint64(0xB)) & np.uint64(0xFFFFFFFFFFFF)
        drawn = (state.astype(np.float64) * 2.0**-48 * n).astype(np.int64)
        totals += values[drawn]
    return totals


def rouge155_whole_sums(values: Whole, rounds: int, threads: int = 1) -> Floats:
    """The same of whole numbers, whose sums are exact in whatever order."""
    return rouge155_bootstrap_sums(values.astype(np.float64), rounds)


def weighted_lcs_path(
    reference: NDArray[np.int64], summary: NDArray[np.int64], power: Floats
) -> NDArray[np.int64]:
    """Places [k, 2] (in the reference, in the summary) of the words on ROUGE-W's path, the last first.

    Words are numbers from 1; `power[k]` is k ** weight, up to the shorter text's length.
    """
    path = lcs_py.weighted_lcs_path(reference.tolist(), summary.tolist(), power.tolist())
    return np.array(list(path), dtype=np.int64).reshape(-1, 2)
