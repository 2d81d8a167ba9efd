"""Close pairs, top systems, decisions about pairs, stability, unpaired system level: by plain judges."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from rubrica.core.python.common import uniforms
from rubrica.errors import MismatchError, ParameterError
from rubrica.meta.correlation.correlation import correlate
from rubrica.meta.correlation.unpaired import unpaired_correlation, unpaired_interval
from rubrica.meta.ranking.decisions import decide_pairs, decision_agreement
from rubrica.meta.ranking.pairs import close_pairs, pairs_tau, top_systems
from rubrica.meta.ranking.stability import ranking_stability
from rubrica.meta.scores import system_means, weighted_means
from rubrica.statistics.intervals import Resampling

NAN = math.nan
FEW = Resampling(rounds=60, seed=7)


def table(seed: int, systems: int = 7, inputs: int = 9, levels: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(systems, inputs)) + np.arange(systems)[:, None] * 0.3
    return np.round(values * levels) / levels if levels else values


def plain_tau(pairs: list[tuple[float, float]]) -> float | None:
    p = q = t = u = 0
    for a, b in pairs:
        if a * b > 0:
            p += 1
        elif a * b < 0:
            q += 1
        elif a == 0 and b != 0:
            t += 1
        elif b == 0 and a != 0:
            u += 1
    below = math.sqrt((p + q + t) * (p + q + u))
    return (p - q) / below if below else None


@given(st.integers(0, 10**6), st.sampled_from([0, 2]))
def test_close_pairs_are_the_plain_definition(seed: int, levels: int) -> None:
    # Eight inputs in halves: means are exact, so ties are.
    x, z = table(seed, 7, 8, levels), table(seed + 1, 7, 8, levels)
    a, b = (np.array([math.fsum(row) / 8 for row in one]) for one in (x, z))
    pairs = [(a[i] - a[j], b[i] - b[j]) for i, j in itertools.combinations(range(len(a)), 2)]
    ordered = sorted(abs(d) for d, _ in pairs)
    size = math.ceil(len(pairs) / 10)
    found = close_pairs(a, b)
    assert len(found) == math.ceil(len(pairs) / size)
    for number, one in enumerate(found):
        bound = ordered[min((number + 1) * size, len(pairs)) - 1]
        kept = [pair for pair in pairs if abs(pair[0]) <= bound]
        assert (one.pairs, one.upper) == (len(kept), pytest.approx(bound))
        assert one.tau == pytest.approx(plain_tau(kept))


def test_all_pairs_together_are_tau_b() -> None:
    x, z = table(1, 12, 4, levels=1), table(2, 12, 4, levels=1)
    expected = stats.kendalltau(x.mean(axis=1), z.mean(axis=1)).statistic
    assert pairs_tau(x, z).tau == pytest.approx(expected)
    assert close_pairs(x, z)[-1].tau == pytest.approx(expected)
    assert close_pairs(x, z)[-1].share == 1.0


def test_systems_with_equal_scores_tie() -> None:
    scores = np.round(np.random.default_rng(0).random(99), 1) / 3
    assert pairs_tau([scores] * 20, np.arange(20.0)).tau is None


def test_means_are_those_of_the_kernels_and_of_numpy_to_the_last_bit() -> None:
    x, z = table(1, 9, 137, levels=10), table(2, 9, 137, levels=10)
    x[3, 5:] = z[4, ::2] = NAN
    means = [np.nanmean(one, axis=1) for one in (x, z)]
    np.testing.assert_array_equal(system_means(x), means[0])
    np.testing.assert_array_equal(weighted_means(x, np.ones((3, 137)))[2], means[0])
    both = ~np.isnan(x + z)
    x, z = np.where(both, x, NAN), np.where(both, z, NAN)
    found = correlate(x, z, "system", "kendall").value
    assert found == unpaired_correlation(x, z).value == top_systems(x, z)[0].value
    assert found == pairs_tau(x, z).tau


def test_pairs_without_a_difference_have_no_tau() -> None:
    assert pairs_tau([1, 2, 3], [1, 2, 3], lower=5.0).tau is None
    assert pairs_tau([1, 1, 1], [1, 2, 3]).tau is None
    assert close_pairs([1.0], [2.0]) == ()
    assert pairs_tau([1, 2, NAN], [1, 2, 3]).pairs == 1


def test_the_best_systems_are_chosen_by_people() -> None:
    metric, human = [1.0, 2, 3, 9, 8], [1.0, 2, 3, 4, 5]
    by_size = {one.size: one for one in top_systems(metric, human, sizes=[5, 3, 2])}
    assert by_size[5].value == pytest.approx(stats.kendalltau(metric, human).statistic)
    assert by_size[3].value == pytest.approx(stats.kendalltau(metric[2:], human[2:]).statistic)
    assert by_size[2].value == -1.0


def test_systems_tied_for_the_last_place_are_all_kept() -> None:
    (top,) = top_systems([1, 2, 3, 4], [5, 6, 6, 7], sizes=[2])
    assert top.systems == 3
    with pytest.raises(ParameterError, match="5 best of 4"):
        top_systems([1, 2, 3, 4], [5, 6, 6, 7], sizes=[5])


def plain_label(a: np.ndarray, b: np.ndarray, resampling: Resampling) -> int:
    wins = 0.0
    for number in range(resampling.rounds):
        drawn = (uniforms(resampling.seed, number, len(a)) * len(a)).astype(int)
        d = math.fsum(a[k] - b[k] for k in drawn if not math.isnan(a[k] - b[k]))
        wins += 1.0 if d > 1e-12 else 0.5 if abs(d) <= 1e-12 else 0.0
    share = wins / resampling.rounds
    return 1 if share >= 0.95 else -1 if share <= 0.05 + 1e-9 else 0


@pytest.mark.parametrize("gaps", [False, True])
def test_decisions_are_the_plain_bootstrap(gaps: bool) -> None:
    x, z = table(3, 6, 30, levels=10), table(4, 6, 30, levels=10)
    if gaps:
        x[np.random.default_rng(5).random(x.shape) < 0.2] = NAN
    found = decide_pairs(x, resampling=FEW)
    for (i, j), label in zip(found.pairs, found.labels, strict=True):
        assert label == plain_label(x[i], x[j], FEW)
    agreement = decision_agreement(x, z, resampling=FEW)
    z = np.where(np.isnan(x), NAN, z)
    pairs = list(itertools.combinations(range(6), 2))
    people = [plain_label(z[i], z[j], FEW) for i, j in pairs]
    metric = [plain_label(x[i], x[j], FEW) for i, j in pairs]
    assert agreement.accuracy == pytest.approx(np.mean(np.equal(people, metric)))
    assert agreement.weighted_f1 == pytest.approx(plain_weighted_f1(people, metric))
    both_ways = [[*labels, *(-label for label in labels)] for labels in (people, metric)]
    assert agreement.symmetric_f1 == pytest.approx(plain_weighted_f1(*both_ways))


def plain_weighted_f1(truth: list[int], guess: list[int]) -> float:
    total = 0.0
    for label in set(truth):
        hits = sum(t == g == label for t, g in zip(truth, guess, strict=True))
        f1 = 2 * hits / (truth.count(label) + guess.count(label))
        total += truth.count(label) * f1
    return total / len(truth)


def test_equal_systems_are_undecided_and_a_metric_agrees_with_itself() -> None:
    x = np.vstack([table(6, 3, 20), table(6, 3, 20)[:1]])
    found = decide_pairs(x)
    assert found.labels[[tuple(p) for p in found.pairs].index((0, 3))] == 0
    assert decision_agreement(x, x).weighted_f1 == 1.0


def test_a_pair_without_a_common_input_is_left_out() -> None:
    x = np.array([[1.0, NAN], [NAN, 2.0]])
    agreement = decision_agreement(x, x)
    assert (agreement.pairs, agreement.left_out, agreement.weighted_f1) == (0, 1, None)


def test_stability_is_the_plain_resampling() -> None:
    x = table(8, 6, 12)
    x[2, 3] = NAN
    (found,) = ranking_stability(x, sizes=[5], resampling=FEW)
    taus = []
    for number in range(FEW.rounds):
        drawn = (uniforms(FEW.seed, number, 10) * 12).astype(int)
        one, two = (np.nanmean(x[:, part], axis=1) for part in (drawn[:5], drawn[5:]))
        taus.append(stats.kendalltau(one, two).statistic)
    assert found.mean == pytest.approx(np.mean(taus))
    assert found.deviation == pytest.approx(np.std(taus))


def test_stability_grows_with_inputs_and_is_undefined_for_a_constant() -> None:
    steps = ranking_stability(table(9, 10, 200))
    assert [one.size for one in steps] == list(range(20, 201, 20))
    first, last = steps[0].mean, steps[-1].mean
    assert first is not None
    assert last is not None
    assert first < last
    (flat,) = ranking_stability(np.ones((4, 5)), sizes=[3], resampling=FEW)
    assert (flat.mean, flat.lower, flat.undefined) == (None, None, FEW.rounds)


def test_unpaired_uses_all_inputs_of_the_metric() -> None:
    x, z = table(10, 8, 50), table(11, 8, 5)
    found = unpaired_correlation(x, z, coefficient="pearson")
    assert found.value == pytest.approx(np.corrcoef(x.mean(axis=1), z.mean(axis=1))[0, 1])
    assert (found.systems, found.metric_inputs, found.judged_inputs) == (8, 50, 5)


def test_unpaired_counts_systems_without_scores() -> None:
    found = unpaired_correlation([[1.0], [2.0], [NAN]], [[1.0, NAN], [3.0, 4.0], [5.0, 6.0]])
    assert (found.value, found.systems, found.left_out) == (1.0, 2, 1)
    assert unpaired_correlation([[1.0]], [[2.0]]).value is None
    with pytest.raises(MismatchError, match="3 systems"):
        unpaired_correlation([1, 2, 3], [1, 2])


@pytest.mark.parametrize("over", ["systems", "inputs", "both"])
def test_unpaired_interval_is_the_plain_bootstrap(over: str) -> None:
    x, z = table(12, 6, 15), table(13, 6, 4)
    found = unpaired_interval(x, z, coefficient="pearson", over=over, resampling=FEW)  # type: ignore[arg-type]
    values = []
    for number in range(FEW.rounds):
        draws = uniforms(FEW.seed, number, 6 + 15 + 4)
        rows = (draws[:6] * 6).astype(int) if over != "inputs" else np.arange(6)
        xs = (draws[6:21] * 15).astype(int) if over != "systems" else np.arange(15)
        zs = (draws[21:] * 4).astype(int) if over != "systems" else np.arange(4)
        a, b = x[np.ix_(rows, xs)].mean(axis=1), z[np.ix_(rows, zs)].mean(axis=1)
        values.append(np.corrcoef(a, b)[0, 1])
    assert (found.lower, found.upper) == pytest.approx(tuple(np.quantile(values, [0.025, 0.975])))
