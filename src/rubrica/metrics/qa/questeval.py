"""QuestEval: questions about the source answered from the summary, and the other way round."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Unpack

from rubrica.data.instance import flatten
from rubrica.data.jackknife import ReferencesJackknifer
from rubrica.data.metrics import MetricsDict, exact_mean
from rubrica.errors import ParameterError
from rubrica.metrics.base.metric import Metric, Range
from rubrica.metrics.base.neural import NeuralMetric, document_text
from rubrica.metrics.base.originals import PIPELINE
from rubrica.metrics.bertscore.matching import greedy_match, plain_weights, unit_vectors
from rubrica.metrics.qa.answers import RULE, Strategy, find_answers, phrase_note
from rubrica.metrics.qa.squad import token_f1
from rubrica.neural.checkpoint import MINILM
from rubrica.neural.encoder import Encoder
from rubrica.neural.running import InferenceOptions
from rubrica.neural.seq2seq import Seq2Seq
from rubrica.text.sentences import sentences_of

LONGEST = 512
# The default length of transformers' generate: 20 tokens, including the start token.
LONGEST_WRITTEN = 20
SENTENCES = 5
# The encoder that compares answers in the original.
_MODEL = "bert-base-multilingual-cased"
# T5's tokens of "unanswerable" (question answering) and of "true" (weighter); the original takes 1 minus both.
UNANSWERABLE, TRUE = 73, 1176
SEP = "</s>"


@dataclass(frozen=True, slots=True)
class _Question:
    text: str
    answer: str


@Metric.register("questeval")
class QuestEval(NeuralMetric):
    """Agreement of answers to questions generated from the summary and from the source (Scialom et al. 2021).

    `recall` asks the summary about the source (or reference), `precision` the source about the summary,
    `fscore` is their mean; the best of document and references counts. An empty text scores 0.

    Args:
        generation_model: T5 that writes questions (t5-qg_squad1-en): a folder, or a name in the Hugging Face cache.
        answering_model: T5 that answers them (t5-qa_squad2neg-en): a folder, or a name in the Hugging Face cache.
        weighter_model: T5 that weights questions about the document (t5-weighter_cnndm-en); null
            weights all equally.
        bertscore_model: Encoder that compares answers; null is all-MiniLM-L6-v2 (the original: bert-base-multilingual-cased).
        bertscore_layer: Its layer; null is 5 for all-MiniLM-L6-v2 and 9 for others.
        against: What the summary is compared with: documents, references or both.
        answer_selector: spaCy pipeline (name or folder) whose entities and noun chunks to ask
            about; `rule` uses runs of content words instead.
    """

    required_context_fields: Sequence[str] = ("documents",)
    value_range: ClassVar[Range] = (0.0, 1.0)
    always_signed = ("answer_selector",)
    like_sacrerouge: ClassVar[Mapping[str, Any]] = {
        "answer_selector": PIPELINE,
        "bertscore_model": _MODEL,
    }
    citation = """@inproceedings{scialom-etal-2021-questeval,
  title = {{Q}uest{E}val: Summarization Asks for Fact-based Evaluation},
  author = {Scialom, Thomas and Dray, Paul-Alexis and Lamprier, Sylvain and Piwowarski, Benjamin and Staiano, Jacopo and Wang, Alex and Gallinari, Patrick},
  booktitle = {Proceedings of EMNLP 2021},
  year = {2021},
  url = {https://aclanthology.org/2021.emnlp-main.529}
}"""

    def __init__(
        self,
        generation_model: str = "ThomasNLG/t5-qg_squad1-en",
        answering_model: str = "ThomasNLG/t5-qa_squad2neg-en",
        weighter_model: str | None = None,
        bertscore_model: str | None = None,
        bertscore_layer: int | None = None,
        against: Sequence[str] = ("documents",),
        answer_selector: str = RULE,
        **running: Unpack[InferenceOptions],
    ) -> None:
        super().__init__(**running)
        if not against or not set(against) <= {"documents", "references"}:
            raise ParameterError("questeval: against must be documents, references or both")
        self._names = {
            "generation_model": generation_model,
            "answering_model": answering_model,
            "bertscore_model": bertscore_model or MINILM.name,
        }
        if weighter_model is not None:
            self._names["weighter_model"] = weighter_model
        self._layer = bertscore_layer or (5 if bertscore_model is None else 9)
        self.selector = answer_selector
        self.required_context_fields = tuple(
            name for name in ("documents", "references") if name in against
        )
        if "references" in against:
            self.jackknifer = ReferencesJackknifer()

    def substitution(self, *, systems: bool = True) -> str:
        """Say that the model that compares answers, or the phrases, are not the original's."""
        notices = []
        if "bertscore_model" not in self._parameters:
            notices.append(
                f"{self.label} compares answers by {MINILM.name}, the original by {_MODEL}"
            )
        notices.append(phrase_note(self.label, self.selector, self._parameters))
        return "; ".join(filter(None, notices))

    def checkpoint_names(self) -> Mapping[str, str]:
        """Return the checkpoints of the models that ask, answer, compare and weigh."""
        return self._names

    def score_multi_all(self, *fields: Any) -> list[list[MetricsDict]]:
        """Score lists of summaries, each list with its own context."""
        groups = self._rows(fields)
        work: list[list[tuple[str, str, bool]]] = []
        for summaries, *context in groups:
            others: list[tuple[str, bool]] = []
            for name, texts in zip(self.required_context_fields, context, strict=True):
                if name == "documents":
                    others.append((document_text(texts), True))
                else:
                    others += [(flatten(text).strip(), False) for text in texts]
            work += [
                [(flatten(summary).strip(), text, source) for text, source in others]
                for summary in summaries
            ]
        questions = self._questions([text for row in work for pair in row for text in pair[:2]])
        pairs = [
            (question, text)
            for row in work
            for summary, other, _ in row
            if summary and other
            for about, text in ((other, summary), (summary, other))
            for question in questions[about]
        ]
        answers = iter(self._answer_scores(pairs))
        weights = self._weights(
            [
                (q, other)
                for row in work
                for s, other, source in row
                if s and source
                for q in questions[other]
            ]
        )
        rows = iter([self._score_row(row, questions, answers, weights) for row in work])
        return [[next(rows) for _ in group[0]] for group in groups]

    def _score_row(
        self,
        row: Sequence[tuple[str, str, bool]],
        questions: Mapping[str, Sequence[_Question]],
        answers: Any,
        weights: Mapping[tuple[_Question, str], float],
    ) -> MetricsDict:
        best = {"fscore": 0.0, "precision": 0.0, "recall": 0.0}
        for summary, other, source in row:
            if not summary or not other:
                continue
            recall_parts = [next(answers) for _ in questions[other]]
            if source and weights:
                recall_parts = [
                    [weights[question, other] * value for value in values]
                    for question, values in zip(questions[other], recall_parts, strict=True)
                ]
            precision_parts = [next(answers) for _ in questions[summary]]
            recall, precision = _base(recall_parts), _base(precision_parts)
            fscore = (recall + precision) / 2
            if fscore >= best["fscore"]:
                best = {"fscore": fscore, "precision": precision, "recall": recall}
        return MetricsDict({"questeval": best})

    def _questions(self, texts: Sequence[str]) -> dict[str, list[_Question]]:
        """Return questions about the phrases of each text's first sentences; the generator reads the whole text."""
        answers = {text: self.answers(text) for text in dict.fromkeys(texts)}
        model = self.model("generation_model", Seq2Seq)
        inputs = [
            f"sv1 {SEP} {answer} {SEP} {text}"
            for text, phrases in answers.items()
            for answer in phrases
        ]
        questions = iter(self._generate(model, inputs))
        return {
            text: [_Question(next(questions), answer) for answer in phrases]
            for text, phrases in answers.items()
        }

    def answers(self, text: str) -> list[str]:
        """Return entities, then noun chunks, of the first sentences; a phrase that is both appears twice."""
        if self.selector == RULE:
            start = " ".join(sentences_of(text)[:SENTENCES])
            kinds: tuple[Strategy, ...] = ("entities", "np-chunks")
            return [span.text for kind in kinds for span in find_answers(start, kind, RULE)]
        from rubrica.metrics.qa.spacy_phrases import entities_and_chunks, first_sentences

        start = first_sentences(text, SENTENCES, self.selector)
        return entities_and_chunks(start, self.selector)

    def _generate(self, model: Seq2Seq, inputs: Sequence[str]) -> list[str]:
        most = model.config.get("max_length") or LONGEST_WRITTEN
        return model.generate(inputs, longest=LONGEST, new_tokens=int(most) - 1) if inputs else []

    def _answer_scores(self, pairs: Sequence[tuple[_Question, str]]) -> list[list[float]]:
        """Return F1, answerability and BERTScore of the answer to each question, given a text."""
        if not pairs:
            return []
        model = self.model("answering_model", Seq2Seq)
        inputs = [f"{question.text} {SEP} {text}" for question, text in pairs]
        answers = self._generate(model, inputs)
        first = model.first_step(inputs, (UNANSWERABLE,), longest=LONGEST, quiet=True)
        similarities = self._similarities(
            [
                (answer, question.answer)
                for answer, (question, _) in zip(answers, pairs, strict=True)
            ]
        )
        rows = []
        for answer, (question, _), (logit, everything), bert in zip(
            answers, pairs, first, similarities, strict=True
        ):
            answerable = 1 - math.exp(logit - everything)
            values = (token_f1(answer, question.answer), answerable, bert)
            rows.append([min(1.0, max(0.0, value)) for value in values])
        return rows

    def _similarities(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        encoder = self.model("bertscore_model", Encoder, layer=self._layer)
        texts = list(dict.fromkeys(text for pair in pairs for text in pair))
        encoded = dict(zip(texts, encoder.encode(texts), strict=True))
        units = {text: unit_vectors(encoding) for text, encoding in encoded.items()}
        weights = {text: plain_weights(encoding) for text, encoding in encoded.items()}
        return [greedy_match(units[a], units[b], weights[a], weights[b])[2] for a, b in pairs]

    def _weights(
        self, pairs: Sequence[tuple[_Question, str]]
    ) -> dict[tuple[_Question, str], float]:
        """Return the weight of each question about a document."""
        if "weighter_model" not in self._names or not pairs:
            return {}
        model = self.model("weighter_model", Seq2Seq)
        inputs = [
            f"{question.answer} {SEP} {question.text} {SEP} {text}" for question, text in pairs
        ]
        steps = model.first_step(inputs, (TRUE,), longest=LONGEST)
        shares = [1 - math.exp(logit - everything) for logit, everything in steps]
        return dict(zip(pairs, shares, strict=True))


def _base(parts: Sequence[Sequence[float]]) -> float:
    """Return the mean of all values of all questions; 0 without one."""
    return exact_mean(value for part in parts for value in part) if parts else 0.0
