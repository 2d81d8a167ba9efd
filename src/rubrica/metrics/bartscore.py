"""BARTScore: how likely a sequence-to-sequence model finds one text, given the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal, Unpack

import numpy as np

from rubrica.data.instance import SummaryType, Text, flatten
from rubrica.data.jackknife import ReferencesJackknifer
from rubrica.data.metrics import MetricsDict
from rubrica.metrics.base.metric import Metric, Range
from rubrica.metrics.base.neural import NeuralMetric, document_text
from rubrica.neural.running import InferenceOptions
from rubrica.neural.seq2seq import Seq2Seq

LONGEST = 1024


@Metric.register("bartscore")
class BartScore(NeuralMetric):
    """Mean log-probability per token of one text given another, by BART (Yuan et al. 2021).

    An empty text is scored as the model scores its begin and end tokens.

    Args:
        model: Sequence-to-sequence checkpoint: a folder, or a name in the Hugging Face cache.
        mode: `f` is the mean of precision (reference to summary) and recall (summary to reference);
            `faithfulness` scores the summary given the document.
        multi_ref: How to combine references.
    """

    required_context_fields = ("references",)
    value_range: ClassVar[Range] = (float("-inf"), 0.0)
    citation = """@inproceedings{yuan-etal-2021-bartscore,
  title = {{BARTScore}: Evaluating Generated Text as Text Generation},
  author = {Yuan, Weizhe and Neubig, Graham and Liu, Pengfei},
  booktitle = {Advances in Neural Information Processing Systems},
  volume = {34},
  year = {2021}
}"""

    def __init__(
        self,
        model: str = "facebook/bart-large-cnn",
        mode: Literal["f", "precision", "recall", "faithfulness"] = "f",
        multi_ref: Literal["mean", "max"] = "mean",
        **running: Unpack[InferenceOptions],
    ) -> None:
        super().__init__(**running)
        self.model_name, self.mode, self.multi_ref = model, mode, multi_ref
        if mode == "faithfulness":
            self.required_context_fields = ("documents",)
        else:
            self.jackknifer = ReferencesJackknifer()

    def checkpoint_names(self) -> Mapping[str, str]:
        """Return the checkpoint of the sequence-to-sequence model."""
        return {"model": self.model_name}

    def score_multi_all(self, *fields: Any) -> list[list[MetricsDict]]:
        """Score lists of summaries, each list against its own references or documents."""
        groups = self._rows(fields)
        pairs: list[tuple[str, str]] = []
        for summaries, context in groups:
            for summary in summaries:
                pairs += self._pairs(summary, context)
        scored = iter(self._likelihoods(pairs))
        return [
            [
                MetricsDict(
                    {
                        "bartscore": self._combine(
                            [next(scored) for _ in self._pairs(summary, context)]
                        )
                    }
                )
                for summary in summaries
            ]
            for summaries, context in groups
        ]

    def _likelihoods(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        model = self.model("model", Seq2Seq)
        return [float(np.mean(row)) for row in model.log_likelihood(pairs, longest=LONGEST)]

    def _pairs(self, summary: SummaryType, context: Sequence[Text]) -> list[tuple[str, str]]:
        """Return the (source, target) pairs to score; F needs precision and recall of each reference in turn."""
        text = flatten(summary)
        if self.mode == "faithfulness":
            return [(document_text(context), text)]
        pairs = []
        for reference in map(flatten, context):
            if self.mode != "recall":
                pairs.append((reference, text))
            if self.mode != "precision":
                pairs.append((text, reference))
        return pairs

    def _combine(self, values: Sequence[float]) -> float:
        if self.mode == "f":
            values = [(a + b) / 2 for a, b in zip(values[::2], values[1::2], strict=True)]
        return float(np.mean(values)) if self.multi_ref == "mean" else max(values)
