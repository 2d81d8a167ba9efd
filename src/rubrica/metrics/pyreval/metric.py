"""The metric `pyreval-style`: a pyramid score without people, from segments and embeddings."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rubrica.data.instance import Text
from rubrica.data.metrics import MetricsDict
from rubrica.errors import ParameterError
from rubrica.metrics.base.metric import Metric
from rubrica.metrics.base.validation import checked_scores
from rubrica.metrics.base.word_vectors import EmbeddingsMetric
from rubrica.metrics.pyreval.units import (
    DECIMALS,
    Floats,
    Segments,
    content_units,
    least_likeness,
)
from rubrica.text.embeddings import DEFAULT
from rubrica.text.sentences import sentences_of
from rubrica.text.stopwords import stopwords

_WORD = re.compile(r"\w+")

CITATION = """@inproceedings{gao-etal-2019-automated,
    title = "Automated Pyramid Summarization Evaluation",
    author = "Gao, Yanjun and Sun, Chen and Passonneau, Rebecca J.",
    booktitle = "Proceedings of CoNLL 2019", year = "2019",
    url = "https://aclanthology.org/K19-1038", pages = "404--418"}"""


@Metric.register("pyreval-style")
class PyrEvalStyle(EmbeddingsMetric):
    """Automatic pyramid: similar reference segments become content units, which are matched by similarity.

    A list is its segments (clauses, say); a string is split into sentences. A segment's vector is the
    mean of the vectors of its different words, stop words (NLTK's) left out. A text without known words expresses nothing: 0.

    Args:
        embeddings: File of word vectors (word2vec, GloVe, fastText's .vec), or 50-dimensional GloVe
            from the extra `embeddings`; part of the signature.
        threshold: Minimum mean cosine; null: the same 83rd percentile that links references.
            PyrEval uses 0.5 with its vectors; means of GloVe vectors nearly all exceed that.
    """

    value_range = {"pyreval-style.raw": (0.0, float("inf")), "*": (0.0, 1.0)}
    citation = CITATION

    def __init__(self, embeddings: str = DEFAULT, threshold: float | None = None) -> None:
        if threshold is not None and not -1 <= threshold <= 1:
            raise ParameterError(f"pyreval-style: threshold is a cosine, -1 to 1, not {threshold}")
        super().__init__(embeddings)
        self.threshold = threshold

    def score_multi_all(self, *fields: Any) -> list[list[MetricsDict]]:
        """Score lists of summaries; summaries with the same references share a pyramid."""
        scored = []
        for summaries, references in self._rows(fields):
            pyramid = self._pyramid(references)
            scored.append(
                [checked_scores(self._score(summary, pyramid), self.label) for summary in summaries]
            )
        return scored

    def _pyramid(self, references: Sequence[Text]) -> _Pyramid:
        texts = [sentences_of(reference) for reference in references]
        owners = [number for number, segments in enumerate(texts) for _ in segments]
        flat = [segment for segments in texts for segment in segments]
        segments = Segments(flat, self._vectors(flat), owners)
        units = content_units(segments)
        # The mean cosine with several unit vectors is the product with their mean.
        centres = np.array([segments.vectors[list(unit.members)].mean(axis=0) for unit in units])
        return _Pyramid(
            np.array([unit.weight for unit in units], dtype=np.int64),
            centres.reshape(len(units), self.embeddings.dimensions),
            len(flat) // len(references),
            least_likeness(segments) if self.threshold is None else self.threshold,
        )

    def _score(self, summary: Text, pyramid: _Pyramid) -> dict[str, Any]:
        segments = sentences_of(summary)
        raw = _count_expressed(self._vectors(segments), pyramid)
        heaviest = np.sort(pyramid.weights)[::-1]

        def share(size: int) -> float:
            ideal = int(heaviest[:size].sum())
            return min(1.0, raw / ideal) if ideal else 0.0

        quality, coverage = share(len(segments)), share(pyramid.average)
        values = {"raw": float(raw), "quality": quality, "coverage": coverage}
        return {"pyreval-style": {**values, "comprehensive": (quality + coverage) / 2}}

    def _vectors(self, segments: Sequence[str]) -> Floats:
        """Return a vector of length 1 for each segment, zeros where no word is known."""
        common = stopwords("nltk")
        vectors: Floats = np.zeros((len(segments), self.embeddings.dimensions))
        for row, segment in zip(vectors, segments, strict=True):
            # Sorted: floating-point sums depend on the order.
            words = sorted(set(_WORD.findall(segment.lower())) - common)
            row += self.embeddings.vectors(words).sum(axis=0)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors / np.where(lengths > 0, lengths, 1.0)


@dataclass(frozen=True, slots=True)
class _Pyramid:
    weights: NDArray[np.int64]
    centres: Floats  # of each unit, the mean of its segments' vectors
    average: int  # how many units a reference has on average, rounded down
    threshold: float


def _count_expressed(vectors: Floats, pyramid: _Pyramid) -> int:
    """Return the largest total weight of units that segments can express, at most one unit per segment."""
    if not len(pyramid.weights) or not len(vectors):
        return 0
    from scipy.optimize import linear_sum_assignment

    likeness: Floats = np.round(vectors @ pyramid.centres.T, DECIMALS)
    # A segment without known words is a zero vector and matches nothing, whatever the threshold.
    known = np.linalg.norm(vectors, axis=1, keepdims=True) > 0
    gains = np.where((likeness >= pyramid.threshold) & known, pyramid.weights, 0)
    return int(gains[linear_sum_assignment(gains, maximize=True)].sum())
