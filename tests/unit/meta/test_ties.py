"""Ties: tau variants, acc_eq, tie calibration, KendallLike, difference Pearson, SPA.

Numbers "of mt-metrics-eval" are those of its own unit tests (stats_test, tau_optimization_test).
"""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from rubrica.errors import ParameterError
from rubrica.meta.correlation.differences import difference_pearson
from rubrica.meta.ranking.calibration import calibrate_ties
from rubrica.meta.ranking.soft_pairwise import (
    p_values_of,
    pairwise_p_values,
    soft_pairwise_accuracy,
)
from rubrica.meta.ranking.ties import kendall_like, tau_with_ties
from rubrica.statistics.intervals import Resampling

NAN = math.nan
CELLS = st.sampled_from([0.0, 1.0, 2.0, 3.0, 5.0, NAN])
TABLES = arrays(np.float64, st.tuples(st.integers(1, 5), st.integers(1, 4)), elements=CELLS)
GROUPS = st.sampled_from(["input", "system", "none"])


def groups_of(x: np.ndarray, z: np.ndarray, by: str) -> list[list[tuple[float, float]]]:
    """(metric, human) cells that have both, group by group."""
    cells = [[(a, b) for a, b in zip(r, s, strict=True)] for r, s in zip(x, z, strict=True)]
    if by == "input":
        cells = [list(column) for column in zip(*cells, strict=True)]
    if by == "none":
        cells = [[cell for row in cells for cell in row]]
    return [[(a, b) for a, b in group if a == a and b == b] for group in cells]


def plain_accuracy(group: list[tuple[float, float]], epsilon: float) -> float | None:
    right = [
        (0 if abs(a[0] - b[0]) <= epsilon else np.sign(a[0] - b[0])) == np.sign(a[1] - b[1])
        for a, b in itertools.combinations(group, 2)
    ]
    return sum(right) / len(right) if right else None


def both(shape_source: Any) -> Any:
    return shape_source.flatmap(
        lambda x: st.tuples(st.just(x), arrays(np.float64, x.shape, elements=CELLS))
    )


@given(both(TABLES), GROUPS, st.sampled_from([0.0, 1.0, 2.5]))
def test_acc_eq_is_the_plain_count(pair: Any, by: Any, epsilon: float) -> None:
    x, z = pair
    values = [plain_accuracy(group, epsilon) for group in groups_of(x, z, by)]
    kept = [value for value in values if value is not None]
    found = tau_with_ties(x, z, by=by, epsilon=epsilon)
    assert found.value == (pytest.approx(np.mean(kept)) if kept else None)
    assert (found.groups, found.undefined) == (len(kept), len(values) - len(kept))
    twenty_three = tau_with_ties(x, z, variant="23", by=by, epsilon=epsilon).value
    assert twenty_three == (pytest.approx(2 * np.mean(kept) - 1) if kept else None)


@given(both(TABLES))
def test_tau_b_is_scipys(pair: Any) -> None:
    x, z = pair
    (group,) = groups_of(x, z, "none")
    found = tau_with_ties(x, z, variant="b", by="none").value
    if len(group) < 2 or any(len({cell[k] for cell in group}) == 1 for k in (0, 1)):
        assert found is None
    else:
        assert found == pytest.approx(stats.kendalltau(*zip(*group, strict=True)).statistic)


def test_the_wmt_variants_differ_in_what_a_metric_tie_costs() -> None:
    human, metric = [1, 2, 3, 4, 4], [1, 2, 2, 1, 4]
    # C 5, D 2, T_h 1, T_m 2, T_hm 0
    found = {
        v: tau_with_ties(metric, human, variant=v, by="input") for v in ("a", "10", "13", "14")
    }  # type: ignore[arg-type]
    one = found["a"]
    counts = (one.concordant, one.discordant, one.human_ties, one.metric_ties, one.both_ties)
    assert counts == (5, 2, 1, 2, 0)
    assert found["a"].value == pytest.approx(3 / 10)
    assert found["10"].value == pytest.approx((5 - 2 - 2) / 9)
    assert found["13"].value == pytest.approx(3 / 7)
    assert found["14"].value == pytest.approx(3 / 9)


def test_variants_of_mt_metrics_eval() -> None:
    human, metric = [1, 2, 2, 3, 4], [2, 1, 1.5, 5, 3]
    assert tau_with_ties(metric, human, variant="b").value == pytest.approx(0.316227766)
    assert tau_with_ties(metric, human, variant="23").value == pytest.approx(0.2)
    assert tau_with_ties(metric, human).value == pytest.approx(0.6)
    assert tau_with_ties(metric, human, epsilon=2).value == pytest.approx(0.4)
    assert calibrate_ties(metric, human).value == pytest.approx(0.7)


