"""Metrics whose system score is a function of summed statistics, such as BLEU: not a mean of rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from rubrica.data.instance import ReferenceType, SummaryType
from rubrica.data.metrics import MetricsDict
from rubrica.errors import DataError
from rubrica.metrics.base.bases import ReferenceBasedMetric
from rubrica.metrics.base.metric import Metric, must_override
from rubrica.statistics.intervals import FloatMatrix, Interval, Resampling, bootstrap_statistics

ScoredStatistics: TypeAlias = tuple[MetricsDict, list[float]]


class CorpusMetric(ReferenceBasedMetric, abstract=True):
    """An author writes `statistics` (a row of numbers per summary) and `score_statistics`.

    A summary's score is that of its own row; a system's that of the sum of its rows. Resampling
    works on the rows and never touches text again.
    """

    corpus_statistics = True
    required_overrides = ("statistics",)

    @must_override
    def statistics(self, summary: SummaryType, references: Sequence[ReferenceType]) -> list[float]:
        """Return the numbers whose sums decide a system's score."""
        raise TypeError(f"{type(self).__name__} does not define statistics")

    def score_statistics(self, totals: Sequence[float]) -> MetricsDict:
        """Return the scores of summed statistics."""
        raise TypeError(f"{type(self).__name__} does not define score_statistics")

    def statistics_multi_all(
        self,
        summaries_list: Sequence[Sequence[SummaryType]],
        references_list: Sequence[Sequence[ReferenceType]],
    ) -> list[list[list[float]]]:
        """Return the statistics of lists of summaries, each list with its own references."""
        return [
            [self.statistics(summary, references) for summary in summaries]
            for summaries, references in self._rows((summaries_list, references_list))
        ]

    def scores_and_statistics(
        self,
        summaries_list: Sequence[Sequence[SummaryType]],
        references_list: Sequence[Sequence[ReferenceType]],
    ) -> list[list[ScoredStatistics]]:
        """Return each summary's scores with its statistics.

        A metric whose summaries are not scored by their own statistics alone overrides this.
        """
        return [
            [(self.score_statistics(row), row) for row in group]
            for group in self.statistics_multi_all(summaries_list, references_list)
        ]

    def score_multi_all(
        self,
        summaries_list: Sequence[Sequence[SummaryType]],
        references_list: Sequence[Sequence[ReferenceType]],
    ) -> list[list[MetricsDict]]:
        """Return each summary's scores."""
        scored = self.scores_and_statistics(summaries_list, references_list)
        return [[scores for scores, _ in group] for group in scored]

    def evaluate(
        self, summaries: Sequence[SummaryType], references_list: Sequence[Sequence[ReferenceType]]
    ) -> tuple[MetricsDict, list[MetricsDict]]:
        """Return the system's scores from summed statistics, and those of each summary."""
        if not self.corpus_statistics:
            return Metric.evaluate(self, summaries, references_list)
        groups = self.scores_and_statistics([[summary] for summary in summaries], references_list)
        if not groups:
            raise DataError("no summaries to evaluate: the input was empty")
        totals = np.sum([statistics for [(_, statistics)] in groups], axis=0).tolist()
        return self.score_statistics(totals), [scores for [(scores, _)] in groups]

    def score_sums(
        self, measures: Sequence[str], sums: FloatMatrix, counts: FloatMatrix
    ) -> FloatMatrix:
        """Return systems' scores from summed statistics, or means of scores. Array [system, measure]."""
        if not self.corpus_statistics:
            return Metric.score_sums(self, measures, sums, counts)
        return self.score_totals(measures, sums)

    def score_totals(self, measures: Sequence[str], sums: FloatMatrix) -> FloatMatrix:
        """Return systems' scores from summed statistics, row by row. Array [system, measure].

        A metric that can do many rows at once overrides this; paired tests ask for thousands.
        """
        scored = (self.score_statistics(row) for row in sums.tolist())
        return np.array([[row.lookup(name) for name in measures] for row in scored])

    def summarize(
        self, measures: Sequence[str], values: FloatMatrix, resampling: Resampling
    ) -> list[Interval]:
        """Return a system's scores with intervals; `values` holds a row of statistics per summary."""
        if not self.corpus_statistics:
            return Metric.summarize(self, measures, values, resampling)

        def score(totals: FloatMatrix) -> FloatMatrix:
            return self.score_sums(measures, totals, np.full((len(totals), 1), len(values)))

        scored = self.score_statistics(values.sum(axis=0).tolist())
        exact = [scored.lookup(measure) for measure in measures]
        return bootstrap_statistics(exact, values, score, resampling)
