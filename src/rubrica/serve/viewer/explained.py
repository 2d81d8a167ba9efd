"""How a metric came to its score of a sample: links between tokens, or checked sentences and units."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

from rubrica.data.instance import EvalInstance, Fields, Text
from rubrica.errors import DataError, ParameterError
from rubrica.metrics.base.alignment import AligningMetric
from rubrica.metrics.base.metric import METRICS, Metric
from rubrica.metrics.base.units import UnitCheckingMetric, share_interval, supported_share
from rubrica.reports.embeddings import aligning_metrics, rounded
from rubrica.serve.viewer.table import SampleTable


class Explainer:
    """Explains one metric's score of a summary when the page asks for it.

    Raises:
        ParameterError: The metric has neither links between tokens nor units.
    """

    def __init__(self, metric: Metric, table: SampleTable) -> None:
        self.metric, self._table = metric, table
        self.kind: Literal["links", "units"] = _kind(metric)
        # A model answers one question at a time.
        self._lock = threading.Lock()
        self._fitted: tuple[int, Metric] | None = None

    def facts(self) -> dict[str, str]:
        """Return the metric's name, and what it shows: `links` or `units`."""
        return {"by": self.metric.label, "kind": self.kind}

    def read(self, query: Mapping[str, str]) -> dict[str, Any]:
        """Return the links of a summary with one of its references, `reference` 1, 2, ...; or its units.

        Raises:
            DataError: No file has the summary, or a text that the metric needs.
        """
        name, system = query.get("input", ""), query.get("system", "")
        table = self._table
        with table.lock:
            row = table.row(name, system)
            summary = None if row is None else table.summary(row)
            context = {} if row is None else _context(table, row)
            version = table.version
        if summary is None:
            raise DataError(f"no file here has the text of {system!r} for {name!r}")
        shown = (
            self._links(summary, context["references"], query.get("reference", "1"), version)
            if self.kind == "links"
            else self._units(summary, context)
        )
        return {"signature": str(self.metric.signature()), **shown}

    def _links(
        self, summary: Text, references: Sequence[Text], number: str, version: int
    ) -> dict[str, Any]:
        if not 1 <= int(number) <= len(references):
            raise DataError(f"this summary has no reference {number}")
        with self._lock:
            metric = self._fit(version)
            assert isinstance(metric, AligningMetric)
            return {"alignment": rounded(metric.align(summary, references[int(number) - 1]))}

    def _units(self, summary: Text, context: Mapping[str, Sequence[Text]]) -> dict[str, Any]:
        metric = self.metric
        assert isinstance(metric, UnitCheckingMetric)
        for field in metric.required_context_fields:
            if not context.get(field):
                raise DataError(
                    f"{metric.label} needs {field}; no file here has those of this input"
                )
        with self._lock:
            units = metric.check_units(summary, **context)
        return {
            "source": metric.unit_source,
            "units": units,
            "share": supported_share(units),
            "bounds": share_interval(units),
        }

    def _fit(self, version: int) -> Metric:
        """Return the metric as it scores all rows that are here now."""
        if not self.metric.needs_whole_input:
            return self.metric
        if self._fitted is None or self._fitted[0] != version:
            # Some metrics go through the rows twice.
            self._fitted = version, self.metric.for_input(list(self._instances()))
        return self._fitted[1]

    def _instances(self) -> Iterator[EvalInstance]:
        table = self._table
        with table.lock:
            for row in range(len(table)):
                summary, references = table.summary(row), table.context("references", row)
                if summary is not None and references:
                    fields = Fields(summary=summary, references=references)
                    yield EvalInstance(*table.ids(row), fields)


def _context(table: SampleTable, row: int) -> dict[str, list[Text]]:
    return {name: list(table.context(name, row)) for name in ("documents", "references")}


def _kind(metric: Metric) -> Literal["links", "units"]:
    if isinstance(metric, AligningMetric):
        return "links"
    if not isinstance(metric, UnitCheckingMetric):
        checking = [
            name
            for name in METRICS.builtin_names()
            if callable(getattr(METRICS.get(name), "check_units", None))
        ]
        raise ParameterError(
            f"{metric.name} cannot show how it scored a sample; links between tokens: "
            f"{', '.join(aligning_metrics())}; checked sentences or units: {', '.join(checking)}"
        )
    if metric.unit_source is None:
        raise ParameterError(
            f"{metric.label} with these parameters has one score for the whole summary; choose another prompt or "
            "variant, such as judge,prompt=sentence-faithfulness"
        )
    return "units"
