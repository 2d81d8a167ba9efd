"""Word and sentence mover's similarity: `wms`, `sms` and both together, `s+wms`."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from rubrica.data.instance import ReferenceType, SummaryType, hashable
from rubrica.errors import ParameterError
from rubrica.metrics.base.alignment import Link, TokenAlignment
from rubrica.metrics.base.metric import Metric
from rubrica.metrics.base.word_vectors import WordVectorMetric
from rubrica.text.embeddings import DEFAULT
from rubrica.text.emd import (
    earth_movers_distance,
    earth_movers_plan,
    relaxed_movers_distance,
    solver,
)
from rubrica.text.english_tokens import english_tokens
from rubrica.text.sentences import sentences_of
from rubrica.text.stopwords import stopwords

OutOfVocabulary = Literal["zero", "skip"]

_CITATION = """@inproceedings{clark-etal-2019-sentence,
    title = "Sentence Mover's Similarity: Automatic Evaluation for Multi-Sentence Texts",
    author = "Clark, Elizabeth and Celikyilmaz, Asli and Smith, Noah A.", year = "2019",
    booktitle = "Proceedings of the 57th Annual Meeting of the Association for Computational Linguistics",
    url = "https://aclanthology.org/P19-1264", pages = "2748--2760"}"""

# A word, or the words of a sentence; equal keys are the same point.
Key = str | tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Bag:
    """A text as weighted points."""

    weights: Mapping[Key, float]
    vectors: Mapping[Key, NDArray[np.float64]]


class MoversSimilarity(WordVectorMetric, abstract=True):
    """exp(-d), d the earth mover's distance between a summary's points and a reference's.

    The points are words, sentences (the mean of their words' vectors) or both; a word weighs as often
    as it occurs, a sentence as many words as it has. Only alphabetic tokens that are no stop words
    count, in lower case. With several references: the mean. A text without such words: 0.
    """

    value_range = (0.0, 1.0)
    citation = _CITATION
    of_words: ClassVar[bool]
    of_sentences: ClassVar[bool]

    def __init__(
        self,
        embeddings: str = DEFAULT,
        out_of_vocabulary: OutOfVocabulary = "zero",
        normalize: bool = False,
        relaxed: bool = False,
        stop_list: str | None = "nltk",
    ) -> None:
        """The choices.

        Args:
            embeddings: File of word vectors (word2vec, GloVe, fastText's .vec, deps.words), or
                `glove-6b-50d`.
            out_of_vocabulary: Treat a word without a vector as the zero vector (`zero`, the
                original's rule), or ignore it (`skip`).
            normalize: Scale every word's vector to length 1.
            relaxed: Use a lower bound of the distance: every point moves to the nearest.
            stop_list: Stop list: `nltk` (English), `smart` (English, longer), or null for none.
        """
        super().__init__(embeddings)
        self.skip = out_of_vocabulary == "skip"
        self.normalize = normalize
        self.relaxed = relaxed
        self.stop_words = stopwords(stop_list) if stop_list else frozenset[str]()

    def score_pairs(
        self, summaries: Sequence[SummaryType], references: Sequence[ReferenceType]
    ) -> Sequence[Mapping[str, Any]]:
        """Return the similarity of each pair."""
        bag = lru_cache(maxsize=256)(self._bag)
        return [
            {self.label: self._similarity(bag(hashable(summary)), bag(hashable(reference)))}
            for summary, reference in zip(summaries, references, strict=True)
        ]

    def align(self, summary: SummaryType, reference: ReferenceType) -> TokenAlignment:
        """Return the points of a pair, their distances, and what moves where."""
        from scipy.spatial.distance import cdist

        if self.relaxed:
            raise ParameterError(
                "the relaxed distance has no transport plan; leave out relaxed to see one"
            )
        summary_bag, reference_bag = self._bag(hashable(summary)), self._bag(hashable(reference))
        ours, theirs = (
            [key if isinstance(key, str) else " ".join(key) for key in bag.weights]
            for bag in (summary_bag, reference_bag)
        )
        values = {self.label: self._similarity(summary_bag, reference_bag)}
        if not summary_bag.weights or not reference_bag.weights:
            cost = np.zeros((len(summary_bag.weights), len(reference_bag.weights)))
            return TokenAlignment(ours, theirs, "distance", cost.tolist(), (), values)
        cost = cdist(
            *([bag.vectors[key] for key in bag.weights] for bag in (summary_bag, reference_bag))
        )
        plan = earth_movers_plan(
            list(summary_bag.weights.values()), list(reference_bag.weights.values()), cost
        )
        links = [
            Link(s, r, float(plan[s, r]), "moved") for s, r in np.argwhere(plan > 1e-12).tolist()
        ]
        return TokenAlignment(ours, theirs, "distance", cost.tolist(), links, values)

    def signature_parameters(self) -> dict[str, str]:
        """Return the parameters, with the solver if one was used."""
        return {**super().signature_parameters(), **({} if self.relaxed else {"emd": solver()})}

    def _bag(self, text: str | tuple[str, ...]) -> Bag:
        sentences = [words for sentence in sentences_of(text) if (words := self._words(sentence))]
        vectors = self._vectors({word for words in sentences for word in words})
        weights: Counter[Key] = Counter()
        points: dict[Key, NDArray[np.float64]] = {}
        for words in sentences:
            if self.of_words:
                weights.update(words)
                points.update((word, vectors[word]) for word in words)
            if self.of_sentences:
                weights[words] += len(words)
                points[words] = np.mean([vectors[word] for word in words], axis=0)
        total = weights.total()
        return Bag({key: weight / total for key, weight in weights.items()}, points)

    def _words(self, sentence: str) -> tuple[str, ...]:
        words = (token.lower() for token in english_tokens(sentence) if token.isalpha())
        content = (word for word in words if word not in self.stop_words)
        return tuple(word for word in content if not self.skip or word in self.embeddings)

    def _vectors(self, words: Iterable[str]) -> dict[str, NDArray[np.float64]]:
        ordered = sorted(words)
        rows = self.embeddings.vectors(ordered)
        if self.normalize:
            lengths = np.linalg.norm(rows, axis=1, keepdims=True)
            rows = np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)
        return dict(zip(ordered, rows, strict=True))

    def _similarity(self, summary: Bag, reference: Bag) -> float:
        from scipy.spatial.distance import cdist

        if not summary.weights or not reference.weights:
            return 0.0
        left, right = dict(summary.weights), dict(reference.weights)
        if not self.relaxed:
            # Shared mass stays in place: with a metric distance, moving it never helps.
            for key in left.keys() & right.keys():
                left[key], right[key] = left[key] - right[key], right[key] - left[key]
            left = {key: weight for key, weight in left.items() if weight > 0}
            right = {key: weight for key, weight in right.items() if weight > 0}
        moved = sum(left.values())
        if not left or not right:
            return 1.0
        cost = cdist(
            [summary.vectors[key] for key in left], [reference.vectors[key] for key in right]
        )
        weights = list(left.values()), list(right.values())
        distance = relaxed_movers_distance if self.relaxed else earth_movers_distance
        return math.exp(-moved * distance(*weights, cost))


@Metric.register("wms")
class WMS(MoversSimilarity):
    """Word mover's similarity: exp(-d), where d is the earth mover's distance between the words.

    Points are the distinct words, weighted by how often they occur. Only alphabetic tokens that are no
    stop words count. With several references: the mean. A text without such words: 0.
    """

    of_words, of_sentences = True, False


@Metric.register("sms")
class SMS(MoversSimilarity):
    """Sentence mover's similarity: exp(-d), where d is the earth mover's distance between sentences.

    A sentence is the mean of its words' vectors and weighs as many words as it has. Only alphabetic
    tokens that are no stop words count. With several references: the mean. A text without such words: 0.
    """

    of_words, of_sentences = False, True


@Metric.register("s+wms")
class SWMS(MoversSimilarity):
    """Sentence and word mover's similarity: exp(-d), with d over words (as in `wms`) and sentences (as in `sms`).

    Words and sentences have half of the weight each. Only alphabetic tokens that are no stop words
    count. With several references: the mean. A text without such words: 0.
    """

    of_words, of_sentences = True, True
