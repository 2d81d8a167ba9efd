"""What must not change a meta-evaluation, does not: order, monotone and linear transforms, signs."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from rubrica.meta.correlation.coefficients import coefficient_of
from rubrica.meta.correlation.correlation import correlate
from rubrica.meta.correlation.differences import difference_pearson
from rubrica.meta.correlation.partial import partial_given_length, partial_given_system
from rubrica.meta.correlation.unpaired import unpaired_correlation
from rubrica.meta.judges.agreement import krippendorff_alpha
from rubrica.meta.ranking.calibration import calibrate_ties
from rubrica.meta.ranking.decisions import decision_agreement
from rubrica.meta.ranking.pairs import close_pairs, top_systems
from rubrica.meta.ranking.soft_pairwise import soft_pairwise_accuracy
from rubrica.meta.ranking.thresholds import roc_auc
from rubrica.meta.ranking.ties import kendall_like, tau_with_ties
from rubrica.statistics.intervals import Resampling

FEW = Resampling(rounds=50)
SEEDS = st.integers(0, 10**6)

# Each takes metric and human and gives numbers.
METHODS: dict[str, Callable[[np.ndarray, np.ndarray], Any]] = {
    "unpaired": lambda x, z: unpaired_correlation(x, z).value,
    "close pairs": lambda x, z: [one.tau for one in close_pairs(x, z)],
    "top systems": lambda x, z: [one.value for one in top_systems(x, z)],
    "decisions": lambda x, z: decision_agreement(x, z, resampling=FEW).symmetric_f1,
    "acc_eq": lambda x, z: tau_with_ties(x, z).value,
    "calibration": lambda x, z: calibrate_ties(x, z).value,
    "kendall-like": lambda x, z: kendall_like(x, z, gap=0.5).value,
    "spa": lambda x, z: soft_pairwise_accuracy(x, z, resampling=FEW).value,
    "difference pearson": lambda x, z: difference_pearson(x, z).value,
    "given system": lambda x, z: partial_given_system(x, z).value,
    "given length": lambda x, z: partial_given_length(x, z, np.abs(x) + z, level="system").value,
}


def tables(seed: int, systems: int = 6, inputs: int = 8) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    z = rng.normal(size=(systems, inputs)) + 0.3 * np.arange(systems)[:, None]
    return z + rng.normal(size=z.shape), z


@pytest.mark.parametrize("method", METHODS)
@given(seed=SEEDS)
def test_the_order_of_systems_does_not_matter(method: str, seed: int) -> None:
    x, z = tables(seed)
    order = np.random.default_rng(seed + 1).permutation(len(x))
    one, other = METHODS[method](x, z), METHODS[method](x[order], z[order])
    # A null difference equal to the observed one counts for the later system: with all signs
    # equal it does, once in 2^8 draws.
    assert other == pytest.approx(one, abs=0.05 if method == "spa" else 1e-9)


@pytest.mark.parametrize("method", [m for m in METHODS if m not in ("spa", "decisions")])
@given(seed=SEEDS)
def test_the_order_of_inputs_does_not_matter(method: str, seed: int) -> None:
    x, z = tables(seed)
    order = np.random.default_rng(seed + 1).permutation(x.shape[1])
    assert METHODS[method](x[:, order], z[:, order]) == pytest.approx(METHODS[method](x, z))


@pytest.mark.parametrize("method", [m for m in METHODS if m != "given length"])
@given(seed=SEEDS, scale=st.sampled_from([0.5, 4.0]), shift=st.sampled_from([-3.0, 8.0]))
def test_units_of_the_metric_do_not_matter(
    method: str, seed: int, scale: float, shift: float
) -> None:
    # Powers of two, and scores on a grid: the transform is exact.
    x, z = (np.round(one * 2**20) / 2**20 for one in tables(seed))
    assert METHODS[method](x * scale + shift, z) == pytest.approx(METHODS[method](x, z))


@given(seed=SEEDS)
def test_pairwise_methods_see_only_the_order_of_scores(seed: int) -> None:
    x, z = tables(seed)
    for method in ("acc_eq", "kendall-like"):
        assert METHODS[method](np.exp(x), z) == METHODS[method](x, z)
    assert tau_with_ties(x, z, variant="b").value == tau_with_ties(np.exp(x), z, variant="b").value
    labels = z.ravel() > 0
    if labels.any() and not labels.all():
        stretched, plain = roc_auc(np.exp(x).ravel(), labels), roc_auc(x.ravel(), labels)
        assert stretched is not None
        assert plain is not None
        assert stretched.value == plain.value


@given(seed=SEEDS)
def test_a_metric_turned_round_turns_the_sign(seed: int) -> None:
    x, z = tables(seed)
    for method in ("unpaired", "difference pearson", "given system", "kendall-like"):
        assert METHODS[method](-x, z) == pytest.approx(-METHODS[method](x, z))
    turned = roc_auc(-x.ravel(), z.ravel() > 0)
    plain = roc_auc(x.ravel(), z.ravel() > 0)
    if plain is not None and turned is not None:
        assert turned.value == pytest.approx(1 - plain.value)


@given(seed=SEEDS)
def test_people_agree_with_themselves(seed: int) -> None:
    _, z = tables(seed)
    for method in METHODS:
        if method not in ("close pairs", "top systems", "given length"):
            assert METHODS[method](z, z) == pytest.approx(1.0)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=12))
def test_coefficients_are_scipys(pairs: list[tuple[int, int]]) -> None:
    a, b = (np.array([pair[k] for pair in pairs], float) for k in (0, 1))
    judges = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}
    for name, judge in judges.items():
        found = coefficient_of(a, b, name)
        if len(pairs) < 2 or len(set(a)) < 2 or len(set(b)) < 2:
            assert math.isnan(found)
        else:
            assert found == pytest.approx(judge(a, b).statistic)


@given(seed=SEEDS, name=st.sampled_from(["pearson", "spearman", "kendall"]))
def test_levels_are_scipys_over_cells_both_have(seed: int, name: str) -> None:
    x, z = tables(seed, 5, 4)
    gone = np.random.default_rng(seed).random(x.shape) < 0.2
    x[gone] = math.nan
    columns = [coefficient_of(x[~gone[:, j], j], z[~gone[:, j], j], name) for j in range(4)]
    kept = [value for value in columns if value == value]
    found = correlate(x, z, "summary", name)
    assert found.value == (pytest.approx(np.mean(kept)) if kept else None)
    present = int((~gone).any(axis=0).sum())
    assert (found.defined, found.undefined) == (len(kept), present - len(kept))
    assert correlate(x, z, "global", name).value == pytest.approx(
        coefficient_of(x[~gone], z[~gone], name)
    )


@given(seed=SEEDS, scale=st.sampled_from(["nominal", "ordinal", "interval", "ratio"]))
def test_alpha_does_not_know_judges_or_units_apart(seed: int, scale: Any) -> None:
    rng = np.random.default_rng(seed)
    table = rng.integers(0, 4, size=(3, 8)).astype(float)
    table[rng.random(table.shape) < 0.2] = math.nan
    one = krippendorff_alpha(table, scale=scale, resampling=None).value
    mixed = table[rng.permutation(3)][:, rng.permutation(8)]
    assert krippendorff_alpha(mixed, scale=scale, resampling=None).value == (
        None if one is None else pytest.approx(one)
    )


def hostile() -> list[tuple[np.ndarray, np.ndarray]]:
    nan = math.nan
    return [
        (np.empty((0, 0)), np.empty((0, 0))),
        (np.empty((3, 0)), np.empty((3, 0))),
        (np.full((3, 2), nan), np.full((3, 2), nan)),
        (np.ones((3, 2)), np.ones((3, 2))),
        (np.array([[1.0]]), np.array([[2.0]])),
        (np.array([[1.0, nan], [nan, 1.0]]), np.array([[1.0, 1.0], [1.0, 1.0]])),
        (np.array([[1.0], [2.0]]), np.array([[nan], [2.0]])),
    ]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("number", range(7))
def test_too_little_data_gives_a_value_or_none_and_no_warning(method: str, number: int) -> None:
    found = METHODS[method](*hostile()[number])
    values = found if isinstance(found, list) else [found]
    assert all(value is None or -1.0 <= value <= 1.0 for value in values)
