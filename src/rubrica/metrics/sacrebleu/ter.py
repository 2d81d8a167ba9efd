"""TER: sacrebleu prepares the texts, a kernel searches the shifts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rubrica.core.kernels import ter_edits
from rubrica.metrics.base.metric import Metric
from rubrica.metrics.sacrebleu.base import SacrebleuMetric
from rubrica.metrics.sacrebleu.scores import ter_scores
from rubrica.statistics.intervals import FloatMatrix


@Metric.register("ter")
class Ter(SacrebleuMetric):
    """TER: edits, including shifts, per 100 reference words; lower is better, and values can exceed 100.

    Args:
        normalized: Normalize and tokenize the text first.
        no_punct: Remove punctuation.
        asian_support: Split Asian characters into words.
        case_sensitive: Make the comparison case-sensitive.
    """

    sacrebleu_class = "TER"
    value_range = (0.0, float("inf"))
    direction = "lower"
    citation = """@inproceedings{snover-etal-2006-study,
    title = "A Study of Translation Edit Rate with Targeted Human Annotation",
    author = "Snover, Matthew and Dorr, Bonnie and Schwartz, Rich and Micciulla, Linnea and
      Makhoul, John", year = "2006", url = "https://aclanthology.org/2006.amta-papers.25",
    booktitle = "Proceedings of AMTA", pages = "223--231"}"""

    def __init__(
        self,
        normalized: bool = False,
        no_punct: bool = False,
        asian_support: bool = False,
        case_sensitive: bool = False,
    ) -> None:
        super().__init__(
            normalized=normalized,
            no_punct=no_punct,
            asian_support=asian_support,
            case_sensitive=case_sensitive,
        )

    def _segment_statistics(self, prepared: str, known: Mapping[str, Any]) -> Sequence[float]:
        """Return the fewest edits to a reference, and the references' mean length."""
        references: Sequence[Sequence[str]] = known["ref_words"]
        numbers: dict[str, int] = {}
        summary, *others = (
            np.array([numbers.setdefault(word, len(numbers)) for word in words], dtype=np.int64)
            for words in (prepared.split(), *references)
        )
        edits = min(ter_edits(summary, other) for other in others)
        return [edits, sum(map(len, others)) / len(others)]

    def score_totals(self, measures: Sequence[str], sums: FloatMatrix) -> FloatMatrix:
        """Score many systems at once; equal to sacrebleu's own scores."""
        return ter_scores(sums)[:, None]
