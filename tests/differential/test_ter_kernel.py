"""The compiled search of TER's shifts finds as many edits as sacrebleu's, on hostile texts too."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rubrica.core.python.ter import ter_edits as plain

pytest.importorskip("sacrebleu")
native = pytest.importorskip("rubrica.core._native", reason="plain kernels")


def same(summary: list[int], reference: list[int]) -> None:
    texts = [np.array(one, dtype=np.int64) for one in (summary, reference)]
    assert native.ter_edits(*texts) == plain(*texts)


# Few distinct words, so that phrases repeat and many shifts are equally good.
words = st.integers(0, 6)
texts = st.lists(words, max_size=14)


@settings(deadline=None)
@given(texts, texts)
def test_any_two_texts(summary: list[int], reference: list[int]) -> None:
    same(summary, reference)


@settings(deadline=None)
@given(st.permutations(range(12)), st.lists(words, max_size=3))
def test_texts_of_the_same_words_in_another_order(order: list[int], more: list[int]) -> None:
    same([*order, *more], list(range(12)))


def test_a_phrase_at_the_other_end_is_one_edit() -> None:
    summary, reference = np.array([4, 5, 6, 1, 2, 3]), np.array([1, 2, 3, 4, 5, 6])
    assert native.ter_edits(summary, reference) == 1


@pytest.mark.parametrize(("own", "other"), [(1, 120), (2, 130), (120, 1), (60, 9), (0, 40), (9, 0)])
def test_lengths_so_unequal_that_the_beam_is_widened(own: int, other: int) -> None:
    random = np.random.default_rng(own)
    same(random.integers(0, 30, own).tolist(), random.integers(0, 30, other).tolist())


def test_more_shifts_than_are_tried() -> None:
    # Of two words only: over a thousand candidates, at which sacrebleu gives up.
    random = np.random.default_rng(7)
    same(random.integers(0, 2, 34).tolist(), random.integers(0, 2, 40).tolist())


def test_phrases_farther_apart_than_a_shift_goes() -> None:
    same([*range(12), *range(100, 160)], [*range(100, 160), *range(12)])
