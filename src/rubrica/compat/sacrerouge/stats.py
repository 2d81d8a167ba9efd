"""SacreROUGE's statistics: Rubrica's correlations on draws from numpy's global generator.

Seeded by `numpy.random.seed`, intervals and p-values are those of SacreROUGE: its generator draws here, in the same
order; Rubrica's kernels do the work. Coefficients and samplers that they do not know are called, one sample at a time.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any, TypeAlias

import numpy as np

from rubrica.compat.sacrerouge.data import Metrics
from rubrica.compat.sacrerouge.resampling import (
    PERMUTERS,
    SAMPLERS,
    Known,
    LevelCorrFunc,
    bootstrap_both_sample,
    bootstrap_input_sample,
    bootstrap_system_sample,
    parallel,
    permute_both,
    permute_inputs,
    permute_systems,
    permuted,
    present,
    random_bool_mask,
    resampled,
)
from rubrica.errors import ParameterError
from rubrica.meta.correlation.coefficients import Coefficient, coefficient_of, p_value
from rubrica.meta.correlation.correlation import input_correlations, number_of_points
from rubrica.meta.correlation.intervals import fisher_bounds
from rubrica.meta.correlation.levels import Level
from rubrica.meta.correlation.significance import p_value_of, standardised
from rubrica.meta.scores import Matrix, system_means
from rubrica.statistics.partial_conjunction import partial_conjunction
from rubrica.statistics.williams import williams_p_value

__all__ = [
    "bonferroni_partial_conjunction_pvalue_test",
    "bootstrap_both_sample",
    "bootstrap_ci",
    "bootstrap_diff_test",
    "bootstrap_input_sample",
    "bootstrap_system_sample",
    "convert_to_matrices",
    "corr_ci",
    "corr_diff_test",
    "fisher_ci",
    "global_corr",
    "partial_conjunction_pvalue_test",
    "permutation_diff_test",
    "permute_both",
    "permute_inputs",
    "permute_systems",
    "random_bool_mask",
    "summary_level_corr",
    "system_level_corr",
    "williams_diff_test",
]

# Two vectors -> coefficient and p-value, such as scipy.stats.pearsonr.
CorrFunc: TypeAlias = Callable[[Any, Any], Any]

logger = logging.getLogger(__name__)


def convert_to_matrices(metrics_list: Iterable[Metrics], *metric_names: str) -> Any:
    """Return systems x inputs, ids sorted, NaN where a score is absent: one matrix per measure."""
    rows = list(metrics_list)
    systems = {name: at for at, name in enumerate(sorted({row.summarizer_id for row in rows}))}
    inputs = {name: at for at, name in enumerate(sorted({row.instance_id for row in rows}))}
    values = np.full((len(metric_names), len(systems), len(inputs)), np.nan)
    for row in rows:
        for number, name in enumerate(metric_names):
            if name in row.metrics:
                at = systems[row.summarizer_id], inputs[row.instance_id]
                values[number, *at] = row.metrics[name]
    return values[0] if len(metric_names) == 1 else list(values)


def summary_level_corr(
    corr_func: CorrFunc,
    X: Any,
    Y: Any,
    return_num_instances: bool = False,
    return_individual_correlations: bool = False,
    return_correlations_num_inputs: bool = False,
    silent: bool = False,
) -> Any:
    """Return the mean over inputs of the correlation between systems; undefined ones are left out."""
    x, y = parallel(X, Y)
    known = _coefficient(corr_func)
    if known is not None:
        columns = input_correlations(x, y, known)
    else:
        columns = np.array([corr_func(*present(x[:, j], y[:, j]))[0] for j in range(x.shape[1])])
    defined = ~np.isnan(columns)
    if not silent and not defined.all():
        logger.warning(
            f"Skipped {(~defined).sum()} summary-level correlations because they were NaN"
        )
    values = columns[defined].tolist()
    output: list[Any] = [sum(values) / len(values) if values else None]
    if return_num_instances:
        output.append(len(values))
    if return_individual_correlations:
        output.append(values)
    if return_correlations_num_inputs:
        output.append((~np.isnan(x)).sum(axis=0)[defined].tolist())
    return output[0] if len(output) == 1 else tuple(output)


def system_level_corr(corr_func: CorrFunc, X: Any, Y: Any, return_pvalue: bool = False) -> Any:
    """Return the correlation between the systems' mean scores."""
    x, y = parallel(X, Y)
    return _vector_corr(corr_func, system_means(x), system_means(y), return_pvalue)


