"""The compiled ROUGE kernels behind the signatures of their plain twins."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rubrica.core import _native  # noqa: TID251 (behind the door)
from rubrica.core.rouge_options import RougeFinish, RougeOptions
from rubrica.core.rouge_words import smart_stopwords, wordnet_exceptions

Floats = NDArray[np.float64]
Whole = NDArray[np.int32]


def rouge_counts(
    options: RougeOptions,
    summaries: Sequence[object],
    references: Sequence[object],
    pairs: ArrayLike | None = None,
    threads: int = 1,
) -> Floats:
    """Count `options.measures` for pairs of texts: array [pair, measure, 3].

    See the plain twin for what is counted. A text is read once however many pairs name it.
    """
    if pairs is None:
        if len(summaries) != len(references):
            raise ValueError(f"{len(summaries)} summaries but {len(references)} references")
        pairs = np.repeat(np.arange(len(summaries), dtype=np.int64)[:, None], 2, axis=1)
    if options.stopwords or (options.stemmer == "porter-rouge" and options.exceptions):
        _load_word_lists()
    if options.tokenizer == "lower" and options.max_bytes:
        # The limit counts bytes of the lower-cased text, and lower case may be longer or shorter.
        summaries, references = _lower(summaries), _lower(references)
    return _native.rouge_counts(
        tokenizer=options.tokenizer,
        stemmer=options.stemmer,
        exceptions=options.exceptions,
        stopwords=options.stopwords,
        newline_units=options.newline_units,
        max_words=options.max_words or 0,
        max_bytes=options.max_bytes or 0,
        ngrams=list(options.ngrams),
        lcs=options.lcs,
        lcs_union=options.lcs_union,
        wlcs_weight=options.wlcs_weight,
        skip_gaps=list(options.skip_gaps),
        skip_unigram_gaps=list(options.skip_unigram_gaps),
        summaries=summaries,
        references=references,
        pairs=np.ascontiguousarray(pairs, dtype=np.int64).reshape(-1, 2),
        threads=max(1, threads),
    )


@cache
def _load_word_lists() -> None:
    _native.set_rouge_data(wordnet_exceptions(), smart_stopwords())


def _lower(texts: Sequence[object]) -> list[object]:
    return [t.lower() if isinstance(t, str) else [unit.lower() for unit in t] for t in texts]  # type: ignore[attr-defined]


def rouge_scores(counts: Floats, exponents: Floats, finish: RougeFinish) -> Floats:
    """Recall, precision and F of counts [pair, measure, (hits, reference's, summary's)]."""
    return _native.rouge_scores(
        np.ascontiguousarray(counts),
        exponents,
        finish.alpha,
        finish.epsilon,
        finish.printed,
        finish.scale,
        finish.scale_first,
    )


def round5(values: ArrayLike) -> Floats:
    """Each number as "%.5f" prints it, read back: ROUGE-1.5.5 computes on with printed numbers."""
    array = np.asarray(values, dtype=np.float64)
    return _native.round5(np.ascontiguousarray(array).ravel()).reshape(array.shape)


def rouge155_bootstrap_sums(values: Floats, rounds: int, threads: int = 1) -> Floats:
    """Column sums of the rows that ROUGE-1.5.5 draws in each of its rounds: array [round, column]."""
    return _native.rouge155_bootstrap_sums(np.ascontiguousarray(values), rounds, max(1, threads))


def rouge155_whole_sums(values: Whole, rounds: int, threads: int = 1) -> Floats:
    """The same of whole numbers, whose sums are exact in whatever order; much faster on large tables."""
    return _native.rouge155_whole_sums(np.ascontiguousarray(values), rounds, max(1, threads))
