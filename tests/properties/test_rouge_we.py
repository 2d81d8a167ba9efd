"""Soft matching against its definition, step by step; transport with and without what is shared."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import cdist

from rubrica.metrics import WMS, RougeWE
from rubrica.text.emd import earth_movers_distance
from support.vectors import write_glove

# Few directions, so that ties and exact similarities of 1 and 0 are frequent.
TABLE = {
    "ash": [1.0, 0.0, 0.0],
    "elm": [2.0, 0.0, 0.0],
    "oak": [3.0, 1.0, 0.0],
    "fig": [1.0, 1.0, 1.0],
    "yew": [0.0, 0.0, 1.0],
    "box": [-1.0, 0.0, 0.5],
    "nil": [0.0, 0.0, 0.0],
}
texts = st.lists(st.sampled_from([*TABLE, "unseen", "unknown"]), max_size=8)


@pytest.fixture(scope="module")
def trees(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(write_glove(tmp_path_factory.mktemp("vectors") / "trees.txt", TABLE))


def ngram_counts(words: list[str], n: int) -> dict[tuple[str, ...], int]:
    counts: dict[tuple[str, ...], int] = {}
    for at in range(len(words) - n + 1):
        gram = tuple(words[at : at + n])
        counts[gram] = counts.get(gram, 0) + 1
    return counts


def similarity(one: tuple[str, ...], two: tuple[str, ...]) -> float:
    if one == two:
        return 1.0
    if not all(word in TABLE for word in one + two):
        return 0.0
    a = np.sum([TABLE[word] for word in one], axis=0)
    b = np.sum([TABLE[word] for word in two], axis=0)
    if not a.any() or not b.any():
        return 0.0
    return round(float(a @ b) / math.sqrt(float(a @ a) * float(b @ b)), 12)


def matches(peer: list[str], model: list[str], n: int, threshold: float) -> int:
    """As the original's program goes through it."""
    left, total = ngram_counts(model, n), 0
    for gram, count in ngram_counts(peer, n).items():
        if not left:
            break
        if all(word in TABLE for word in gram):
            best = max(left, key=lambda other: similarity(gram, other))
        elif gram in left:
            best = gram
        else:
            continue
        if similarity(gram, best) < threshold:
            continue
        used = min(left[best], count)
        total += used
        left[best] -= used
        if not left[best]:
            del left[best]
    return total


@given(peer=texts, model=texts, threshold=st.sampled_from([0.3, 0.6, 0.8, 1.0]))
def test_soft_matches_are_those_of_the_definition(
    trees: str, peer: list[str], model: list[str], threshold: float
) -> None:
    metric = RougeWE(3, trees, threshold=threshold)
    (row,) = metric.score_pairs([" ".join(peer)], [" ".join(model)])
    for n in (1, 2, 3):
        assert row[f"rouge-we-{n}"] == {
            "matches": matches(peer, model, n, threshold),
            "reference": max(0, len(model) - n + 1),
            "summary": max(0, len(peer) - n + 1),
        }


@given(one=texts.filter(bool), two=texts.filter(bool))
def test_what_both_texts_have_can_stay_where_it_is(
    trees: str, one: list[str], two: list[str]
) -> None:
    sides = [dict.fromkeys(words, 0) for words in (one, two)]
    for words, side in zip((one, two), sides, strict=True):
        for word in words:
            side[word] += 1
    points = [[TABLE.get(word, [0.0] * 3) for word in side] for side in sides]
    whole = earth_movers_distance(
        list(sides[0].values()), list(sides[1].values()), cdist(points[0], points[1])
    )
    scored = WMS(trees).score(" ".join(one), [" ".join(two)])["wms"]
    assert scored == pytest.approx(math.exp(-whole), abs=1e-9)
