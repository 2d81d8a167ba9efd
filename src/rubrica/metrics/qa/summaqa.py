"""SummaQA: whether a summary answers cloze questions about the names in its document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Unpack

import numpy as np

from rubrica.data.instance import DocumentType, SummaryType, flatten
from rubrica.data.metrics import MetricsDict, exact_mean
from rubrica.metrics.base.metric import Metric, Range
from rubrica.metrics.base.neural import NeuralDocumentMetric, document_text
from rubrica.metrics.base.originals import PIPELINE
from rubrica.metrics.qa.answers import RULE, find_answers, phrase_note
from rubrica.metrics.qa.squad import normalised, token_f1
from rubrica.neural.pair_classifier import softmax
from rubrica.neural.running import InferenceOptions
from rubrica.neural.span_qa import SpanQA

LONGEST = 512
MASK = "MASKED"


@Metric.register("summaqa")
class SummaQA(NeuralDocumentMetric):
    """How well the summary answers cloze questions about names in the document (Scialom et al. 2019).

    `avg_fscore` compares the answers with the names, `avg_prob` is the model's confidence. Without
    questions, or with an empty summary, both are 0.

    Args:
        model: Extractive question-answering checkpoint (SQuAD): a folder, or a name in the Hugging
            Face cache.
        answer_selector: spaCy pipeline (name or folder) whose entities to ask about; `rule` uses
            capitalized words and numbers instead.
    """

    value_range: ClassVar[Range] = (0.0, 1.0)
    always_signed = ("answer_selector",)
    like_sacrerouge: ClassVar[Mapping[str, Any]] = {"answer_selector": PIPELINE}
    citation = """@inproceedings{scialom-etal-2019-answers,
  title = {Answers Unite! Unsupervised Metrics for Reinforced Summarization Models},
  author = {Scialom, Thomas and Lamprier, Sylvain and Piwowarski, Benjamin and Staiano, Jacopo},
  booktitle = {Proceedings of EMNLP-IJCNLP 2019},
  year = {2019},
  url = {https://aclanthology.org/D19-1320}
}"""

    def __init__(
        self,
        model: str = "bert-large-uncased-whole-word-masking-finetuned-squad",
        answer_selector: str = RULE,
        **running: Unpack[InferenceOptions],
    ) -> None:
        super().__init__(**running)
        self.model_name, self.selector = model, answer_selector

    def substitution(self, *, systems: bool = True) -> str:
        """Say that the phrases are not those of the original."""
        return phrase_note(self.label, self.selector, self._parameters)

    def checkpoint_names(self) -> Mapping[str, str]:
        """Return the checkpoint of the model that answers."""
        return {"model": self.model_name}

    def score_flat(
        self, summaries: Sequence[SummaryType], documents: Sequence[Sequence[DocumentType]]
    ) -> list[MetricsDict]:
        """Return F1 and confidence of each summary."""
        questions: dict[str, list[tuple[str, str]]] = {}
        work = []
        for summary, texts in zip(summaries, documents, strict=True):
            document = document_text(texts)
            if document not in questions:
                questions[document] = self.questions(document)
            text = flatten(summary).strip()
            work.append((text, questions[document] if text else []))
        answered = iter(self._answer([(q, text) for text, pairs in work for q, _ in pairs]))
        rows = []
        for _, pairs in work:
            answers = [(next(answered), gold) for _, gold in pairs]
            fscore = exact_mean(_f1(answer, gold) for (answer, _), gold in answers)
            prob = exact_mean(share for (_, share), _ in answers)
            values = (
                {"avg_prob": prob, "avg_fscore": fscore}
                if answers
                else {"avg_prob": 0.0, "avg_fscore": 0.0}
            )
            rows.append(MetricsDict({"summaqa": values}))
        return rows

    def questions(self, document: str) -> list[tuple[str, str]]:
        """Return sentences with a name hidden, each with the name."""
        return [
            (f"{span.sentence[: span.start]}{MASK}{span.sentence[span.end :]}", span.text)
            for span in find_answers(document, "entities", self.selector)
        ]

    def _answer(self, pairs: Sequence[tuple[str, str]]) -> list[tuple[str, float]]:
        """Return the answer to each (question, text) with its probability: the likeliest start and end, chosen independently."""
        model = self.model("model", SpanQA)
        features = [
            model.features(question, text, longest=LONGEST, longest_question=LONGEST // 2)
            for question, text in pairs
        ]
        # The original only reads the beginning of a long summary.
        model.warn_of_cut(sum(len(windows) > 1 for windows in features), len(features), LONGEST)
        # It does not pass segment ids to the model either.
        first = [replace(windows[0], types=None) for windows in features]
        answers = []
        for feature, (start, end) in zip(first, model.start_end_logits(first), strict=True):
            # The text's segment, including its end token.
            inside = np.array([offset is not None for offset in feature.offsets])
            inside[np.flatnonzero(inside)[-1:] + 1] = True
            starts, ends = softmax(start) * inside, softmax(end) * inside
            a, b = int(starts.argmax()), int(ends.argmax())
            tokens = model.tokenizer.convert_ids_to_tokens(feature.ids[a : b + 1])
            answers.append((" ".join(tokens), float(starts[a] * ends[b])))
        return answers


def _f1(answer: str, name: str) -> float:
    """Return SQuAD's F1, but 0 if normalization leaves nothing of the name, as in the original."""
    return token_f1(answer, name) if normalised(name) else 0.0
