"""Evaluating metrics: correlation with people, intervals, and tests between metrics."""

from rubrica.meta.correlation.bootstrap import bootstrap_correlations
from rubrica.meta.correlation.coefficients import Coefficient, coefficient_of, p_value
from rubrica.meta.correlation.compare import compare
from rubrica.meta.correlation.correlation import (
    Correlation,
    correlate,
    correlate_measures,
    input_correlations,
)
from rubrica.meta.correlation.differences import difference_pearson
from rubrica.meta.correlation.intervals import CorrelationInterval, interval
from rubrica.meta.correlation.levels import Level, Undefined
from rubrica.meta.correlation.partial import length_baseline, partial_given_system
from rubrica.meta.correlation.significance import Significance, swap_correlations
from rubrica.meta.correlation.significant_inputs import significant_inputs
from rubrica.meta.correlation.unpaired import unpaired_correlation, unpaired_interval
from rubrica.meta.evaluation import meta_evaluate
from rubrica.meta.join import JoinReport, join_scores
from rubrica.meta.judges.agreement import krippendorff_alpha
from rubrica.meta.judges.alt_test import alt_test
from rubrica.meta.judges.alt_test_judges import alt_test_power, compare_judges
from rubrica.meta.judges.annotations import read_annotations
from rubrica.meta.judges.ceiling import disattenuated, noise_ceiling
from rubrica.meta.judges.dawid_skene import dawid_skene
from rubrica.meta.judges.estimate import estimate_systems
from rubrica.meta.judges.jury import compare_juries
from rubrica.meta.judges.kappa import cohen_kappa, fleiss_kappa
from rubrica.meta.judges.pair_audit import audit_pairs, read_pairs
from rubrica.meta.judges.red_team import red_team
from rubrica.meta.judges.score_audit import audit_judge
from rubrica.meta.power import power_of_correlations, power_of_means
from rubrica.meta.ranking.calibration import calibrate_ties
from rubrica.meta.ranking.clusters import rank_clusters
from rubrica.meta.ranking.decisions import decide_pairs, decision_agreement
from rubrica.meta.ranking.pairs import close_pairs, pairs_tau, top_systems
from rubrica.meta.ranking.preferences import bradley_terry, preference_agreement
from rubrica.meta.ranking.rankings import MetaEvaluation, Ranking, Standing, SystemCurve
from rubrica.meta.ranking.soft_pairwise import pairwise_p_values, soft_pairwise_accuracy
from rubrica.meta.ranking.stability import ranking_stability
from rubrica.meta.ranking.thresholds import balanced_accuracy, choose_threshold, roc_auc
from rubrica.meta.ranking.ties import kendall_like, tau_with_ties
from rubrica.meta.wmt_write import write_wmt
from rubrica.statistics.corrections import benjamini_hochberg, benjamini_yekutieli, holm
from rubrica.statistics.partial_conjunction import PartialConjunction, partial_conjunction
from rubrica.statistics.williams import williams_p_value

Interval = CorrelationInterval  # its name in 0.1

__all__ = [
    "Coefficient",
    "Correlation",
    "CorrelationInterval",
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
    "alt_test",
    "alt_test_power",
    "audit_judge",
    "audit_pairs",
    "balanced_accuracy",
    "benjamini_hochberg",
    "benjamini_yekutieli",
    "bootstrap_correlations",
    "bradley_terry",
    "calibrate_ties",
    "choose_threshold",
    "close_pairs",
    "coefficient_of",
    "cohen_kappa",
    "compare",
    "compare_judges",
    "compare_juries",
    "correlate",
    "correlate_measures",
    "dawid_skene",
    "decide_pairs",
    "decision_agreement",
    "difference_pearson",
    "disattenuated",
    "estimate_systems",
    "fleiss_kappa",
    "holm",
    "input_correlations",
    "interval",
    "join_scores",
    "kendall_like",
    "krippendorff_alpha",
    "length_baseline",
    "meta_evaluate",
    "noise_ceiling",
    "p_value",
    "pairs_tau",
    "pairwise_p_values",
    "partial_conjunction",
    "partial_given_system",
    "power_of_correlations",
    "power_of_means",
    "preference_agreement",
    "rank_clusters",
    "ranking_stability",
    "read_annotations",
    "read_pairs",
    "red_team",
    "roc_auc",
    "significant_inputs",
    "soft_pairwise_accuracy",
    "swap_correlations",
    "tau_with_ties",
    "top_systems",
    "unpaired_correlation",
    "unpaired_interval",
    "williams_p_value",
    "write_wmt",
]
