"""`Accumulator`: collect summaries batch by batch, as a training loop produces them, and evaluate them together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rubrica.data.instance import EvalInstance, Fields
from rubrica.errors import MismatchError
from rubrica.metrics.base.metric_like import MetricLike, resolve_metrics
from rubrica.scoring.api import evaluate
from rubrica.scoring.evaluation import Evaluation
from rubrica.statistics.intervals import Resampling


class Accumulator:
    """Summaries of one system, collected with `update` and scored by `compute`, with intervals.

    It works with every metric, also with those that need all inputs first.

    >>> scores = Accumulator(["chrf"])
    >>> scores.update(["rain fell"], references=["rain fell all day"])
    >>> scores.update(["snow"], references=["snow"])
    >>> round(scores.compute().systems["system"].scores["chrf"].value, 2)
    57.14
    """

    def __init__(
        self,
        metrics: MetricLike | Sequence[MetricLike] = ("rouge",),
        *,
        system: str = "system",
        resampling: Resampling | None = None,
        workers: int | None = 1,
    ) -> None:
        self._metrics = resolve_metrics(metrics)
        self._system, self._resampling, self._workers = system, resampling, workers
        self._instances: list[EvalInstance] = []

    def __len__(self) -> int:
        return len(self._instances)

    def update(
        self,
        summaries: Sequence[Any],
        *,
        references: Sequence[Any] | None = None,
        documents: Sequence[Any] | None = None,
    ) -> None:
        """Add a batch: texts, each with its reference (or a list of them) and document (or a list)."""
        contexts = {"references": references, "documents": documents}
        for name, column in contexts.items():
            if column is not None and len(column) != len(summaries):
                raise MismatchError(f"{len(summaries):,} summaries, but {len(column):,} {name}")
        for number, summary in enumerate(summaries):
            fields = Fields(summary=summary)
            for name, column in contexts.items():
                if column is not None:
                    texts = column[number]
                    fields[name] = [texts] if isinstance(texts, str) else list(texts)
            key = str(len(self._instances))
            self._instances.append(EvalInstance(key, self._system, "peer", fields))

    def compute(self) -> Evaluation:
        """Return the scores of everything added since the last reset."""
        return evaluate(
            self._instances,
            self._metrics,
            resampling=self._resampling,
            workers=self._workers,
            keep_rows=False,
        )[0]

    def reset(self) -> None:
        """Forget everything added."""
        self._instances.clear()
