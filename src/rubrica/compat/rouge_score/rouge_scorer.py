"""`RougeScorer` with the arguments and numbers of `rouge_score.rouge_scorer`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from typing import Any

from rubrica.compat.rouge_score.scoring import BaseScorer, Score
from rubrica.data.metrics import MetricsDict
from rubrica.errors import ParameterError
from rubrica.metrics.rouge.metric import Rouge
from rubrica.metrics.rouge.non_ascii import Fallback
from rubrica.metrics.rouge.tokens import punkt_sentences

_KEYS = {"rougeL": "rouge-l", "rougeLsum": "rouge-lsum"}


class RougeScorer(BaseScorer):
    """Scores a prediction against a target: {rouge type: Score}.

    `rouge_types` are of rouge1 to rouge9, rougeL (the text as one sentence) and rougeLsum (a sentence
    per line). `tokenizer` is any object with `tokenize(text)`. `split_summaries` cuts by NLTK's model of
    sentences, as the original does (it needs `rubrica[punkt]`; nothing is downloaded).

    The original keeps a-z and 0-9 only, so that identical Thai texts score 0. Here texts of which it
    would drop most are cut into `fallback` ("words" or "characters" of every script) with a warning;
    "none" gives the original's numbers for these too.
    """

    def __init__(
        self,
        rouge_types: Sequence[str],
        use_stemmer: bool = False,
        split_summaries: bool = False,
        tokenizer: Any = None,
        *,
        fallback: Fallback = "words",
    ) -> None:
        self.rouge_types = rouge_types
        self._stem, self._split, self._tokenizer = use_stemmer, split_summaries, tokenizer
        self._fallback = fallback

    def score(self, target: str, prediction: str) -> dict[str, Score]:
        """One prediction against one target."""
        return self.score_multi([target], prediction)

    def score_multi(self, targets: Sequence[str], prediction: str) -> dict[str, Score]:
        """Against several targets: for each type the one with the best F, of equals the first."""
        scores = MetricsDict()
        for lines, metric in self._metrics:
            texts = [self._units(text, lines) for text in (prediction, *targets)]
            scores.update(metric.score(texts[0], texts[1:]))
        return {rouge_type: _score(scores[_key(rouge_type)]) for rouge_type in self.rouge_types}

    def score_all(
        self, targets: Sequence[str], predictions: Sequence[str]
    ) -> list[dict[str, Score]]:
        """Many predictions, each against its target: the same numbers, faster than one by one."""
        rows = [MetricsDict() for _ in predictions]
        for lines, metric in self._metrics:
            summaries = [self._units(text, lines) for text in predictions]
            references = [[self._units(text, lines)] for text in targets]
            for row, scores in zip(rows, metric.score_all(summaries, references), strict=True):
                row.update(scores)
        return [
            {rouge_type: _score(row[_key(rouge_type)]) for rouge_type in self.rouge_types}
            for row in rows
        ]

    @cached_property
    def _metrics(self) -> list[tuple[bool, Rouge]]:
        """What computes the types, and whether it sees lines.

        A tokenizer of one's own may cut a whole text otherwise than its lines, so there are two.
        """
        orders = [
            int(rouge_type[5:])
            for rouge_type in self.rouge_types
            if rouge_type not in _KEYS and _checked(rouge_type)
        ]
        whole: dict[str, Any] = {
            "max_ngram": max(orders, default=0),
            "compute_rouge_l": "rougeL" in self.rouge_types,
        }
        lines: dict[str, Any] = {"compute_rouge_lsum": "rougeLsum" in self.rouge_types}
        if self._tokenizer is None:
            common: dict[str, Any] = {
                "use_porter_stemmer": self._stem,
                "fallback": self._fallback,
            }
            return [(True, Rouge(profile="rouge-score", **common, **whole, **lines))]
        common = {"tokenizer": self._tokenizer.tokenize}
        metrics: list[tuple[bool, Rouge]] = []
        if orders or whole["compute_rouge_l"]:
            metrics.append((False, _WholeTexts(profile="rouge-score", **common, **whole)))
        if lines["compute_rouge_lsum"]:
            metrics.append((True, Rouge(0, profile="rouge-score", **common, **lines)))
        return metrics

    def _units(self, text: str, lines: bool) -> list[str]:
        if not lines:
            return [text]
        return punkt_sentences(text) if self._split else text.split("\n")


class _WholeTexts(Rouge):
    """Newlines inside a text are the tokenizer's business here; `Rouge` would cut there."""

    def prepare(self, texts: Sequence[Any]) -> Sequence[object]:
        """As they are."""
        return texts


def _checked(rouge_type: str) -> bool:
    if rouge_type == "rouge0":
        raise ParameterError(f"rougen requires positive n: {rouge_type}")
    if not re.fullmatch(r"rouge[1-9]", rouge_type):
        raise ParameterError(f"Invalid rouge type: {rouge_type}")
    return True


def _key(rouge_type: str) -> str:
    return _KEYS.get(rouge_type) or f"rouge-{rouge_type[5:]}"


def _score(values: MetricsDict) -> Score:
    return Score(values["precision"], values["recall"], values["f1"])
