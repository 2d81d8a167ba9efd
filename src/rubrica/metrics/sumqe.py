"""SumQE: five kinds of linguistic quality, predicted from the summary alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Unpack

from rubrica.data.instance import SummaryType
from rubrica.data.metrics import MetricsDict
from rubrica.errors import DataError
from rubrica.metrics.base.bases import SummaryOnlyMetric
from rubrica.metrics.base.metric import Metric, Range
from rubrica.metrics.base.neural import NeuralMetric
from rubrica.metrics.base.originals import sentence_note
from rubrica.neural.classifier import FirstVectorRegression, TokenInput
from rubrica.neural.running import InferenceOptions
from rubrica.text.sentences import SentenceSplitter, sentences_by

LONGEST = 512
QUALITIES = ("Q1", "Q2", "Q3", "Q4", "Q5")
HEAD = "sumqe_head.safetensors"


class QualityModel(FirstVectorRegression):
    """Five values of a summary: `[CLS] sentence [SEP] sentence [SEP] ...`, all in one segment."""

    head_file = HEAD
    remedy = "rubrica sum-qe convert-checkpoint FILE OUT --base FOLDER"

    def qualities(self, summaries: Sequence[Sequence[str]]) -> list[list[float]]:
        """Return five values for each summary (a list of sentences); only the first 512 tokens count."""
        (cls, sep), limit = self.special_ids("cls", "sep"), min(self.limit, LONGEST)
        sentences = list(dict.fromkeys(sentence for summary in summaries for sentence in summary))
        ids = dict(zip(sentences, self.bare_ids(sentences), strict=True))
        inputs: list[TokenInput] = []
        cut = 0
        for summary in summaries:
            tokens = [cls]
            for at, sentence in enumerate(summary):
                # Leave room for the special tokens around a sentence.
                tokens += [*ids[sentence][: limit - (2 if at == 0 else 1)], sep]
            cut += sum(len(ids[sentence]) + 1 for sentence in summary) + 1 > limit
            tokens = tokens[:limit]
            inputs.append({"input_ids": tokens, "token_type_ids": [0] * len(tokens)})
        self.warn_of_cut(cut, len(inputs), limit)
        rows = self.logits_of(inputs, what="summaries")
        if rows and len(rows[0]) != len(QUALITIES):
            raise DataError(
                f"{HEAD} has {len(rows[0])} outputs, not five", file=str(self.checkpoint.folder)
            )
        return [row.tolist() for row in rows]


@Metric.register("sum-qe")
class SumQE(NeuralMetric, SummaryOnlyMetric):
    """Predicted grammaticality, non-redundancy, referential clarity, focus and structure (Q1 to Q5; Xenouleas et al. 2019).

    Linear heads on BERT's vector of [CLS]; every sentence ends with [SEP]. An empty summary scores 0 in all of them.

    Args:
        model: Converted SumQE checkpoint (see convert-checkpoint): a folder.
        sentence_splitter: How to split texts into sentences: `rule` (a list as it is, a string by
            rule), or `punkt` (every text as one string, by NLTK's Punkt, as the original and
            SacreROUGE do; needs `rubrica[punkt]`).
    """

    value_range: ClassVar[Range] = (float("-inf"), float("inf"))
    always_signed = ("sentence_splitter",)
    like_sacrerouge: ClassVar[Mapping[str, Any]] = {"sentence_splitter": "punkt"}
    citation = """@inproceedings{xenouleas-etal-2019-sum,
  title = {{SUM}-{QE}: a {BERT}-based Summary Quality Estimation Model},
  author = {Xenouleas, Stratos and Malakasiotis, Prodromos and Apidianaki, Marianna and Androutsopoulos, Ion},
  booktitle = {Proceedings of EMNLP-IJCNLP 2019},
  year = {2019},
  url = {https://aclanthology.org/D19-1618}
}"""
    remedy = "rubrica sum-qe convert-checkpoint WEIGHTS OUT --base bert-base-uncased"

    def __init__(
        self,
        model: str = "sumqe-duc2006-duc2007",
        sentence_splitter: SentenceSplitter = "rule",
        **running: Unpack[InferenceOptions],
    ) -> None:
        super().__init__(**running)
        self.model_name = model
        self.sentence_splitter: SentenceSplitter = sentence_splitter

    def substitution(self, *, systems: bool = True) -> str:
        """Say that sentences are not cut as in the original."""
        return sentence_note(self.label, self._parameters)

    def checkpoint_names(self) -> Mapping[str, str]:
        """Return the checkpoint of the quality model."""
        return {"model": self.model_name}

    def score_multi_all(
        self, summaries_list: Sequence[Sequence[SummaryType]]
    ) -> list[list[MetricsDict]]:
        """Return five values for each summary."""
        groups = self._rows((summaries_list,))
        texts = [
            sentences_by(self.sentence_splitter, summary)
            for (group,) in groups
            for summary in group
        ]
        rows = iter(
            self.model("model", QualityModel).qualities([text for text in texts if text])
            if any(texts)
            else []
        )
        scored = iter([next(rows) if text else [0.0] * len(QUALITIES) for text in texts])
        return [
            [MetricsDict({"SumQE": dict(zip(QUALITIES, next(scored), strict=True))}) for _ in group]
            for (group,) in groups
        ]