def global_corr(corr_func: CorrFunc, X: Any, Y: Any, return_pvalue: bool = False) -> Any:
    """Return the correlation between all pairs of scores."""
    x, y = parallel(X, Y)
    return _vector_corr(corr_func, x.ravel(), y.ravel(), return_pvalue)


def bootstrap_ci(
    corr_func: LevelCorrFunc,
    X: Any,
    Y: Any,
    sample_func: Callable[..., Any],
    alpha: float = 0.05,
    num_samples: int = 1000,
) -> tuple[float, float]:
    """Return the percentile interval of a correlation."""
    drawn = resampled(corr_func, _known(corr_func), [X], Y, sample_func, num_samples)[:, 0]
    defined = drawn[~np.isnan(drawn)]
    lower, upper = np.quantile(defined, [alpha / 2, 1 - alpha / 2])
    return float(lower), float(upper)


def fisher_ci(
    corr_func: LevelCorrFunc, X: Any, Y: Any, alpha: float = 0.05, **_: Any
) -> tuple[float | None, float | None]:
    """Return the interval by Fisher's transformation."""
    level, coefficient = _required(corr_func)
    value = corr_func(X, Y)
    if value is None:
        return None, None
    return fisher_bounds(value, number_of_points(X, level), coefficient, alpha / 2)


def corr_ci(
    corr_func: LevelCorrFunc,
    X: Any,
    Y: Any,
    method: str | None,
    alpha: float = 0.05,
    two_tailed: bool = True,
    kwargs: dict[str, Any] | None = None,
) -> tuple[float | None, float | None]:
    """Return an interval by the method of a name; with one tail each bound has all of alpha."""
    alpha = alpha if two_tailed else alpha * 2
    if method is None or method == "none":
        return None, None
    if method == "fisher":
        return fisher_ci(corr_func, X, Y, alpha=alpha, **(kwargs or {}))
    sample = _of(SAMPLERS, method, "confidence interval")
    return bootstrap_ci(corr_func, X, Y, sample, alpha=alpha, **(kwargs or {}))


def bootstrap_diff_test(
    corr_func: LevelCorrFunc,
    X: Any,
    Y: Any,
    Z: Any,
    sample_func: Callable[..., Any],
    two_tailed: bool,
    num_samples: int = 1000,
    return_test_statistic: bool = False,
    return_deltas: bool = False,
) -> Any:
    """Return the p-value of corr(X, Z) > corr(Y, Z) by the paired bootstrap."""
    observed = corr_func(X, Z) - corr_func(Y, Z)
    drawn = resampled(corr_func, _known(corr_func), [X, Y], Z, sample_func, num_samples)
    deltas = drawn[:, 0] - drawn[:, 1]
    p = p_value_of(deltas, 2 * observed, 2 if two_tailed else 1, "ratio")
    return _test_result(p, observed, deltas, two_tailed, return_test_statistic, return_deltas)


def permutation_diff_test(
    corr_func: LevelCorrFunc,
    X: Any,
    Y: Any,
    Z: Any,
    permute_func: Callable[..., Any],
    two_tailed: bool,
    num_permutations: int = 1000,
    return_test_statistic: bool = False,
    return_deltas: bool = False,
) -> Any:
    """Return the p-value of corr(X, Z) > corr(Y, Z) by random exchanges of standardized scores."""
    x, y = standardised(np.asarray(X, float)), standardised(np.asarray(Y, float))
    observed = corr_func(x, Z) - corr_func(y, Z)
    deltas = permuted(corr_func, _known(corr_func), x, y, Z, permute_func, num_permutations)
    p = p_value_of(deltas, observed, 2 if two_tailed else 1, "plus-one")
    return _test_result(p, observed, deltas, two_tailed, return_test_statistic, return_deltas)


def williams_diff_test(corr_func: LevelCorrFunc, X: Any, Y: Any, Z: Any, two_tailed: bool) -> float:
    """Return the p-value of Williams' test; NaN where it is undefined."""
    level, _ = _required(corr_func)
    values = [corr_func(X, Z), corr_func(Y, Z), corr_func(X, Y)]
    r12, r13, r23 = (float("nan") if value is None else abs(value) for value in values)
    p = williams_p_value(r12, r13, r23, number_of_points(X, level), tails=2 if two_tailed else 1)
    return float("nan") if p is None else p


