"""Base classes by what a summary is scored against, with the signatures of their methods."""

from __future__ import annotations

from collections.abc import Sequence

from rubrica.data.instance import DocumentType, ReferenceType, SummaryType
from rubrica.data.jackknife import PyramidJackknifer, ReferencesJackknifer
from rubrica.data.metrics import MetricsDict
from rubrica.data.pyramid import Pyramid, PyramidAnnotation
from rubrica.metrics.base.metric import Metric


class ReferenceBasedMetric(Metric, abstract=True):
    """Scores a summary against its references."""

    required_context_fields = ("references",)
    jackknifer = ReferencesJackknifer()

    def score(self, summary: SummaryType, references: Sequence[ReferenceType]) -> MetricsDict:
        """Score one summary against its references."""
        return super().score(summary, references)

    def score_all(
        self, summaries: Sequence[SummaryType], references_list: Sequence[Sequence[ReferenceType]]
    ) -> list[MetricsDict]:
        """Score summaries, each against its own references."""
        return super().score_all(summaries, references_list)

    def score_multi(
        self, summaries: Sequence[SummaryType], references: Sequence[ReferenceType]
    ) -> list[MetricsDict]:
        """Score summaries that share their references."""
        return super().score_multi(summaries, references)

    def evaluate(
        self, summaries: Sequence[SummaryType], references_list: Sequence[Sequence[ReferenceType]]
    ) -> tuple[MetricsDict, list[MetricsDict]]:
        """Return the system's scores, and those of each summary."""
        return super().evaluate(summaries, references_list)


class DocumentBasedMetric(Metric, abstract=True):
    """Scores a summary against the documents it summarizes."""

    required_context_fields = ("documents",)

    def score(self, summary: SummaryType, documents: Sequence[DocumentType]) -> MetricsDict:
        """Score one summary against its documents."""
        return super().score(summary, documents)

    def score_all(
        self, summaries: Sequence[SummaryType], documents_list: Sequence[Sequence[DocumentType]]
    ) -> list[MetricsDict]:
        """Score summaries, each against its own documents."""
        return super().score_all(summaries, documents_list)

    def score_multi(
        self, summaries: Sequence[SummaryType], documents: Sequence[DocumentType]
    ) -> list[MetricsDict]:
        """Score summaries of the same documents."""
        return super().score_multi(summaries, documents)

    def evaluate(
        self, summaries: Sequence[SummaryType], documents_list: Sequence[Sequence[DocumentType]]
    ) -> tuple[MetricsDict, list[MetricsDict]]:
        """Return the system's scores, and those of each summary."""
        return super().evaluate(summaries, documents_list)


class SummaryOnlyMetric(Metric, abstract=True):
    """Scores a summary by itself."""

    def score(self, summary: SummaryType) -> MetricsDict:
        """Score one summary."""
        return super().score(summary)

    def score_all(self, summaries: Sequence[SummaryType]) -> list[MetricsDict]:
        """Score summaries one by one."""
        return super().score_all(summaries)

    def score_multi(self, summaries: Sequence[SummaryType]) -> list[MetricsDict]:
        """Score summaries like `score_all`: there is no context to share."""
        return super().score_all(summaries)

    def evaluate(self, summaries: Sequence[SummaryType]) -> tuple[MetricsDict, list[MetricsDict]]:
        """Return the system's scores, and those of each summary."""
        return super().evaluate(summaries)


class PyramidBasedMetric(Metric, abstract=True):
    """Scores a summary's pyramid annotation against the pyramid of its references."""

    required_summary_fields = ("annotation",)
    required_context_fields = ("pyramid",)
    jackknifer = PyramidJackknifer()

    def score(self, annotation: PyramidAnnotation, pyramid: Pyramid) -> MetricsDict:
        """Score one annotated summary."""
        return super().score(annotation, pyramid)
