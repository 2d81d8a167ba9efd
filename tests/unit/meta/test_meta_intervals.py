"""Intervals: the bootstrap equals its definition on given draws; Fisher's equals recorded numbers."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from rubrica.core import kernels
from rubrica.errors import ParameterError
from rubrica.meta import Coefficient, Level, bootstrap_correlations, correlate, interval

RNG = np.random.default_rng(7)
START = RNG.bit_generator.state


@pytest.fixture(autouse=True)
def _same_draws_in_any_order() -> None:
    RNG.bit_generator.state = START


NAMES = [c.value for c in Coefficient]


def counts(drawn: Any, size: int) -> Any:
    number = Counter(np.asarray(drawn).tolist())
    return np.array([[number[i] for i in range(size)]], dtype=np.int32)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("level", list(Level))
def test_drawing_a_system_twice_is_duplicating_it(level: Level, name: str) -> None:
    """SacreROUGE's and nlpstats' definition: take the drawn rows, then the drawn columns."""
    for trial in range(20):
        # Quarters: sums are exact, so equal means are equal in any order of summing.
        x, z = np.round(4 * RNG.normal(size=(2, 7, 5))) / 4
        if trial % 2:
            x[RNG.random(x.shape) < 0.2] = np.nan
        rows, columns = RNG.integers(0, 7, 7), RNG.integers(0, 5, 5)
        found = kernels.resampled_correlations(
            x[None], z, level.value, name, counts(rows, 7), counts(columns, 5)
        )[0, 0]
        expected = correlate(x[rows][:, columns], z[rows][:, columns], level, name).value
        assert found == pytest.approx(np.nan if expected is None else expected, nan_ok=True)


def test_percentiles_of_recorded_draws() -> None:
    """SacreROUGE's stats_test: seed 3, bootstrap over systems, global Pearson, 1,000 samples."""
    x = np.array([[1.0, 2, 3], [4, 5, 6], [7, 8, 9]])
    z = np.array([[5.0, 2, 7], [1, 7, 3], [4, 2, 2]])
    legacy = np.random.RandomState(3)
    drawn = np.concatenate([counts(legacy.choice(3, 3), 3) for _ in range(1000)])
    ones = np.ones((1000, 3), dtype=np.int32)
    values = kernels.resampled_correlations(x[None], z, "global", "pearson", drawn, ones)[:, 0]
    bounds = np.percentile(values[~np.isnan(values)], [2.5, 97.5])
    assert bounds == pytest.approx([-0.86602540, 0.39735971])


def test_fisher_bounds_are_those_of_sacrerouge() -> None:
    legacy = np.random.RandomState(12)
    x, y = legacy.rand(5, 7), legacy.rand(5, 7)
    expected = {
        ("global", "pearson"): (-0.02763744, 0.58188464),
        ("global", "spearman"): (-0.06733469, 0.56407587),
        ("global", "kendall"): (-0.02996468, 0.40985652),
        ("system", "pearson"): (-0.64456480, 0.96443951),
        ("system", "spearman"): (-0.67087344, 0.97567710),
        ("system", "kendall"): (-0.70239107, 0.93777896),
        ("summary", "pearson"): (-0.80837663, 0.92878639),
        ("summary", "spearman"): (-0.72621273, 0.96536465),
        ("summary", "kendall"): (-0.68448685, 0.94180633),
    }
    for (level, name), bounds in expected.items():
        found = interval(x, y, level, name, method="fisher")
        assert (found.lower, found.upper) == pytest.approx(bounds, abs=1e-7)
        assert found.rounds == 0


def test_fisher_needs_points_and_a_value() -> None:
    x, z = RNG.normal(size=(2, 3, 4))
    assert interval(x, z, "system", method="fisher").lower is None
    assert interval(np.ones((6, 4)), np.ones((6, 4)), "system", method="fisher").lower is None
    line = np.arange(6.0)[:, None]
    perfect = interval(line, line, "system", method="fisher")
    assert (perfect.lower, perfect.upper) == (None, None), "no width would claim too much"


@pytest.mark.parametrize("level", list(Level))
@pytest.mark.parametrize("method", ["bootstrap-system", "bootstrap-input", "bootstrap-both"])
def test_bounds_widen_with_confidence(level: Level, method: Any) -> None:
    quality = RNG.normal(size=(8, 1))
    x, z = (quality + RNG.normal(size=(8, 12)) for _ in range(2))
    wide = interval(x, z, level, method=method, confidence=99, rounds=400)
    slim = interval(x, z, level, method=method, confidence=80, rounds=400)
    assert wide.lower < slim.lower < slim.upper < wide.upper  # type: ignore[operator]
    one = interval(x, z, level, method=method, confidence=90, tails=1, rounds=400)
    assert (one.lower, one.upper) == (slim.lower, slim.upper)


