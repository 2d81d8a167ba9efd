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
    "MetaEvaluation": "rubrica.meta.ranking.rankings:MetaEvaluation",
    "Metric": "rubrica.metrics.base.metric:Metric",
    "Metrics": "rubrica.data.metrics:Metrics",
    "MetricsDict": "rubrica.data.metrics:MetricsDict",
    "DatasetReader": "rubrica.datasets.readers.base:DatasetReader",
    "ReferencesJackknifer": "rubrica.data.jackknife:ReferencesJackknifer",
    "Resampling": "rubrica.statistics.intervals:Resampling",
    "Result": "rubrica.formatting.result:Result",
    "RubricaError": "rubrica.errors:RubricaError",
    "ScoreTable": "rubrica.data.table:ScoreTable",
    "Signature": "rubrica.signature:Signature",
    "TestPlan": "rubrica.comparison.records:TestPlan",
    "compare": "rubrica.comparison.systems:compare",
    "correlate": "rubrica.meta.correlation.correlation:correlate_measures",
    "evaluate": "rubrica.scoring.api:evaluate",
    "explain": "rubrica.metrics.rouge.explain:explain",
    "load": "rubrica.metrics.base.metric:load",
    "meta_evaluate": "rubrica.meta.evaluation:meta_evaluate",
    "read": "rubrica.datasets.open:read",
    "report": "rubrica.reports.api:report",
    "score": "rubrica.scoring.api:score",
}

__all__ = sorted(_PUBLIC)  # noqa: PLE0605 (names are loaded on first use)
__getattr__, __dir__ = lazy_names(__name__, _PUBLIC)
moved.install()
