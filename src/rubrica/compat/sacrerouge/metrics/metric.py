"""SacreROUGE's metric interface, and `RubricaMetric`: a class of SacreROUGE that scores with a metric of Rubrica."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rubrica.compat.sacrerouge.common import Registrable
from rubrica.compat.sacrerouge.data import Jackknifer, MetricsDict
from rubrica.compat.sacrerouge.data.jackknifers import ReferencesJackknifer
from rubrica.compat.sacrerouge.data.metrics import average
from rubrica.metrics.base.metric import METRICS


class Metric(Registrable):
    """Scores summaries. Arguments are the summary fields, then the context fields."""

    def __init__(
        self,
        required_summary_fields: list[str],
        required_context_fields: list[str],
        jackknifer: Jackknifer | None = None,
    ) -> None:
        self.required_summary_fields = required_summary_fields
        self.required_context_fields = required_context_fields
        self.jackknifer = jackknifer

    def score(self, *args: Any, **kwargs: Any) -> Any:
        """Score one summary."""
        raise NotImplementedError

    def score_multi(self, *args: Any, **kwargs: Any) -> list[Any]:
        """Score summaries that share one context."""
        raise NotImplementedError

    def score_all(self, *args: Any, **kwargs: Any) -> list[Any]:
        """Score summaries, each with its own context."""
        raise NotImplementedError

    def score_multi_all(self, *args: Any, **kwargs: Any) -> list[list[Any]]:
        """Score lists of summaries, each list with a context of its own."""
        raise NotImplementedError

    def evaluate(self, *args: Any) -> tuple[MetricsDict, list[MetricsDict]]:
        """Return the system's scores, and those of each summary."""
        raise NotImplementedError

    def aggregate(self, metrics_list: list[MetricsDict]) -> MetricsDict:
        """Return a system's scores from those of its summaries: the mean."""
        return average(metrics_list)

    def requires_jackknifing(self) -> bool:
        """Return whether a `_jk` value makes sense."""
        return self.jackknifer is not None


class SummaryBasedMetric(Metric):
    """One summary field and any context fields; a subclass defines `score_multi_all`."""

    def score(self, summary: Any, *args: Any, **kwargs: Any) -> Any:
        """Score one summary."""
        return self.score_all([summary], *([arg] for arg in args), **kwargs)[0]

    def score_multi(self, summaries: Sequence[Any], *args: Any, **kwargs: Any) -> list[Any]:
        """Score summaries that share one context."""
        return self.score_multi_all([summaries], *([arg] for arg in args), **kwargs)[0]

    def score_all(self, summaries: Sequence[Any], *args: Any, **kwargs: Any) -> list[Any]:
        """Score summaries, each with its own context."""
        groups = [[summary] for summary in summaries]
        return [rows[0] for rows in self.score_multi_all(groups, *args, **kwargs)]

    def evaluate(
        self, summaries: Sequence[Any], *args: Any
    ) -> tuple[MetricsDict, list[MetricsDict]]:
        """Return the system's scores, and those of each summary."""
        rows = self.score_all(summaries, *args)
        return self.aggregate(rows), rows


class ReferenceBasedMetric(SummaryBasedMetric):
    """Scores a summary against its references."""

    def __init__(self) -> None:
        super().__init__(["summary"], ["references"], jackknifer=ReferencesJackknifer())


class DocumentBasedMetric(SummaryBasedMetric):
    """Scores a summary against the documents it summarizes."""

    def __init__(self) -> None:
        super().__init__(["summary"], ["documents"])


class ReferenceFreeMetric(SummaryBasedMetric):
    """Scores a summary by itself."""

    def __init__(self) -> None:
        super().__init__(["summary"], [])


class RubricaMetric(SummaryBasedMetric):
    """Scores with the metric of Rubrica that `use` chooses; mixed in before one of the classes above."""

    # Whether the system's scores are Rubrica's (of summed counts), not means of its summaries' scores.
    aggregates_itself = False

    def use(self, name: str, **parameters: Any) -> None:
        """Choose a metric of Rubrica; parameters that are None keep its default."""
        values = {key: value for key, value in parameters.items() if value is not None}
        self.rubrica = METRICS.make({"type": name, **values})

    def score_multi_all(self, summaries_list: Sequence[Any], *args: Any, **_: Any) -> list[Any]:
        """Score lists of summaries, each list with a context of its own."""
        scored = self.rubrica.score_multi_all([list(group) for group in summaries_list], *args)
        return [[self.row(row) for row in group] for group in scored]

    def row(self, values: Mapping[str, Any]) -> MetricsDict:
        """Return the scores of a summary under SacreROUGE's names."""
        return MetricsDict(values)

    def evaluate(
        self, summaries: Sequence[Any], *args: Any
    ) -> tuple[MetricsDict, list[MetricsDict]]:
        """Return the system's scores, and those of each summary."""
        if not self.aggregates_itself:
            return super().evaluate(summaries, *args)
        system, rows = self.rubrica.evaluate(list(summaries), *args)
        return self.row(system), [self.row(row) for row in rows]
