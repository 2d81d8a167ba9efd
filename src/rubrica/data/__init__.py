"""Plain records: what is scored, what a score is, and how both are read and written."""

from rubrica.data.instance import (
    DocumentType,
    EvalInstance,
    Fields,
    ReferenceType,
    SummaryType,
    Text,
    flatten,
)
from rubrica.data.jackknife import Jackknifer, PyramidJackknifer, ReferencesJackknifer
from rubrica.data.metrics import Metrics, MetricsDict
from rubrica.data.pyramid import Pyramid, PyramidAnnotation

__all__ = [
    "DocumentType",
    "EvalInstance",
    "Fields",
    "Jackknifer",
    "Metrics",
    "MetricsDict",
    "Pyramid",
    "PyramidAnnotation",
    "PyramidJackknifer",
    "ReferenceType",
    "ReferencesJackknifer",
    "SummaryType",
    "Text",
    "flatten",
]
