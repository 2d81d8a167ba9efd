"""The compiled CIDEr equals its plain definition, number for number."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rubrica.core.python import cider as plain

native = pytest.importorskip(
    "rubrica.core._native", reason="the compiled kernels are not built", exc_type=ImportError
)

words = st.lists(st.sampled_from(["a", "b", "c", "é", "\ud800", ""]), max_size=12)


@given(
    st.lists(st.lists(words, max_size=3), max_size=5),
    st.lists(words, min_size=1, max_size=5),
    st.integers(1, 5),
    st.sampled_from([6.0, 0.5]),
    st.data(),
)
def test_similarities_equal_their_definition(
    examples: list[list[list[str]]],
    texts: list[list[str]],
    n: int,
    sigma: float,
    data: st.DataObject,
) -> None:
    place = st.integers(0, len(texts) - 1)
    drawn = data.draw(st.lists(st.tuples(place, place), max_size=6))
    pairs = np.array(drawn, dtype=np.int64).reshape(-1, 2)
    fast, slow = (
        kernel.cider_similarities(kernel.cider_frequencies(examples, n), texts, pairs, sigma)
        for kernel in (native, plain)
    )
    np.testing.assert_array_equal(fast, slow)


@pytest.mark.parametrize("kernel", [native, plain])
def test_what_cannot_be_is_refused(kernel) -> None:  # type: ignore[no-untyped-def]
    frequencies = kernel.cider_frequencies([], 2)
    for place in (-1, 1):
        with pytest.raises(IndexError):
            kernel.cider_similarities(frequencies, [["a"]], np.array([[0, place]]), 6.0)
    with pytest.raises(ValueError, match=r"at least 1|1 to 10,000 words"):
        kernel.cider_frequencies([], 0)


def test_what_is_no_frequencies_is_refused() -> None:
    with pytest.raises((TypeError, ValueError)):
        native.cider_similarities(object(), [["a"]], np.array([[0, 0]]), 6.0)
