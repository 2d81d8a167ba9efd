"""Default tests and intervals hold their level; the large simulation is benchmarks/bench_levels.py."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

SCRIPT = Path(__file__).parents[3] / "benchmarks" / "bench_levels.py"
TRIALS = 100


@pytest.fixture(scope="module")
def levels() -> Any:
    if not SCRIPT.exists():
        pytest.skip("the benchmarks are not part of this copy")
    specification = importlib.util.spec_from_file_location("bench_levels", SCRIPT)
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules["bench_levels"] = module
    specification.loader.exec_module(module)
    return module


def rates(levels: Any, experiment: str, size: Any) -> dict[str, float]:
    """The rate of each method, in percent; MC error about 2 near 5."""
    found = levels.rates(TRIALS, experiment, sizes=[size])
    return {rate.method: rate.percent for rate in found if rate.experiment == experiment}


@pytest.mark.slow
def test_equal_systems_are_rejected_about_as_often_as_alpha(levels: Any) -> None:
    found = rates(levels, "compare: equal systems", 10)
    assert max(found[method] for method in ("ar", "bs", "t")) <= 10
    assert found["bs-sacrebleu"] > found["bs"]


@pytest.mark.slow
@pytest.mark.parametrize("experiment", ["compare: equal, skewed", "compare: equal, corpus score"])
def test_so_they_are_with_skewed_and_corpus_scores(levels: Any, experiment: str) -> None:
    found = rates(levels, experiment, 10)
    assert max(found[method] for method in ("ar", "bs", "t")) <= 10


@pytest.mark.slow
def test_clusters_restore_the_level(levels: Any) -> None:
    found = rates(levels, "compare: equal, topics of 5 (ICC 0.3)", 50)
    for method in ("ar", "bs", "t"):
        assert found[f"{method}, clustered"] <= 10
        assert found[method] > found[f"{method}, clustered"]


@pytest.mark.slow
def test_intervals_of_ten_inputs_cover_as_promised(levels: Any) -> None:
    found = rates(levels, "evaluate: interval", 10)
    assert found["evaluate"] >= 90
    assert found["evaluate"] > found["plain percentiles"]


@pytest.mark.slow
def test_the_gate_decides_wrongly_about_as_often_as_alpha(levels: Any) -> None:
    for experiment in ("gate: equal systems", "gate: loss of the margin"):
        assert all(share <= 10 for share in rates(levels, experiment, 10).values())


def test_permutation_max_is_the_larger_of_two_p_values(levels: Any) -> None:
    random = np.random.default_rng(3)
    human = random.normal(size=(8, 12))
    a, b = (human + random.normal(size=human.shape) for _ in range(2))
    for level in ("system", "summary", "global"):
        largest, systems, inputs = (
            levels.compare_metrics(
                a, b, human, level, method=f"permutation-{name}", rounds=99
            ).p_value
            for name in ("max", "system", "input")
        )
        assert largest == max(systems, inputs)


@pytest.mark.slow
@pytest.mark.parametrize("errors", ["systems", "inputs", "both"])
def test_equal_metrics_are_rejected_about_as_often_as_alpha(levels: Any, errors: str) -> None:
    table = levels.Table(12, 25, "summary", "pearson")
    found = rates(levels, f"metrics: equal, errors of {errors}", table)
    assert found["permutation-two-way (default)"] <= 8
    assert found["permutation-both"] > found["permutation-two-way (default)"]


@pytest.mark.slow
@pytest.mark.parametrize("level", ["system", "summary", "global"])
@pytest.mark.parametrize("coefficient", ["pearson", "kendall"])
def test_default_intervals_of_correlations_cover_as_promised(
    levels: Any, level: str, coefficient: str
) -> None:
    table = levels.Table(12, 25, level, coefficient)
    assert rates(levels, "correlation: interval, rho 0.7", table)["auto (default)"] >= 90


def test_correlations_of_one_size_share_their_tables(levels: Any) -> None:
    tables = [levels.Table(12, 25, level, "pearson") for level in ("system", "global")]
    assert levels.hash_of(tables[0]) == levels.hash_of(tables[1])
    assert levels.hash_of(tables[0]) != levels.hash_of(levels.Table(25, 12, "system", "pearson"))
