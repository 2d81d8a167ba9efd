"""Tests between metrics: equal to their definitions on given draws, and honest under the null."""

from __future__ import annotations

from typing import Any, get_args

import numpy as np
import pytest

from rubrica.core import kernels
from rubrica.errors import ParameterError
from rubrica.meta import (
    Coefficient,
    Level,
    benjamini_hochberg,
    compare_metrics,
    correlate,
    holm,
    partial_conjunction,
    swap_correlations,
    williams_p_value,
)
from rubrica.meta.correlation.metric_tests import METRIC_TESTS
from rubrica.meta.correlation.significance import Test, p_value_of, standardised

RNG = np.random.default_rng(11)
START = RNG.bit_generator.state


@pytest.fixture(autouse=True)
def _same_draws_in_any_order() -> None:
    RNG.bit_generator.state = START


NAMES = [c.value for c in Coefficient]
RESAMPLING: list[Any] = [
    f"{kind}-{unit}"
    for kind in ("permutation", "bootstrap")
    for unit in ("both", "system", "input")
]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("level", list(Level))
def test_exchanging_cells_is_exchanging_them(level: Level, name: str) -> None:
    for trial in range(10):
        x, y, z = np.round(4 * RNG.normal(size=(3, 6, 5))) / 4
        if trial % 2:
            absent = RNG.random(z.shape) < 0.2
            x[absent] = y[absent] = z[absent] = np.nan
        swap = RNG.random((1, 6, 5)) < 0.5
        found = kernels.swapped_correlations(
            np.stack([x, y]), z, level.value, name, np.array([[0, 1]]), swap
        )[0, 0]
        for side, mixed in enumerate((np.where(swap[0], y, x), np.where(swap[0], x, y))):
            expected = correlate(mixed, z, level, name).value
            assert found[side] == pytest.approx(
                np.nan if expected is None else expected, nan_ok=True
            )


def test_p_values_of_recorded_draws() -> None:
    """SacreROUGE's stats_test: global Pearson, seeds 12 and 2, one tail, 1,000 rounds.

    Its generator is numpy's old one, so its draws are made here and fed to the kernels.
    """
    legacy = np.random.RandomState(12)
    x, y, z = (legacy.random_sample((9, 5)) for _ in range(3))
    metrics = np.stack([standardised(x), standardised(y)])
    legacy = np.random.RandomState(2)
    swaps = np.stack([legacy.rand(9, 5) > 0.5 for _ in range(1000)])
    observed = correlate(x, z, "global").value - correlate(y, z, "global").value  # type: ignore[operator]
    for pair, expected in (([0, 1], 0.97002997), ([1, 0], 0.03096903)):
        values = kernels.swapped_correlations(
            metrics, z, "global", "pearson", np.array([pair]), swaps
        )[:, 0]
        sign = 1 if pair == [0, 1] else -1
        p = p_value_of(values[:, 0] - values[:, 1], sign * observed, 1, "plus-one")
        assert p == pytest.approx(expected)


def test_paired_bootstrap_of_recorded_draws() -> None:
    legacy = np.random.RandomState(12)
    x, y, z = (legacy.random_sample((9, 5)) for _ in range(3))
    legacy = np.random.RandomState(2)
    drawn = np.stack([np.bincount(legacy.choice(9, 9), minlength=9) for _ in range(1000)])
    values = kernels.resampled_correlations(
        np.stack([x, y]),
        z,
        "global",
        "pearson",
        drawn.astype(np.int32),
        np.ones((1000, 5), np.int32),
    )
    observed = correlate(x, z, "global").value - correlate(y, z, "global").value  # type: ignore[operator]
    delta = values[:, 0] - values[:, 1]
    assert p_value_of(delta, 2 * observed, 1, "ratio") == pytest.approx(0.958)
    assert p_value_of(-delta, -2 * observed, 1, "ratio") == pytest.approx(0.042)


def test_williams_numbers_of_sacrerouge() -> None:
    legacy = np.random.RandomState(12)
    x, y, z = (legacy.random_sample((9, 5)) for _ in range(3))

    def p(a: Any, b: Any, tails: int, level: str = "global", name: str = "pearson") -> Any:
        return compare_metrics(a, b, z, level, name, method="williams", tails=tails).p_value

    assert p(x, y, 1) == pytest.approx(0.2716978, abs=1e-7)
    assert p(y, x, 1) == pytest.approx(1 - 0.2716978, abs=1e-7)
    assert p(x, y, 2) == pytest.approx(0.5433956, abs=1e-7)
    x, y, z = (legacy.random_sample((9, 5)) for _ in range(3))
    assert p(y, x, 1, "system", "spearman") == pytest.approx(0.4658712, abs=1e-7)
    assert p(y, x, 2, "system", "spearman") == pytest.approx(0.9317423, abs=1e-7)


