"""The compiled kernels equal their plain definitions."""

from __future__ import annotations

import gc
import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from rubrica.core import kernels
from rubrica.core.python import common as kernels_py
from rubrica.data import MetricsDict

FLOATS = st.floats(-1e6, 1e6)


@given(
    arrays(np.float64, st.tuples(st.integers(0, 30), st.integers(0, 4)), elements=FLOATS),
    st.integers(0, 20),
    st.integers(0, 2**64 - 1),
)
def test_bootstrap_sums_equal_the_plain_definition(
    values: np.ndarray, rounds: int, seed: int
) -> None:
    fast = kernels.bootstrap_sums(values, rounds, seed)
    plain = kernels_py.bootstrap_sums(values, rounds, seed)
    assert fast.shape == plain.shape
    assert (fast == plain).all()


@pytest.mark.parametrize("rows", [255, 256, 257, 1003])
def test_long_tables_are_drawn_from_as_the_plain_definition_says(rows: int) -> None:
    values = np.random.default_rng(rows).random((rows, 3))
    for seed in (0, 2**63 + 5):
        assert (
            kernels.bootstrap_sums(values, 9, seed) == kernels_py.bootstrap_sums(values, 9, seed)
        ).all()


def test_rounds_can_be_computed_apart() -> None:
    values = np.arange(24.0).reshape(8, 3)
    whole = kernels.bootstrap_sums(values, 10, 7)
    parts = [kernels.bootstrap_sums(values, 4, 7), kernels.bootstrap_sums(values, 6, 7, 4)]
    assert (whole == np.concatenate(parts)).all()


def test_nested_dicts_equal_the_plain_definition() -> None:
    scores = np.arange(24.0).reshape(4, 3, 2)
    arguments = (MetricsDict, ["a", "b", "c"], ["x", "y"], scores)
    rows = kernels.nested_dicts(*arguments)
    assert rows == kernels_py.nested_dicts(*arguments)
    assert rows[3] == {"a": {"x": 18, "y": 19}, "b": {"x": 20, "y": 21}, "c": {"x": 22, "y": 23}}
    assert all(type(row) is type(row["a"]) is MetricsDict for row in rows)
    with pytest.raises(ValueError, match=r"missing|shorter|longer"):
        kernels.nested_dicts(MetricsDict, ["a"], ["x", "y"], scores)
    assert gc.isenabled()


def test_a_cycle_through_a_nested_dict_is_still_collected() -> None:
    rows = kernels.nested_dicts(MetricsDict, ["a"], ["x"], np.ones((1, 1, 1)))
    inner = rows[0]["a"]
    dict.__setitem__(inner, "self", inner)
    assert gc.is_tracked(inner)
    del rows, inner
    assert gc.collect() >= 1


HALVES = st.integers(0, 6) | st.integers(0, 2**64 - 1)
KEYS = st.lists(st.lists(st.tuples(HALVES, HALVES), max_size=30), max_size=8)


@given(KEYS)
def test_keys_that_came_before_are_found_as_by_the_plain_definition(
    pieces: list[list[tuple[int, int]]],
) -> None:
    index, plain = kernels.KeyIndex(), kernels_py.KeyIndex()
    for piece in pieces:
        keys = np.array(piece, dtype=np.uint64).reshape(-1, 2)
        assert index.add(keys) == plain.add(keys)
        assert len(index) == len(plain)


def test_the_index_of_keys_grows() -> None:
    index = kernels.KeyIndex()
    # Low bits that are all the same: every key looks for a place from the same slot on.
    keys = np.arange(10_000, dtype=np.uint64).reshape(-1, 2) << np.uint64(40)
    assert index.add(keys) is None
    assert index.add(np.array([[0, 7]], dtype=np.uint64)) is None
    assert index.add(keys[[4999]]) == (0, 4999)
    assert index.add(np.array([[1, 8], [1, 8]], dtype=np.uint64)) == (1, 5001)


def test_many_rounds_are_drawn_as_one_by_one() -> None:
    many = kernels_py.uniform_rounds(2**64 - 1, 3, 5, 7)
    assert (many == [kernels_py.uniforms(2**64 - 1, 3 + number, 7) for number in range(5)]).all()


def test_draws_are_uniform() -> None:
    draws = (kernels_py.uniforms(12345, 0, 100_000) * 10).astype(int)
    counts = np.bincount(draws, minlength=10)
    # Chi-square with 9 degrees of freedom; 27.9 is the 99.9 % point.
    assert ((counts - 10_000) ** 2 / 10_000).sum() < 27.9


@pytest.mark.skipif(kernels.IMPLEMENTATION != "native", reason="the compiled kernels are absent")
def test_arrays_of_another_type_are_refused_not_cast() -> None:
    with pytest.raises(TypeError):
        kernels.bootstrap_sums(np.ones((2, 2), dtype=np.float32), 1, 1)  # type: ignore[arg-type]


def _imported(before: str) -> subprocess.CompletedProcess[str]:
    code = f"import sys\n{before}\nfrom rubrica.core import kernels\nprint(kernels.IMPLEMENTATION)"
    environment = {k: v for k, v in os.environ.items() if k != "RUBRICA_CORE"}
    return subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )


@pytest.mark.slow
@pytest.mark.skipif(kernels.IMPLEMENTATION != "native", reason="the compiled kernels are absent")
def test_compiled_kernels_that_do_not_fit_are_told_and_absent_ones_are_not() -> None:
    old = _imported("from rubrica.core import _native; del _native.stem_words")
    assert old.stdout == "python\n"
    assert "RubricaWarning: the compiled kernels cannot be used" in old.stderr
    none = _imported("sys.modules['rubrica.core._native'] = None")
    assert (none.stdout, none.stderr) == ("python\n", "")
    assert _imported("").stdout == "native\n"
