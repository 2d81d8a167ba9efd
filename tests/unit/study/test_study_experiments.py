"""The four experiments: our rules and the published ones, against SciPy and by hand."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from rubrica.data.table import ScoreTable
from rubrica.errors import DataError, ParameterError
from rubrica.meta.correlation.correlation import correlate_measures
from rubrica.study.experiments import RulesName, run_experiments
from rubrica.study.matrix import measure_matrix


def table() -> ScoreTable:
    chance = np.random.default_rng(11)
    human = np.round(chance.random((8, 20)) + np.linspace(0, 1, 8)[:, None], 1)
    good = human + 0.3 * chance.normal(size=human.shape)
    poor = human + 2.0 * chance.normal(size=human.shape)
    values = np.stack([good, poor, human], axis=2)
    values[0, 0] = np.nan
    return ScoreTable.from_array(values, measures=["good", "poor", "human"])


def test_the_summary_level_keeps_all_documents_or_those_the_notebook_kept() -> None:
    scores = table()
    taus, significant = [], []
    for d in range(20):
        x, z = scores.values[:, d, 1], scores.values[:, d, 2]
        both = ~np.isnan(x)
        made = stats.kendalltau(x[both], z[both])
        taus.append(made.statistic)
        if made.pvalue <= 0.05:
            significant.append(made.statistic)
    ours = run_experiments(scores, ["poor"], "human", rounds=99).summary_level[0]
    assert ours.kendall == pytest.approx(np.mean(taus), abs=1e-12)
    assert (ours.used, ours.documents) == (20, 20)
    assert ours.kendall is not None
    assert ours.lower is not None
    assert ours.upper is not None
    assert ours.lower < ours.kendall < ours.upper
    theirs = run_experiments(scores, ["poor"], "human", rules="realsumm", rounds=99).summary_level[
        0
    ]
    assert theirs.kendall == pytest.approx(np.mean(significant), abs=1e-12)
    assert theirs.used == len(significant) < 20
    assert theirs.lower is None


def test_systems_are_correlated_by_their_means() -> None:
    scores = table()
    made = run_experiments(scores, ["good", "poor"], "human", top=[8, 4], rounds=99)
    x, z = np.nanmean(scores.values[:, :, 0], axis=1), np.nanmean(scores.values[:, :, 2], axis=1)
    assert made.system_level[0].pearson == pytest.approx(stats.pearsonr(x, z).statistic, abs=1e-12)
    assert [(one.metric, one.k) for one in made.top] == [
        ("good", 8),
        ("good", 4),
        ("poor", 8),
        ("poor", 4),
    ]
    best = np.argsort(z)[-4:]
    expected = stats.kendalltau(x[best], z[best]).statistic
    assert made.top[1].kendall == pytest.approx(expected, abs=1e-12)


def test_williams_tests_are_corrected_unless_published_rules_are_asked() -> None:
    ours, theirs = (
        run_experiments(table(), ["good", "poor"], "human", rules=rules, rounds=99).williams
        for rules in ("all", "realsumm")
    )
    (one,), (two,) = ours, theirs
    assert (one.better, one.worse) == ("good", "poor")
    assert one.p == two.p
    assert one.p is not None
    assert one.adjusted == pytest.approx(min(1.0, 2 * one.p))
    assert two.adjusted is None


def test_a_tie_is_a_loss_by_the_published_rule_and_undecided_by_ours() -> None:
    values = np.repeat(np.arange(4.0)[:, None], 10, axis=1)
    values[1] = values[0]
    scores = ScoreTable.from_array(np.stack([values, values], axis=2), measures=["m", "human"])
    ours = run_experiments(scores, ["m"], "human", rounds=50).decisions["m"]
    theirs = run_experiments(scores, ["m"], "human", rules="realsumm", rounds=50).decisions["m"]
    assert ours.confusion[2][2] == 1
    assert theirs.confusion == ((0, 0, 0), (0, 6, 0), (0, 0, 0))
    assert ours.weighted_f1 == theirs.weighted_f1 == 1.0


def test_other_rules_are_refused() -> None:
    with pytest.raises(ParameterError):
        run_experiments(table(), ["good"], "human", rules="mine")  # type: ignore[arg-type]


@pytest.mark.parametrize("rules", ["all", "realsumm"])
def test_a_system_that_only_people_or_only_metrics_scored_changes_nothing(rules: RulesName) -> None:
    """REALSumm's folder of answers has two systems more than its abstractive half."""
    scores = table()
    more = np.full((3, 20, 3), np.nan)
    more[0, :, 2] = 0.5
    more[1, :, :2] = 0.5
    wider = ScoreTable.from_array(
        np.concatenate([scores.values, more]), measures=["good", "poor", "human"]
    )
    made, expected = (
        run_experiments(one, ["good", "poor"], "human", rules=rules, top=[8, 4], rounds=99)
        for one in (wider, scores)
    )
    assert made == expected
    assert made.systems == 8


def test_without_sizes_those_of_the_paper_are_taken_that_there_are_systems_for() -> None:
    made = run_experiments(table(), ["good"], "human", rounds=99)
    assert [one.k for one in made.top] == [8, 6, 4]


@pytest.mark.parametrize("size", [9, 0, -1])
def test_a_size_without_so_many_systems_is_refused(size: int) -> None:
    with pytest.raises(ParameterError, match=rf"the {size} best systems: 8 have a summary"):
        run_experiments(table(), ["good"], "human", top=[8, size], rounds=99)


def test_tables_without_a_common_system_are_told() -> None:
    values = np.full((3, 4, 2), np.nan)
    values[:2, :, 0] = 0.5
    values[2, :, 1] = 0.5
    with pytest.raises(DataError, match=r"0 systems .* ids of systems and inputs"):
        run_experiments(ScoreTable.from_array(values, measures=["a", "b"]), ["a"], "b")


def test_the_matrix_of_measures_is_symmetric_and_agrees_with_each_pair() -> None:
    values = np.random.default_rng(3).random((5, 8, 3))
    values[0, 0, 1] = np.nan
    table = ScoreTable.from_array(values, measures=["a", "b", "c"])
    for level in ("system", "summary", "global"):
        made = measure_matrix(table, ["a", "b", "c"], level, "pearson")
        for i, one in enumerate("abc"):
            for j, two in enumerate("abc"):
                expected = correlate_measures(table, one, two, level, "pearson").value
                assert made.correlations[i][j] == pytest.approx(expected)
    first, second, _ = made.ranges
    assert (first.summaries, second.summaries) == (40, 39)
    assert first.minimum == values[:, :, 0].min()
    assert first.highest_system == pytest.approx(values[:, :, 0].mean(axis=1).max())
    values[:, :, 2] = np.nan
    with pytest.raises(DataError, match="no summary has a score 'c'"):
        measure_matrix(ScoreTable.from_array(values, measures=["a", "b", "c"]), ["a", "c"])
