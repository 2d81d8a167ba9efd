"""Agreement of judges: published examples and plain definitions."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from rubrica.core.python.common import uniforms
from rubrica.errors import DataError, MismatchError
from rubrica.meta.judges.agreement import SCALES, krippendorff_alpha
from rubrica.meta.judges.kappa import cohen_kappa, fleiss_kappa
from rubrica.statistics.intervals import Resampling

NAN, FEW = math.nan, Resampling(rounds=30, seed=2)

# K. Krippendorff, "Computing Krippendorff's Alpha-Reliability" (2011), example C: four observers,
# twelve units. Nominal, ordinal and interval values are its own, as is .797 for ratio data.
OBSERVERS = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
    [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
]
PUBLISHED = {"nominal": 0.743, "ordinal": 0.815, "interval": 0.849, "ratio": 0.797}
TABLES = arrays(
    np.float64,
    st.tuples(st.integers(2, 4), st.integers(1, 6)),
    elements=st.sampled_from([0.0, 1.0, 2.0, 4.0, NAN]),
)


@pytest.mark.parametrize("scale", SCALES)
def test_alpha_of_krippendorffs_example(scale: Any) -> None:
    found = krippendorff_alpha(OBSERVERS, scale=scale)
    assert found.value == pytest.approx(PUBLISHED[scale], abs=5e-4)
    assert (found.units, found.values, found.left_out) == (11, 40, 1)
    assert found.value is not None
    assert found.lower is not None
    assert found.upper is not None
    assert found.lower < found.value < found.upper


def test_alpha_of_krippendorffs_binary_example() -> None:
    # The same paper, example A: two observers, ten units, binary data: .095.
    first = [0, 1, 0, 0, 0, 0, 0, 0, 1, 0]
    second = [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]
    found = krippendorff_alpha([first, second], resampling=None)
    assert found.value == pytest.approx(0.095, abs=5e-4)
    assert (found.lower, found.upper) == (None, None)


def plain_alpha(units: list[list[float]], scale: str) -> float | None:
    units = [unit for unit in units if len(unit) > 1]
    pool = [value for unit in units for value in unit]

    def square(c: float, k: float) -> float:
        if scale == "nominal":
            return float(c != k)
        if scale == "interval":
            return (c - k) ** 2
        if scale == "ratio":
            return ((c - k) / (c + k)) ** 2 if c + k else 0.0
        low, high = min(c, k), max(c, k)
        between = sum(low <= value <= high for value in pool)
        return (between - (pool.count(c) + pool.count(k)) / 2) ** 2 if c != k else 0.0

    if len(set(pool)) < 2:
        return None
    observed = sum(
        square(a, b) / (len(unit) - 1) for unit in units for a, b in itertools.permutations(unit, 2)
    )
    expected = sum(square(a, b) for a, b in itertools.permutations(pool, 2)) / (len(pool) - 1)
    return 1 - observed / expected


@given(TABLES, st.sampled_from(SCALES))
def test_alpha_is_the_plain_definition(table: np.ndarray, scale: Any) -> None:
    units = [[v for v in column if v == v] for column in table.T.tolist()]
    found = krippendorff_alpha(table, scale=scale, resampling=None)
    expected = plain_alpha(units, scale)
    assert found.value == (None if expected is None else pytest.approx(expected))


@pytest.mark.parametrize("scale", SCALES)
def test_alphas_interval_resamples_units(scale: Any) -> None:
    units = [[v for v in column if v is not None] for column in zip(*OBSERVERS, strict=True)]
    units = [unit for unit in units if len(unit) > 1]
    values: list[Any] = []
    for number in range(FEW.rounds):
        drawn = (uniforms(FEW.seed, number, len(units)) * len(units)).astype(int)
        values.append(plain_alpha([units[k] for k in drawn], scale))
    found = krippendorff_alpha(OBSERVERS, scale=scale, resampling=FEW)
    assert (found.lower, found.upper) == pytest.approx(tuple(np.quantile(values, [0.025, 0.975])))


def test_none_is_never_a_label() -> None:
    with_gaps = krippendorff_alpha([["a", None, "b"], ["a", None, "b"], ["a", "c", None]])
    without = krippendorff_alpha([["a", "b"], ["a", "b"], ["a", None]])
    assert with_gaps.value == without.value
    assert fleiss_kappa([["a", None], ["a", "b"]]).left_out == 1


def test_labels_need_an_order_to_be_ordinal() -> None:
    words = [["low", "mid", "high"], ["low", "high", "high"]]
    numbers = [[1, 2, 3], [1, 3, 3]]
    order = ["low", "mid", "high"]
    assert (
        krippendorff_alpha(words, scale="ordinal", order=order).value
        == krippendorff_alpha(numbers, scale="ordinal").value
    )
    with pytest.raises(DataError, match="needs their order"):
        krippendorff_alpha(words, scale="ordinal")
    with pytest.raises(DataError, match="not in the given order"):
        krippendorff_alpha(words, scale="ordinal", order=["low", "mid"])
    with pytest.raises(DataError, match="needs numbers"):
        krippendorff_alpha(words, scale="interval", order=order)
    with pytest.raises(DataError, match="below 0"):
        krippendorff_alpha([[-1, 2], [1, 2]], scale="ratio")
    with pytest.raises(DataError, match="one value"):
        krippendorff_alpha([[1, 2], [1]])


def test_alpha_without_variation_or_pairs_is_undefined() -> None:
    assert krippendorff_alpha([[1, 1], [1, 1]]).value is None
    assert krippendorff_alpha([[1, None], [None, 1]]).value is None
    assert krippendorff_alpha([]).value is None


def test_fleiss_kappa_of_the_well_known_example() -> None:
    # Fourteen judges, ten subjects, five categories; kappa .210 (the example of the article on
    # Fleiss' kappa in Wikipedia, observed .378, expected .213).
    counts = [
        [0, 0, 0, 0, 14], [0, 2, 6, 4, 2], [0, 0, 3, 5, 6], [0, 3, 9, 2, 0], [2, 2, 8, 1, 1],
        [7, 7, 0, 0, 0], [3, 2, 6, 3, 0], [2, 5, 3, 2, 2], [6, 5, 2, 1, 0], [0, 2, 2, 3, 7],
    ]  # fmt: skip
    subjects = [[c for c, n in enumerate(row) for _ in range(n)] for row in counts]
    found = fleiss_kappa(list(zip(*subjects, strict=True)))
    assert found.value == pytest.approx(0.210, abs=5e-4)
    assert (found.observed, found.expected) == pytest.approx((0.378, 0.213), abs=5e-4)


def test_cohens_kappa_of_a_two_by_two_table() -> None:
    # 20 yes-yes, 5 yes-no, 10 no-yes, 15 no-no: observed .7, by chance .5, kappa .4.
    first, second = "y" * 25 + "n" * 25, "y" * 20 + "n" * 5 + "y" * 10 + "n" * 15
    found = cohen_kappa(first, second)
    assert (found.value, found.observed, found.expected) == pytest.approx((0.4, 0.7, 0.5))


LABELS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=15)


@given(LABELS, st.sampled_from(["none", "linear", "quadratic"]))
def test_cohens_kappa_is_the_plain_definition(pairs: list[tuple[int, int]], weights: Any) -> None:
    places = sorted({label for pair in pairs for label in pair})

    def wrong(a: int, b: int) -> float:
        far = abs(places.index(a) - places.index(b))
        return far**2 if weights == "quadratic" else far if weights == "linear" else float(far > 0)

    observed = sum(wrong(a, b) for a, b in pairs) / len(pairs)
    chance = sum(wrong(a, b) for a, _ in pairs for _, b in pairs) / len(pairs) ** 2
    first, second = (list(side) for side in zip(*pairs, strict=True))
    found = cohen_kappa(first, second, weights=weights).value
    assert found == (pytest.approx(1 - observed / chance) if chance else None)


def test_kappa_of_nothing_is_undefined() -> None:
    assert cohen_kappa([1, None], [NAN, 2]).value is None
    assert cohen_kappa([1, 1], [1, 1]).value is None
    assert fleiss_kappa([[1], [None]]).value is None
    with pytest.raises(MismatchError):
        cohen_kappa([1], [1, 2])
