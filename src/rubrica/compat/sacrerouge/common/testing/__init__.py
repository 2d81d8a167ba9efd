"""What SacreROUGE's tests, and those of metrics written for it, are made of; paths are those of a checkout."""

FIXTURES_ROOT = "sacrerouge/tests/fixtures"
MULTILING_DOCUMENTS = f"{FIXTURES_ROOT}/data/multiling2011/documents.jsonl"
MULTILING_SUMMARIES = f"{FIXTURES_ROOT}/data/multiling2011/summaries.jsonl"
MULTILING_METRICS = f"{FIXTURES_ROOT}/data/multiling2011/metrics.jsonl"

from rubrica.compat.sacrerouge.common.testing.cases import (  # noqa: E402 (they read the constants)
    ReferenceBasedMetricTestCase,
    TestingMetric,
)

__all__ = [
    "FIXTURES_ROOT",
    "MULTILING_DOCUMENTS",
    "MULTILING_METRICS",
    "MULTILING_SUMMARIES",
    "ReferenceBasedMetricTestCase",
    "TestingMetric",
]