def corr_diff_test(
    corr_func: LevelCorrFunc,
    X: Any,
    Y: Any,
    Z: Any,
    method: str | None,
    two_tailed: bool,
    kwargs: dict[str, Any] | None = None,
) -> Any:
    """Return the p-value of corr(X, Z) against corr(Y, Z) by the test of a name."""
    if method is None or method == "none":
        return None
    if method == "williams":
        return williams_diff_test(corr_func, X, Y, Z, two_tailed)
    if method in SAMPLERS:
        sample = SAMPLERS[method]
        return bootstrap_diff_test(corr_func, X, Y, Z, sample, two_tailed, **(kwargs or {}))
    permute = _of(PERMUTERS, method, "hypothesis test")
    return permutation_diff_test(corr_func, X, Y, Z, permute, two_tailed, **(kwargs or {}))


def bonferroni_partial_conjunction_pvalue_test(
    pvalues: list[float], alpha: float = 0.05
) -> tuple[int, list[int]]:
    """Return on how many data sets the null hypothesis is rejected, and on which."""
    return partial_conjunction_pvalue_test("bonferroni", pvalues, alpha)


def partial_conjunction_pvalue_test(
    method: str, pvalues: list[float], alpha: float = 0.05
) -> tuple[int, list[int]]:
    """Return on how many data sets the null hypothesis is rejected, and on which."""
    result = partial_conjunction(pvalues, alpha, method=method)
    return result.k, list(result.significant)


@cache
def _scipy_coefficients() -> dict[Any, Coefficient]:
    from scipy import stats  # slow to import

    return {
        stats.pearsonr: Coefficient.PEARSON,
        stats.spearmanr: Coefficient.SPEARMAN,
        stats.kendalltau: Coefficient.KENDALL,
    }


def _coefficient(corr_func: Any) -> Coefficient | None:
    """The coefficient of Rubrica that a function of scipy computes."""
    try:
        return _scipy_coefficients().get(corr_func)
    except TypeError:
        return None


def _known(corr_func: Any) -> Known:
    """What `functools.partial(level, coefficient)` computes, where Rubrica knows it."""
    levels: dict[Any, Level] = {
        summary_level_corr: Level.SUMMARY,
        system_level_corr: Level.SYSTEM,
        global_corr: Level.GLOBAL,
    }
    level = levels.get(getattr(corr_func, "func", None))
    if level is None or len(corr_func.args) != 1 or not corr_func.keywords.keys() <= {"silent"}:
        return None
    coefficient = _coefficient(corr_func.args[0])
    return None if coefficient is None else (level, coefficient)


def _required(corr_func: Any) -> tuple[Level, Coefficient]:
    known = _known(corr_func)
    if known is None:
        raise ParameterError(
            "expected functools.partial(LEVEL, COEFFICIENT) with a level of this module and "
            f"pearsonr, spearmanr or kendalltau of scipy.stats, found {corr_func!r}"
        )
    return known


def _vector_corr(corr_func: CorrFunc, x: Matrix, y: Matrix, return_pvalue: bool) -> Any:
    x, y = present(x, y)
    known = _coefficient(corr_func)
    if known is None:
        value, p = corr_func(x, y)
    else:
        value = coefficient_of(x, y, known)
        p = p_value(x, y, known) if return_pvalue else None
        # For two points SacreROUGE has scipy's p, 1.
        p = 1.0 if p is not None and np.isnan(p) and len(x) == 2 else p
    if np.isnan(value):
        return (None, None) if return_pvalue else None
    value = float(value)
    return (value, p) if return_pvalue else value


def _test_result(
    p: float, observed: float, deltas: Matrix, two_tailed: bool, statistic: bool, all_deltas: bool
) -> Any:
    output: list[Any] = [p]
    if statistic:
        output.append(abs(observed) if two_tailed else observed)
    if all_deltas:
        defined = deltas[~np.isnan(deltas)]
        output.append((np.abs(defined) if two_tailed else defined).tolist())
    return output[0] if len(output) == 1 else tuple(output)


def _of(table: dict[str, Callable[..., Any]], name: str, kind: str) -> Callable[..., Any]:
    if name not in table:
        raise ParameterError(f"Unknown {kind} method: {name}; there are: {', '.join(table)}")
    return table[name]
