"""Earth mover's distance: both solvers agree, and what is known of it holds."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist

from rubrica.errors import ParameterError
from rubrica.text import emd
from rubrica.text.emd import earth_movers_distance, relaxed_movers_distance


@st.composite
def problems(draw: st.DrawFn) -> tuple[list[int], list[int], np.ndarray]:
    left = draw(st.lists(st.integers(0, 5), min_size=1, max_size=8).filter(any))
    right = draw(st.lists(st.integers(0, 5), min_size=1, max_size=8).filter(any))
    random = np.random.default_rng(draw(st.integers(0, 1000)))
    return (
        left,
        right,
        cdist(random.normal(size=(len(left), 3)), random.normal(size=(len(right), 3))),
    )


def test_by_hand() -> None:
    # Half of the weight stays, half goes a way of 2.
    assert earth_movers_distance([1, 1], [1, 1], [[0, 2], [2, 2]]) == pytest.approx(1.0)
    assert earth_movers_distance([3, 1], [2], [[1], [5]]) == pytest.approx(2.0)


@given(problems())
def test_pot_and_linear_programming_agree(problem: tuple[list[int], list[int], np.ndarray]) -> None:
    checked = emd._validated(*problem)
    assert emd._by_pot(*checked) == pytest.approx(emd._by_linear_programming(*checked), abs=1e-8)


@given(problems())
def test_the_relaxed_distance_is_a_lower_bound(
    problem: tuple[list[int], list[int], np.ndarray],
) -> None:
    assert relaxed_movers_distance(*problem) <= earth_movers_distance(*problem) + 1e-9


@given(problems())
def test_sides_can_be_exchanged(problem: tuple[list[int], list[int], np.ndarray]) -> None:
    left, right, cost = problem
    there, back = (
        earth_movers_distance(left, right, cost),
        earth_movers_distance(right, left, cost.T),
    )
    assert there == pytest.approx(back, abs=1e-9)


def test_equal_weights_are_an_assignment() -> None:
    cost = np.random.default_rng(7).random((30, 30))
    chosen = cost[linear_sum_assignment(cost)].mean()
    assert earth_movers_distance(np.ones(30), np.ones(30), cost) == pytest.approx(chosen)


def test_without_pot_scipy_solves_it(monkeypatch: pytest.MonkeyPatch) -> None:
    cost = np.random.default_rng(7).random((6, 5))
    with_pot = earth_movers_distance(np.arange(1, 7), np.arange(1, 6), cost)
    monkeypatch.setattr(emd, "_pot", lambda: None)
    assert emd.solver() == "scipy"
    assert earth_movers_distance(np.arange(1, 7), np.arange(1, 6), cost) == pytest.approx(with_pot)


def test_places_without_weight_do_not_matter() -> None:
    cost = [[1.0, 9.0, 2.0], [0.0, 0.0, 0.0], [3.0, 9.0, 1.0]]
    assert earth_movers_distance([1, 0, 1], [1, 0, 1], cost) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("left", "right", "cost", "told"),
    [
        ([1, 1], [1], [[1.0]], "do not fit"),
        ([1, -1], [1], [[1.0], [1.0]], "not be negative"),
        ([0], [1], [[1.0]], "above 0"),
        ([1], [1], [[math.nan]], "finite"),
    ],
)
def test_what_is_no_problem_is_refused(left: list, right: list, cost: list, told: str) -> None:
    with pytest.raises(ParameterError, match=told):
        earth_movers_distance(left, right, cost)
