"""The metric `blanc`."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal, Unpack

from rubrica.data.instance import DocumentType, SummaryType, Text, flatten
from rubrica.data.metrics import MetricsDict
from rubrica.errors import ParameterError
from rubrica.metrics.base.metric import Metric, Range
from rubrica.metrics.base.neural import NeuralDocumentMetric
from rubrica.metrics.base.originals import sentence_note
from rubrica.metrics.blanc.masking import Evenly, Gaps, Shortest, even_maskings, fitted, with_gaps
from rubrica.metrics.blanc.tuning import Tuning, tuned
from rubrica.neural.masked_lm import MaskedLM
from rubrica.neural.pieces import pieces
from rubrica.neural.progress import report
from rubrica.neural.running import InferenceOptions, inference
from rubrica.text.sentences import SentenceSplitter, sentences_by

FILLER = "."
SHORTEST_CUT = 100
_BARE: Mapping[str, Any] = {"add_special_tokens": False, "verbose": False}


@Metric.register("blanc")
class Blanc(NeuralDocumentMetric):
    """How much the summary helps a masked language model fill gaps in the document (Vasilyev et al. 2020).

    help puts the summary before each sentence, against as many dots; tune trains a copy of the model
    on the summary. Without tokens to guess, and for an empty summary, the score is 0.

    Args:
        model: Masked language model: a folder, or a name in the Hugging Face cache.
        blanc_type: blanc_help or blanc_tune.
        gap: Hide every gap-th token; the paper uses 6, the program 2.
        gap_mask: Tokens to hide together at each gap.
        measure: `relative` is the share of gaps won minus the share lost; `improve` is gaps won
            among those not lost.
        finetune_epochs: Passes over the summary (blanc_tune).
        finetune_mask_evenly: Hide tokens evenly during training; false: hide a random share
            (blanc_tune).
        p_mask: Random share of tokens to hide (blanc_tune).
        random_seed: Random seed for training (blanc_tune).
        min_token_length_normal: Shortest word to hide, in characters.
        min_token_length_lead: Shortest first piece of a longer word to hide.
        min_token_length_followup: Shortest later piece of a word to hide; 100 means practically
            never.
        sentence_splitter: How to split texts into sentences: `rule` (a list as it is, a string by
            rule), or `punkt` (every text as one string, by NLTK's Punkt, as the original and
            SacreROUGE do; needs `rubrica[punkt]`).
    """

    value_range: ClassVar[Range] = (-1.0, 1.0)
    always_signed = ("sentence_splitter",)
    like_sacrerouge: ClassVar[Mapping[str, Any]] = {"sentence_splitter": "punkt"}
    citation = """@inproceedings{vasilyev-etal-2020-fill,
  title = {Fill in the {BLANC}: Human-free quality estimation of document summaries},
  author = {Vasilyev, Oleg and Dharnidharka, Vedant and Bohannon, John},
  booktitle = {Proceedings of the First Workshop on Evaluation and Comparison of NLP Systems},
  year = {2020},
  url = {https://aclanthology.org/2020.eval4nlp-1.2}
}"""

    def __init__(
        self,
        model: str = "bert-base-uncased",
        blanc_type: Literal["blanc_help", "blanc_tune"] = "blanc_help",
        gap: int = 2,
        gap_mask: int = 1,
        measure: Literal["relative", "improve"] = "relative",
        finetune_epochs: int = 10,
        finetune_mask_evenly: bool = True,
        p_mask: float = 0.15,
        random_seed: int = 1,
        min_token_length_normal: int = 4,
        min_token_length_lead: int = 2,
        min_token_length_followup: int = 100,
        sentence_splitter: SentenceSplitter = "rule",
        **running: Unpack[InferenceOptions],
    ) -> None:
        super().__init__(**running)
        lengths = (min_token_length_normal, min_token_length_lead, min_token_length_followup)
        if min(gap, gap_mask, finetune_epochs, *lengths) < 1 or not 0 < p_mask <= 1:
            raise ParameterError(
                "blanc: gap, gap_mask, finetune_epochs and lengths must be at least 1, p_mask in (0, 1]"
            )
        self.model_name, self.blanc_type, self.measure = model, blanc_type, measure
        self.sentence_splitter: SentenceSplitter = sentence_splitter
        self._hidden = Evenly(gap, gap_mask, Shortest(*lengths))
        self._tuning = Tuning(
            finetune_epochs, finetune_mask_evenly, self._hidden, p_mask, random_seed
        )

    def checkpoint_names(self) -> Mapping[str, str]:
        """Return the checkpoint of the masked language model."""
        return {"model": self.model_name}

    def substitution(self, *, systems: bool = True) -> str:
        """Say that sentences are not cut as in the original."""
        return sentence_note(self.label, self._parameters)

    def score_flat(
        self, summaries: Sequence[SummaryType], documents: Sequence[Sequence[DocumentType]]
    ) -> list[MetricsDict]:
        """Return the score of each summary."""
        counted = self._by_help if self.blanc_type == "blanc_help" else self._by_tuning
        return [
            MetricsDict({self.blanc_type: measured(counts, self.measure)})
            for counts in counted(summaries, documents)
        ]

    def _by_help(
        self, summaries: Sequence[SummaryType], documents: Sequence[Sequence[DocumentType]]
    ) -> list[list[list[int]]]:
        model = self.model("model", MaskedLM)
        work: list[list[tuple[Gaps, Gaps]]] = []
        for summary, texts in zip(summaries, documents, strict=True):
            summary_ids = self._sentences(model, [summary])
            pairs = []
            for sentence in self._sentences(model, texts) if summary_ids else []:
                pairs += self._help_and_filler(model, sentence, summary_ids)
            work.append(pairs)
        guesses = iter(
            model.predictions(
                [(gaps.ids, gaps.places) for row in work for pair in row for gaps in pair]
            )
        )
        results = []
        for row in work:
            counts = [[0, 0], [0, 0]]
            for helped, filled in row:
                with_help, with_filler = next(guesses), next(guesses)
                for answer, base, better in zip(
                    filled.answers, with_filler, with_help, strict=True
                ):
                    counts[int(base == answer)][int(better == answer)] += 1
                assert helped.answers == filled.answers
            results.append(counts)
        return results

    def _help_and_filler(
        self, model: MaskedLM, sentence: Sequence[int], summary: Sequence[Sequence[int]]
    ) -> list[tuple[Gaps, Gaps]]:
        tokenizer = model.tokenizer
        cut_sentence, shown = fitted(sentence, summary, model.limit - 2, SHORTEST_CUT)
        dots = [tokenizer.convert_tokens_to_ids(FILLER)] * len(shown)
        return [
            (
                with_gaps(shown, cut_sentence, hidden, **_frame(model)),
                with_gaps(dots, cut_sentence, hidden, **_frame(model)),
            )
            for hidden in even_maskings(pieces(tokenizer, cut_sentence), self._hidden)
        ]

    def _by_tuning(
        self, summaries: Sequence[SummaryType], documents: Sequence[Sequence[DocumentType]]
    ) -> list[list[list[int]]]:
        model = self.model("model", MaskedLM)
        results = []
        for count, (summary, texts) in enumerate(zip(summaries, documents, strict=True), 1):
            summary_ids = list(model.tokenizer(flatten(summary), **_BARE)["input_ids"])
            gaps = []
            for sentence in self._sentences(model, texts) if summary_ids else []:
                cut_sentence, _ = fitted(sentence, (), model.limit - 2, 0)
                gaps += [
                    with_gaps((), cut_sentence, hidden, **_frame(model))
                    for hidden in even_maskings(pieces(model.tokenizer, cut_sentence), self._hidden)
                ]
            counts = [[0, 0], [0, 0]]
            if gaps:
                before = model.predictions([(gap.ids, gap.places) for gap in gaps])
                learned = self._tune(model, summary_ids)
                after = learned.predictions([(gap.ids, gap.places) for gap in gaps])
                for gap, base, better in zip(gaps, before, after, strict=True):
                    for answer, b, a in zip(gap.answers, base, better, strict=True):
                        counts[int(b == answer)][int(a == answer)] += 1
            results.append(counts)
            report("summaries tuned on", count, len(summaries))
        return results

    def _tune(self, model: MaskedLM, summary: Sequence[int]) -> MaskedLM:
        """Return a copy of the model trained on a summary; its predictions are not cached."""
        with inference(self.settings):
            network = model.network
        learned = _Tuned(model.checkpoint, self.settings)
        device = self.settings.resolved_device()
        learned.take(
            tuned(network, model.tokenizer, summary, self._tuning, device), model.tokenizer
        )
        return learned

    def _sentences(self, model: MaskedLM, texts: Sequence[Text]) -> list[list[int]]:
        splitter = self.sentence_splitter
        plain = [
            sentence for text in texts for sentence in sentences_by(splitter, _decompose(text))
        ]
        if not plain:
            return []
        return [list(ids) for ids in model.tokenizer(plain, **_BARE)["input_ids"] if ids]


class _Tuned(MaskedLM):
    """A trained copy whose predictions are not cached."""

    def take(self, network: Any, tokenizer: Any) -> None:
        self._network, self._tokenizer = network, tokenizer

    def _cache(self, view: str) -> Any:
        from rubrica.neural.cache import ResultCache

        return self._caches.setdefault(view, ResultCache(None, ""))


def measured(counts: Sequence[Sequence[int]], measure: str) -> float:
    """Return the score of counts [right before][right with the summary]."""
    (neither, won), (lost, both) = counts
    if measure == "relative":
        total = neither + won + lost + both
        return (won - lost) / total if total else 0.0
    total = neither + both + won
    return won / total if total else 0.0


def _decompose(text: Text) -> Text:
    if isinstance(text, str):
        return unicodedata.normalize("NFKD", text)
    return [unicodedata.normalize("NFKD", sentence) for sentence in text]


def _frame(model: MaskedLM) -> dict[str, int]:
    cls, sep, mask = model.special_ids("cls", "sep", "mask")
    return {"cls": cls, "sep": sep, "mask": mask}
