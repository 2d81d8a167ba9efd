"""METEOR's compiled aligner equals its plain definition, number for number."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rubrica.core import meteor_py as plain
from rubrica.metrics.meteor.paraphrases import build
from rubrica.metrics.meteor.words import texts_of

native = pytest.importorskip(
    "rubrica.core.kernels_native_meteor",
    reason="the compiled kernels are not built",
    exc_type=ImportError,
)

# Few words, so that many match in many ways: forms, synonyms, function words.
_WORDS = "the a of run runs ran running car automobile cars big large bigger . , x y"
WORDS = _WORDS.split()
words = st.sampled_from(WORDS)
texts = st.lists(words, max_size=70)
phrases = st.lists(words, min_size=1, max_size=3).map(" ".join)


def _same(pairs: list[tuple[list[str], list[str]]], modules: int, table=None, known=None) -> None:
    given_texts = texts_of(
        [side for pair in pairs for side in pair], synonyms=True, phrase_words=known
    )
    numbers = np.arange(2 * len(pairs), dtype=np.int64).reshape(-1, 2)
    expected = plain.meteor_statistics(given_texts, numbers, modules, table)
    for threads in (1, 3):
        found = native.meteor_statistics(given_texts, numbers, modules, table, threads)
        np.testing.assert_array_equal(found, expected)


@given(st.lists(st.tuples(texts, texts), min_size=1, max_size=4), st.integers(1, 4))
def test_the_aligners_agree(pairs: list[tuple[list[str], list[str]]], modules: int) -> None:
    _same(pairs, modules)


@given(
    st.lists(st.tuples(texts, texts), min_size=1, max_size=3),
    st.lists(st.tuples(phrases, phrases), min_size=1, max_size=30),
)
def test_the_aligners_agree_on_paraphrases(
    tmp_path_factory: pytest.TempPathFactory,
    pairs: list[tuple[list[str], list[str]]],
    entries: list[tuple[str, str]],
) -> None:
    file: Path = tmp_path_factory.mktemp("table") / "table.txt"
    file.write_text("".join(f"0.5\n{one}\n{other}\n" for one, other in entries), "utf-8")
    table, known = build(str(file))
    _same(pairs, 4, table, {word: number for number, word in enumerate(known)})


def test_more_words_than_fit_in_a_machine_word() -> None:
    rng = np.random.default_rng(3)
    long = [[WORDS[i] for i in rng.integers(0, len(WORDS), size)] for size in (64, 65, 128, 200)]
    _same([(long[0], long[1]), (long[2], long[3]), (long[3], long[0])], 3)


@pytest.mark.parametrize("field", ["starts", "words", "stems", "synset_starts"])
def test_numbers_that_point_outside_are_refused(field: str) -> None:
    import dataclasses

    sound = texts_of([["a", "car"], ["the", "car"]], synonyms=True, phrase_words=None)
    broken = getattr(sound, field).copy()
    broken[-1] = 10_000
    with pytest.raises(ValueError, match="not consistent"):
        native.meteor_statistics(
            dataclasses.replace(sound, **{field: broken}), np.array([[0, 1]], dtype=np.int64)
        )
