"""Evaluating metrics: correlation with people, intervals, and tests between metrics."""

from rubrica.meta.bootstrap import Interval, bootstrap_correlations, interval
from rubrica.meta.clusters import rank_clusters
from rubrica.meta.coefficients import Coefficient, coefficient_of, p_value
from rubrica.meta.corrections import benjamini_hochberg, holm
from rubrica.meta.correlation import (
    Correlation,
    correlate,
    correlate_measures,
    input_correlations,
)
from rubrica.meta.evaluation import meta_evaluate
from rubrica.meta.join import JoinReport, join_scores
from rubrica.meta.levels import Level, Undefined
from rubrica.meta.partial_conjunction import PartialConjunction, partial_conjunction
from rubrica.meta.rankings import MetaEvaluation, Ranking, Standing, SystemCurve
from rubrica.meta.significance import Significance, compare, swap_correlations
from rubrica.meta.williams import williams_p_value

__all__ = [
    "Coefficient",
    "Correlation",
    "Interval",
    "JoinReport",
    "Level",
    "MetaEvaluation",
    "PartialConjunction",
    "Ranking",
    "Significance",
    "Standing",
    "SystemCurve",
    "Undefined",
    "benjamini_hochberg",
    "bootstrap_correlations",
    "coefficient_of",
    "compare",
    "correlate",
    "correlate_measures",
    "holm",
    "input_correlations",
    "interval",
    "join_scores",
    "meta_evaluate",
    "p_value",
    "partial_conjunction",
    "rank_clusters",
    "swap_correlations",
    "williams_p_value",
]
