"""Coefficients equal SciPy's; levels equal their definitions; what is undefined is decided."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from rubrica.data import Metrics
from rubrica.data.table import ScoreTable
from rubrica.errors import DataError, MismatchError, ParameterError, UnknownNameError
from rubrica.meta import (
    Coefficient,
    Level,
    coefficient_of,
    correlate,
    correlate_measures,
    input_correlations,
    p_value,
)
from rubrica.meta.correlation.significant_inputs import significant_inputs
from rubrica.meta.signatures import digest

NAN = float("nan")
NAMES = [c.value for c in Coefficient]
# Few different values, so that ties and constants are frequent; or any.
NUMBERS = st.one_of(st.sampled_from([0.0, 1.0, 2.0, 3.5]), st.floats(-1e3, 1e3, width=32))
MATRICES = st.tuples(st.integers(1, 7), st.integers(1, 6)).flatmap(
    lambda shape: st.tuples(
        *(arrays(np.float64, shape, elements=st.one_of(NUMBERS, st.just(NAN))) for _ in range(2))
    )
)


def scipy_value(x: Any, z: Any, name: str) -> tuple[float, float]:
    """Value and p-value by SciPy, with our rule for what is undefined in front."""
    shared = ~(np.isnan(x) | np.isnan(z))
    x, z = x[shared], z[shared]
    if len(x) < 2 or np.ptp(x) == 0 or np.ptp(z) == 0:
        return NAN, NAN
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if name == "pearson":
            found = stats.pearsonr(x, z)
        elif name == "spearman":
            found = stats.spearmanr(x, z)
        elif name == "tau-a":
            # SciPy has none; the definition.
            pairs = [(i, j) for i in range(len(x)) for j in range(i)]
            signs = [np.sign(x[i] - x[j]) * np.sign(z[i] - z[j]) for i, j in pairs]
            return float(np.mean(signs)), float(stats.kendalltau(x, z).pvalue)
        else:
            found = stats.kendalltau(x, z, variant="c" if name == "tau-c" else "b")
    return float(found.statistic), float(found.pvalue)


@pytest.mark.parametrize("name", NAMES)
@given(
    st.integers(0, 40).flatmap(
        lambda n: st.tuples(
            *(arrays(np.float64, n, elements=st.one_of(NUMBERS, st.just(NAN))) for _ in range(2))
        )
    )
)
def test_coefficients_equal_scipy(name: str, vectors: tuple[Any, Any]) -> None:
    x, z = vectors
    expected, p = scipy_value(x, z, name)
    # Values that hardly differ leave Pearson few digits, in SciPy as well.
    tolerance = 1e-6 if name == "pearson" else 1e-12
    assert coefficient_of(x, z, name) == pytest.approx(expected, abs=tolerance, nan_ok=True)
    if int((~np.isnan(x + z)).sum()) > 2 and not np.isnan(p) and abs(expected) < 1 - 1e-9:
        assert p_value(x, z, name) == pytest.approx(p, abs=1e-5)


@pytest.mark.parametrize("name", NAMES)
@given(MATRICES)
def test_levels_equal_their_definitions(name: str, matrices: tuple[Any, Any]) -> None:
    x, z = matrices
    columns = [scipy_value(a, b, name)[0] for a, b in zip(x.T, z.T, strict=True)]
    defined = [value for value in columns if not np.isnan(value)]
    summary = correlate(x, z, "summary", name)
    assert input_correlations(x, z, name) == pytest.approx(columns, abs=1e-6, nan_ok=True)
    assert summary.value == pytest.approx(np.mean(defined) if defined else None, abs=1e-6)
    shared = ~(np.isnan(x) | np.isnan(z))
    assert summary.defined == len(defined)
    assert summary.defined + summary.undefined == shared.any(axis=0).sum()
    assert summary.left_out == (np.isnan(x) ^ np.isnan(z)).sum()
    whole = scipy_value(x.ravel(), z.ravel(), name)[0]
    found = correlate(x, z, "global", name).value
    assert (NAN if found is None else found) == pytest.approx(whole, abs=1e-6, nan_ok=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a system without scores: mean of an empty slice
        ours, human = (np.nanmean(np.where(shared, m, NAN), axis=1) for m in (x, z))
    between = scipy_value(ours, human, name)[0]
    found = correlate(x, z, "system", name).value
    assert (NAN if found is None else found) == pytest.approx(between, abs=1e-6, nan_ok=True)


def test_golden_numbers_of_sacrerouge() -> None:
    """Values of SacreROUGE's tests/stats_test.py."""
    y = [[11, 12, 13], [14, 15, 16], [17, 18, 19]]
    x = [[1, 9, 2], [4, 5, 2], [6, 7, 2]]
    summary = correlate(x, y, "summary")
    assert (summary.value, summary.defined, summary.undefined) == (
        pytest.approx(0.2466996339),
        2,
        1,
    )
    system = correlate(x, y, "system")
    assert (system.value, system.p_value) == (
        pytest.approx(0.7205766921),
        pytest.approx(0.48775429),
    )
    whole = correlate(x, y, "global")
    assert (whole.value, whole.p_value) == (pytest.approx(0.06691496051), pytest.approx(0.86418959))
    # Cells that one matrix lacks are left out of the other, where SacreROUGE raises.
    gaps: list[list[float]] = [[1, 9, 2], [NAN, 5, 4], [6, 7, 7]]
    assert correlate(gaps, y).value == pytest.approx(0.4977997559)
    gaps = [[1, 9, 2], [4, 5, NAN], [6, NAN, 2]]
    system = correlate(gaps, y, "system")
    assert (system.value, system.p_value) == (
        pytest.approx(-0.09578262852),
        pytest.approx(0.93892926),
    )
    gaps = [[1, 9, 2], [NAN, 5, 2], [6, 7, NAN]]
    whole = correlate(gaps, y, "global")
    assert (whole.value, whole.p_value, whole.left_out) == (
        pytest.approx(0.2897249422),
        pytest.approx(0.52852825),
        2,
    )


