"""Rubrica evaluates text summaries, and evaluates the metrics that evaluate summaries."""

from __future__ import annotations

from rubrica import moved
from rubrica.lazy import lazy_names

__version__ = "0.1.0"

# Public names, loaded on first use: `import rubrica` costs nothing.
_PUBLIC = {
    "Accumulator": "rubrica.scoring.accumulator:Accumulator",
    "EvalInstance": "rubrica.data.instance:EvalInstance",
    "Comparison": "rubrica.comparison.records:Comparison",
    "Evaluation": "rubrica.scoring.evaluation:Evaluation",
    "Fields": "rubrica.data.instance:Fields",
    "Metric": "rubrica.metrics.base.metric:Metric",
    "Metrics": "rubrica.data.metrics:Metrics",
    "MetricsDict": "rubrica.data.metrics:MetricsDict",
    "DatasetReader": "rubrica.datasets.readers.base:DatasetReader",
    "ReferencesJackknifer": "rubrica.data.jackknife:ReferencesJackknifer",
    "RubricaError": "rubrica.errors:RubricaError",
    "ScoreTable": "rubrica.data.table:ScoreTable",
    "Signature": "rubrica.signature:Signature",
    "compare": "rubrica.comparison.systems:compare",
    "evaluate": "rubrica.scoring.api:evaluate",
    "load": "rubrica.metrics.base.metric:load",
    "read": "rubrica.datasets.open:read",
    "score": "rubrica.scoring.api:score",
}

__all__ = sorted(_PUBLIC)  # noqa: PLE0605 (names are loaded on first use)
__getattr__, __dir__ = lazy_names(__name__, _PUBLIC)
moved.install()
