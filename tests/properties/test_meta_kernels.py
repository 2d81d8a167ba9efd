"""The compiled kernels of meta-evaluation equal their plain definitions, to the last bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from rubrica.core import kernels
from rubrica.core.python import correlation as plain
from rubrica.core.python import exchanged_sums as plain_sums
from rubrica.core.python import rank_tables as plain_tables
from support.examples import half_as_many

NAMES = ["pearson", "spearman", "kendall", "tau-a", "tau-c"]
LEVELS = ["summary", "system", "global"]
VALUES = st.one_of(
    st.sampled_from([0.0, -0.0, 1.0, 2.0, 0.1, 0.7]), st.floats(-100, 100), st.just(float("nan"))
)
SCORES = st.tuples(st.integers(0, 9), st.one_of(st.integers(0, 7), st.just(150))).flatmap(
    lambda shape: arrays(np.float64, (3, *shape), elements=VALUES, fill=st.just(0.5))
)


def same(a: Any, b: Any) -> bool:
    return np.array_equal(a, b, equal_nan=True)


@given(SCORES, st.sampled_from(NAMES))
def test_columns(scores: Any, name: str) -> None:
    assert same(
        kernels.column_correlations(scores[:2], scores[2], name),
        plain.column_correlations(scores[:2], scores[2], name),
    )


@given(SCORES, st.sampled_from(LEVELS), st.sampled_from(NAMES), st.integers(0, 99), st.booleans())
def test_resampled(scores: Any, level: str, name: str, seed: int, zero: bool) -> None:
    if not scores.size:
        return
    _, systems, inputs = scores.shape
    # More rounds than are worked on side by side.
    counts = (
        plain.bootstrap_counts(systems, 19, seed),
        plain.bootstrap_counts(inputs, 19, seed, start=systems),
    )
    fast = kernels.resampled_correlations(scores[:2], scores[2], level, name, *counts, zero, 2)
    assert same(
        fast, plain.resampled_correlations(scores[:2], scores[2], level, name, *counts, zero)
    )


@half_as_many
@given(SCORES, st.sampled_from(LEVELS), st.sampled_from(NAMES), st.integers(0, 99), st.booleans())
def test_swapped(scores: Any, level: str, name: str, seed: int, zero: bool) -> None:
    if not scores.size:
        return
    scores[:, np.isnan(scores).any(axis=0)] = np.nan
    # More rounds than are worked on side by side.
    _, systems, inputs = scores.shape
    swaps = plain.swap_masks(systems, inputs, "cells", 19, seed)
    rest = level, name, np.array([[0, 1], [1, 1]]), swaps, zero
    fast = kernels.swapped_correlations(scores[:2], scores[2], *rest, 2)
    assert same(fast, plain.swapped_correlations(scores[:2], scores[2], *rest))


TABLES = st.tuples(st.integers(0, 12), st.integers(0, 5)).flatmap(
    lambda shape: arrays(np.float64, (3, 2, *shape), elements=st.floats(-100, 100))
)


@half_as_many
@example(np.ones((3, 2, 1, 1)), 0)
@given(TABLES, st.integers(0, 99))
def test_exchanged_sums(tables: Any, seed: int) -> None:
    _, _, units, columns = tables.shape
    # More rounds than are worked on side by side.
    swaps = plain.swap_masks(units, columns, "cells", 19, seed)
    rest = np.full(columns, float(units)), np.array([[0, 1], [1, 1]]), swaps
    fast = kernels.exchanged_pearson(tables, *rest, 2)
    slow = plain_sums.exchanged_pearson(tables, *rest)
    assert same(fast[0], slow[0])
    assert same(fast[1], slow[1])
    weights = np.ascontiguousarray(tables.reshape(6, -1).T)
    cells = swaps.reshape(19, -1)
    assert same(kernels.masked_sums(weights, cells, 2), plain_sums.masked_sums(weights, cells))


def test_sums_that_lost_their_digits_are_reported() -> None:
    x = np.array([1.0, 2.0, 4.0])[:, None] + np.array([[[0.0]], [[1e9]]])
    tables = np.stack([x, x * x, x])
    swaps = np.zeros((1, 3, 1), dtype=np.bool_)
    pairs = np.array([[0, 0], [0, 1]])
    _, cancelled = kernels.exchanged_pearson(tables, np.array([3.0]), pairs, swaps)
    assert cancelled.tolist() == [False, True]


@given(st.integers(0, 200), st.integers(0, 5), st.integers(0, 2**64 - 1), st.integers(0, 9))
def test_draws(size: int, rounds: int, seed: int, first: int) -> None:
    fast = kernels.bootstrap_counts(size, rounds, seed, first=first, start=3)
    assert (fast == plain.bootstrap_counts(size, rounds, seed, first=first, start=3)).all()
    assert (fast.sum(axis=1) == size).all()
    for scheme in ("systems", "inputs", "cells", "rows-columns"):
        rest: Any = 5, size, scheme, rounds, seed
        mask = kernels.swap_masks(*rest, first=first)
        assert mask.dtype == np.bool_
        assert (mask == plain.swap_masks(*rest, first=first)).all()


def test_coins_are_fair_and_schemes_exchange_what_they_say() -> None:
    cells = kernels.swap_masks(20, 70, "cells", 200, 5)
    assert abs(cells.mean() - 0.5) < 0.005
    correlations: Any = np.corrcoef(cells.reshape(200, -1)[:, :2].T)
    assert abs(correlations[0, 1]) < 0.25
    systems = kernels.swap_masks(20, 70, "systems", 20, 5)
    assert (systems == systems[:, :, :1]).all()
    inputs = kernels.swap_masks(20, 70, "inputs", 20, 5)
    assert (inputs == inputs[:, :1, :]).all()
    both = kernels.swap_masks(20, 70, "rows-columns", 20, 5)
    assert (both == systems[:, :, :1] ^ inputs[:, :1, :]).all()


def test_rounds_can_be_computed_apart() -> None:
    whole = kernels.bootstrap_counts(9, 10, 7)
    assert (whole[4:] == kernels.bootstrap_counts(9, 6, 7, first=4)).all()


@pytest.mark.skipif(kernels.IMPLEMENTATION != "native", reason="the compiled kernels are absent")
def test_what_does_not_fit_is_refused() -> None:
    x, z, ones = np.zeros((1, 3, 2)), np.zeros((3, 2)), np.ones((1, 3), dtype=np.int32)
    two = np.ones((1, 2), dtype=np.int32)
    with pytest.raises(ValueError, match="shape"):
        kernels.column_correlations(x, np.zeros((2, 3)), "pearson")
    with pytest.raises(ValueError, match="no such coefficient"):
        kernels.column_correlations(x, z, "gamma")
    with pytest.raises(ValueError, match="do not fit"):
        kernels.resampled_correlations(x, z, "summary", "pearson", two, ones)
    with pytest.raises(ValueError, match="no such level"):
        kernels.resampled_correlations(x, z, "input", "pearson", ones, two)
    with pytest.raises(IndexError):
        kernels.swapped_correlations(
            x, z, "summary", "pearson", np.array([[0, 1]]), np.zeros((1, 3, 2), dtype=bool)
        )
    tables, swaps = np.zeros((3, 1, 3, 2)), np.zeros((1, 3, 2), dtype=bool)
    with pytest.raises(ValueError, match="do not fit the columns"):
        kernels.exchanged_pearson(tables, np.ones(3), np.array([[0, 0]]), swaps)
    with pytest.raises(ValueError, match="do not fit the sums"):
        kernels.exchanged_pearson(tables, np.ones(2), np.array([[0, 0]]), swaps[:, :2].copy())
    with pytest.raises(IndexError):
        kernels.exchanged_pearson(tables, np.ones(2), np.array([[0, 1]]), swaps)
    with pytest.raises(ValueError, match="do not fit the weights"):
        kernels.masked_sums(np.zeros((4, 2)), np.zeros((1, 3), dtype=bool))
    with pytest.raises(TypeError):
        kernels.resampled_correlations(x.astype(np.float32), z, "summary", "pearson", ones, two)


def test_many_systems_use_wide_codes() -> None:
    """Above 8,191 systems codes need 32 bits; a few inputs keep this quick."""
    rng = np.random.default_rng(0)
    x, z = np.round(rng.normal(size=(2, 8300, 1)), 2)
    from scipy import stats

    for name, expected in (
        ("kendall", stats.kendalltau(x[:, 0], z[:, 0]).statistic),
        ("spearman", stats.spearmanr(x[:, 0], z[:, 0]).statistic),
    ):
        found = kernels.column_correlations(x[None], z, name)[0, 0]
        assert found == pytest.approx(expected, abs=1e-12)
        ones = np.ones((1, 8300), dtype=np.int32), np.ones((1, 1), dtype=np.int32)
        for level in LEVELS:
            value = kernels.resampled_correlations(x[None], z, level, name, *ones)[0, 0]
            assert value == pytest.approx(expected, abs=1e-12)


@given(st.integers(0, 30), st.integers(1, 5), st.integers(0, 6), st.integers(0, 99))
def test_rank_tables(cells: int, units: int, kinds: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, rng.integers(1, 40), size=(3, cells), dtype=np.int32)
    human = rng.integers(*((0, kinds) if kinds else (-40, 40)), size=cells, dtype=np.int32)
    unit = rng.integers(0, units, size=cells, dtype=np.int32)
    found = kernels.rank_tables(codes, human, unit, units, kinds, 2)
    assert same(found, plain_tables.rank_tables(codes, human, unit, units, kinds))
    compared = np.sign(human[:, None] - human) if kinds else human[:, None]
    for p, q in np.ndindex(3, 3):
        signs = np.sign(codes[p][:, None] - codes[q]) * compared
        members = (unit == np.arange(units)[:, None]).astype(int)
        assert same(found[p, q], members @ signs @ members.T)
