"""SacreROUGE's metrics: its class names and parameters, with the scores of Rubrica's metrics."""

from rubrica.compat.sacrerouge.metrics.lexical import (
    AutoSummENG,
    ChrF,
    Meteor,
    Rouge,
    SentBleu,
    SIMetrix,
)
from rubrica.compat.sacrerouge.metrics.metric import (
    DocumentBasedMetric,
    Metric,
    ReferenceBasedMetric,
    ReferenceFreeMetric,
    SummaryBasedMetric,
)
from rubrica.compat.sacrerouge.metrics.neural import (
    S3,
    SUPERT,
    BertScore,
    Blanc,
    Bleurt,
    MoverScore,
    QAEval,
    SumQE,
)
from rubrica.compat.sacrerouge.metrics.pyramids import APES, BEwTE, PyramidScore, PyrEval
from rubrica.compat.sacrerouge.metrics.python_rouge import PythonRouge

__all__ = [
    "APES",
    "S3",
    "SUPERT",
    "AutoSummENG",
    "BEwTE",
    "BertScore",
    "Blanc",
    "Bleurt",
    "ChrF",
    "DocumentBasedMetric",
    "Meteor",
    "Metric",
    "MoverScore",
    "PyrEval",
    "PyramidScore",
    "PythonRouge",
    "QAEval",
    "ReferenceBasedMetric",
    "ReferenceFreeMetric",
    "Rouge",
    "SIMetrix",
    "SentBleu",
    "SumQE",
    "SummaryBasedMetric",
]
