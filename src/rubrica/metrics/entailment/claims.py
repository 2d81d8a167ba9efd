"""Metrics that ask a model whether chunks of the document support the claims of a summary."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

from rubrica.data.instance import DocumentType, ReferenceType, SummaryType
from rubrica.metrics.base.neural import NeuralDocumentMetric, document_text
from rubrica.metrics.base.units import CheckedUnit, UnitSource


class ClaimMetric(NeuralDocumentMetric, abstract=True):
    """Scores a summary by the support that each of its claims has in the best chunk of the document."""

    @abstractmethod
    def split_document(self, document: str) -> list[str]:
        """Return the chunks of a document."""

    @abstractmethod
    def split_summary(self, summary: SummaryType) -> list[str]:
        """Return the claims of a summary."""

    @abstractmethod
    def pair_support(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """Return the support of each (chunk, claim)."""

    @property
    def unit_source(self) -> UnitSource:
        """Whose units it checks: the summary's sentences, or the summary as one claim."""
        return "sentences"

    def check_units(
        self,
        summary: SummaryType,
        *,
        documents: Sequence[DocumentType],
        references: Sequence[ReferenceType] = (),
    ) -> list[CheckedUnit]:
        """Return the claims of a summary with their support."""
        return self.check_claims([summary], [documents])[0]

    def support(
        self, summaries: Sequence[SummaryType], documents: Sequence[Sequence[DocumentType]]
    ) -> list[list[float]]:
        """Return the support of the claims of each summary."""
        checked = self.check_claims(summaries, documents)
        return [[unit.support or 0.0 for unit in claims] for claims in checked]

    def check_claims(
        self, summaries: Sequence[SummaryType], documents: Sequence[Sequence[DocumentType]]
    ) -> list[list[CheckedUnit]]:
        """Return the claims of each summary, each with the support of the best chunk."""
        chunks_of: dict[str, list[str]] = {}
        work = []
        for summary, texts in zip(summaries, documents, strict=True):
            text = document_text(texts)
            if text not in chunks_of:
                chunks_of[text] = self.split_document(text)
            work.append((chunks_of[text], self.split_summary(summary)))
        pairs = [(chunk, claim) for chunks, claims in work for claim in claims for chunk in chunks]
        scores = iter(self.pair_support(pairs) if pairs else [])
        return [
            [
                CheckedUnit(claim, support=max((next(scores) for _ in chunks), default=0.0))
                for claim in claims
            ]
            for chunks, claims in work
        ]
