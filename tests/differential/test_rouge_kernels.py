"""The compiled ROUGE kernels equal their plain definitions, number for number."""

from __future__ import annotations

import random
import re
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from rubrica.core.python import rouge as plain
from rubrica.core.rouge_options import RougeFinish, RougeOptions

native = pytest.importorskip(
    "rubrica.core.native.rouge", reason="the compiled kernels are not built", exc_type=ImportError
)

# Words that meet every rule, and characters that lower-case to ASCII or break UTF-8.
_WORDS = (
    "the cat cats Running ran statement studied better news dying skies 1980s x yy of is "
    "environmental comics İstanbul \u212aelvin café naïve \ud800 it's a-b U.S. ＡＢ ſt "
    "abcdefghijklmnop abcdefghijklmnopq Abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqr"
)
WORDS = _WORDS.split()
BREAKS = (" ", " ", " ", "\n", ". ", "", "\t", "\r\n", "\v", "\u2028", "\x00", "  ")

words = st.sampled_from(WORDS)
written = st.lists(st.tuples(words, st.sampled_from(BREAKS)), max_size=60).map(
    lambda parts: "".join(word + end for word, end in parts)
)
arbitrary = st.text(st.characters(exclude_categories=()), max_size=80)
strings = written | arbitrary
texts = strings | st.lists(strings, max_size=4)
tokens = st.lists(st.lists(words | st.just(""), max_size=30), max_size=4)
gaps = st.lists(st.none() | st.integers(0, 6), max_size=2).map(tuple)


def options(draw: st.DrawFn, tokenizer: str | None = None) -> RougeOptions:
    limit = st.none() | st.integers(0, 40)
    return RougeOptions(
        tokenizer=tokenizer or draw(st.sampled_from(["ascii", "lower"])),  # type: ignore[arg-type]
        stemmer=draw(st.sampled_from(["none", "porter-rouge", "porter-nltk"])),
        exceptions=draw(st.booleans()),
        stopwords=draw(st.booleans()),
        newline_units=draw(st.booleans()),
        max_words=draw(limit),
        max_bytes=draw(limit),
        ngrams=tuple(draw(st.lists(st.integers(1, 10), max_size=4))),
        lcs=draw(st.booleans()),
        lcs_union=draw(st.booleans()),
        wlcs_weight=draw(st.none() | st.sampled_from([1.2, 0.5, 2.0, 1.0])),
        skip_gaps=draw(gaps),
        skip_unigram_gaps=draw(gaps),
    )


@st.composite
def cases(draw: st.DrawFn) -> tuple[Any, ...]:
    given_tokens = draw(st.booleans())
    source = tokens if given_tokens else texts
    summaries = draw(st.lists(source, min_size=1, max_size=3))
    references = draw(st.lists(source, min_size=1, max_size=3))
    pair = st.tuples(st.integers(0, len(summaries) - 1), st.integers(0, len(references) - 1))
    pairs = np.array(draw(st.lists(pair, max_size=6)), dtype=np.int64).reshape(-1, 2)
    return options(draw, "given" if given_tokens else None), summaries, references, pairs


@settings(max_examples=150, deadline=None)
@given(cases(), st.integers(1, 3))
def test_counts_equal_their_definition(case: tuple[Any, ...], threads: int) -> None:
    chosen, summaries, references, pairs = case
    found = native.rouge_counts(chosen, summaries, references, pairs, threads)
    wanted = plain.rouge_counts(chosen, summaries, references, pairs)
    assert found.shape == (len(pairs), len(chosen.measures), 3)
    np.testing.assert_array_equal(found, wanted)


def long_text(rng: random.Random, length: int, vocabulary: int, longest_unit: int) -> str:
    units, count = [], 0
    while count < length:
        size = min(rng.randint(1, longest_unit), length - count)
        units.append(" ".join(f"w{int(vocabulary * rng.random() ** 2.5)}" for _ in range(size)))
        count += size
    return "\n".join(units)


