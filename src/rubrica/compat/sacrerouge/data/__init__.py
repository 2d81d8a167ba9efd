"""SacreROUGE's records: what is scored, and what a score is."""

from rubrica.compat.sacrerouge.data.fields import EvalInstance
from rubrica.compat.sacrerouge.data.jackknifers import Jackknifer
from rubrica.compat.sacrerouge.data.metrics import Metrics, MetricsDict
from rubrica.compat.sacrerouge.data.pyramid import Pyramid, PyramidAnnotation

__all__ = ["EvalInstance", "Jackknifer", "Metrics", "MetricsDict", "Pyramid", "PyramidAnnotation"]
