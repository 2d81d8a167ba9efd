"""Which system is better: systems compared on the same inputs, with paired tests."""

from __future__ import annotations

from rubrica.lazy import lazy_names

_NAMES = {
    "Comparison": "rubrica.comparison.records:Comparison",
    "PairedTest": "rubrica.comparison.records:PairedTest",
    "Plan": "rubrica.comparison.records:Plan",
    "Verdict": "rubrica.comparison.gate:Verdict",
    "assert_not_worse": "rubrica.comparison.gate:assert_not_worse",
    "compare": "rubrica.comparison.systems:compare",
    "compare_instances": "rubrica.comparison.systems:compare_instances",
    "judge": "rubrica.comparison.gate:judge",
}

__all__ = sorted(_NAMES)  # noqa: PLE0605 (names are loaded on first use)
__getattr__, __dir__ = lazy_names(__name__, _NAMES)
