"""ROUGE-WE: ROUGE-N in which n-grams also match by the similarity of their words' vectors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rubrica.core import kernels
from rubrica.core.python.soft_matches import gram_counts, soft_links, soft_similarities
from rubrica.data.instance import ReferenceType, SummaryType, Text, flatten
from rubrica.data.metrics import MetricsDict
from rubrica.errors import ParameterError
from rubrica.metrics.base.alignment import Link, TokenAlignment
from rubrica.metrics.base.metric import Metric
from rubrica.metrics.base.word_vectors import WordVectorMetric
from rubrica.text.embeddings import DEFAULT, Embeddings
from rubrica.text.words import words_of

# Number of pairs whose word vectors are in memory at a time.
_PAIRS_AT_ONCE = 1024


@Metric.register("rouge-we")
class RougeWE(WordVectorMetric):
    """ROUGE-N with soft matching: each n-gram of the summary matches the most similar one of the reference.

    As Peyrard's program computes it (S3, SummEval, REALSumm): an n-gram's vector is the sum of its
    words' vectors, similarity is the cosine, and a pair below the threshold does not match. An n-gram
    with a word that has no vector only matches itself. Empty texts: 0.

    Args:
        max_ngram: Compute ROUGE-WE-1 up to this order.
        embeddings: File of word vectors (word2vec, GloVe, fastText's .vec, deps.words), or
            `glove-6b-50d`.
        threshold: Minimum cosine for a match.
        alpha: 0 makes `f1` recall, 1 precision.
    """

    value_range = (0.0, 1.0)
    citation = """@inproceedings{ng-abrecht-2015-better,
    title = "Better Summarization Evaluation with Word Embeddings for {ROUGE}",
    author = "Ng, Jun-Ping and Abrecht, Viktoria", year = "2015", pages = "1925--1930",
    booktitle = "Proceedings of the 2015 Conference on Empirical Methods in Natural Language Processing",
    url = "https://aclanthology.org/D15-1222"}"""

    def __init__(
        self,
        max_ngram: int = 3,
        embeddings: str = DEFAULT,
        threshold: float = 0.8,
        alpha: float = 0.5,
    ) -> None:
        if max_ngram < 1:
            raise ParameterError(f"rouge-we: max_ngram must be 1 or more, not {max_ngram}")
        if not -1 <= threshold <= 1:
            raise ParameterError(f"rouge-we: threshold is a cosine, -1 to 1, not {threshold}")
        if not 0 <= alpha <= 1:
            raise ParameterError(f"rouge-we: alpha must be between 0 and 1, not {alpha}")
        super().__init__(embeddings)
        self.max_ngram, self.threshold, self.alpha = max_ngram, threshold, alpha

    def score_pairs(
        self, summaries: Sequence[SummaryType], references: Sequence[ReferenceType]
    ) -> Sequence[Mapping[str, Any]]:
        """Return the counts of each pair: matches, n-grams of the reference and of the summary."""
        orders = range(1, self.max_ngram + 1)
        counts = soft_counts(summaries, references, orders, self.embeddings, self.threshold)
        return [
            {
                f"rouge-we-{n}": dict(zip(("matches", "reference", "summary"), of_n, strict=True))
                for n, of_n in zip(orders, row, strict=True)
            }
            for row in counts.tolist()
        ]

    def align(self, summary: SummaryType, reference: ReferenceType) -> TokenAlignment:
        """Return the distinct n-grams of the highest order, their cosines, and which one takes which.

        Amounts are shares of all matches.
        """
        vocabulary: dict[str, int] = {}
        peer, model = (
            gram_counts(
                [vocabulary.setdefault(word, len(vocabulary)) for word in words_of(flatten(text))],
                self.max_ngram,
            )
            for text in (summary, reference)
        )
        rows = self.embeddings.rows(vocabulary)
        vectors, known = self.embeddings.at(rows), rows >= 0
        name, spelled = f"rouge-we-{self.max_ngram}", list(vocabulary)
        values = self.score(summary, [reference])[name]
        ours, theirs = (
            [" ".join(spelled[word] for word in gram) for gram in side] for side in (peer, model)
        )
        cosines: Sequence[Sequence[float]] = [[] for _ in peer]
        links: list[Link] = []
        if peer and model:
            cosines = soft_similarities(peer, list(model), vectors, known).tolist()
            matches = list(soft_links(peer, model, vectors, known, self.threshold))
            total = sum(used for *_, used in matches)
            links = [Link(s, r, used / total, "match") for s, r, used in matches]
        return TokenAlignment(
            ours,
            theirs,
            "cosine",
            cosines,
            links,
            {f"{name}.{key}": value for key, value in values.items()},
        )

    def combine_pairs(self, rows: Sequence[MetricsDict]) -> MetricsDict:
        """Return scores from the counts of all references together."""
        scores = {}
        for key in rows[0]:
            matches, reference_total, summary_total = (
                sum(row[key][part] for row in rows) for part in ("matches", "reference", "summary")
            )
            recall = matches / reference_total if reference_total else 0.0
            precision = matches / summary_total if summary_total else 0.0
            denominator = (1 - self.alpha) * precision + self.alpha * recall
            scores[key] = {
                "recall": recall,
                "precision": precision,
                "f1": precision * recall / denominator if denominator else 0.0,
            }
        return MetricsDict(scores)


def soft_counts(
    summaries: Sequence[Text],
    references: Sequence[Text],
    orders: Sequence[int],
    embeddings: Embeddings,
    threshold: float,
) -> NDArray[np.int64]:
    """Return matches, reference n-grams and summary n-grams of each pair: array [pair, n, 3]."""
    parts = [
        _soft_counts(
            summaries[begin : begin + _PAIRS_AT_ONCE],
            references[begin : begin + _PAIRS_AT_ONCE],
            orders,
            embeddings,
            threshold,
        )
        for begin in range(0, len(summaries), _PAIRS_AT_ONCE)
    ]
    return np.concatenate([np.zeros((0, len(orders), 3), dtype=np.int64), *parts])


def _soft_counts(
    summaries: Sequence[Text],
    references: Sequence[Text],
    orders: Sequence[int],
    embeddings: Embeddings,
    threshold: float,
) -> NDArray[np.int64]:
    """Count like `soft_counts`, with the vectors of all words in memory."""
    vocabulary: dict[str, int] = {}
    words: list[int] = []
    ends: list[int] = []
    texts: dict[str, int] = {}
    pairs = []
    for pair in zip(map(flatten, summaries), map(flatten, references), strict=True):
        for text in pair:
            if text not in texts:
                texts[text] = len(ends)
                words += [vocabulary.setdefault(word, len(vocabulary)) for word in words_of(text)]
                ends.append(len(words))
        pairs.append([texts[text] for text in pair])
    rows = embeddings.rows(vocabulary)
    return kernels.soft_matches(
        words=np.array(words, dtype=np.int64),
        ends=np.array(ends, dtype=np.int64),
        pairs=np.array(pairs, dtype=np.int64).reshape(-1, 2),
        vectors=embeddings.at(rows),
        known=rows >= 0,
        orders=list(orders),
        threshold=threshold,
    )
