"""Rubrica evaluates text summaries, and evaluates the metrics that evaluate summaries."""

from rubrica.comparison.records import Comparison as Comparison
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
from rubrica.metrics.base.metric import Metric as Metric
from rubrica.metrics.base.metric import load as load
from rubrica.scoring.accumulator import Accumulator as Accumulator
from rubrica.scoring.api import evaluate as evaluate
from rubrica.scoring.api import score as score
from rubrica.scoring.evaluation import Evaluation as Evaluation
from rubrica.signature import Signature as Signature

__version__: str