def test_calibration_of_mt_metrics_eval() -> None:
    best_at_zero = calibrate_ties([0, 2, 6, 8], [1, 2, 3, 4])
    assert best_at_zero.thresholds.tolist() == [0, 2, 4, 6, 8]
    assert best_at_zero.values == pytest.approx([6 / 6, 4 / 6, 3 / 6, 1 / 6, 0])
    assert (best_at_zero.value, best_at_zero.epsilon) == (1.0, 0.0)
    best_at_four = calibrate_ties([0, 2, 6, 8], [1, 1, 1, 4])
    assert best_at_four.values == pytest.approx([3 / 6, 3 / 6, 4 / 6, 4 / 6, 3 / 6])
    assert (best_at_four.value, best_at_four.epsilon) == (pytest.approx(4 / 6), 4.0)


def test_calibration_over_rows_with_gaps_of_mt_metrics_eval() -> None:
    metric: list[list[float]] = [[0, 5, 2, 3, 2], [NAN, 2, 1, 5, 3], [9, 1, 5, 3, 8]]
    metric += [[9, 3, 4, 4, 1], [NAN] * 5]
    human: list[list[float]] = [[1, 5, 2, 1, 1], [4, 2, 2, 1, 4], [5, 9, 2, 8, 7]]
    human += [[7, 6, NAN, 3, 2], [NAN] * 5]
    found = calibrate_ties(metric, human, by="system")
    assert found.thresholds.tolist() == [0, 1, 2, 3, 4, 5, 6, 7, 8]
    expected = [0.4666667, 0.4916667, 0.3833333, 0.2916667, 0.2666667, 0.2, 0.1583333, 0.1583333]
    assert found.values == pytest.approx([*expected, 0.1166667], abs=1e-7)
    assert (found.epsilon, found.groups, found.undefined) == (1.0, 4, 1)


@given(both(TABLES), GROUPS)
def test_calibration_tries_every_threshold(pair: Any, by: Any) -> None:
    x, z = pair
    groups = [group for group in groups_of(x, z, by) if len(group) > 1]
    found = calibrate_ties(x, z, by=by)
    if not groups:
        assert (found.value, found.epsilon, len(found.values)) == (None, None, 0)
        return
    gaps = {abs(a[0] - b[0]) for group in groups for a, b in itertools.combinations(group, 2)}
    thresholds = sorted({0.0} | gaps)
    values = [np.mean([plain_accuracy(group, e) for group in groups]) for e in thresholds]
    assert found.thresholds.tolist() == thresholds
    assert found.values == pytest.approx(values)
    assert found.value == pytest.approx(max(values))
    at_epsilon = tau_with_ties(x, z, by=by, epsilon=found.epsilon or 0.0)
    assert at_epsilon.value == pytest.approx(found.value)


def test_too_many_pairs_are_refused_before_memory_is_taken() -> None:
    with pytest.raises(ParameterError, match="too many"):
        calibrate_ties(np.zeros((7000, 1)), np.zeros((7000, 1)), by="none")
    with pytest.raises(ParameterError, match="epsilon"):
        tau_with_ties([1, 2], [1, 2], epsilon=-1)


def test_kendall_like_of_mt_metrics_eval() -> None:
    human, metric = [10, 11, 100, 150], [2, 1, 4, 3]
    assert kendall_like(metric, human).value == pytest.approx(3 / 5)
    found = kendall_like(metric, human, gap=1)
    assert (found.value, found.concordant, found.discordant) == (pytest.approx(2 / 6), 4, 2)
    assert kendall_like([2, 1, 4, 3], [10, NAN, 100, 150], gap=1).value == pytest.approx(1 / 3)
    by_input = kendall_like([[2, 1], [4, 3]], [[10.0, NAN], [100.0, 150.0]], gap=1)
    assert by_input.value == 1.0


def test_kendall_like_counts_metric_ties_against_the_metric() -> None:
    assert kendall_like([1, 1], [0, 50]).value == -1.0
    assert kendall_like([1, 2], [0, 10]).value is None


