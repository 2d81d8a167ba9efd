"""Evaluating metrics: correlation with people, intervals, and tests between metrics."""

from __future__ import annotations

import warnings
from typing import Any

from rubrica.lazy import lazy_names

_MODULES = {
    "meta.correlation.bootstrap": "bootstrap_correlations",
    "meta.correlation.coefficients": "Coefficient coefficient_of p_value",
    "meta.correlation.compare": "compare_metrics",
    "meta.correlation.correlation": "Correlation correlate correlate_measures input_correlations",
    "meta.correlation.differences": "difference_pearson",
    "meta.correlation.intervals": "CorrelationInterval interval",
    "meta.correlation.levels": "Level Undefined",
    "meta.correlation.partial": "length_baseline partial_given_system",
    "meta.correlation.significance": "Significance swap_correlations",
    "meta.correlation.significant_inputs": "significant_inputs",
    "meta.correlation.unpaired": "unpaired_correlation unpaired_interval",
    "meta.evaluation": "meta_evaluate",
    "meta.join": "JoinReport join_scores",
    "meta.judges.agreement": "krippendorff_alpha",
    "meta.judges.alt_test": "alt_test",
    "meta.judges.alt_test_judges": "alt_test_power compare_judges",
    "meta.judges.annotations": "read_annotations",
    "meta.judges.ceiling": "disattenuated noise_ceiling",
    "meta.judges.dawid_skene": "dawid_skene",
    "meta.judges.estimate": "estimate_systems",
    "meta.judges.jury": "compare_juries",
    "meta.judges.kappa": "cohen_kappa fleiss_kappa",
    "meta.judges.pair_audit": "audit_pairs read_pairs",
    "meta.judges.red_team": "red_team",
    "meta.judges.score_audit": "audit_judge",
    "meta.power": "power_of_correlations power_of_means",
    "meta.ranking.calibration": "calibrate_ties",
    "meta.ranking.clusters": "rank_clusters",
    "meta.ranking.decisions": "decide_pairs decision_agreement",
    "meta.ranking.pairs": "close_pairs pairs_tau top_systems",
    "meta.ranking.preferences": "bradley_terry preference_agreement",
    "meta.ranking.rankings": "MetaEvaluation Ranking Standing SystemCurve",
    "meta.ranking.soft_pairwise": "pairwise_p_values soft_pairwise_accuracy",
    "meta.ranking.stability": "ranking_stability",
    "meta.ranking.thresholds": "balanced_accuracy choose_threshold roc_auc",
    "meta.ranking.ties": "kendall_like tau_with_ties",
    "meta.wmt_write": "write_wmt",
    "statistics.corrections": "benjamini_hochberg benjamini_yekutieli holm",
    "statistics.partial_conjunction": "PartialConjunction partial_conjunction",
    "statistics.williams": "williams_p_value",
}
_NAMES = {
    name: f"rubrica.{module}:{name}" for module, names in _MODULES.items() for name in names.split()
}

__all__ = sorted(_NAMES)  # noqa: PLE0605 (names are loaded on first use)
_load, __dir__ = lazy_names(__name__, _NAMES)


_OLD_NAMES = {"Interval": "CorrelationInterval", "compare": "compare_metrics"}


def __getattr__(name: str) -> Any:
    if name in _OLD_NAMES:
        warnings.warn(
            f"rubrica.meta.{name} is now {_OLD_NAMES[name]}; the old name will be removed in the next version",
            DeprecationWarning,
            stacklevel=2,
        )
        name = _OLD_NAMES[name]
    return _load(name)
