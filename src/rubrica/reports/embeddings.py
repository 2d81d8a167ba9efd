"""The report of metrics over embeddings: token by token, how close and who goes with whom."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rubrica import __version__
from rubrica.data.instance import EvalInstance
from rubrica.errors import DataError, ParameterError
from rubrica.metrics.alignment import AligningMetric, TokenAlignment
from rubrica.metrics.base import Metric
from rubrica.reports.page import page


@dataclass(frozen=True, slots=True)
class AlignedSummary:
    """One summary with an alignment for each of its references."""

    instance: str
    system: str
    alignments: Sequence[TokenAlignment]


@dataclass(frozen=True, slots=True)
class EmbeddingsReport:
    """All that the page shows."""

    title: str
    version: str
    signature: str
    rows: Sequence[AlignedSummary]
    left_out: int

    def page(self) -> bytes:
        """As an HTML page."""
        return page(self.title, self, script="embeddings", styles=("rouge", "embeddings"))


def embeddings_report(
    instances: Iterable[EvalInstance],
    metric: Metric,
    *,
    title: str = "Token similarities",
    max_summaries: int = 50,
) -> EmbeddingsReport:
    """The report of the first summaries (0: all) by a metric that can show its alignments."""
    if not isinstance(metric, AligningMetric):
        raise ParameterError(
            f"{metric.name} has no alignment of tokens to show; bertscore, moverscore, rouge-we, wms, sms and s+wms have"
        )
    listed = list(instances)
    if not listed:
        raise DataError("no summaries in the input")
    told = metric.for_input(listed)
    assert isinstance(told, AligningMetric)
    shown = listed[:max_summaries] if max_summaries else listed
    rows = [
        AlignedSummary(
            one.instance_id,
            one.summarizer_id,
            [told.align(one.fields["summary"], other) for other in one.fields["references"]],
        )
        for one in shown
    ]
    return EmbeddingsReport(
        title, __version__, str(metric.signature()), rows, len(listed) - len(shown)
    )
