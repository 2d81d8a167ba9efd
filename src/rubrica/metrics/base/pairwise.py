"""Metrics that score a summary against one reference at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rubrica.data.instance import ReferenceType, SummaryType
from rubrica.data.metrics import MetricsDict, mean
from rubrica.metrics.base.bases import ReferenceBasedMetric
from rubrica.metrics.base.metric import WithJackknife, must_override


class PairwiseMetric(ReferenceBasedMetric, abstract=True):
    """Scores a summary against one reference at a time, then combines; jackknifing costs nothing more.

    An author writes `score_pairs`, and `combine_pairs` where the combination is not the mean.
    """

    required_overrides = ("score_pairs",)

    @must_override
    def score_pairs(
        self, summaries: Sequence[SummaryType], references: Sequence[ReferenceType]
    ) -> Sequence[Mapping[str, Any]]:
        """Score each summary against the reference at the same index."""
        raise TypeError(f"{type(self).__name__} does not define score_pairs")

    def combine_pairs(self, rows: Sequence[MetricsDict]) -> MetricsDict:
        """Return a summary's score from its scores against each reference: the mean."""
        return mean(rows)

    def score_multi_all(
        self,
        summaries_list: Sequence[Sequence[SummaryType]],
        references_list: Sequence[Sequence[ReferenceType]],
    ) -> list[list[MetricsDict]]:
        """Score lists of summaries, each list against its own references."""
        pairs = self._score_all_pairs(summaries_list, references_list)
        return [[self.combine_pairs(rows) for rows in group] for group in pairs]

    def score_with_jackknife(
        self,
        summaries_list: Sequence[Sequence[SummaryType]],
        references_list: Sequence[Sequence[ReferenceType]],
    ) -> list[list[WithJackknife]]:
        """Return each score with its jackknifed value, both from the same pair scores."""
        pairs = self._score_all_pairs(summaries_list, references_list)
        return [[self._both(rows) for rows in group] for group in pairs]

    def _both(self, rows: list[MetricsDict]) -> WithJackknife:
        if self.jackknifer is None or len(rows) < 2:
            return self.combine_pairs(rows), None
        left_out = [self.combine_pairs(rows[:i] + rows[i + 1 :]) for i in range(len(rows))]
        return self.combine_pairs(rows), mean(left_out)

    def _score_all_pairs(
        self,
        summaries_list: Sequence[Sequence[SummaryType]],
        references_list: Sequence[Sequence[ReferenceType]],
    ) -> list[list[list[MetricsDict]]]:
        """For each group and summary, a score per reference; all pairs in one call."""
        left, right = [], []
        for summaries, references in self._rows((summaries_list, references_list)):
            for summary in summaries:
                left += [summary] * len(references)
                right += references
        scored = iter(self.score_pairs(left, right))
        return [
            [[MetricsDict(next(scored)) for _ in references] for _ in summaries]
            for summaries, references in zip(summaries_list, references_list, strict=True)
        ]
