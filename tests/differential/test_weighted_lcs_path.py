"""The compiled path of ROUGE-W's subsequence is that of its plain twin, and bad words are refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rubrica.core.python.rouge import weighted_lcs_path as plain

native = pytest.importorskip("rubrica.core._native", reason="plain kernels")
# Few words: many subsequences are equally long, and the tie rule decides.
WORDS = st.lists(st.integers(1, 4), max_size=40)


def powers(weight: float, size: int) -> np.ndarray:
    return np.array([float(k) ** weight for k in range(size + 2)])


@given(WORDS, WORDS, st.sampled_from([1.0, 1.2, 1.7, 2.0]))
def test_both_take_the_same_path(one: list[int], two: list[int], weight: float) -> None:
    given_ = np.array(one, np.int64), np.array(two, np.int64), powers(weight, len(one))
    assert native.weighted_lcs_path(*given_).tolist() == plain(*given_).tolist()


def test_long_texts() -> None:
    random = np.random.default_rng(4)
    one, two = (random.zipf(1.3, 700).clip(1, 5000).astype(np.int64) for _ in range(2))
    power = powers(1.2, 700)
    assert native.weighted_lcs_path(one, two, power).tolist() == plain(one, two, power).tolist()


def test_what_would_be_out_of_bounds_is_refused() -> None:
    word, power = np.array([1], np.int64), powers(1.2, 1)
    with pytest.raises(ValueError, match="from 1"):
        native.weighted_lcs_path(np.array([0], np.int64), word, power)
    with pytest.raises(ValueError, match="power"):
        native.weighted_lcs_path(word, word, power[:1])