def test_rules_for_undefined_inputs() -> None:
    x = [[1, 5, 1, NAN], [2, 5, NAN, NAN], [3, 5, NAN, NAN]]
    z = [[1, 1, 1, 1], [2, 2, 2, 2], [3, 3, 3, 3]]
    drop = correlate(x, z, "summary", "kendall")
    assert (drop.value, drop.defined, drop.undefined) == (1.0, 1, 2)
    # The last input has no shared score at all: it is not part of the comparison under any rule.
    assert correlate(x, z, "summary", "kendall", undefined="zero").value == pytest.approx(1 / 3)
    with pytest.raises(DataError, match="2 of 3 inputs have no defined kendall"):
        correlate(x, z, "summary", "kendall", undefined="error")
    with pytest.raises(ParameterError, match="drop, zero or error"):
        correlate(x, z, undefined="skip")  # type: ignore[arg-type]


@pytest.mark.parametrize("level", list(Level))
@pytest.mark.parametrize("name", NAMES)
def test_nothing_to_correlate_is_none_and_never_raises(level: Level, name: str) -> None:
    for x in (
        np.zeros((0, 0)),
        np.zeros((3, 0)),
        np.full((3, 2), NAN),
        np.ones((3, 2)),
        np.ones((1, 1)),
    ):
        found = correlate(x, x, level, name)
        assert (found.value, found.p_value, found.defined) == (None, None, 0)


def test_a_perfect_correlation_is_exactly_one() -> None:
    x = np.arange(12.0).reshape(6, 2) ** 3
    for level in Level:
        for name in ("spearman", "kendall", "tau-a"):
            assert correlate(x, x, level, name).value == 1.0
            assert correlate(x, -x, level, name).value == -1.0


def test_measures_of_a_table_are_found_in_both_spellings() -> None:
    rows = [
        Metrics(f"d{j}", f"s{i}", "peer", {"rouge-1": {"f1": i * j}, "human": [i, i + j]})  # type: ignore[arg-type]
        for i in range(3)
        for j in range(3)
    ]
    table = ScoreTable.from_metrics(rows)
    dotted = correlate_measures(table, "rouge-1.f1", "human")
    assert dotted == correlate_measures(table, "rouge-1_f1", "human")
    assert dotted.defined == 2


