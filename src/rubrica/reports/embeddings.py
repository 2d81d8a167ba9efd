"""The report of embedding metrics: similarities of all tokens and their alignment."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from rubrica import __version__
from rubrica.data.instance import EvalInstance, Languages
from rubrica.errors import DataError, ParameterError
from rubrica.formatting.words import word_list
from rubrica.metrics.base.alignment import AligningMetric, TokenAlignment
from rubrica.metrics.base.metric import METRICS, Metric
from rubrica.reports.page import page

# Digits of cosines and distances: a page shows three, and a matrix has thousands of them.
DIGITS = 5


@dataclass(frozen=True, slots=True)
class AlignedSummary:
    """One summary with an alignment for each of its references."""

    instance: str
    system: str
    alignments: Sequence[TokenAlignment]
    languages: Languages


@dataclass(frozen=True, slots=True)
class EmbeddingsReport:
    """Everything the page shows."""

    title: str
    version: str
    metric: str
    signature: str
    rows: Sequence[AlignedSummary]
    left_out: int

    def page(self) -> bytes:
        """Return the report as an HTML page."""
        return page(self.title, self, script="embeddings", styles=("rouge", "embeddings"))


def embeddings_report(
    instances: Iterable[EvalInstance],
    metric: Metric,
    *,
    title: str = "Token similarities",
    max_summaries: int = 50,
) -> EmbeddingsReport:
    """Return the report of up to `max_summaries` summaries (0: all) by a metric with alignments.

    Summaries are sorted by input, so that the page shows all systems of an input together. Cosines and distances are rounded to five digits; links and scores are not.
    """
    check_aligns(metric)
    summaries = list(instances)
    if not summaries:
        raise DataError("no summaries in the input")
    fitted = metric.for_input(summaries)
    assert isinstance(fitted, AligningMetric)
    place = {
        key: at
        for at, key in enumerate(dict.fromkeys(summary.instance_id for summary in summaries))
    }
    by_input = sorted(summaries, key=lambda summary: place[summary.instance_id])
    shown = by_input[:max_summaries] if max_summaries else by_input
    return EmbeddingsReport(
        title,
        __version__,
        metric.name,
        str(metric.signature()),
        [_aligned(fitted, summary) for summary in shown],
        len(summaries) - len(shown),
    )


def check_aligns(metric: Metric) -> None:
    """Refuse a metric that cannot show how it matches tokens.

    Raises:
        ParameterError: It cannot; the message names those that can.
    """
    if not isinstance(metric, AligningMetric):
        raise ParameterError(
            f"{metric.name} does not align tokens; use {word_list(aligning_metrics(), 'or')}"
        )


def _aligned(metric: AligningMetric, instance: EvalInstance) -> AlignedSummary:
    references = instance.fields["references"]
    if not references:
        raise DataError(f"{instance.describe()} has no references")
    alignments = [
        rounded(metric.align(instance.fields["summary"], reference)) for reference in references
    ]
    return AlignedSummary(
        instance.instance_id, instance.summarizer_id, alignments, instance.languages
    )


def rounded(alignment: TokenAlignment) -> TokenAlignment:
    """Return the alignment with its cosines or distances rounded to five digits."""
    return replace(
        alignment,
        closeness=[[round(value, DIGITS) for value in row] for row in alignment.closeness],
    )


def aligning_metrics() -> list[str]:
    """Return the names of the built-in metrics that can show alignments."""
    names = METRICS.builtin_names()
    return [name for name in names if callable(getattr(METRICS.get(name), "align", None))]
