"""Adaptive studies: weighted orders, and a stopping rule that errs at most as often as it says."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rubrica.data.metrics import Metrics, MetricsDict
from rubrica.data.table import ScoreTable
from rubrica.errors import ParameterError, UnknownNameError
from rubrica.serve.stopping import study_stopping
from rubrica.statistics.anytime import EProcess, anytime_test
from rubrica.study.forms.adaptive import draw_order, input_values, stopping_rule, weights_of
from rubrica.study.forms.base import Item
from rubrica.study.forms.direct import Direct
from support.served import new_store

NAMES = [f"d{n}" for n in range(12)]


def test_the_e_value_is_the_mean_wealth_of_constant_stakes() -> None:
    stakes = np.linspace(0.05, 0.95, 19)
    state = anytime_test([0.5, -0.25])
    assert math.isclose(state.e_above, np.mean((1 + 0.5 * stakes) * (1 - 0.25 * stakes)))
    assert math.isclose(state.e_below, np.mean((1 - 0.5 * stakes) * (1 + 0.25 * stakes)))
    assert (state.values, state.mean, state.decision) == (2, 0.125, 0)


def test_a_clear_difference_stops_early_and_for_good() -> None:
    above = anytime_test([0.8] * 30)
    below = anytime_test([-0.8] * 30)
    assert (above.decision, below.decision) == (1, -1)
    assert above.stopped == below.stopped
    assert above.stopped is not None
    assert above.stopped < 15
    assert anytime_test([0.8] * 15 + [-0.8] * 300).decision == 1
    assert above.p < 0.05


def test_values_beyond_their_bound_are_refused() -> None:
    for value, bound in ((1.5, 1.0), (math.nan, 1.0), (0.0, 0.0)):
        with pytest.raises(ParameterError):
            EProcess().update(value, bound)
    with pytest.raises(ParameterError):
        EProcess(alpha=1.0)


def test_equal_systems_are_told_apart_at_most_as_often_as_alpha_says() -> None:
    # 300 campaigns with inputs drawn by value; 1,000 and more are in benchmarks/bench_stopping.py.
    rng, alpha, false = np.random.default_rng(5), 0.2, 0
    for number in range(300):
        noise = rng.choice([-1.0, 1.0], len(NAMES)) * rng.uniform(0.5, 1, len(NAMES))
        differences = (noise - noise.mean()) / np.abs(noise - noise.mean()).max()
        weights = weights_of(dict(zip(NAMES, np.abs(noise) + 0.1, strict=True)))
        result = stopping_rule(
            "A", "B", dict(zip(NAMES, differences, strict=True)),
            order=draw_order(weights, number), weights=weights, alpha=alpha,
        )  # fmt: skip
        false += result.better is not None
    assert false / 300 <= alpha


def test_corrected_values_have_the_mean_over_all_inputs_as_their_mean() -> None:
    rng = np.random.default_rng(3)
    differences = dict(zip(NAMES, rng.uniform(-1, 1, len(NAMES)), strict=True))
    weights = weights_of(dict(zip(NAMES, rng.uniform(0, 3, len(NAMES)), strict=True)))
    truth = np.mean(list(differences.values()))
    means = [
        stopping_rule(
            "A", "B", differences, order=draw_order(weights, s), weights=weights
        ).test.mean
        for s in range(400)
    ]
    assert abs(np.mean(means) - truth) < 4 * np.std(means) / math.sqrt(len(means))


def test_without_weights_inputs_that_are_not_judged_are_skipped() -> None:
    result = stopping_rule("A", "B", dict.fromkeys(NAMES[::2], 0.9), order=NAMES, alpha=0.3)
    assert (result.better, result.inputs, result.all_inputs) == ("A", 6, 12)


def test_with_weights_only_inputs_before_the_first_gap_count() -> None:
    weights = dict.fromkeys(NAMES, 1.0)
    done = dict.fromkeys([*NAMES[:3], NAMES[5]], 0.9)
    assert stopping_rule("A", "B", done, order=NAMES, weights=weights).inputs == 3


def test_inputs_on_which_measures_disagree_are_drawn_first() -> None:
    rows = [
        Metrics(f"d{i}", f"s{s}", "peer", MetricsDict({"a": float(s), "b": float(s if i else 9 - s)}))
        for i in range(4)
        for s in range(4)
    ]  # fmt: skip
    values = input_values(ScoreTable.from_metrics(rows), ["a", "b"])
    assert max(values, key=values.__getitem__) == "d0"
    weights = weights_of(values)
    assert math.isclose(sum(weights.values()), 4)
    assert min(weights.values()) >= 0.5
    first = Counter(draw_order(weights, seed)[0] for seed in range(200))
    assert first["d0"] == max(first.values())
    assert weights_of({"x": 0.0, "y": 0.0}) == {"x": 1, "y": 1}


@pytest.fixture
def running(tmp_path: Path) -> Any:
    """A study in which system A gets 90 of 100 and system B 20, on all inputs but the last."""
    items = [Item("direct", name, system, "A text.") for name in NAMES for system in "AB"]
    store = new_store(tmp_path / "s.db", items, people=1, form=Direct())
    for annotator, task in list(store.all_assigned()):
        if task.item.event != NAMES[-1]:
            value = "90" if task.item.source == "A" else "20"
            store.answer(annotator.id, task.task, 0, value)
            store.submit(annotator.id, task.task)
    yield store
    store.close()


def test_a_running_study_says_when_to_stop(running: Any) -> None:
    result = study_stopping(running, "A", "B", "quality", alpha=0.1)
    assert (result.better, result.inputs, result.all_inputs) == ("A", 11, 12)
    assert result.saved > 0
    assert study_stopping(running, "B", "A", "quality", alpha=0.1).better == "A"
    assert study_stopping(running, "A", "B", "quality", alpha=1e-9).better is None


def test_a_measure_or_system_that_is_not_there_is_an_error(running: Any) -> None:
    with pytest.raises(UnknownNameError, match="C"):
        study_stopping(running, "A", "C", "quality")
    with pytest.raises(UnknownNameError, match="other"):
        study_stopping(running, "A", "B", "other")
