"""MetricsDict and Metrics: nested scores."""

from __future__ import annotations

import copy
import math
import pickle

import numpy as np
import pytest

from rubrica.data.metrics import Metrics, MetricsDict, exact_mean, mean
from rubrica.errors import DataError, MismatchError, UnknownNameError

ROUGE = {"rouge-1": {"recall": 0.5, "f1": 0.25}, "length": 7}


def test_reading_a_missing_key_raises_and_suggests_near_ones() -> None:
    scores = MetricsDict(ROUGE)
    with pytest.raises(UnknownNameError, match=r"did you mean 'rouge-1'"):
        scores["rouge_1"]
    with pytest.raises(KeyError):
        scores["rouge-1"]["precision"]
    assert "rouge_1" not in scores


def test_measures_are_addressed_flattened_dotted_and_by_key() -> None:
    scores = MetricsDict(ROUGE)
    assert scores.lookup("rouge-1_f1") == scores.lookup("rouge-1.f1") == 0.25
    assert scores.lookup("rouge-1") == {"recall": 0.5, "f1": 0.25}
    assert scores.lookup("length") == 7
    with pytest.raises(UnknownNameError, match=r"did you mean 'rouge-1\.f1'"):
        scores.lookup("rouge-1.f")


def test_underscores_inside_keys_are_found() -> None:
    scores = MetricsDict({"rouge-1_jk": {"f1": 1.0}, "a_b": {"c_d": 2.0}})
    assert scores.lookup("rouge-1_jk_f1") == scores.lookup("rouge-1_jk.f1") == 1.0
    assert scores.lookup("a_b_c_d") == scores.lookup("a_b.c_d") == 2.0


def test_nested_dicts_become_metrics_dicts_and_are_copied() -> None:
    inner = {"f1": 1.0}
    scores = MetricsDict({"rouge": inner})
    inner["f1"] = 2.0
    assert isinstance(scores["rouge"], MetricsDict)
    assert scores["rouge"]["f1"] == 1.0
    other = scores.copy()
    other["rouge"]["f1"] = 3.0
    assert scores["rouge"]["f1"] == 1.0


def test_flatten_keys_joins_paths_and_refuses_collisions() -> None:
    assert MetricsDict(ROUGE).flatten_keys() == {
        "rouge-1_recall": 0.5,
        "rouge-1_f1": 0.25,
        "length": 7,
    }
    with pytest.raises(DataError, match="a_b"):
        MetricsDict({"a": {"b": 1}, "a_b": 2}).flatten_keys()


def test_sum_and_division_work_leaf_by_leaf() -> None:
    rows = [MetricsDict({"a": {"x": 1.0}, "b": 2.0}), MetricsDict({"a": {"x": 3.0}, "b": 4.0})]
    assert sum(rows) == {"a": {"x": 4.0}, "b": 6.0}
    assert sum(rows) / 2 == {"a": {"x": 2.0}, "b": 3.0}
    assert rows[0] == {"a": {"x": 1.0}, "b": 2.0}


def test_lists_add_element_by_element_and_divide() -> None:
    total = MetricsDict({"grades": [1, 2]}) + MetricsDict({"grades": [3, 5]})
    assert total == {"grades": [4, 7]}
    assert total / 2 == {"grades": [2.0, 3.5]}
    with pytest.raises(MismatchError, match="grades"):
        MetricsDict({"grades": [1]}) + MetricsDict({"grades": [1, 2]})


def test_adding_unequal_keys_names_them() -> None:
    with pytest.raises(MismatchError, match=r"b, c"):
        MetricsDict({"a": 1, "b": 1}) + MetricsDict({"a": 1, "c": 1})


def test_update_merges_recursively() -> None:
    scores = MetricsDict(ROUGE)
    scores.update({"rouge-1": {"f1": 0.75, "precision": 1.0}, "new": {"x": 1}})
    assert scores == {
        "rouge-1": {"recall": 0.5, "f1": 0.75, "precision": 1.0},
        "length": 7,
        "new": {"x": 1},
    }
    assert isinstance(scores["new"], MetricsDict)


def test_select_metrics_keeps_paths_and_takes_both_spellings() -> None:
    scores = MetricsDict(ROUGE)
    assert scores.select_metrics(["rouge-1_f1", "length"]) == {
        "rouge-1": {"f1": 0.25},
        "length": 7,
    }
    with pytest.raises(UnknownNameError):
        scores.select_metrics(["rouge-9"])


def test_average_values_replaces_lists_by_means() -> None:
    scores = MetricsDict({"grades": [1, 2, 4], "deep": {"g": [1]}, "none": []})
    assert scores.average_values() == {"grades": 7 / 3, "deep": {"g": 1.0}, "none": None}


def test_approx_equal_compares_numbers_within_tolerance_and_shape_exactly() -> None:
    scores = MetricsDict({"a": 1.0, "b": [1.0, 2.0], "c": {"d": float("nan")}})
    close = {"a": 1.0 + 1e-9, "b": [1.0, 2.0], "c": {"d": float("nan")}}
    assert scores.approx_equal(close)
    assert not scores.approx_equal({**close, "a": 1.1})
    assert scores.approx_equal({**close, "a": 1.1}, abs=0.2)
    assert not scores.approx_equal({"a": 1.0})
    assert not scores.approx_equal({**close, "b": 1.0})


def test_the_mean_does_not_depend_on_the_order_of_rows() -> None:
    rows = [MetricsDict({"x": value}) for value in (1e16, 1.0, -1e16, 3.0)]
    assert mean(rows) == mean(rows[::-1]) == {"x": 1.0}
    with pytest.raises(DataError, match="empty"):
        mean([])


def test_undefined_values_are_left_out_of_the_mean() -> None:
    rows = [MetricsDict({"x": 1.0}), MetricsDict({"x": None}), MetricsDict({"x": float("nan")})]
    assert mean(rows) == {"x": 1.0}


def test_numpy_scalars_become_plain_numbers() -> None:
    scores = MetricsDict({"x": np.float64(0.5), "n": np.int64(3)})
    assert type(scores["x"]) is float
    assert type(scores["n"]) is int


def test_pickling_and_copying_keep_the_type() -> None:
    scores = MetricsDict(ROUGE)
    for other in (pickle.loads(pickle.dumps(scores)), copy.deepcopy(scores)):
        assert other == scores
        assert isinstance(other["rouge-1"], MetricsDict)


def test_merging_rows_is_deep_and_refuses_other_values() -> None:
    first = Metrics("d1", "s1", "peer", MetricsDict({"r": {"p": 1.0, "q": 2.0}}))
    second = Metrics("d1", "s1", "peer", MetricsDict({"r": {"q": 2.0, "z": 3.0}}))
    assert first.merge(second).metrics == {"r": {"p": 1.0, "q": 2.0, "z": 3.0}}
    assert first.metrics == {"r": {"p": 1.0, "q": 2.0}}
    with pytest.raises(MismatchError, match=r"r\.q"):
        first.merge(Metrics("d1", "s1", "peer", MetricsDict({"r": {"q": 2.5}})))
    with pytest.raises(MismatchError):
        first.merge(Metrics("d2", "s1", "peer"))


def test_the_mean_of_huge_numbers_is_a_number() -> None:
    assert exact_mean([1e308, 1e308, -1e308]) == pytest.approx(1e308 / 3)
    assert math.isnan(exact_mean([]))