def test_williams_is_none_where_it_is_undefined() -> None:
    assert williams_p_value(0.5, 0.4, 0.3, 3) is None
    assert williams_p_value(0.5, float("nan"), 0.3, 10) is None
    assert williams_p_value(0.8, 0.8, 1.0, 10) is None
    # No three variables have these correlations; rank coefficients and means may.
    assert williams_p_value(0.9, 0.1, 0.9, 50) is None
    assert williams_p_value(0.6, 0.6, 0.9, 10) == 0.5
    strong = williams_p_value(-0.9, 0.3, -0.2, 20)
    assert strong is not None
    assert strong < 0.05
    signed = williams_p_value(-0.9, 0.3, -0.2, 20, signed=True)
    assert signed is not None
    assert signed > 0.95


@pytest.mark.parametrize("method", RESAMPLING)
@pytest.mark.parametrize("level", list(Level))
def test_a_metric_is_not_better_than_itself(level: Level, method: Any) -> None:
    x, z = RNG.normal(size=(2, 6, 8))
    found = compare_metrics(x, x, z, level, method=method, rounds=100)
    assert (found.p_value, found.difference) == (1.0, 0.0)
    assert not found.is_significant()


@pytest.mark.parametrize("method", [*RESAMPLING, "williams"])
def test_a_much_better_metric_is_found(method: Any) -> None:
    quality = RNG.normal(size=(20, 1)) + 0.3 * RNG.normal(size=(20, 25))
    good, bad = quality + 0.2 * RNG.normal(size=(20, 25)), RNG.normal(size=(20, 25))
    found = compare_metrics(good, bad, quality, "system", method=method, rounds=300)
    assert found.is_significant(0.01)
    back = compare_metrics(bad, good, quality, "system", method=method, rounds=300)
    assert back.p_value is not None
    assert back.p_value > 0.9


@pytest.mark.parametrize("method", RESAMPLING)
def test_scale_does_not_matter(method: Any) -> None:
    x, y, z = RNG.normal(size=(3, 7, 9))
    plain = compare_metrics(x, y, z, method=method, rounds=99)
    scaled = compare_metrics(4 * x - 8, y / 2, z, method=method, rounds=99)
    assert plain.p_value == scaled.p_value


@pytest.mark.parametrize("exponent", [-1060, 1000])
def test_scores_near_the_ends_of_the_doubles_have_the_same_p_values(exponent: int) -> None:
    # Whole numbers: the smallest doubles are multiples of 2^-1074.
    generator = np.random.default_rng(4)
    a, b, human = generator.integers(0, 999, size=(3, 6, 8)).astype(float)
    for level in Level:
        options: dict[str, Any] = {"method": "permutation-both", "rounds": 49, "seed": 3}
        plain = compare_metrics(a, b, human, level, "pearson", **options)
        a_now, b_now = np.ldexp(a, exponent), np.ldexp(b, exponent)
        extreme = compare_metrics(a_now, b_now, human, level, "pearson", **options)
        assert extreme.p_value == plain.p_value


def test_schemes_and_rules_are_told_and_differ() -> None:
    x, y, z = RNG.normal(size=(3, 8, 9)) + RNG.normal(size=(8, 1))
    words: dict[str, Any] = {"method": "permutation-both", "rounds": 999}
    cells = compare_metrics(x, y, z, "system", **words)
    rows = compare_metrics(x, y, z, "system", scheme="rows-columns", **words)
    assert "scheme:cells|p:plus-one|perms:999|seed:12345" in str(cells.signature)
    assert "scheme:rows-columns" in str(rows.signature)
    assert cells.p_value != rows.p_value
    ratio = compare_metrics(x, y, z, "system", p_rule="ratio", **words)
    assert cells.p_value == pytest.approx((ratio.p_value * 999 + 1) / 1000)  # type: ignore[operator]


