"""Correlations and Williams' test against recorded results of nlpstats 0.0.1 (with scipy 1.17)."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rubrica.meta import compare_metrics, correlate

FILE = Path(__file__).parent / "meta" / "nlpstats.json.gz"
CASES = json.loads(gzip.decompress(FILE.read_bytes()))

# Two metrics with the same ranking of systems: t is 0 / 0. nlpstats says so (None) for three of four
# such cases; in the fourth its correlation of the metrics is 1 - 1e-16, and the p-value 1/2.
AGREE_PERFECTLY = {(0, "system", "kendall")}


def matrix(rows: list[list[float | None]]) -> np.ndarray[Any, np.dtype[np.float64]]:
    return np.array([[np.nan if v is None else v for v in row] for row in rows])


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"case{case['case']}")
def test_correlations_are_those_of_nlpstats(case: dict[str, Any]) -> None:
    x, z = matrix(case["X"]), matrix(case["Z"])
    for level, values in case["correlation"].items():
        for coefficient, expected in values.items():
            value = correlate(x, z, level, coefficient).value
            assert value == pytest.approx(expected, abs=1e-12), (level, coefficient)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"case{case['case']}")
def test_williams_p_values_are_those_of_nlpstats(case: dict[str, Any]) -> None:
    x, y, z = (matrix(case[name]) for name in "XYZ")
    for level, values in case["williams"].items():
        for coefficient, expected in values.items():

            def p(
                a: Any, b: Any, tails: int, level: str = level, by: str = coefficient
            ) -> float | None:
                return compare_metrics(a, b, z, level, by, method="williams", tails=tails).p_value

            found = {"two-sided": p(x, y, 2), "greater": p(x, y, 1), "less": p(y, x, 1)}
            if (case["case"], level, coefficient) in AGREE_PERFECTLY:
                expected = dict.fromkeys(expected)
            for kind, value in expected.items():
                if value is None:
                    assert found[kind] is None, (level, coefficient, kind)
                else:
                    assert found[kind] == pytest.approx(value, abs=1e-9), (level, coefficient, kind)
