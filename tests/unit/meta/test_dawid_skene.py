"""Dawid and Skene's model finds planted errors of judges, and labels items better than a vote."""

from __future__ import annotations

import numpy as np
import pytest

from rubrica.errors import DataError
from rubrica.meta import compare_juries, dawid_skene
from rubrica.statistics.intervals import Resampling

ACCURACIES = (0.95, 0.9, 0.6, 0.4, 0.35)


def planted(items: int = 3000) -> tuple[np.ndarray, np.ndarray]:
    """True labels 1 to 3, and those of judges with known accuracies."""
    draw = np.random.default_rng(5)
    truth = draw.choice([1.0, 2.0, 3.0], items, p=[0.5, 0.3, 0.2])
    wrong = (truth - 1 + draw.integers(1, 3, (len(ACCURACIES), items))) % 3 + 1
    right = draw.random((len(ACCURACIES), items)) < np.array(ACCURACIES)[:, None]
    return truth, np.where(right, truth, wrong)


def test_planted_accuracies_are_found() -> None:
    _, table = planted()
    model = dawid_skene(table)
    assert model.labels.tolist() == [1, 2, 3]
    assert model.accuracies() == pytest.approx(ACCURACIES, abs=0.04)
    assert model.shares == pytest.approx([0.5, 0.3, 0.2], abs=0.04)
    assert model.probabilities.sum(axis=1) == pytest.approx(np.ones(3000))


def test_labels_are_better_than_those_of_a_vote() -> None:
    truth, table = planted()
    model = dawid_skene(table)
    best = model.labels[model.probabilities.argmax(axis=1)]
    votes = np.array([(table == label).sum(axis=0) for label in (1, 2, 3)])
    vote = votes.argmax(axis=0) + 1
    assert (best == truth).mean() > (vote == truth).mean() + 0.03


def test_missing_labels_are_left_out_and_the_order_of_judges_does_not_count() -> None:
    _, table = planted(300)
    table[2, ::2] = np.nan
    model, turned = dawid_skene(table), dawid_skene(table[::-1])
    assert turned.expected() == pytest.approx(model.expected(), abs=1e-6)
    assert np.isfinite(model.expected()).all()


def test_continuous_scores_are_binned_by_judge() -> None:
    draw = np.random.default_rng(7)
    quality = draw.normal(size=400)
    table = np.array([quality + draw.normal(scale=0.3, size=400), 100 * quality, -5 + quality])
    model = dawid_skene(table)
    assert model.labels.tolist() == [0, 1, 2, 3, 4]
    assert np.corrcoef(model.expected(), quality)[0, 1] > 0.9


def test_unanimous_judges_are_believed() -> None:
    model = dawid_skene([[1, 2, 2], [1, 2, 2]])
    assert model.expected() == pytest.approx([1, 2, 2], abs=0.01)


def test_a_table_without_labels_is_an_error() -> None:
    with pytest.raises(DataError, match="at least one label"):
        dawid_skene(np.full((2, 3), np.nan))


def test_a_jury_by_dawid_skene_ignores_judges_who_guess() -> None:
    truth, table = planted(400)
    human = truth.reshape(4, 100)
    judges = {f"judge {at}": row.reshape(4, 100) for at, row in enumerate(table)}
    report = compare_juries(judges, human, resampling=Resampling(20))
    correlation = {one.name: one.correlation or 0.0 for one in report.members}
    assert correlation["dawid-skene"] > correlation["mean"] + 0.1
