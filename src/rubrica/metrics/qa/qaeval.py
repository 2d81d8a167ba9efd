"""QAEval: the share of a reference's information that a summary has, by asking questions about it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Unpack

from rubrica.data.instance import ReferenceType, SummaryType, flatten
from rubrica.data.metrics import MetricsDict, exact_mean
from rubrica.metrics.base.metric import Metric, Range
from rubrica.metrics.base.neural import NeuralMetric
from rubrica.metrics.base.originals import PIPELINE
from rubrica.metrics.base.pairwise import PairwiseMetric
from rubrica.metrics.qa.answers import RULE, AnswerSpan, find_answers, marked, phrase_note
from rubrica.metrics.qa.lerc import AnswerComparison, AnswerPair
from rubrica.metrics.qa.question_writer import QuestionWriter
from rubrica.metrics.qa.squad import exact_match, token_f1
from rubrica.neural.running import InferenceOptions
from rubrica.neural.seq2seq import Seq2Seq
from rubrica.neural.span_qa import SpanAnswer, SpanQA

BEAMS = 4
LONGEST_SENTENCE, LONGEST_QUESTION = 1024, 100


@dataclass(frozen=True, slots=True)
class AnsweredQuestion:
    """A question about a reference, its answer there, and the answer that the summary gives.

    `start` is the place of the summary's answer (-1 where blanks differ); `scores` are the measures of the question.
    """

    question: str
    answer: str
    start: int
    prediction: SpanAnswer
    scores: Mapping[str, float]


@Metric.register("qa-eval")
class QAEval(NeuralMetric, PairwiseMetric):
    """How well the summary answers questions about the noun phrases of a reference (Deutsch et al. 2021).

    `is_answered`, exact match `em` and token `f1` with the phrase, and `lerc`, a learned comparison from 1
    to 5, as means over questions, then over references; unanswered questions count 0. An empty summary, or
    a reference without a question, scores 0.

    Args:
        generation_model: Sequence-to-sequence checkpoint that writes a question for a sentence with
            <m> answer </m> in it: a folder, or a name in the Hugging Face cache.
        answering_model: Extractive question-answering checkpoint with unanswerable questions (SQuAD
            2): a folder, or a name in the Hugging Face cache.
        answer_selection_strategy: Phrases to ask about: noun chunks (`np-chunks`), the largest noun
            phrases (`max-np`), names (`ner`), or all of them.
        answer_selector: spaCy pipeline (name or folder) that finds the phrases; `rule` uses runs of
            content words instead.
        decoding: How to generate questions: `qaeval` is the original's beam search, `transformers`
            that of transformers with the checkpoint's own settings.
        use_lerc: Also compare answers with LERC.
        lerc_model: Converted LERC checkpoint (see convert-checkpoint): a folder.
    """

    value_range: ClassVar[Mapping[str, Range]] = {
        "qa-eval.lerc": (float("-inf"), float("inf")),
        "*": (0.0, 1.0),
    }
    remedy = "rubrica qa-eval convert-checkpoint ARCHIVE OUT --base FOLDER for the original's generator or LERC, rubrica setup-metric qa-eval --from FOLDER --model NAME for a checkpoint of your own"
    always_signed = ("answer_selector",)
    like_sacrerouge: ClassVar[Mapping[str, Any]] = {"answer_selector": PIPELINE}
    citation = """@article{deutsch-etal-2021-towards,
  title = {Towards Question-Answering as an Automatic Metric for Evaluating the Content Quality of a Summary},
  author = {Deutsch, Daniel and Bedrax-Weiss, Tania and Roth, Dan},
  journal = {Transactions of the Association for Computational Linguistics},
  volume = {9},
  year = {2021},
  url = {https://aclanthology.org/2021.tacl-1.47}
}"""

    def __init__(
        self,
        generation_model: str = "qaeval-generation",
        answering_model: str = "qaeval-answering",
        answer_selection_strategy: Literal["np-chunks", "max-np", "ner", "all"] = "np-chunks",
        answer_selector: str = RULE,
        decoding: Literal["qaeval", "transformers"] = "qaeval",
        use_lerc: bool = False,
        lerc_model: str = "qaeval-lerc",
        **running: Unpack[InferenceOptions],
    ) -> None:
        super().__init__(**running)
        self._names = {"generation_model": generation_model, "answering_model": answering_model}
        if use_lerc:
            self._names["lerc_model"] = lerc_model
        self.strategy, self.selector = answer_selection_strategy, answer_selector
        self.decoding, self.use_lerc = decoding, use_lerc

    def substitution(self, *, systems: bool = True) -> str:
        """Say that the phrases are not those of the original."""
        return phrase_note(self.label, self.selector, self._parameters)

    def checkpoint_names(self) -> Mapping[str, str]:
        """Return the checkpoints of the model that asks, the one that answers, and the one that compares answers."""
        return self._names

    def score_pairs(
        self, summaries: Sequence[SummaryType], references: Sequence[ReferenceType]
    ) -> list[MetricsDict]:
        """Return the values of each pair."""
        keys = ("is_answered", "em", "f1", "lerc") if self.use_lerc else ("is_answered", "em", "f1")
        rows = []
        for questions in self._answer(summaries, references):
            means = {
                key: exact_mean([question.scores[key] for question in questions])
                if questions
                else 0.0
                for key in keys
            }
            rows.append(MetricsDict({"qa-eval": means}))
        return rows

    def answered_questions(
        self, summary: SummaryType, reference: ReferenceType
    ) -> list[AnsweredQuestion]:
        """Return every question about a reference with the answer that the summary gives."""
        return self._answer([summary], [reference])[0]

    def _answer(
        self, summaries: Sequence[SummaryType], references: Sequence[ReferenceType]
    ) -> list[list[AnsweredQuestion]]:
        """Answer the questions of each pair in one call; an empty summary gets no questions."""
        right = [flatten(text) for text in references]
        questions = self.questions(list(dict.fromkeys(right)))
        work = []
        for summary, reference in zip(summaries, right, strict=True):
            text = flatten(summary).strip()
            work.append((text, questions[reference] if text else []))
        items = [(text, question, gold) for text, pairs in work for question, gold in pairs]
        answers = self.model("answering_model", SpanQA).answers([(q, text) for text, q, _ in items])
        texts = [answer.text if answer.answered else None for answer in answers]
        rated = iter(self._ratings(items, texts))
        records = iter(
            [
                AnsweredQuestion(
                    question,
                    gold,
                    text.find(answer.text),
                    answer,
                    _score_answer(answer_text, gold, rated),
                )
                for (text, question, gold), answer, answer_text in zip(
                    items, answers, texts, strict=True
                )
            ]
        )
        return [[next(records) for _ in pairs] for _, pairs in work]

    def _ratings(
        self, questions: Sequence[tuple[str, str, str]], answers: Sequence[str | None]
    ) -> list[float]:
        """Return LERC's rating of every answer."""
        comparisons = [
            AnswerPair(text, question, gold, answer)
            for (text, question, gold), answer in zip(questions, answers, strict=True)
            if answer is not None
        ]
        if not self.use_lerc:
            return [0.0] * len(comparisons)
        return self.model("lerc_model", AnswerComparison).ratings(comparisons)

    def questions(self, texts: Sequence[str]) -> dict[str, list[tuple[str, str]]]:
        """Return question and answer for every phrase of every text."""
        phrases: dict[str, list[AnswerSpan]] = {
            text: find_answers(text, self.strategy, self.selector) for text in texts
        }
        inputs = [marked(span, "<m> ", " </m>") for spans in phrases.values() for span in spans]
        kind = QuestionWriter if self.decoding == "qaeval" else Seq2Seq
        written = iter(
            self.model("generation_model", kind).generate(
                inputs, longest=LONGEST_SENTENCE, new_tokens=LONGEST_QUESTION, beams=BEAMS
            )
            if inputs
            else []
        )
        return {
            text: [(next(written), span.text) for span in spans] for text, spans in phrases.items()
        }


def _score_answer(answer: str | None, gold: str, rated: Iterator[float]) -> dict[str, float]:
    """Return the values of one question; an unanswered question counts 0."""
    if answer is None:
        return dict.fromkeys(("is_answered", "em", "f1", "lerc"), 0.0)
    return {
        "is_answered": 1.0,
        "em": exact_match(answer, gold),
        "f1": token_f1(answer, gold),
        "lerc": next(rated),
    }
