"""ROUGE-WE: ROUGE-N in which n-grams also match by the similarity of their words' vectors."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rubrica.data.instance import ReferenceType, SummaryType, Text, flatten
from rubrica.data.metrics import MetricsDict
from rubrica.errors import ParameterError
from rubrica.metrics.base import Metric
from rubrica.metrics.word_vectors import WordVectorMetric
from rubrica.text.embeddings import DEFAULT, Embeddings

_WORD = re.compile(r"\w+")
# Similarities are compared to so many decimals: sums of the same vectors in another order are equal.
_DECIMALS = 12


@Metric.register("rouge-we")
class RougeWE(WordVectorMetric):
    """ROUGE-N with soft matches: each n-gram of the summary takes the reference's most similar one.

    As Peyrard's program computes it (S3, SummEval, REALSumm): an n-gram's vector is the sum of its
    words' vectors, similarity is the cosine, and a pair below the threshold does not match. An n-gram
    with a word that has no vector only matches itself. Empty texts: 0.

    Args:
        max_ngram: ROUGE-WE-1 to this.
        embeddings: A file of word vectors (word2vec, GloVe, fastText's .vec, deps.words), or glove-6b-50d.
        threshold: The least cosine that counts as a match.
        alpha: What precision weighs in F, 0 (recall only) to 1 (precision only).
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
        """The counts of each pair: matches, n-grams of the reference and of the summary."""
        read = lru_cache(maxsize=256)(self._orders)
        rows = []
        for summary, reference in zip(summaries, references, strict=True):
            peer, model = read(flatten(summary)), read(flatten(reference))
            counts = [soft_overlap(p, m, self.threshold) for p, m in zip(peer, model, strict=True)]
            rows.append(
                {
                    f"rouge-we-{n}": {"matches": found, "reference": m.total, "summary": p.total}
                    for n, (found, p, m) in enumerate(zip(counts, peer, model, strict=True), 1)
                }
            )
        return rows

    def _orders(self, text: str) -> list[SoftGrams]:
        words = words_of(text)
        return [SoftGrams(words, n, self.embeddings) for n in range(1, self.max_ngram + 1)]

    def combine_pairs(self, rows: Sequence[MetricsDict]) -> MetricsDict:
        """Scores from the counts of all references together."""
        scores = {}
        for key in rows[0]:
            matches, recalled, given = (
                sum(row[key][part] for row in rows) for part in ("matches", "reference", "summary")
            )
            recall = matches / recalled if recalled else 0.0
            precision = matches / given if given else 0.0
            weighed = (1 - self.alpha) * precision + self.alpha * recall
            scores[key] = {
                "recall": recall,
                "precision": precision,
                "f1": precision * recall / weighed if weighed else 0.0,
            }
        return MetricsDict(scores)


def words_of(text: Text) -> list[str]:
    """Runs of letters, digits and underscores, in lower case; n-grams go on over sentence ends."""
    return [word.lower() for word in _WORD.findall(flatten(text))]


class SoftGrams:
    """A text's distinct n-grams in order of first appearance, with counts and unit vectors.

    Rows of `units` are zero for n-grams with a word that has no vector (`known` says which).
    """

    def __init__(self, words: Sequence[str], n: int, embeddings: Embeddings) -> None:
        counts = Counter(zip(*(words[i:] for i in range(n)), strict=False))
        self.grams = {gram: at for at, gram in enumerate(counts)}
        self.counts = list(counts.values())
        self.total = sum(self.counts)
        vocabulary = {word: at for at, word in enumerate(dict.fromkeys(words))}
        places = np.array(
            [[vocabulary[word] for word in gram] for gram in counts], dtype=np.int64
        ).reshape(-1, n)
        has_vector = embeddings.rows(vocabulary) >= 0
        self.known: NDArray[np.bool_] = np.all(has_vector[places], axis=1)
        sums = embeddings.vectors(vocabulary)[places].sum(axis=1)
        lengths = np.sqrt(np.einsum("ij,ij->i", sums, sums))
        self.units: NDArray[np.float64] = np.divide(
            sums, lengths[:, None], out=np.zeros_like(sums), where=lengths[:, None] > 0
        )
        self.units[~self.known] = 0.0


def soft_overlap(peer: SoftGrams, model: SoftGrams, threshold: float) -> int:
    """How many n-grams of the reference are matched, each used at most as often as it occurs there.

    Peer n-grams choose in the order of their first appearance, among the reference's n-grams that are
    left: the most similar, the first of several. One peer n-gram uses one reference n-gram, even if
    it occurs more often than that.
    """
    if not peer.counts or not model.counts:
        return 0
    similarity = np.round(peer.units @ model.units.T, _DECIMALS)
    same = [(at, model.grams.get(gram, -1)) for gram, at in peer.grams.items()]
    for at, exact in same:
        if exact >= 0:
            similarity[at, exact] = 1.0
    left = list(model.counts)
    matches = 0
    for at, exact in same:
        # Without a vector there is only the n-gram itself.
        best = int(similarity[at].argmax()) if peer.known[at] else exact
        if best < 0 or left[best] == 0 or similarity[at, best] < threshold:
            continue
        wanted = peer.counts[at]
        matches += min(left[best], wanted)
        left[best] -= min(left[best], wanted)
        if left[best] == 0:
            # Used up: nothing is similar to it any more.
            similarity[:, best] = -np.inf
    return matches