@pytest.mark.parametrize("longest_unit", [5, 40, 70, 300, 3000])
@pytest.mark.parametrize("vocabulary", [2, 60, 2000])
def test_long_texts_equal_their_definition(longest_unit: int, vocabulary: int) -> None:
    rng = random.Random(f"{longest_unit} {vocabulary}")
    chosen = RougeOptions(
        newline_units=True, ngrams=(1, 2, 3), lcs=True, lcs_union=True, skip_unigram_gaps=(3, 100)
    )
    summaries = [long_text(rng, n, vocabulary, longest_unit) for n in (60, 130, 1100)]
    references = [long_text(rng, n, vocabulary, longest_unit) for n in (64, 129, 600, 1500)]
    # Two long texts are compared for some lengths of units only: the definition takes a second for them.
    both_long = longest_unit in (70, 3000)
    pairs = [(i, j) for i in range(3) for j in range(4) if both_long or i < 2 or j < 2]
    np.testing.assert_array_equal(
        native.rouge_counts(chosen, summaries, references, pairs, 2),
        plain.rouge_counts(chosen, summaries, references, pairs),
    )


def test_results_do_not_depend_on_threads_or_on_what_was_counted_before() -> None:
    rng = random.Random(4)
    chosen = RougeOptions(
        stemmer="porter-nltk",
        newline_units=True,
        ngrams=(1, 2),
        lcs=True,
        lcs_union=True,
        wlcs_weight=1.2,
    )
    summaries = [long_text(rng, 40, 50, 12) for _ in range(300)]
    references = [long_text(rng, 40, 50, 12) for _ in range(300)]
    once = native.rouge_counts(chosen, summaries, references)
    for threads in (1, 2, 7):
        np.testing.assert_array_equal(
            native.rouge_counts(chosen, summaries, references, threads=threads), once
        )


def test_shared_texts_count_as_if_they_were_repeated() -> None:
    rng = random.Random(5)
    chosen = RougeOptions(newline_units=True, ngrams=(1, 2), lcs_union=True, skip_gaps=(4,))
    summaries = [long_text(rng, 30, 40, 9) for _ in range(40)]
    references = [long_text(rng, 30, 40, 9) for _ in range(7)]
    # Every summary with several references, a reference with more pairs than one task takes.
    pairs = [(s, r) for s in range(40) for r in range(7)] + [(s % 40, 3) for s in range(600)]
    np.testing.assert_array_equal(
        native.rouge_counts(chosen, summaries, references, pairs, 2),
        native.rouge_counts(
            chosen, [summaries[s] for s, _ in pairs], [references[r] for _, r in pairs]
        ),
    )


def test_empty_batches_have_the_right_shape() -> None:
    chosen = RougeOptions(ngrams=(1, 2), lcs=True)
    assert native.rouge_counts(chosen, [], []).shape == (0, 3, 3)
    assert native.rouge_counts(RougeOptions(), ["a"], ["a"]).shape == (1, 0, 3)


def test_wrong_input_is_refused() -> None:
    chosen = RougeOptions(ngrams=(1,))
    with pytest.raises(ValueError, match="1 summaries but 2 references"):
        native.rouge_counts(chosen, ["a"], ["a", "b"])
    with pytest.raises(IndexError):
        native.rouge_counts(chosen, ["a"], ["a"], [(0, 1)])
    with pytest.raises(TypeError):
        native.rouge_counts(chosen, [3], ["a"])
    with pytest.raises(TypeError):
        native.rouge_counts(RougeOptions(tokenizer="given"), ["a"], ["a"])


