"""chrF and chrF++ through sacrebleu."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal

from rubrica.metrics.base.metric import Metric
from rubrica.metrics.sacrebleu.base import SacrebleuMetric
from rubrica.metrics.sacrebleu.scores import chrf_scores
from rubrica.statistics.intervals import FloatMatrix


@Metric.register("chrf")
class ChrF(SacrebleuMetric):
    """chrF: F-score of character n-grams; a system's score comes from summed counts.

    Args:
        char_order: Longest character n-grams.
        word_order: Longest word n-grams; 2 gives chrF++.
        beta: Weight of recall relative to precision.
        lowercase: Ignore case.
        whitespace: Keep spaces inside character n-grams.
        eps_smoothing: Smooth with a small epsilon instead of skipping orders without n-grams.
        system: How to compute a system's score: `corpus` (summed counts, as in sacrebleu) or `mean`
            (over its summaries, as in SacreROUGE).
    """

    sacrebleu_class = "CHRF"
    like_sacrerouge: ClassVar[Mapping[str, Any]] = {"system": "mean"}
    value_range = (0.0, 100.0)
    citation = """@inproceedings{popovic-2015-chrf,
    title = "chr{F}: character n-gram {F}-score for automatic {MT} evaluation",
    author = "Popovi{\\'c}, Maja", year = "2015", url = "https://aclanthology.org/W15-3049",
    booktitle = "Proceedings of the Tenth Workshop on Statistical Machine Translation",
    pages = "392--395"}"""

    def __init__(
        self,
        char_order: int = 6,
        word_order: int = 0,
        beta: int = 2,
        lowercase: bool = False,
        whitespace: bool = False,
        eps_smoothing: bool = False,
        system: Literal["corpus", "mean"] = "corpus",
    ) -> None:
        super().__init__(
            char_order=char_order,
            word_order=word_order,
            beta=beta,
            lowercase=lowercase,
            whitespace=whitespace,
            eps_smoothing=eps_smoothing,
        )
        self.corpus_statistics = system == "corpus"

    def substitution(self, *, systems: bool = True) -> str:
        """Say that SacreROUGE averages."""
        if not (systems and self.corpus_statistics):
            return ""
        return (
            "chrf: system scores sum counts over summaries, as sacrebleu does; SacreROUGE averages the "
            "scores of summaries"
        )

    def score_totals(self, measures: Sequence[str], sums: FloatMatrix) -> FloatMatrix:
        """Score many systems at once; equal to sacrebleu's own scores within rounding."""
        scorer = self._scorer
        return chrf_scores(sums, beta=scorer.beta, eps_smoothing=scorer.eps_smoothing)[:, None]