@given(both(TABLES), GROUPS)
def test_difference_pearson_is_pearson_over_differences_both_ways(pair: Any, by: Any) -> None:
    x, z = pair
    dx, dz = [], []
    for group in groups_of(x, z, by):
        for a, b in itertools.permutations(group, 2):
            dx.append(a[0] - b[0])
            dz.append(a[1] - b[1])
    found = difference_pearson(x, z, by=by)
    assert found.pairs == len(dx) // 2
    if not any(dx) or not any(dz):
        assert found.value is None
    else:
        assert found.value == pytest.approx(np.corrcoef(dx, dz)[0, 1])


def test_difference_pearson_of_mt_metrics_eval() -> None:
    human: list[list[float]] = [[1, 2, 3], [4, 5, 6]]
    metric: list[list[float]] = [[2, 1, 4], [3, 3, 7]]
    for by, expected in (("input", 0.926), ("none", 0.776), ("system", 0.766)):
        assert difference_pearson(metric, human, by=by).value == pytest.approx(expected, abs=5e-4)  # type: ignore[arg-type]
    human, metric = [[1, 5, NAN], [10, 2, 12]], [[3, 15, 1], [20, 4, 24]]
    assert difference_pearson(metric, human).value == pytest.approx(0.968, abs=5e-4)
    assert difference_pearson(metric, human, by="none").value == pytest.approx(0.975, abs=5e-4)


def plain_p(a: np.ndarray, b: np.ndarray, flips: np.ndarray) -> float:
    kept = ~np.isnan(a - b)
    d = (a - b)[kept]
    nulls = [math.fsum(row[kept] * d) for row in flips]
    return float(np.mean([null >= math.fsum(d) - 1e-9 for null in nulls])) if len(d) else NAN


@given(both(TABLES))
def test_p_values_are_plain_sign_flips(pair: Any) -> None:
    x, _ = pair
    flips = np.random.default_rng(0).choice([-1.0, 1.0], size=(20, x.shape[1]))
    found = p_values_of(x, flips)
    for i, j in itertools.combinations(range(len(x)), 2):
        assert found[i, j] == pytest.approx(plain_p(x[i], x[j], flips), nan_ok=True)


def test_the_signs_of_mt_metrics_eval_give_its_p_values() -> None:
    # Its published matrix of signs: seed 4, single precision, rounded to 0 or 1.
    signs = 2.0 * np.rint(np.random.default_rng(4).random((1000, 3), dtype=np.float32)) - 1.0
    human, metric = [[1, 2, 3], [2, 3, 4]], [[2, 2, 4], [1, 3, 5]]
    p_h, p_m = (p_values_of(np.array(s, float), signs.astype(float))[0, 1] for s in (human, metric))
    assert 1 - abs(p_h - p_m) == pytest.approx(0.872, abs=5e-4)
    # The exact value is 7/8: of eight patterns of signs one is below the observed difference.
    exact = soft_pairwise_accuracy(metric, human, resampling=Resampling(rounds=20_000)).value
    assert exact == pytest.approx(0.875, abs=0.01)


def test_soft_pairwise_accuracy_is_one_minus_the_mean_distance() -> None:
    rng = np.random.default_rng(1)
    x, z = rng.normal(size=(2, 5, 30))
    x[1, :4] = NAN
    z_joined = np.where(np.isnan(x), NAN, z)
    p, q = pairwise_p_values(x), pairwise_p_values(z_joined)
    upper = np.triu_indices(5, 1)
    found = soft_pairwise_accuracy(x, z)
    assert found.value is not None
    assert found.value == pytest.approx(1 - np.abs(p - q)[upper].mean())
    assert found.pce == pytest.approx(1 - found.value)
    assert np.isnan(p[np.tril_indices(5)]).all()


def test_soft_pairwise_accuracy_without_pairs_is_undefined() -> None:
    assert soft_pairwise_accuracy([[1.0, 2.0]], [[1.0, 2.0]]).value is None
    apart = soft_pairwise_accuracy([[1.0, NAN], [NAN, 1.0]], [[1.0, 1.0], [1.0, 1.0]])
    assert (apart.value, apart.pairs, apart.left_out, apart.pce) == (None, 0, 1, None)
    same = soft_pairwise_accuracy([[0.1, 0.2], [0.1, 0.2]], [[0.3, 0.1], [0.3, 0.1]])
    assert same.value == 1.0


def test_sums_that_tie_but_for_rounding_tie() -> None:
    # .1 + .2 - .3 is not 0 in doubles; the null differences must still equal the observed one.
    tenths = np.array([[0.1, 0.2, 0.3, 0.3], [0.3, 0.3, 0.2, 0.1]])
    assert pairwise_p_values(tenths)[0, 1] == pairwise_p_values(np.round(tenths * 10))[0, 1]
