"""QAEval: the share of a reference's information that a summary has, by asking questions about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Unpack

from rubrica.data.instance import ReferenceType, SummaryType, flatten
from rubrica.data.metrics import MetricsDict, exact_mean
from rubrica.metrics.base import Metric, Range
from rubrica.metrics.neural import NeuralMetric
from rubrica.metrics.pairwise import PairwiseMetric
from rubrica.metrics.qa.answers import RULE, AnswerSpan, Strategy, find_answers, marked
from rubrica.metrics.qa.squad import exact_match, token_f1
from rubrica.text.running import Running
from rubrica.text.seq2seq import Seq2Seq
from rubrica.text.span_qa import SpanQA

BEAMS = 4
LONGEST_SENTENCE, LONGEST_QUESTION = 1024, 64


@Metric.register("qa-eval")
class QAEval(NeuralMetric, PairwiseMetric):
    """Questions about the noun phrases of a reference, answered from the summary (Deutsch et al. 2021).

    `is_answered`, exact match `em` and token `f1` with the phrase, as means over questions, then over
    references; unanswered questions count 0. An empty summary, or a reference without a question, scores 0.

    Args:
        generation_model: A sequence-to-sequence checkpoint that writes a question for a sentence with <m> answer </m> in it: a folder, or a name in the Hugging Face cache.
        answering_model: An extractive question-answering checkpoint with unanswerable questions (SQuAD 2): a folder, or a name in the Hugging Face cache.
        answer_selection_strategy: Which phrases are asked about: np-chunks, entities or all of them.
        answer_selector: A spaCy pipeline (name or folder) that finds them; rule takes runs of content words instead.
    """

    value_range: ClassVar[Range] = (0.0, 1.0)
    remedy = "rubrica setup-metric qa-eval --from FOLDER --model NAME with a checkpoint of your own"
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
        answer_selection_strategy: Strategy = "np-chunks",
        answer_selector: str = RULE,
        **running: Unpack[Running],
    ) -> None:
        super().__init__(**running)
        self.generation_model, self.answering_model = generation_model, answering_model
        self.strategy, self.selector = answer_selection_strategy, answer_selector

    def checkpoint_names(self) -> Mapping[str, str]:
        """The model that asks, and the one that answers."""
        return {
            "generation_model": self.generation_model,
            "answering_model": self.answering_model,
        }

    def score_pairs(
        self, summaries: Sequence[SummaryType], references: Sequence[ReferenceType]
    ) -> list[MetricsDict]:
        """The three values of each pair."""
        right = [flatten(text) for text in references]
        questions = self.questions(list(dict.fromkeys(right)))
        work = []
        for summary, reference in zip(summaries, right, strict=True):
            text = flatten(summary).strip()
            work.append((text, questions[reference] if text else []))
        answers = iter(
            self.model("answering_model", SpanQA).answers(
                [(question, text) for text, asked in work for question, _ in asked]
            )
        )
        rows = []
        for _, asked in work:
            values: dict[str, list[float]] = {"is_answered": [], "em": [], "f1": []}
            for _, gold in asked:
                answer = next(answers)
                said = answer.answered
                values["is_answered"].append(float(said))
                values["em"].append(exact_match(answer.text, gold) if said else 0.0)
                values["f1"].append(token_f1(answer.text, gold) if said else 0.0)
            means = {key: exact_mean(one) if one else 0.0 for key, one in values.items()}
            rows.append(MetricsDict({"qa-eval": means}))
        return rows

    def questions(self, texts: Sequence[str]) -> dict[str, list[tuple[str, str]]]:
        """Question and answer of every phrase of every text."""
        found: dict[str, list[AnswerSpan]] = {
            text: find_answers(text, self.strategy, self.selector) for text in texts
        }
        inputs = [marked(span, "<m> ", " </m>") for spans in found.values() for span in spans]
        written = iter(
            self.model("generation_model", Seq2Seq).generate(
                inputs, longest=LONGEST_SENTENCE, new_tokens=LONGEST_QUESTION, beams=BEAMS
            )
            if inputs
            else []
        )
        return {
            text: [(next(written), span.text) for span in spans] for text, spans in found.items()
        }
