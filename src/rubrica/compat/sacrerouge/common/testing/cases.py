"""Test cases that score the MultiLing sample of a checkout, and a metric that multiplies numbers."""

from __future__ import annotations

import unittest
from typing import Any, ClassVar

from rubrica.compat.sacrerouge.common.testing import MULTILING_DOCUMENTS, MULTILING_SUMMARIES
from rubrica.compat.sacrerouge.data import MetricsDict
from rubrica.compat.sacrerouge.io import JsonlReader
from rubrica.compat.sacrerouge.metrics import Metric, ReferenceBasedMetric


@Metric.register("testing")
class TestingMetric(ReferenceBasedMetric):
    """The sum over references of summary times reference, both numbers."""

    # Its name begins as that of a test case does.
    __test__ = False

    def score_multi_all(self, summaries_list: Any, *args: Any, **_: Any) -> list[Any]:
        """Score lists of summaries, each list with references of its own."""
        return [
            [
                MetricsDict(
                    {"test": sum(float(summary) * float(reference) for reference in references)}
                )
                for summary in summaries
            ]
            for summaries, references in zip(summaries_list, args[0], strict=True)
        ]


class MetricTestCase(unittest.TestCase):
    """Holds the sample; a subclass says which context its metrics take."""

    instance_ids: ClassVar[list[str]]
    summaries: ClassVar[list[Any]]
    references_list: ClassVar[list[Any]]
    documents_dict: ClassVar[dict[str, list[Any]]]
    documents_list: ClassVar[list[Any]]

    @classmethod
    def setUpClass(cls) -> None:
        """Read the sample."""
        super().setUpClass()
        rows = JsonlReader(MULTILING_SUMMARIES).read()
        cls.instance_ids = [row["instance_id"] for row in rows]
        cls.summaries = [row["summary"]["text"] for row in rows]
        cls.references_list = [
            [reference["text"] for reference in row["references"]] for row in rows
        ]
        cls.documents_dict = {
            row["instance_id"]: [reference["text"] for reference in row["documents"]]
            for row in JsonlReader(MULTILING_DOCUMENTS).read()
        }
        cls.documents_list = [cls.documents_dict[name] for name in cls.instance_ids]

    def contexts(self) -> list[Any]:
        """Return the context arguments of the metric."""
        return []

    def assert_expected_output(self, metric: Metric, expected_output: list[Any]) -> None:
        """Assert that each summary has the expected scores, to 4 digits."""
        scored = metric.score_all(self.summaries, *self.contexts())
        for at, (expected, actual) in enumerate(zip(expected_output, scored, strict=True)):
            if not actual.approx_equal(MetricsDict(expected), abs=1e-4):
                self.fail(f"Instance {at} not equal. Expected {expected}, actual {actual}")

    def assert_order_invariant(self, metric: Metric, abs: float | None = None) -> None:
        """Assert that the order of the summaries of a context changes no score."""
        reverse = self.summaries[::-1]
        pairs = list(zip(self.summaries, reverse, strict=True))
        scored = metric.score_multi_all(pairs, *self.contexts())
        swapped = metric.score_multi_all([pair[::-1] for pair in pairs], *self.contexts())
        for rows, others in zip(scored, swapped, strict=True):
            for row, other in zip(rows, others[::-1], strict=True):
                if not row.approx_equal(other, abs=abs):
                    self.fail(f"{row} is not {other}")


class ReferenceBasedMetricTestCase(MetricTestCase):
    """For metrics with references."""

    def contexts(self) -> list[Any]:
        """Return the references."""
        return [self.references_list]


class DocumentBasedMetricTestCase(MetricTestCase):
    """For metrics with documents."""

    def contexts(self) -> list[Any]:
        """Return the documents."""
        return [self.documents_list]


class ReferencelessMetricTestCase(MetricTestCase):
    """For metrics of the summary alone."""
