"""`load("rouge").compute(...)` with the keys and numbers of Hugging Face's evaluate; nothing is fetched.

from rubrica.compat.evaluate import load
load("rouge").compute(predictions=predictions, references=references)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rubrica.compat.rouge_score.rouge_scorer import RougeScorer
from rubrica.compat.rouge_score.scoring import BootstrapAggregator
from rubrica.errors import MismatchError, ParameterError, UnknownNameError
from rubrica.metrics.rouge.non_ascii import Fallback
from rubrica.parameters import SEED

ROUGE_TYPES = ("rouge1", "rouge2", "rougeL", "rougeLsum")


def load(
    path: str,
    config_name: str | None = None,
    *,
    seed: int | None = None,
    fallback: Fallback = "words",
    **_: Any,
) -> Rouge:
    """The module of that name: only "rouge". Other arguments of evaluate are taken and not needed.

    evaluate's aggregate is a bootstrap median. With the same `seed` it is the same number; without
    one evaluate's changes from process to process, and this one does not. `fallback` is that of
    `rubrica.compat.rouge_score.RougeScorer`.
    """
    if path != "rouge":
        raise UnknownNameError("module here", path, ["rouge"])
    return Rouge(seed=seed, fallback=fallback)


class Rouge:
    """evaluate's module "rouge"."""

    name = "rouge"

    def __init__(self, seed: int | None = None, fallback: Fallback = "words") -> None:
        self.seed, self.fallback = SEED if seed is None else seed, fallback
        self._predictions: list[str] = []
        self._references: list[Any] = []

    def add(self, *, prediction: str, reference: str | Sequence[str]) -> None:
        """One more pair for `compute`."""
        self._predictions.append(prediction)
        self._references.append(reference)

    def add_batch(self, *, predictions: Sequence[str], references: Sequence[Any]) -> None:
        """More pairs for `compute`."""
        _check(predictions, references)
        self._predictions += predictions
        self._references += references

    def compute(
        self,
        *,
        predictions: Sequence[str] | None = None,
        references: Sequence[str | Sequence[str]] | None = None,
        rouge_types: Sequence[str] | None = None,
        use_aggregator: bool = True,
        use_stemmer: bool = False,
        tokenizer: Callable[[str], Sequence[str]] | None = None,
    ) -> dict[str, Any]:
        """F of each type: the bootstrap median of the mean, or with no aggregator a list."""
        if predictions is not None and references is not None:
            self.add_batch(predictions=predictions, references=references)
        elif predictions is not None or references is not None:
            raise ParameterError("rouge needs both predictions and references")
        texts, self._predictions = self._predictions, []
        targets, self._references = self._references, []
        if not texts:
            raise ParameterError("rouge: there are no predictions to score")
        scorer = RougeScorer(
            list(rouge_types or ROUGE_TYPES),
            use_stemmer=use_stemmer,
            tokenizer=None if tokenizer is None else _Tokenizer(tokenizer),
            fallback=self.fallback,
        )
        if isinstance(targets[0], str):
            scores = scorer.score_all(targets, texts)
        else:
            scores = [scorer.score_multi(*pair) for pair in zip(targets, texts, strict=True)]
        if not use_aggregator:
            return {key: [score[key].fmeasure for score in scores] for key in scores[0]}
        aggregator = BootstrapAggregator(random_state=self.seed)
        for score in scores:
            aggregator.add_scores(score)
        return {key: aggregate.mid.fmeasure for key, aggregate in aggregator.aggregate().items()}


class _Tokenizer:
    """A function as the object with `tokenize` that RougeScorer takes."""

    def __init__(self, function: Callable[[str], Sequence[str]]) -> None:
        self.tokenize = function


def _check(predictions: Sequence[str], references: Sequence[Any]) -> None:
    if isinstance(predictions, str) or isinstance(references, str):
        raise ParameterError("rouge: predictions and references are lists of texts")
    if len(predictions) != len(references):
        raise MismatchError(
            f"rouge: {len(predictions)} predictions and {len(references)} references"
        )
