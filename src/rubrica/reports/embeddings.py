"""The report of metrics over embeddings: token by token, how close and who goes with whom."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from rubrica import __version__
from rubrica.data.instance import EvalInstance, Languages
from rubrica.errors import DataError, ParameterError
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
    """All that the page shows."""

    title: str
    version: str
    metric: str
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
    """The report of some summaries (0: all) by a metric that can show its alignments.

    They are taken input by input, all systems of the first and so on, so that systems can be compared.
    Cosines and distances are rounded to five digits; links and scores are not.
    """
    if not isinstance(metric, AligningMetric):
        raise ParameterError(f"{metric.name} has no alignment of tokens to show; {_others()} have")
    listed = list(instances)
    if not listed:
        raise DataError("no summaries in the input")
    told = metric.for_input(listed)
    assert isinstance(told, AligningMetric)
    place = {key: at for at, key in enumerate(dict.fromkeys(one.instance_id for one in listed))}
    by_input = sorted(listed, key=lambda one: place[one.instance_id])
    shown = by_input[:max_summaries] if max_summaries else by_input
    return EmbeddingsReport(
        title,
        __version__,
        metric.name,
        str(metric.signature()),
        [_aligned(told, one) for one in shown],
        len(listed) - len(shown),
    )


def _aligned(metric: AligningMetric, one: EvalInstance) -> AlignedSummary:
    references = one.fields["references"]
    if not references:
        raise DataError(f"{one.describe()} has no references")
    alignments = [_rounded(metric.align(one.fields["summary"], other)) for other in references]
    return AlignedSummary(one.instance_id, one.summarizer_id, alignments, one.languages)


def _rounded(made: TokenAlignment) -> TokenAlignment:
    return replace(
        made, closeness=[[round(value, DIGITS) for value in row] for row in made.closeness]
    )


def aligning_metrics() -> list[str]:
    """The names of the built-in metrics that can show alignments."""
    names = METRICS.builtin_names()
    return [name for name in names if callable(getattr(METRICS.get(name), "align", None))]


def _others() -> str:
    names = aligning_metrics()
    return f"{', '.join(names[:-1])} and {names[-1]}"
