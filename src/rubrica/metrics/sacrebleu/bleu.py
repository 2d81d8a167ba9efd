"""BLEU through sacrebleu: of a corpus (`bleu`) and of sentences (`sent-bleu`)."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Literal

from rubrica.data.instance import ReferenceType, SummaryType, flatten
from rubrica.errors import ComparabilityWarning
from rubrica.metrics.base.metric import Metric
from rubrica.metrics.sacrebleu.base import SacrebleuMetric
from rubrica.metrics.sacrebleu.scores import bleu_scores
from rubrica.statistics.intervals import FloatMatrix
from rubrica.text.scripts import without_blanks

Smoothing = Literal["exp", "floor", "add-k", "none"]
# Tokenizers of sacrebleu that leave a Chinese or Thai sentence as one word.
_CUT_AT_BLANKS = ("13a", "intl", "none")

_CITATION = """@inproceedings{post-2018-call,
    title = "A Call for Clarity in Reporting {BLEU} Scores", author = "Post, Matt",
    booktitle = "Proceedings of the Third Conference on Machine Translation", year = "2018",
    url = "https://aclanthology.org/W18-6319", pages = "186--191"}"""


@Metric.register("bleu")
class Bleu(SacrebleuMetric):
    """BLEU: n-gram precision with a brevity penalty; a system's score comes from summed counts.

    Args:
        lowercase: Ignore case.
        tokenize: sacrebleu's tokenizer: `13a` (its default), `intl`, `char`, `zh`, `ja-mecab`,
            `ko-mecab`, `flores200`, `none`, ...
        smooth_method: Smoothing of zero precisions: `exp`, `floor`, `add-k`, `none`.
        smooth_value: Smoothing value for `floor` (0.1 if null) and `add-k` (1 if null).
        max_ngram_order: Longest n-grams.
        effective_order: Skip n-gram orders that the text is too short for (for single texts).
        force: Do not warn about text that looks tokenized.
        trg_lang: Language code that selects a tokenizer.
    """

    sacrebleu_class = "BLEU"
    value_range = (0.0, 100.0)
    citation = _CITATION

    def __init__(
        self,
        lowercase: bool = False,
        tokenize: str | None = None,
        smooth_method: Smoothing = "exp",
        smooth_value: float | None = None,
        max_ngram_order: int = 4,
        effective_order: bool = False,
        force: bool = False,
        trg_lang: str = "",
    ) -> None:
        super().__init__(
            lowercase=lowercase,
            tokenize=tokenize,
            smooth_method=smooth_method,
            smooth_value=smooth_value,
            max_ngram_order=max_ngram_order,
            effective_order=effective_order,
            force=force,
            trg_lang=trg_lang,
        )

    def statistics_multi_all(
        self,
        summaries_list: Sequence[Sequence[SummaryType]],
        references_list: Sequence[Sequence[ReferenceType]],
    ) -> list[list[list[float]]]:
        """Return sacrebleu's statistics; warn of texts that its tokenizer does not split."""
        if self._scorer.tokenizer.signature() in _CUT_AT_BLANKS:
            texts = [flatten(text) for group in references_list for text in group]
            whole = [text for text in texts if without_blanks(text)]
            if whole:
                warnings.warn(
                    f"{self.label}: tokenize={self._scorer.tokenizer.signature()!r} splits words at "
                    f"blanks, and {len(whole)} of {len(texts)} references are in a script without "
                    "them: even identical texts may score 0; tokenize='zh', 'ja-mecab' or 'char' splits them",
                    ComparabilityWarning,
                    stacklevel=2,
                )
        return super().statistics_multi_all(summaries_list, references_list)

    def score_totals(self, measures: Sequence[str], sums: FloatMatrix) -> FloatMatrix:
        """Score many systems at once; equal to sacrebleu's own scores within rounding."""
        return bleu_scores(
            sums,
            order=self._scorer.max_ngram_order,
            smooth_method=self._scorer.smooth_method,
            smooth_value=self._scorer.smooth_value,
            effective_order=self._scorer.effective_order,
        )[:, None]


@Metric.register("sent-bleu")
class SentBleu(Bleu):
    """Sentence BLEU: each summary is scored on its own; a system's score is the mean.

    Args:
        lowercase: Ignore case.
        tokenize: sacrebleu's tokenizer: `13a` (its default), `intl`, `char`, `zh`, `ja-mecab`,
            `ko-mecab`, `flores200`, `none`, ...
        smooth_method: Smoothing of zero precisions: `exp`, `floor`, `add-k`, `none`.
        smooth_value: Smoothing value for `floor` (0.1 if null) and `add-k` (1 if null).
        max_ngram_order: Longest n-grams.
        effective_order: Skip n-gram orders that the text is too short for.
        force: Do not warn about text that looks tokenized.
        trg_lang: Language code that selects a tokenizer.
    """

    corpus_statistics = False

    def __init__(
        self,
        lowercase: bool = False,
        tokenize: str | None = None,
        smooth_method: Smoothing = "exp",
        smooth_value: float | None = None,
        max_ngram_order: int = 4,
        effective_order: bool = True,
        force: bool = False,
        trg_lang: str = "",
    ) -> None:
        super().__init__(
            lowercase,
            tokenize,
            smooth_method,
            smooth_value,
            max_ngram_order,
            effective_order,
            force,
            trg_lang,
        )
