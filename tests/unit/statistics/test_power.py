"""Power: by a plain judge, and against what the t distribution says."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from rubrica.core.python.common import uniforms
from rubrica.errors import DataError, MismatchError, ParameterError
from rubrica.meta.correlation.correlation import correlate
from rubrica.meta.correlation.subsampled import resampled_correlations
from rubrica.meta.power import PowerCurve, PowerPoint, power_of_correlations, power_of_means
from rubrica.signature import Signature
from rubrica.statistics.intervals import Resampling

FEW = Resampling(rounds=40, seed=5)


def test_power_of_means_is_a_t_test_on_every_sample() -> None:
    rng = np.random.default_rng(0)
    a, b = rng.normal(0.3, 1, 50), rng.normal(0, 1, 50)
    a[3] = math.nan
    d = (a - b)[~np.isnan(a)]
    curve = power_of_means(a, b, [10, 80], resampling=FEW)
    for point in curve.points:
        seen = 0
        for number in range(FEW.rounds):
            drawn = d[(uniforms(FEW.seed, number, point.size) * len(d)).astype(int)]
            seen += stats.ttest_1samp(drawn, 0.0).pvalue <= 0.05
        assert point.power == pytest.approx(seen / FEW.rounds)
    assert curve.effect == pytest.approx(d.mean())


def test_power_of_means_nears_the_noncentral_t() -> None:
    d = np.random.default_rng(1).normal(size=2000)
    curve = power_of_means(d, np.zeros(2000), [30], difference=0.5 * d.std())
    t = 0.5 * math.sqrt(30)
    critical = stats.t.ppf(0.975, 29)
    exact = stats.nct.sf(critical, 29, t) + stats.nct.cdf(-critical, 29, t)
    assert curve.points[0].power == pytest.approx(exact, abs=0.04)
    assert curve.points[0].lower < curve.points[0].power < curve.points[0].upper


def test_without_an_effect_power_is_alpha() -> None:
    d = np.random.default_rng(2).normal(size=500)
    curve = power_of_means(d, np.zeros(500), [50], difference=0.0)
    assert curve.points[0].power == pytest.approx(0.05, abs=0.025)


def test_equal_systems_are_never_told_apart() -> None:
    same = np.array([0.1, 0.2, 0.3])
    (point,) = power_of_means(same, same, [5]).points
    assert (point.power, point.undefined) == (0.0, 1000)
    with pytest.raises(DataError, match="in common"):
        power_of_means([1.0, math.nan], [math.nan, 1.0], [5])
    with pytest.raises(ParameterError, match="sizes"):
        power_of_means(same, same, [1])
    with pytest.raises(ParameterError, match="alpha"):
        power_of_means(same, same, [5], alpha=0.0)


def tables() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(3)
    z = rng.normal(size=(8, 20)) + np.arange(8)[:, None] * 0.4
    good, poor = z + rng.normal(size=z.shape), z + 6 * rng.normal(size=z.shape)
    return good, poor, z


@pytest.mark.parametrize("over", ["inputs", "systems"])
@pytest.mark.parametrize("level", ["summary", "system", "global"])
@pytest.mark.parametrize("gaps", [False, True])
def test_short_ways_equal_the_long_way(over: str, level: str, gaps: bool) -> None:
    x, _, z = tables()
    if gaps:
        x[1, 3] = z[1, 3] = x[2, 2] = z[2, 2] = math.nan
    found = resampled_correlations(
        x, z, 6, over=over, level=level, coefficient="kendall", resampling=FEW
    )
    count = 20 if over == "inputs" else 8
    for number, value in enumerate(found.tolist()):
        drawn = (uniforms(FEW.seed, number, 6) * count).astype(int)
        a, b = (x[:, drawn], z[:, drawn]) if over == "inputs" else (x[drawn], z[drawn])
        expected = correlate(a, b, level, "kendall").value
        assert value == (
            pytest.approx(expected)
            if expected is not None
            else pytest.approx(math.nan, nan_ok=True)
        )


def test_power_of_correlations_grows_with_inputs() -> None:
    good, poor, z = tables()
    curve = power_of_correlations(
        good, poor, z, [2, 20, 200], level="summary", coefficient="pearson"
    )
    powers = [point.power for point in curve.points]
    assert curve.effect is not None
    assert curve.effect > 0.2
    assert powers == sorted(powers)
    assert powers[-1] > 0.99
    assert curve.needed() in (20, 200)


def test_power_of_a_metric_against_itself_is_none() -> None:
    good, _, z = tables()
    curve = power_of_correlations(good, good, z, [5, 10], over="systems", resampling=FEW)
    assert (curve.effect, [point.power for point in curve.points]) == (0.0, [0.0, 0.0])
    with pytest.raises(MismatchError, match="shapes"):
        power_of_correlations(good, good[:, :3], z, [5])


def test_needed_is_the_size_from_which_power_holds() -> None:
    points = [PowerPoint(s, p, 0, 1, 0) for s, p in ((40, 0.9), (10, 0.85), (20, 0.7), (30, 0.8))]
    assert PowerCurve(1.0, 0.05, tuple(points), Signature("power")).needed() == 30
    assert PowerCurve(1.0, 0.05, tuple(points), Signature("power")).needed(0.95) is None
