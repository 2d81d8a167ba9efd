"""Rubrica evaluates text summaries, and evaluates the metrics that evaluate summaries."""

from rubrica.comparison.records import Comparison as Comparison
from rubrica.comparison.records import TestPlan as TestPlan
from rubrica.comparison.systems import compare as compare
from rubrica.data.instance import EvalInstance as EvalInstance
from rubrica.data.instance import Fields as Fields
from rubrica.data.jackknife import ReferencesJackknifer as ReferencesJackknifer
from rubrica.data.metrics import Metrics as Metrics
from rubrica.data.metrics import MetricsDict as MetricsDict
from rubrica.data.table import ScoreTable as ScoreTable
from rubrica.datasets.open import read as read
from rubrica.datasets.readers.base import DatasetReader as DatasetReader
from rubrica.errors import RubricaError as RubricaError
from rubrica.formatting.result import Result as Result
from rubrica.meta.correlation.correlation import correlate_measures as correlate
from rubrica.meta.evaluation import meta_evaluate as meta_evaluate
from rubrica.meta.ranking.rankings import MetaEvaluation as MetaEvaluation
from rubrica.metrics.base.metric import Metric as Metric
from rubrica.metrics.base.metric import load as load
from rubrica.metrics.rouge.explain import explain as explain
from rubrica.reports.api import report as report
from rubrica.scoring.accumulator import Accumulator as Accumulator
from rubrica.scoring.api import evaluate as evaluate
from rubrica.scoring.api import score as score
from rubrica.scoring.evaluation import Evaluation as Evaluation
from rubrica.signature import Signature as Signature
from rubrica.statistics.intervals import Resampling as Resampling

__all__ = ["Accumulator", "Comparison", "DatasetReader", "EvalInstance", "Evaluation", "Fields", "MetaEvaluation", "Metric", "Metrics", "MetricsDict", "ReferencesJackknifer", "Resampling", "Result", "RubricaError", "ScoreTable", "Signature", "TestPlan", "compare", "correlate", "evaluate", "explain", "load", "meta_evaluate", "read", "report", "score"]

__version__: str
