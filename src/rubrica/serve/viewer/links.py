"""Links between the tokens of a summary and of a reference, by a metric that aligns them."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from typing import Any

from rubrica.data.instance import EvalInstance, Fields
from rubrica.errors import DataError
from rubrica.metrics.base.alignment import AligningMetric
from rubrica.metrics.base.metric import Metric
from rubrica.reports.embeddings import check_aligns, rounded
from rubrica.serve.viewer.table import SampleTable


class Links:
    """The links of one metric, computed for a pair when the page asks for it.

    Raises:
        ParameterError: The metric does not align tokens.
    """

    def __init__(self, metric: Metric, table: SampleTable) -> None:
        check_aligns(metric)
        self.metric, self._table = metric, table
        # A model answers one question at a time.
        self._lock = threading.Lock()
        self._fitted: tuple[int, Metric] | None = None

    def read(self, query: Mapping[str, str]) -> dict[str, Any]:
        """Return the alignment of a summary with one of its references, `reference` 1, 2, ...

        Raises:
            DataError: No file has the summary or the reference.
        """
        name, system = query.get("input", ""), query.get("system", "")
        number = int(query.get("reference", "1"))
        table = self._table
        with table.lock:
            row = table.row(name, system)
            summary = None if row is None else table.summary(row)
            references = [] if row is None else table.context("references", row)
            version = table.version
        if summary is None or not 1 <= number <= len(references):
            raise DataError(f"no file here has summary and reference {number} of {name!r}")
        with self._lock:
            metric = self._metric(version)
            assert isinstance(metric, AligningMetric)
            alignment = rounded(metric.align(summary, references[number - 1]))
        return {"signature": str(self.metric.signature()), "alignment": alignment}

    def _metric(self, version: int) -> Metric:
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