def test_the_signature_says_how_and_of_what() -> None:
    x, z = np.eye(4), np.arange(16.0).reshape(4, 4)
    line = str(correlate(x, z, "summary", "kendall", undefined="zero").signature)
    assert line.startswith("correlation|level:summary|coef:kendall|ties:tau-b|undefined:zero|")
    other = correlate(x, z + 1, "summary", "kendall", undefined="zero").signature
    assert str(other) != line
    assert "undefined" not in str(correlate(x, z, "system", "kendall").signature)


def test_unfit_matrices_are_refused() -> None:
    with pytest.raises(MismatchError, match="one shape"):
        correlate(np.ones((2, 3)), np.ones((3, 2)))
    with pytest.raises(MismatchError, match="systems x inputs"):
        correlate(np.ones(3), np.ones(3))
    with pytest.raises(DataError, match="infinite"):
        correlate([[np.inf, 1]], [[1, 2]])
    with pytest.raises(UnknownNameError, match="did you mean 'system'"):
        correlate(np.eye(3), np.eye(3), "systems")
    with pytest.raises(UnknownNameError, match="did you mean 'kendall'"):
        correlate(np.eye(3), np.eye(3), "input", "kendal")
    with pytest.raises(ParameterError, match="equal length"):
        coefficient_of([1, 2], [1, 2, 3], "pearson")
    with pytest.raises(ParameterError, match="equal length"):
        p_value([1, 2], [1, 2, 3], "pearson")


@pytest.mark.parametrize("name", ["pearson", "spearman", "kendall"])
def test_significant_inputs_are_those_of_scipy(name: str) -> None:
    rng = np.random.default_rng(5)
    z = rng.normal(size=(12, 15))
    x = z + 1.5 * rng.normal(size=z.shape)
    x[0, 0] = x[:, 3] = NAN
    z[:, 4] = 1.0
    judge = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}
    kept = []
    for j in (j for j in range(15) if j not in (3, 4)):
        there = ~np.isnan(x[:, j])
        found = judge[name](x[there, j], z[there, j])
        if found.pvalue <= 0.05:
            kept.append(found.statistic)
    made = significant_inputs(x, z, name)
    assert 0 < len(kept) < 13
    assert made.value == pytest.approx(np.mean(kept))
    assert (made.used, made.ignored) == (len(kept), 14 - len(kept))
    assert significant_inputs(z, z[::-1], name, max_p=1e-9).value is None
    with pytest.raises(ParameterError, match="max_p"):
        significant_inputs(x, z, name, max_p=0)


def test_the_digest_of_scores_ignores_the_last_bits_and_sees_the_rest() -> None:
    scores = np.array([[0.1, 0.25], [np.nan, -0.0], [1e-300, 12345.678]])
    last_bits = np.nextafter(scores, np.inf)
    last_bits[1, 1] = 0.0
    assert digest(scores) == digest(last_bits)
    for at in ((0, 0), (2, 0), (2, 1)):
        other = scores.copy()
        other[at] *= 1 + 1e-11
        assert digest(other) != digest(scores)
    assert digest(np.array([np.inf, 0.5])) != digest(np.array([-np.inf, 0.5]))


def test_a_correlation_is_a_result() -> None:
    found = correlate([[1, 2], [2, 1], [3, 3]], [[1, 1], [2, 2], [3, 5]], "system", "kendall")
    header, _, row = repr(found).splitlines()[:3]
    assert header.split() == ["level", "coefficient", "value", "p", "n"]
    assert row.split() == ["system", "kendall", "0.8165", "0.2207", "3", "systems"]
    assert str(found.signature) in repr(found)
    (record,) = found.to_pandas().to_dict("records")
    assert record == found.to_dict()
    assert (record["value"], record["n"], record["level"]) == (found.value, 3, "system")
    undefined = correlate([[1, 1], [2, 1]], [[1, 1], [2, 2]])
    assert "1 inputs (1 undefined)" in undefined._repr_html_()
