"""Texts with the scores that people gave them: what readers of released texts return."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from rubrica.data.instance import EvalInstance, Fields
from rubrica.data.metrics import Metrics, MetricsDict

Pooling: TypeAlias = Literal["jointly", "max", "mean"]


@dataclass(frozen=True, slots=True)
class JudgedTexts:
    """Texts with the scores that people gave them; metrics are computed on the texts.

    Several references are scored `jointly`, as the metric does it, or one by one and pooled by `max` or `mean`.
    """

    instances: Sequence[EvalInstance]
    scores: Sequence[Metrics]
    pooling: Pooling = "jointly"


class JudgedTextsBuilder:
    """Collects summaries with their references and human scores, row by row."""

    def __init__(self) -> None:
        self._instances: list[EvalInstance] = []
        self._scores: list[Metrics] = []

    def add(
        self, instance: Any, system: Any, fields: Mapping[str, Any], scores: Mapping[str, Any]
    ) -> None:
        """Add the summary of a system for an input."""
        ids = (str(instance), str(system), "peer")
        self._instances.append(EvalInstance(*ids, Fields(fields)))
        self._scores.append(Metrics(*ids, MetricsDict(scores)))

    def build(self, pooling: Pooling = "jointly") -> JudgedTexts:
        """Return everything that was added."""
        return JudgedTexts(self._instances, self._scores, pooling)
