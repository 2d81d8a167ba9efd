"""Ratings and comparisons read from files: three shapes of ratings, every way to state a choice."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from rubrica.errors import DataError, MismatchError, UnknownNameError
from rubrica.meta.judges.agreement import krippendorff_alpha
from rubrica.meta.judges.ratings import read_ratings
from rubrica.meta.ranking.comparisons import Preference, read_comparisons

LABELS = {("d1", "s1"): (3, 4), ("d1", "s2"): (2, None), ("d2", "s1"): (5, 5), ("d2", "s2"): (1, 2)}


def long_csv(folder: Path) -> Path:
    lines = ["instance_id,summarizer_id,annotator,relevance"]
    for (d, s), given in LABELS.items():
        lines += [f"{d},{s},{j},{'' if x is None else x}" for j, x in zip("ab", given, strict=True)]
    path = folder / "long.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def wide_tsv(folder: Path) -> Path:
    lines = ["instance_id\tsummarizer_id\ta\tb"]
    for (d, s), given in LABELS.items():
        lines.append("\t".join([d, s, *("" if x is None else str(x) for x in given)]))
    path = folder / "wide.tsv"
    path.write_text("\n".join(lines) + "\n")
    return path


def lists_jsonl(folder: Path) -> Path:
    rows = [
        {
            "instance_id": d,
            "summarizer_id": s,
            "summarizer_type": "peer",
            "metrics": {"relevance": list(given), "rouge": {"f1": 0.5}},
        }
        for (d, s), given in LABELS.items()
    ]
    path = folder / "lists.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_three_shapes_hold_the_same_ratings(tmp_path: Path) -> None:
    (long,) = read_ratings([long_csv(tmp_path)], judge="annotator")
    (wide,) = read_ratings([wide_tsv(tmp_path)], judges=["a", "b"])
    (lists,) = read_ratings([lists_jsonl(tmp_path)])
    assert long.labels == wide.labels == lists.labels == tuple(zip(*LABELS.values(), strict=True))
    assert long.units == wide.units == lists.units == tuple(LABELS)
    assert (long.judges, lists.judges) == (("a", "b"), ("1", "2"))
    assert (long.named, wide.named, lists.named) == (True, True, False)
    assert (long.question, wide.question, lists.question) == ("relevance", "labels", "relevance")
    cube = long.cube()
    assert cube is not None
    assert cube.shape == (2, 2, 2)
    np.testing.assert_array_equal(cube[1], [[4, 5], [np.nan, 2]])
    values = [krippendorff_alpha(one.labels, scale="ordinal").value for one in (long, lists)]
    assert values[0] == values[1]


def test_a_column_of_annotators_holds_the_judges(tmp_path: Path) -> None:
    path = long_csv(tmp_path)
    assert read_ratings([path]) == read_ratings([path], judge="annotator")
    path.write_text(path.read_text().replace("annotator", "who"))
    with pytest.raises(MismatchError, match=r"`judge=...` names the column of the judges"):
        read_ratings([path])


def test_a_scores_file_without_two_judges_is_refused(tmp_path: Path) -> None:
    path = lists_jsonl(tmp_path)
    path.write_text(path.read_text().replace("[3, 4]", "3").splitlines()[0] + "\n")
    with pytest.raises(DataError, match="two judges"):
        read_ratings([path])


def test_types_of_summaries_can_be_chosen(tmp_path: Path) -> None:
    path = lists_jsonl(tmp_path)
    path.write_text(path.read_text().replace('"peer"', '"reference"', 1))
    (peers,) = read_ratings([path], summarizer_type="peer")
    assert ("d1", "s1") not in peers.units
    assert len(peers.units) == 3


def test_text_labels_stay_text_and_numbers_become_numbers(tmp_path: Path) -> None:
    path = tmp_path / "l.csv"
    path.write_text("item,judge,kind,grade\n1,a,yes,2\n1,b,no,2.5\n")
    kind, grade = read_ratings([path], judge="judge", unit=["item"])
    assert kind.labels == (("yes",), ("no",))
    assert grade.labels == ((2.0,), (2.5,))
    assert kind.cube() is None


@pytest.mark.parametrize(
    ("line", "error", "told"),
    [
        ("d1,s1,a,4", MismatchError, r"long.csv:10: judge 'a' gave d1 of s1 the label '4' here"),
        (",s1,a,4", DataError, r"long.csv:10: no 'instance_id', which names the unit"),
        ("d1,s1,,4", DataError, r"long.csv:10: no 'annotator', the judge"),
    ],
)
def test_mistakes_name_file_and_line(
    tmp_path: Path, line: str, error: type[Exception], told: str
) -> None:
    path = long_csv(tmp_path)
    path.write_text(path.read_text() + line + "\n")
    with pytest.raises(error, match=told):
        read_ratings([path], judge="annotator")


def test_a_column_that_does_not_exist_is_told_with_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="relevance"):
        read_ratings([long_csv(tmp_path)], ["relevanse"], judge="annotator")
    with pytest.raises(UnknownNameError, match="'c'"):
        read_ratings([wide_tsv(tmp_path)], judges=["a", "c"])


def test_every_way_to_state_a_choice(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    choices = [1, -1, 0, "first", "second", "Tie", "s1", "s2", "1", "-1", "0"]
    rows = [
        {"instance_id": "d", "first": "s1", "second": "s2", "preferred": one} for one in choices
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = read_comparisons([path])
    assert [one.preferred for one in found] == [1, -1, 0, 1, -1, 0, 1, -1, 1, -1, 0]
    assert found[0] == Preference("d", "s1", "s2", 1.0)


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ({"first": "s1", "second": "s2", "preferred": "s3"}, "p.jsonl:1: 'preferred' must be"),
        ({"first": "s1", "second": "s1", "preferred": 1}, "with itself"),
        ({"first": "s1", "second": "s2"}, "must be 1, -1, 0"),
        ({"first": "s1", "preferred": 1}, "no 'second'"),
    ],
)
def test_comparisons_that_mean_nothing_are_refused(
    tmp_path: Path, row: dict[str, object], told: str
) -> None:
    path = tmp_path / "p.jsonl"
    path.write_text(json.dumps({"instance_id": "d", **row}) + "\n")
    with pytest.raises(DataError, match=told):
        read_comparisons([path])
