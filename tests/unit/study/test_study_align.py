"""Alignment: the right lines, one to one, without chance; and REALSumm's random probes."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rubrica.errors import DataError, MismatchError, ParameterError
from rubrica.study.align import align, random_probes
from rubrica.study.preprocess import letters
from rubrica.study.realign import read_mapping, realign
from rubrica.text.tags import NO_MATCH


def texts(count: int, seed: int = 1) -> list[str]:
    chance = random.Random(seed)
    words = ["".join(chance.choices("abcdefghij", k=chance.randint(2, 8))) for _ in range(300)]
    return [" ".join(chance.choices(words, k=40)) for _ in range(count)]


def test_shuffled_and_respelled_texts_find_their_anchors() -> None:
    anchors = texts(200)
    order = list(range(200))
    random.Random(2).shuffle(order)
    respelled = [anchors[at].upper().replace(" ", " , ", 3) + " -lrb-" for at in order]
    made = align([letters(t) for t in respelled], [letters(t) for t in anchors])
    assert [match.anchor for match in made.matches] == order
    assert all(match.score is not None and match.score > 0.9 for match in made.matches)
    assert all(match.margin is not None and match.margin > 0.5 for match in made.matches)
    assert made.report()["matched"] == 200
    assert made.mapping() == {str(n): at for n, at in enumerate(order)}


def test_one_anchor_serves_one_text_and_the_better_one_keeps_it() -> None:
    anchors = [letters(t) for t in texts(5)]
    rough = anchors[2][: len(anchors[2]) * 3 // 4]
    made = align([rough, anchors[2]], anchors)
    assert [match.anchor for match in made.matches] == [-1, 2]
    assert made.matches[0].taken == 2
    assert made.matches[1].exact
    assert made.collisions() == {}


def test_equal_anchors_are_shared_out_and_have_no_margin() -> None:
    anchors = [letters(t) for t in texts(4)]
    anchors[3] = anchors[1]
    made = align([anchors[1], anchors[1], anchors[0]], anchors)
    assert [match.anchor for match in made.matches] == [1, 3, 0]
    assert made.matches[0].margin == 0
    assert made.report()["margin_below_0.1"] == 2


def test_strange_and_empty_texts_have_no_match() -> None:
    anchors = [letters(t) for t in texts(5)]
    made = align(["", "zzzzzzzzzzzzzzzzzzzzzz", anchors[4]], anchors)
    assert [match.anchor for match in made.matches] == [-1, -1, 4]
    assert made.unmatched() == [0, 1]
    assert align([], anchors).matches == ()
    assert align(["abc"], []).matches[0].anchor == -1


def test_texts_shorter_than_an_ngram_are_compared_whole() -> None:
    assert [m.anchor for m in align(["ab", "cd"], ["cd", "ab"]).matches] == [1, 0]


def test_texts_of_common_ngrams_only_are_still_found() -> None:
    anchors = ["samebeginning" * 2 + "x" * n for n in range(60)]
    made = align([anchors[7]], anchors)
    assert made.matches[0].anchor == 7
    assert made.matches[0].exact


@given(st.permutations(list(range(12))))
def test_any_order_is_found_again(order: list[int]) -> None:
    anchors = [letters(t) for t in texts(12)]
    assert [m.anchor for m in align([anchors[at] for at in order], anchors).matches] == order


def test_random_probes_do_not_hang_on_workers_but_on_the_seed() -> None:
    anchors = [letters(t) for t in texts(30)]
    one = random_probes(anchors, anchors, seed=5)
    two = random_probes(anchors, anchors, seed=5, workers=2)
    assert one == two
    assert [match.anchor for match in one.matches] == list(range(30))


def test_random_probes_fail_where_no_piece_is_unique() -> None:
    made = random_probes(["abcabc"], ["abcabc", "abcabc"], length=3, max_attempts=4)
    assert made.matches[0].anchor == -1


def test_a_short_random_probe_is_the_published_rule() -> None:
    # An empty piece is in the only anchor: the original matches whatever the text is.
    assert random_probes([""], ["something"]).matches[0].anchor == 0


@pytest.mark.parametrize("options", [{"ngram": 1}, {"min_score": 0}, {"min_score": 2}])
def test_senseless_numbers_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(ParameterError):
        align(["a"], ["a"], **options)


def test_lines_are_put_where_their_anchors_stand() -> None:
    assert realign(["a", "b", "c"], {0: 2, 1: -1, 2: 0}) == ["c", NO_MATCH, "a"]
    assert realign(["a"], {0: 2}) == [NO_MATCH, NO_MATCH, "a"]
    assert realign(["a"], {0: 0}, length=2) == ["a", NO_MATCH]


def test_lost_and_colliding_lines_are_refused() -> None:
    with pytest.raises(MismatchError, match="lines 1 and 2 both belong to line 1"):
        realign(["a", "b"], {0: 0, 1: 0})
    assert realign(["a", "b"], {0: 0, 1: 0}, collisions="last") == ["b", NO_MATCH]
    with pytest.raises(MismatchError, match="mapping is of 2 texts and the file has 1"):
        realign(["a"], {0: 0, 1: 1})
    with pytest.raises(MismatchError, match="beyond the 1"):
        realign(["a"], {0: 1}, length=1)
    for length in (-1, 10**12):
        with pytest.raises(ParameterError, match="between 0 and 100,000,000"):
            realign(["a"], {0: 0}, length=length)


@pytest.mark.parametrize(
    "content",
    ["[1]", "{", '{"a": 1}', '{"0": "1"}', '{"0": -2}', '{"0": true}', '{"0": 99999999999}'],
)
def test_a_mapping_that_is_none_is_refused(content: str, tmp_path: Path) -> None:
    (tmp_path / "m.json").write_text(content)
    with pytest.raises(DataError):
        read_mapping(str(tmp_path / "m.json"))
