"""Rubrica evaluates text summaries, and evaluates the metrics that evaluate summaries."""

from __future__ import annotations

import importlib
from typing import Any

__version__ = "0.1.0"

# Public names, loaded on first use: `import rubrica` costs nothing.
_PUBLIC = {
    "EvalInstance": "rubrica.data.instance",
    "Fields": "rubrica.data.instance",
    "Metric": "rubrica.metrics.base",
    "Metrics": "rubrica.data.metrics",
    "MetricsDict": "rubrica.data.metrics",
    "DatasetReader": "rubrica.datasets.readers.base",
    "ReferencesJackknifer": "rubrica.data.jackknife",
    "RubricaError": "rubrica.errors",
    "ScoreTable": "rubrica.data.table",
    "Signature": "rubrica.signature",
    "evaluate": "rubrica.scoring",
    "score": "rubrica.scoring",
}

__all__ = sorted(_PUBLIC)  # noqa: PLE0605 (names are loaded on first use)


def __getattr__(name: str) -> Any:
    if name not in _PUBLIC:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_PUBLIC[name]), name)


def __dir__() -> list[str]:
    return [*globals(), *_PUBLIC]
