"""METEOR's compiled aligner equals its plain definition, number for number."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rubrica.core.python import meteor as plain
from rubrica.metrics.meteor.paraphrases import build
from rubrica.metrics.meteor.words import texts_of

native = pytest.importorskip(
    "rubrica.core.native.meteor",
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


@pytest.mark.parametrize(
    ("summary", "reference"),
    [
        ("x " * 68, "x " * 45),
        ("x " * 66, "x " * 66),
        ("run " * 46, "runs " * 43),
        ("car " * 45, "automobile " * 66),
        ("x " * 30 + "a x y " + "x " * 25, "y x a " + "x " * 50),
        ("run runs " * 24, "runs run run " * 15),
    ],
    ids=["more", "same", "stems", "synonyms", "within", "forms"],
)
def test_more_matches_than_the_beam_holds(summary: str, reference: str) -> None:
    _same([(summary.split(), reference.split())], 3)


@pytest.mark.parametrize("seed", [4226, 12114, 13832])
def test_matches_that_are_passed_over_count_in_the_distance(seed: int) -> None:
    # Distances decide only between states that are equal else; with these texts they do.
    rng = np.random.default_rng(seed)
    few = rng.choice(["run", "runs", "running", "x", "the", "of"], 3, replace=False)
    one, other = (few[rng.choice(3, n, p=[0.75, 0.15, 0.1])] for n in rng.integers(65, 140, 2))
    _same([(one.tolist(), other.tolist())], 3)


# Just enough for more than the beam holds: the reference implementation takes half a second for such a pair.
repeated = st.lists(st.sampled_from(["x"] * 6 + ["run", "runs", "y"]), min_size=45, max_size=48)


@settings(max_examples=6)
@given(repeated, repeated)
def test_the_aligners_agree_on_texts_that_repeat_words(one: list[str], other: list[str]) -> None:
    _same([(one, other)], 3)


@settings(max_examples=3)
@given(repeated, repeated, st.lists(st.sampled_from(["run", "runs", "x", "x x", "run x x"])))
def test_the_aligners_agree_on_paraphrases_of_repeated_words(
    tmp_path_factory: pytest.TempPathFactory, one: list[str], other: list[str], sides: list[str]
) -> None:
    file: Path = tmp_path_factory.mktemp("table") / "table.txt"
    entries = [("x", "x x"), ("x x", "x"), *pairwise(sides)]
    file.write_text("".join(f"0.5\n{a}\n{b}\n" for a, b in entries), "utf-8")
    table, known = build(str(file))
    _same([(one, other)], 4, table, {word: number for number, word in enumerate(known)})


def test_a_phrase_longer_than_a_machine_word_is_free_or_not(tmp_path: Path) -> None:
    file = tmp_path / "table.txt"
    long = "a b " * 40
    file.write_text(f"0.5\n{long.strip()}\nthe car\n0.5\nx y\n{long.strip()}\n", "utf-8")
    table, known = build(str(file))
    summary = ["x", *(long + "b " + long + "a").split(), "big"]
    reference = ["the", "car", "b", "b", "x", "y", "the", "car", "x", "a", "big"]
    numbers = {word: number for number, word in enumerate(known)}
    _same([(summary, reference), (reference, summary)], 4, table, numbers)


def test_a_word_five_thousand_times_is_aligned_in_one_piece() -> None:
    texts = texts_of([["x"] * 5000, ["x"] * 4999], synonyms=True, phrase_words=None)
    [row] = native.meteor_statistics(texts, np.array([[0, 1]], dtype=np.int64), 3)
    assert (row[0], row[2], row[-1]) == (4999, 4999, 1)


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