def test_the_seed_decides_and_threads_do_not() -> None:
    x, z = RNG.normal(size=(2, 9, 11))
    for level in Level:
        for name in NAMES:
            one, two, three = (
                bootstrap_correlations(x[None], z, level, name, rounds=200, seed=5, threads=n)
                for n in (1, 2, 3)
            )
            assert (one == two).all()
            assert (one == three).all()
            other = bootstrap_correlations(x[None], z, level, name, rounds=200, seed=6)
            assert (one != other).any()


def test_many_metrics_at_once_see_the_same_draws() -> None:
    x, y, z = RNG.normal(size=(3, 6, 8))
    both = bootstrap_correlations(np.stack([x, y]), z, "summary", "kendall", rounds=50)
    for k, metric in enumerate((x, y)):
        alone = bootstrap_correlations(metric[None], z, "summary", "kendall", rounds=50)
        assert (both[:, k] == alone[:, 0]).all()


def test_undefined_resamples_are_left_out_and_counted() -> None:
    x, z = RNG.normal(size=(2, 3, 2))
    found = interval(x, z, "system", method="bootstrap-system", rounds=900, seed=1)
    # Three systems: all draws alike with probability 1/9.
    assert 60 < found.undefined_rounds < 145
    assert found.lower is not None
    never = interval(np.ones((3, 2)), z, "system", method="bootstrap-both", rounds=20)
    assert (never.lower, never.upper, never.undefined_rounds) == (None, None, 20)


def test_systems_without_scores_are_not_drawn() -> None:
    x, z = RNG.normal(size=(2, 6, 5))
    more_x = np.vstack([x, np.full((2, 5), np.nan)])
    more_z = np.vstack([z, RNG.normal(size=(2, 5))])
    plain, padded = (interval(a, b, rounds=50) for a, b in ((x, z), (more_x, more_z)))
    assert (plain.lower, plain.upper) == (padded.lower, padded.upper)


def test_bca_corrects_towards_the_truth() -> None:
    """Over inputs at the summary level the statistic is a mean: compare with scipy's BCa."""
    from scipy import stats

    quality = RNG.normal(size=(9, 1))
    x, z = (quality + RNG.normal(size=(9, 30)) for _ in range(2))
    from rubrica.meta import input_correlations

    columns = input_correlations(x, z, "pearson")
    found = interval(x, z, method="bootstrap-input", bounds="bca", rounds=9999)
    plain = interval(x, z, method="bootstrap-input", rounds=9999)
    expected = stats.bootstrap(
        (columns,), np.mean, method="BCa", n_resamples=9999, rng=np.random.default_rng(1)
    ).confidence_interval
    assert (found.lower, found.upper) == pytest.approx((expected.low, expected.high), abs=0.004)
    assert (found.lower, found.upper) != (plain.lower, plain.upper)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"method": "bootstrap"}, "no interval 'bootstrap'"),
        ({"bounds": "basic"}, "percentile or bca"),
        ({"confidence": 100}, "between 0 and 100"),
        ({"tails": 3}, "1 or 2 tails"),
        ({"tails": 1, "confidence": 50}, "above 50"),
        ({"rounds": 0}, "at least one round"),
        ({"rounds": 2**61}, "more than 10,000,000 rounds"),
    ],
)
def test_unfit_choices_are_refused(options: dict[str, Any], told: str) -> None:
    with pytest.raises(ParameterError, match=told):
        interval(np.eye(3), np.eye(3), **options)


def test_the_interval_over_both_covers_the_truth() -> None:
    """A seeded simulation: system-level Pearson of a bivariate normal population.

    benchmarks/bench_coverage.py has the large one.
    """
    rng = np.random.default_rng(2024)
    truth, covered, trials = 0.7, 0, 120
    for _ in range(trials):
        quality = rng.multivariate_normal([0, 0], [[1, truth], [truth, 1]], size=30)
        noise = rng.normal(size=(2, 30, 20)) * 0.1
        x, z = (quality[:, k : k + 1] + noise[k] for k in range(2))
        found = interval(x, z, "system", method="bootstrap-both", rounds=300)
        covered += found.lower <= truth <= found.upper  # type: ignore[operator]
    # About 93 % of 120; percentile intervals of r are a little short.
    assert 0.86 < covered / trials <= 1.0


def test_the_jackknife_of_bca_is_the_same_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    z = rng.normal(size=(5, 9))
    x = z + rng.normal(size=z.shape)
    whole = interval(x, z, bounds="bca", rounds=200)
    monkeypatch.setattr("rubrica.meta.correlation.bootstrap._BLOCK", 30)
    assert interval(x, z, bounds="bca", rounds=200) == whole
