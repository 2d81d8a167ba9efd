"""UniEval: coherence, consistency, fluency and relevance as yes-or-no questions to one model."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal, Unpack

from rubrica.data.instance import Text, flatten
from rubrica.data.jackknife import Jackknifer, ReferencesJackknifer
from rubrica.data.metrics import MetricsDict, exact_mean
from rubrica.errors import ParameterError
from rubrica.metrics.base.metric import Metric, Range
from rubrica.metrics.base.neural import NeuralMetric, document_text
from rubrica.neural.running import InferenceOptions
from rubrica.neural.seq2seq import Seq2Seq
from rubrica.text.sentences import sentences_of

LONGEST = 1024
Dimension = Literal["coherence", "consistency", "fluency", "relevance"]
_DIMENSIONS: tuple[Dimension, ...] = ("coherence", "consistency", "fluency", "relevance")


@Metric.register("unieval")
class UniEval(NeuralMetric):
    """Probability that a model answers Yes to a question about each quality dimension (Zhong et al. 2022).

    Consistency and fluency are asked sentence by sentence and averaged; relevance looks at the
    references (the best one counts), the others at the document; `overall` is the mean. An empty summary scores 0.

    Args:
        model: Checkpoint unieval-sum or a similar one (T5): a folder, or a name in the Hugging Face
            cache.
        dimensions: Which of coherence, consistency, fluency and relevance to compute.
    """

    required_context_fields: Sequence[str] = ("documents", "references")
    jackknifer: Jackknifer | None = ReferencesJackknifer()
    value_range: ClassVar[Range] = (0.0, 1.0)
    citation = """@inproceedings{zhong-etal-2022-towards,
  title = {Towards a Unified Multi-Dimensional Evaluator for Text Generation},
  author = {Zhong, Ming and Liu, Yang and Yin, Da and Mao, Yuning and Jiao, Yizhu and Liu, Pengfei and Zhu, Chenguang and Ji, Heng and Han, Jiawei},
  booktitle = {Proceedings of EMNLP 2022},
  year = {2022},
  url = {https://aclanthology.org/2022.emnlp-main.131}
}"""

    def __init__(
        self,
        model: str = "MingZhong/unieval-sum",
        dimensions: Sequence[Dimension] = _DIMENSIONS,
        **running: Unpack[InferenceOptions],
    ) -> None:
        super().__init__(**running)
        if not dimensions or len(set(dimensions)) != len(dimensions):
            raise ParameterError("unieval: name every dimension once, and at least one")
        self.model_name, self.dimensions = model, tuple(dimensions)
        needed = []
        if set(dimensions) & {"coherence", "consistency"}:
            needed.append("documents")
        if "relevance" in dimensions:
            needed.append("references")
        else:
            self.jackknifer = None
        self.required_context_fields = tuple(needed)

    def checkpoint_names(self) -> Mapping[str, str]:
        """Return the checkpoint of the model that answers."""
        return {"model": self.model_name}

    def score_multi_all(self, *fields: Any) -> list[list[MetricsDict]]:
        """Score lists of summaries, each list with its own context."""
        groups = self._rows(fields)
        work = []
        for summaries, *context in groups:
            context_by_field = dict(zip(self.required_context_fields, context, strict=True))
            work += [
                {
                    dimension: self.inputs(dimension, summary, context_by_field)
                    for dimension in self.dimensions
                }
                for summary in summaries
            ]
        answers = iter(
            self._yes([text for row in work for texts in row.values() for text in texts])
        )
        rows = iter(
            [
                self._score_row({k: [next(answers) for _ in v] for k, v in row.items()})
                for row in work
            ]
        )
        return [[next(rows) for _ in group[0]] for group in groups]

    def inputs(self, dimension: Dimension, summary: Text, shown: Mapping[str, Any]) -> list[str]:
        """Return the model's inputs for one dimension; none for an empty summary."""
        text = flatten(summary).strip()
        if not text:
            return []
        document = document_text(shown["documents"]) if "documents" in shown else ""
        if dimension == "coherence":
            question = "Is this a coherent summary to the document?"
            return [f"question: {question} </s> summary: {text} </s> document: {document}"]
        if dimension == "consistency":
            question = "Is this claim consistent with the document?"
            return [
                f"question: {question} </s> claim: {sentence} </s> document: {document}"
                for sentence in sentences_of(summary)
            ]
        if dimension == "fluency":
            question = "Is this a fluent paragraph?"
            return [
                f"question: {question} </s> paragraph: {sentence}"
                for sentence in sentences_of(summary)
            ]
        question = "Is this summary relevant to the reference?"
        return [
            f"question: {question} </s> summary: {text} </s> reference: {flatten(reference).strip()}"
            for reference in shown["references"]
        ]

    def _yes(self, texts: Sequence[str]) -> list[float]:
        """Return P(Yes) / (P(Yes) + P(No)) at the first step."""
        model = self.model("model", Seq2Seq)
        yes, no = (model.tokenizer(word)["input_ids"][0] for word in ("Yes", "No"))
        logits = model.first_step(texts, (yes, no), longest=LONGEST) if texts else []
        return [1 / (1 + math.exp(n - y)) for y, n, _ in logits]

    def _score_row(self, answers: Mapping[Dimension, Sequence[float]]) -> MetricsDict:
        scores = {}
        for dimension, values in answers.items():
            combine = max if dimension == "relevance" else exact_mean
            scores[dimension] = float(combine(values)) if values else 0.0
        return MetricsDict({"unieval": {**scores, "overall": exact_mean(scores.values())}})
