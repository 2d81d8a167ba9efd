"""Binary judgments: thresholds, balanced accuracy, ROC AUC."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rubrica.core.python.common import uniforms
from rubrica.errors import DataError, MismatchError
from rubrica.meta.ranking.thresholds import balanced_accuracy, choose_threshold, roc_auc
from rubrica.statistics.intervals import Resampling

pytestmark = pytest.mark.slow

FEW = Resampling(rounds=50, seed=9)
DATA = st.lists(
    st.tuples(st.sampled_from([0.1, 0.2, 0.25, 0.5, 0.9]), st.booleans()), min_size=1, max_size=12
)


def plain_balanced(scores: list[float], labels: list[bool], threshold: float) -> float:
    hits = [s > threshold for s, y in zip(scores, labels, strict=True) if y]
    passes = [s <= threshold for s, y in zip(scores, labels, strict=True) if not y]
    return (sum(hits) / len(hits) + sum(passes) / len(passes)) / 2


@given(DATA)
def test_the_threshold_is_the_best_of_the_percentiles(data: list[tuple[float, bool]]) -> None:
    scores, labels = (list(side) for side in zip(*data, strict=True))
    found = choose_threshold(scores, labels)
    if len(set(labels)) < 2:
        assert found.value is None
        return
    best = (0.0, 0.0)
    for threshold in np.percentile(scores, [at / 10 for at in range(0, 1000, 2)]).tolist():
        accuracy = plain_balanced(scores, labels, threshold)
        if accuracy >= best[0] - 1e-12:
            best = (max(best[0], accuracy), threshold)
    assert found.accuracy == pytest.approx(best[0])
    assert found.value is not None
    assert plain_balanced(scores, labels, found.value) == pytest.approx(best[0])
    assert found.value == pytest.approx(best[1])


def test_balanced_accuracy_weighs_both_kinds_equally() -> None:
    scores, labels = [0.9] * 9 + [0.1] + [0.9, 0.1], [1.0] * 10 + [0.0] * 2
    found = balanced_accuracy(scores, labels, 0.5)
    assert found.accuracy == pytest.approx((0.9 + 0.5) / 2)
    assert (found.positives, found.negatives) == (10, 2)


@pytest.mark.parametrize("interval", ["subsample", "bootstrap"])
def test_intervals_are_the_plain_resampling(interval: str) -> None:
    rng = np.random.default_rng(0)
    labels = rng.random(40) < 0.4
    scores = labels + rng.normal(size=40)
    found = balanced_accuracy(scores, labels, 0.4, interval=interval, resampling=FEW)  # type: ignore[arg-type]
    values = []
    for number in range(FEW.rounds):
        draws = uniforms(FEW.seed, number, 40)
        rows = np.argsort(draws)[:32] if interval == "subsample" else (draws * 40).astype(int)
        values.append(plain_balanced(scores[rows].tolist(), labels[rows].tolist(), 0.4))
    assert (found.lower, found.upper) == pytest.approx(tuple(np.quantile(values, [0.025, 0.975])))


def test_one_kind_of_judgment_is_undefined() -> None:
    found = balanced_accuracy([0.1, 0.2, 0.3], [1, 1, math.nan], 0.15)
    assert (found.accuracy, found.lower, found.left_out) == (None, None, 1)
    assert roc_auc([0.1, 0.2], [1, 1]) is None
    assert choose_threshold([], []).value is None
    assert balanced_accuracy([], [], 0.5).accuracy is None
    with pytest.raises(DataError, match="0 or 1"):
        roc_auc([1.0, 2.0], [1, 2])
    with pytest.raises(MismatchError):
        roc_auc([1.0, 2.0], [1])


@given(DATA)
def test_auc_is_the_share_of_ordered_pairs(data: list[tuple[float, bool]]) -> None:
    scores, labels = (list(side) for side in zip(*data, strict=True))
    up = [s for s, y in data if y]
    down = [s for s, y in data if not y]
    found = roc_auc(scores, labels, resampling=FEW)
    if not up or not down:
        assert found is None
        return
    expected = np.mean([1.0 if p > n else 0.5 if p == n else 0.0 for p in up for n in down])
    assert found is not None
    assert found.value == pytest.approx(expected)
    assert found.lower is not None
    assert found.upper is not None
    assert 0.0 <= found.lower <= found.upper <= 1.0