def test_every_character_separates_or_counts_as_pythons_lower_says() -> None:
    chosen = RougeOptions(tokenizer="lower", ngrams=(1,))
    ascii_only = RougeOptions(ngrams=(1,))
    # Each has its number beside it, so that equal counts of words are equal words.
    blocks = [range(start, start + 4096) for start in range(0, 0x110000, 4096)]
    texts = [" ".join(f"a{code:x}{chr(code)}b" for code in block) for block in blocks]
    expected = [re.sub("[^a-z0-9]", " ", text.lower()) for text in texts]
    lengths = [len(text.split()) for text in expected]
    counts = native.rouge_counts(chosen, texts, expected, threads=2)
    np.testing.assert_array_equal(counts[:, 0], np.array([lengths] * 3).T)
    # The two that matter, by name: KELVIN SIGN joins, DOTTED I ends in a combining dot.
    assert native.rouge_counts(chosen, ["a\u212ab \u0130x"], ["akb i x"])[0, 0].tolist() == [
        3,
        3,
        3,
    ]
    assert native.rouge_counts(ascii_only, ["a\u212ab"], ["a b"])[0, 0].tolist() == [2, 2, 2]


@settings(deadline=None)
@given(st.lists(st.floats(allow_nan=False, allow_infinity=False) | st.floats(-2, 2)))
def test_round5_is_what_printing_gives(values: list[float]) -> None:
    found = native.round5(values)
    assert found.tobytes() == plain.round5(values).tobytes()


def test_round5_near_ties_and_keeps_the_shape() -> None:
    ties = (np.arange(0, 200_001, 7).reshape(3, -1) + 0.5) / 1e5
    near = np.stack([ties, np.nextafter(ties, 0), np.nextafter(ties, 9), -ties])
    found = native.round5(near)
    assert found.shape == near.shape
    np.testing.assert_array_equal(found, plain.round5(near))


@pytest.mark.parametrize("rows", [0, 1, 2, 97, 1025])
def test_the_official_bootstrap_equals_its_definition(rows: int) -> None:
    random = np.random.default_rng(rows)
    values, whole = random.random((rows, 5)), random.integers(0, 100_001, (rows, 7), dtype=np.int32)
    sums, whole_sums = (
        plain.rouge155_bootstrap_sums(values, 201),
        plain.rouge155_whole_sums(whole, 201),
    )
    for threads in (1, 3):
        found = native.rouge155_bootstrap_sums(values, 201, threads)
        np.testing.assert_array_equal(found, sums)
        np.testing.assert_array_equal(native.rouge155_whole_sums(whole, 201, threads), whole_sums)


LONG = """
import resource, time
from rubrica.core.native import rouge as native
from rubrica.core.rouge_options import RougeFinish, RougeOptions
import random
rng = random.Random(1)
a = " ".join(f"w{int(30000 * rng.random() ** 4)}" for _ in range(100_000))
b = " ".join(f"w{int(30000 * rng.random() ** 4)}" for _ in range(100_000))
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
options = RougeOptions(ngrams=(1, 2, 4), lcs=True, lcs_union=True, skip_gaps=(4,))
counts = native.rouge_counts(options, [a], [b])
assert counts[0, 0, 1] == counts[0, 3, 2] == 100_000
assert counts[0, 3, 0] == counts[0, 4, 0]  # one unit: the union is the subsequence itself
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no resource module")
def test_texts_of_100_000_words_take_bounded_memory() -> None:
    done = subprocess.run([sys.executable, "-c", LONG], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 250  # MB; tables of one byte per cell would take 10,000


@given(
    arrays(
        np.float64,
        st.tuples(st.integers(0, 6), st.just(2), st.just(3)),
        elements=st.integers(-2, 400),
    ),
    st.sampled_from([1.0, 1 / 1.2, 0.5]),
    st.builds(
        RougeFinish,
        alpha=st.sampled_from([0.0, 0.3, 0.5, 1.0]),
        epsilon=st.sampled_from([0.0, 1e-8]),
        printed=st.booleans(),
        scale=st.sampled_from([1.0, 100.0]),
        scale_first=st.booleans(),
    ),
)
def test_scores_of_counts_are_equal(counts: Any, exponent: float, finish: RougeFinish) -> None:
    # As many hits as there can be: none where a count is 0 or less.
    counts[..., 0] = np.clip(counts[..., 0], 0, np.maximum(counts[..., 1:].min(axis=-1), 0))
    exponents = np.array([1.0, exponent])
    fast = native.rouge_scores(counts, exponents, finish)
    assert np.array_equal(fast, plain.rouge_scores(counts, exponents, finish))
