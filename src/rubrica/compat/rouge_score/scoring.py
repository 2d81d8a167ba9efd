"""Scores and their bootstrap, with the names of `rouge_score.scoring`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from rubrica.errors import ParameterError
from rubrica.metrics.rouge.bootstrap import rouge_score_intervals
from rubrica.parameters import SEED


class Score(NamedTuple):
    """Precision, recall and F of one text."""

    precision: float
    recall: float
    fmeasure: float


class AggregateScore(NamedTuple):
    """The bounds of an interval, and between them the median of the resampled means."""

    low: Any
    mid: Any
    high: Any


class BaseScorer(ABC):
    """What has `score(target, prediction)`."""

    @abstractmethod
    def score(self, target: str, prediction: str) -> dict[str, Score]:
        """A score for each type."""


class BootstrapAggregator:
    """Collects scores and gives each type's interval, by bootstrap over texts.

    rouge-score draws from numpy's global generator and never seeds it, so its numbers change from run
    to run. Here they do not: `random_state` is a seed, or a `numpy.random.RandomState` that is used as
    it stands. In the same state both give the same numbers, to the last bit.
    """

    def __init__(
        self,
        confidence_interval: float = 0.95,
        n_samples: int = 1000,
        *,
        random_state: int | np.random.RandomState = SEED,
    ) -> None:
        if not 0 <= confidence_interval <= 1:
            raise ParameterError("confidence_interval must be in range [0, 1]")
        if n_samples <= 0:
            raise ParameterError("n_samples must be positive")
        self._confidence, self._rounds, self._random = confidence_interval, n_samples, random_state
        self._scores: dict[str, list[tuple[float, ...]]] = defaultdict(list)

    def add_scores(self, scores: Mapping[str, tuple[float, ...]]) -> None:
        """Take the scores of one text: a named tuple for each type."""
        for score_type, score in scores.items():
            self._scores[score_type].append(score)

    def aggregate(self) -> dict[str, AggregateScore]:
        """An interval for each type, in the order in which they were added."""
        random = self._random
        if not isinstance(random, np.random.RandomState):
            random = np.random.RandomState(random)
        result = {}
        for score_type, scores in self._scores.items():
            bounds = rouge_score_intervals(
                np.vstack(scores),
                random=random,
                confidence=self._confidence,
                rounds=self._rounds,
            )
            result[score_type] = AggregateScore(*(type(scores[0])(*row) for row in bounds))
        return result
