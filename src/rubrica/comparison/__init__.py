"""Which system is better: systems compared on the same inputs, with paired tests."""

from __future__ import annotations

import warnings
from typing import Any

from rubrica.lazy import lazy_names

_NAMES = {
    "Comparison": "rubrica.comparison.records:Comparison",
    "PairedTest": "rubrica.comparison.records:PairedTest",
    "TestPlan": "rubrica.comparison.records:TestPlan",
    "Verdict": "rubrica.comparison.gate:Verdict",
    "assert_not_worse": "rubrica.comparison.gate:assert_not_worse",
    "compare": "rubrica.comparison.systems:compare",
    "compare_scores": "rubrica.comparison.scores:compare_scores",
    "compare_instances": "rubrica.comparison.systems:compare_instances",
    "judge": "rubrica.comparison.gate:judge",
}

__all__ = sorted(_NAMES)  # noqa: PLE0605 (names are loaded on first use)
_load, __dir__ = lazy_names(__name__, _NAMES)


def __getattr__(name: str) -> Any:
    if name == "Plan":
        warnings.warn(
            "rubrica.comparison.Plan is now TestPlan; the old name will be removed in the next version",
            DeprecationWarning,
            stacklevel=2,
        )
        name = "TestPlan"
    return _load(name)
