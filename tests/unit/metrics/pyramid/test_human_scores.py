"""Scores of human annotations: pyramids, original and modified, and the votes of LitePyramid."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rubrica.data.jackknife import PyramidJackknifer
from rubrica.data.pyramid import SCU, Contributor, Pyramid, PyramidAnnotation, SCUAnnotation
from rubrica.data.votes import UnitVotes
from rubrica.datasets.readers.base import DatasetReader
from rubrica.errors import DataError, ParameterError
from rubrica.metrics import LitePyramid, PyramidScore
from support.reader_samples import jsonl, row

# Three references that express the units {1, 2, 3, 4}, {1, 2, 5} and {1, 3}.
EXPRESSED = ({1, 2, 3, 4}, {1, 2, 5}, {1, 3})
PYRAMID = Pyramid(
    "d1",
    ("a", "b", "c"),
    ("A", "B", "C"),
    tuple(
        SCU(n, "", tuple(Contributor(i, "", ()) for i, own in enumerate(EXPRESSED) if n in own))
        for n in range(1, 6)
    ),
)


def annotation(*numbers: int) -> PyramidAnnotation:
    return PyramidAnnotation(
        "d1", "s", "peer", "text", tuple(SCUAnnotation(n, "") for n in numbers)
    )


@pytest.mark.parametrize(
    ("units", "modified", "original"),
    [
        ((1, 4, 9), 4 / 7, 4 / 7),
        ((1, 4), 4 / 7, 4 / 5),
        ((1, 2, 3, 4, 5), 9 / 7, 1.0),
        ((), 0.0, 0.0),
        ((9,), 0.0, 0.0),
    ],
)
def test_the_two_pyramid_scores(units: tuple[int, ...], modified: float, original: float) -> None:
    found = PyramidScore(compute_original=True).score(annotation(*units), PYRAMID)
    assert found == {
        "modified_pyramid_score": pytest.approx(modified),
        "pyramid_score": pytest.approx(original),
    }
    assert PyramidScore().score(annotation(*units), PYRAMID) == {
        "modified_pyramid_score": pytest.approx(modified)
    }


def test_jackknifing_leaves_each_reference_out_of_the_pyramid() -> None:
    reduced = PyramidJackknifer().leave_one_out(PYRAMID)
    weights = [{scu.scu_id: scu.get_weight() for scu in one.scus} for one in reduced]
    assert weights == [
        {1: 2, 2: 1, 3: 1, 5: 1},
        {1: 2, 2: 1, 3: 2, 4: 1},
        {1: 2, 2: 2, 3: 1, 4: 1, 5: 1},
    ]
    [[(plain, left_out)]] = PyramidScore().score_with_jackknife([[annotation(1, 4)]], [PYRAMID])
    assert plain["modified_pyramid_score"] == pytest.approx(4 / 7)
    # Ideal sizes 3, 3 and 4: 2/4, 3/5 and 3/6.
    assert left_out is not None
    assert left_out["modified_pyramid_score"] == pytest.approx((2 / 4 + 3 / 5 + 3 / 6) / 3)


def test_the_key_of_the_original_score_is_not_given_twice() -> None:
    with pytest.raises(ParameterError, match="original"):
        PyramidScore(name_override="pyramid_score", compute_original=True)


def lite(*units: Any, **parameters: Any) -> float | None:
    votes = [one if isinstance(one, UnitVotes) else UnitVotes(tuple(one)) for one in units]
    value: float | None = LitePyramid(**parameters).score(votes)["litepyramid"]["recall"]
    return value


def test_a_unit_is_present_when_more_than_half_say_so() -> None:
    assert lite([True, True, False], [True, False, False]) == 0.5
    assert lite([True, False], [True, True, False]) == 0.5
    assert lite([True, False], tie=1) == 1.0
    assert lite([True, False], tie=0.5) == 0.5
    assert lite([True, False, False], aggregation="any") == 1.0
    assert lite([True, False, False, False], aggregation="mean") == 0.25


def test_answers_that_were_not_given() -> None:
    assert lite([True, None, None]) == 1.0
    assert lite([True, None, None], missing="absent") == 0.0
    assert lite([False, None, None], missing="present") == 1.0


def test_fillers_do_not_count_and_nothing_left_is_no_score() -> None:
    filler = UnitVotes((True, True, True), "BLANK")
    assert lite([False, False, False], filler) == 0.0
    assert lite(filler) is None
    assert lite([None, None]) is None
    assert lite() is None


def test_draws_have_a_seed_and_stay_near_the_exact_score() -> None:
    units = [[True] * k + [False] * (6 - k) for k in (0, 1, 2, 3, 4, 5, 6)]
    drawn = {"max_answers": 3, "max_units": 4, "rounds": 400}
    assert lite(*units, **drawn) == lite(*units, **drawn)
    assert lite(*units, seed=1, **drawn) != lite(*units, seed=2, **drawn)
    assert lite(*units, **drawn) == pytest.approx(0.5, abs=0.1)


@pytest.mark.parametrize(
    "wrong", [{"tie": 0.3}, {"rounds": 0}, {"max_units": 0}, {"max_answers": -1}]
)
def test_parameters_that_make_no_sense_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ParameterError):
        LitePyramid(**wrong)


def test_votes_are_read_in_all_spellings(tmp_path: Path) -> None:
    file = tmp_path / "votes.jsonl"
    votes = [[1, 0, True], {"statement": "It rained.", "answers": ["p", "N", "", None]}]
    file.write_bytes(jsonl(row("d1", votes=votes)))
    [one] = DatasetReader.from_config("votes-based").read(str(file))
    assert one.fields["votes"] == [
        UnitVotes((True, False, True)),
        UnitVotes((True, False, None, None), "It rained."),
    ]


@pytest.mark.parametrize(
    ("votes", "told"),
    [
        ("x", "must be a list"),
        ([1], r"votes\[0\]"),
        ([[2]], "answer 0 is 2"),
        ([[[1]]], r"answer 0 is \[1\]"),
        ([{"statement": 1, "answers": []}], r"votes\[0\]"),
    ],
)
def test_votes_that_are_none_are_told(tmp_path: Path, votes: Any, told: str) -> None:
    file = tmp_path / "votes.jsonl"
    file.write_bytes(jsonl(row("d1", votes=votes)))
    with pytest.raises(DataError, match=told):
        list(DatasetReader.from_config("votes-based").read(str(file)))


def test_the_command_finds_the_reader_of_votes(tmp_path: Path, rubrica: Any) -> None:
    file = tmp_path / "votes.jsonl"
    file.write_bytes(jsonl(row("d1", votes=[[1, 1, 0], [0, 0, 1]]), row("d2", votes=[[1], [1]])))
    answer = rubrica("lite-pyramid", "evaluate", "--input-files", file, "--format", "json")
    assert answer.code == 0, answer.err
    assert '"recall": 0.75' in answer.out
