"""Prediction-powered estimates: ppi-python's numbers, coverage, clusters, strata and the planner."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rubrica.errors import DataError, MismatchError, ParameterError
from rubrica.meta import estimate_systems
from rubrica.statistics.prediction_powered import prediction_powered_mean, stratified_mean

# Values of ppi-python 0.2.3 on numbers drawn for this test.
REFERENCE = Path(__file__).parents[2] / "golden" / "prediction_powered.json"


@pytest.mark.parametrize("case", json.loads(REFERENCE.read_text()))
def test_estimates_intervals_and_p_values_equal_ppi_python(case: dict[str, Any]) -> None:
    data = (case["labels"], case["predictions"], case["unlabelled"])
    for method, expected in case["expected"].items():
        made = prediction_powered_mean(*data, method=method, reference="normal")
        assert made.value == pytest.approx(expected["value"], abs=1e-9)
        assert made.lower == pytest.approx(expected["lower"], abs=1e-9)
        assert made.upper == pytest.approx(expected["upper"], abs=1e-9)
        if expected["p_value"] is not None:
            assert made.p_value(0.1) == pytest.approx(expected["p_value"], abs=1e-9)


def scores(rng: np.random.Generator, rho: float, shape: tuple[int, int]) -> tuple[Any, Any]:
    human = rng.normal(size=shape)
    return human, rho * human + math.sqrt(1 - rho**2) * rng.normal(size=shape) + 1.0


@pytest.mark.slow
@pytest.mark.parametrize("rho", [0.0, 0.6, 0.95])
def test_intervals_hold_their_level_whatever_the_judge_is_worth(rho: float) -> None:
    rng = np.random.default_rng(2)
    hits = []
    for _ in range(100):
        human, judge = scores(rng, rho, (4, 120))
        human[:, 20:] = np.nan
        for one in estimate_systems(human, judge, list("abcd")).systems:
            assert one.estimate.lower is not None
            assert one.estimate.upper is not None
            hits.append(one.estimate.lower <= 0 <= one.estimate.upper)
    assert 0.92 <= np.mean(hits) <= 0.985


@pytest.mark.slow
def test_labels_that_are_nearly_all_equal_still_cover() -> None:
    rng = np.random.default_rng(3)
    hits = []
    for _ in range(60):
        # 5 of 5 in 95 % of the cases, as consistency of summaries.
        human = np.where(rng.random((8, 25)) < 0.95, 5.0, 3.0)
        judge = np.where(rng.random((8, 25)) < 0.5, 5.0, 4.0)
        for one in estimate_systems(human, judge, list("abcdefgh")).systems:
            assert one.estimate.lower is not None
            hits.append(one.estimate.lower <= 4.9 <= (one.estimate.upper or 0))
    assert 0.92 <= np.mean(hits) <= 0.99


def test_a_good_judge_saves_labels_and_a_useless_one_none() -> None:
    rng = np.random.default_rng(4)
    human, good = scores(rng, 0.9, (3, 200))
    human[:, 40:] = np.nan
    made = estimate_systems(human, good, list("abc"), half_widths=[0.2, 0.01])
    assert made.error_ratio is not None
    assert made.error_ratio < 0.75
    assert all(one.labels_saved > 20 for one in made.systems)
    reachable, unreachable = made.plan
    assert reachable.with_judge is not None
    assert reachable.with_judge < reachable.people_only / 1.5
    assert unreachable.with_judge is None
    useless = estimate_systems(human, rng.normal(size=(3, 200)), list("abc"))
    assert "saves no labels" in useless.verdict()
    assert useless.error_ratio == pytest.approx(1.0, abs=0.03)


def test_the_verdict_names_why_a_judge_saves_no_labels() -> None:
    rng = np.random.default_rng(4)
    human, judge = scores(rng, 0.5, (3, 200))
    labelled = np.where(np.arange(200) < 40, human, np.nan)
    # A judge on a scale of its own: useful with a fitted weight, harmful with weight 1.
    wide = estimate_systems(labelled, 10 * judge, list("abc"), method="ppi")
    assert wide.verdict().endswith(
        "The judge judge saves no labels: method ppi gives its scores the fixed weight 1, which is too much for "
        f"this judge (correlation {wide.correlation:.2f}). Use --method ppi++, which fits the weight to the judge."
    )
    assert "labels are worth" in estimate_systems(labelled, 10 * judge, list("abc")).verdict()
    people = estimate_systems(labelled, judge, list("abc"), method="classical")
    assert people.verdict().endswith("saves no labels: method classical ignores it.")
    complete = estimate_systems(human, judge, list("abc"))
    assert complete.verdict().endswith(
        "saves no labels: people labelled every summary that it scored."
    )
    assert people.to_dict()["method"] == "classical"


def test_significant_differences_bound_the_ranks() -> None:
    rng = np.random.default_rng(5)
    human, judge = scores(rng, 0.8, (3, 100))
    human[1] = human[0] + 0.3 * (human[1] - human[1].mean())
    human[2] += 3
    made = estimate_systems(human, judge, ["low", "also-low", "high"])
    ranks = {one.system: (one.best_rank, one.worst_rank) for one in made.systems}
    assert ranks == {"high": (1, 1), "low": (2, 3), "also-low": (2, 3)}
    assert made.systems[0].system == "high"
    assert "high has the highest" in made.verdict()


def test_copies_in_a_cluster_do_not_count_as_more_labels() -> None:
    rng = np.random.default_rng(6)
    labels, predictions, rest = rng.normal(size=20), rng.normal(size=20), rng.normal(size=60)
    alone = prediction_powered_mean(
        labels, predictions, rest, method="ppi", clusters=list(range(80))
    )
    doubled = prediction_powered_mean(
        np.repeat(labels, 2),
        np.repeat(predictions, 2),
        np.repeat(rest, 2),
        method="ppi",
        clusters=[*np.repeat(np.arange(20), 2), *np.repeat(np.arange(20, 80), 2)],
    )
    assert doubled.value == pytest.approx(alone.value)
    assert doubled.error == pytest.approx(alone.error)
    independent = prediction_powered_mean(labels, predictions, rest, method="ppi")
    assert alone.error == pytest.approx(independent.error, rel=0.05)


def test_strata_are_weighted_by_their_size() -> None:
    first = prediction_powered_mean([1, 2, 3], [1, 2, 3], [1, 2, 3, 2, 2, 2, 2], method="classical")
    second = prediction_powered_mean([5, 7], [5, 7], [6, 6, 6], method="classical")
    both = stratified_mean([first, second])
    assert both.value == pytest.approx((10 * 2 + 5 * 6) / 15)
    assert both.error == pytest.approx(math.hypot(2 / 3 / math.sqrt(3), 1 / 3))
    human = np.array([[1.0, 2, 3, *[np.nan] * 7, 5, 7, *[np.nan] * 3]])
    judge = np.array([[1.0, 2, 3, 1, 2, 3, 2, 2, 2, 2, 5, 7, 6, 6, 6]])
    made = estimate_systems(human, judge, ["s"], strata=["x"] * 10 + ["y"] * 5, method="classical")
    assert made.systems[0].estimate.value == pytest.approx(both.value)


def test_one_label_gives_a_value_without_an_interval() -> None:
    made = prediction_powered_mean([4], [3], [3, 3, 5])
    assert (made.value, made.lower, made.p_value()) == (4.0, None, None)


def test_bad_input_is_refused() -> None:
    with pytest.raises(DataError, match="no labels"):
        prediction_powered_mean([], [], [1, 2])
    with pytest.raises(DataError, match="2 labels, but 1 predictions"):
        prediction_powered_mean([1, 2], [1], [1])
    with pytest.raises(DataError, match="finite"):
        prediction_powered_mean([1, math.inf], [1, 2], [1])
    with pytest.raises(ParameterError, match="method must be one of"):
        prediction_powered_mean([1], [1], [1], method="magic")  # type: ignore[arg-type]
    with pytest.raises(MismatchError):
        estimate_systems([[1.0, 2.0]], [[1.0]], ["a"])
    with pytest.raises(DataError, match="a: no input has both"):
        estimate_systems([[np.nan, np.nan]], [[1.0, 2.0]], ["a"])
    with pytest.raises(DataError, match="not both"):
        estimate_systems([[1.0, 2.0]], [[1.0, 2.0]], ["a"], clusters=[1, 2], strata=[1, 2])