def test_two_tails_see_both_directions() -> None:
    x, y, z = RNG.normal(size=(3, 8, 9))
    one, other = (compare_metrics(a, b, z, rounds=400, tails=2) for a, b in ((x, y), (y, x)))
    assert one.p_value == other.p_value


def test_undefined_is_none_and_counted() -> None:
    x, z = RNG.normal(size=(2, 3, 4))
    constant = compare_metrics(np.ones((3, 4)), x, z, "system", rounds=50)
    assert constant.p_value is None
    assert constant.value_a is None
    assert not constant.is_significant()
    small = compare_metrics(x, x[::-1], z, "system", method="bootstrap-system", rounds=200)
    assert small.undefined_rounds > 0
    assert small.p_value is not None


def test_exchanges_do_not_depend_on_threads() -> None:
    x, y, w, z = RNG.normal(size=(4, 7, 9))
    metrics = np.stack([x, y, w])
    for level in Level:
        for name in NAMES:
            one, two = (
                swap_correlations(
                    metrics, z, level, name, pairs=[(0, 1), (2, 0)], rounds=100, threads=n
                )
                for n in (1, 3)
            )
            assert (one == two).all()
            alone = swap_correlations(metrics[:2], z, level, name, rounds=100)
            assert (one[:, 0] == alone[:, 0]).all()


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"method": "permutation"}, "no test 'permutation'"),
        ({"scheme": "rows"}, "no scheme 'rows'"),
        ({"p_rule": "plus-two"}, "no p-value rule"),
        ({"tails": 0}, "1 or 2 tails"),
        ({"rounds": 0}, "at least one round"),
        ({"rounds": 2**61}, "more than 10,000,000 rounds"),
    ],
)
def test_unfit_choices_are_refused(options: dict[str, Any], told: str) -> None:
    with pytest.raises(ParameterError, match=told):
        compare_metrics(np.eye(3), np.eye(3), np.eye(3), **options)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["permutation-system", "permutation-both"])
def test_false_positives_are_as_rare_as_promised(method: Any) -> None:
    """Two equally good metrics with exchangeable noise: p <= 0.1 in about 10 % of trials.

    benchmarks/bench_coverage.py has the large simulation.
    """
    rng = np.random.default_rng(2021)
    trials, found = 300, 0
    for seed in range(trials):
        quality = rng.normal(size=(12, 1)) + 0.5 * rng.normal(size=(12, 10))
        x, y = (quality + rng.normal(size=(12, 10)) for _ in range(2))
        found += compare_metrics(
            x, y, quality, "system", method=method, rounds=199, seed=seed
        ).is_significant(0.1)
    # A binomial of 300 and 0.1 exceeds 48 less than once in 1,000.
    assert found <= 48


def test_partial_conjunction_of_sacrerouge() -> None:
    p = [0.168, 0.297, 0.357, 0.019, 0.218, 0.001]
    expected = {0.05: (1, (5,)), 0.10: (2, (5, 3)), 0.70: (6, (5, 3, 0, 4, 1, 2))}
    for alpha, (k, significant) in expected.items():
        found = partial_conjunction(p, alpha)
        assert (found.k, found.significant) == (k, significant)
    assert partial_conjunction([]).k == 0
    for p, alpha, told in (([0.5], 1.0, "alpha"), ([1.5], 0.05, "p-value")):  # type: ignore[assignment]
        with pytest.raises(ParameterError, match=told):
            partial_conjunction(p, alpha)
    with pytest.raises(ParameterError, match="fisher"):
        partial_conjunction([0.5], method="fisher")


def test_corrections_equal_their_definitions() -> None:
    from scipy import stats

    p = RNG.random(9) ** 3
    assert benjamini_hochberg(p.tolist()) == pytest.approx(stats.false_discovery_control(p))
    # Holm: rejected at alpha exactly when the partial conjunction names it.
    adjusted = holm(p.tolist())
    for alpha in (0.01, 0.05, 0.2, 0.5):
        rejected = {i for i, q in enumerate(adjusted) if q is not None and q <= alpha}
        assert rejected == set(partial_conjunction(p.tolist(), alpha).significant)
    assert holm([0.01, None, 0.02]) == [0.02, None, 0.02]
    assert benjamini_hochberg([None, 0.5]) == [None, 0.5]
    assert holm([]) == benjamini_hochberg([]) == []


def test_every_test_that_options_name_is_registered() -> None:
    assert tuple(METRIC_TESTS) == get_args(Test)
