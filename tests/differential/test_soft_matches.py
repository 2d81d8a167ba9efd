"""The compiled kernel of soft matches equals its plain twin, and refuses what would be out of bounds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rubrica.core.python.soft_matches import soft_matches as plain

native = pytest.importorskip("rubrica.core._native", reason="plain kernels")


def problem(seed: int, words: int, dimensions: int, texts: int) -> dict[str, Any]:
    random = np.random.default_rng(seed)
    lengths = random.integers(0, 30, texts)
    vectors = random.integers(-3, 4, (words, dimensions)).astype(float)
    if seed % 2:
        vectors += random.normal(size=vectors.shape)
    return {
        # Few distinct words: n-grams repeat, and many are equally similar.
        "words": random.integers(0, words, lengths.sum()),
        "ends": np.cumsum(lengths),
        "pairs": random.integers(0, texts, (12, 2)),
        "vectors": vectors,
        "known": random.random(words) < 0.8,
        "orders": [1, 2, 3, 5],
        "threshold": float(random.choice([-0.5, 0.3, 0.8, 1.0])),
    }


@given(st.integers(0, 10_000), st.integers(1, 12), st.integers(1, 9), st.integers(1, 6))
def test_both_count_the_same(seed: int, words: int, dimensions: int, texts: int) -> None:
    given_ = problem(seed, words, dimensions, texts)
    assert native.soft_matches(**given_).tolist() == plain(**given_).tolist()


def test_long_vectors_and_many_words() -> None:
    given_ = problem(3, 400, 300, 20)
    assert native.soft_matches(**given_).tolist() == plain(**given_).tolist()


@pytest.mark.parametrize(
    ("name", "wrong", "told"),
    [
        ("words", [0, 99], "no vector"),
        ("words", [0, -1], "no vector"),
        ("ends", [1, 3], "end one after"),
        ("ends", [2, 1], "end one after"),
        ("pairs", [[0, 2]], "not there"),
        ("pairs", [[-1, 0]], "not there"),
    ],
)
def test_numbers_out_of_bounds_are_refused(name: str, wrong: Any, told: str) -> None:
    right: dict[str, Any] = {
        "words": np.array([0, 1]),
        "ends": np.array([1, 2]),
        "pairs": np.array([[0, 1]]),
        "vectors": np.eye(2),
        "known": np.array([True, True]),
        "orders": [1],
        "threshold": 0.8,
    }
    assert native.soft_matches(**right).tolist() == [[[0, 1, 1]]]
    with pytest.raises(ValueError, match=told):
        native.soft_matches(**{**right, name: np.array(wrong)})
    with pytest.raises(ValueError, match=r"one word or more|1 to 10,000 words"):
        native.soft_matches(**{**right, "orders": [0]})
    with pytest.raises(ValueError, match="a flag per vector"):
        native.soft_matches(**{**right, "known": np.array([True])})
