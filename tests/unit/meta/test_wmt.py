"""The WMT metrics layout: what is written is read, and what is wrong is told with its place."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from rubrica.data.table import ScoreTable
from rubrica.data.wmt import read_outputs, read_scores, read_wmt
from rubrica.errors import DataError, MismatchError
from rubrica.meta.wmt_write import write_texts, write_wmt

NAN = math.nan
OUTPUTS: dict[str, list[str | None]] = {
    "bart": ["one", "two\nlines", None],
    "refA": ["a", "b", "c"],
}


def sample() -> ScoreTable:
    values = np.array(
        [[[0.1, 1.0], [0.2, NAN], [1 / 3, 3.0]], [[0.4, 4.0], [0.5, 5.0], [0.6, 6.0]]]
    )
    return ScoreTable(("bart", "refA"), ("d1", "d2", "d3"), ("rouge-1.f1", "likert"), values)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    write_wmt(
        sample(), tmp_path, "en-en", human={"likert": "likert"}, metrics={"rouge-1.f1": "R1-refA"}
    )
    write_texts(OUTPUTS, tmp_path, "en-en", sources=["x", "y", "z"], references={"refA": "abc"})
    return tmp_path


def test_what_is_written_is_read(tree: Path) -> None:
    found = read_wmt(tree, "en-en")
    assert (found.systems, found.references, found.segments) == (("bart", "refA"), ("refA",), 3)
    assert (found.human_names, found.metric_names) == (("likert",), ("R1-refA",))
    assert found.documents == (("summary", "d1"), ("summary", "d2"), ("summary", "d3"))
    table = found.segment_table()
    assert np.array_equal(table.matrix("R1-refA"), sample().matrix("rouge-1.f1"))
    assert np.array_equal(table.matrix("likert"), sample().matrix("likert"), equal_nan=True)
    means = found.system_table()
    assert means.inputs == ("all",)
    assert means.matrix("likert").ravel() == pytest.approx([2.0, 5.0])
    assert read_outputs(tree, "en-en", "bart") == ["one", "two lines", None]


def test_rows_of_scores_know_references_from_systems(tree: Path) -> None:
    rows = list(read_wmt(tree, "en-en").metrics())
    assert [(row.instance_id, row.summarizer_id) for row in rows[:3]] == [
        ("1", "bart"), ("2", "bart"), ("3", "bart"),
    ]  # fmt: skip
    assert {row.summarizer_id: row.summarizer_type for row in rows} == {
        "bart": "peer",
        "refA": "reference",
    }
    assert rows[1].metrics == {"R1-refA": 0.2}
    assert np.array_equal(
        ScoreTable.from_metrics(rows, ["likert"]).values[:, :, 0],
        sample().matrix("likert"),
        equal_nan=True,
    )


def test_score_files_have_the_published_form(tree: Path) -> None:
    human = (tree / "human-scores" / "en-en.likert.seg.score").read_text()
    assert human.splitlines()[:2] == ["bart\t1.0", "bart\tNone"]
    assert (tree / "metric-scores" / "en-en" / "R1-refA.sys.score").exists()
    assert (tree / "documents" / "en-en.docs").read_text().splitlines()[0] == "summary d1"


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        ("metric-scores/en-en/M-src.seg.score", "bart 1 2\n", ":1: expected SYSTEM SCORE"),
        ("metric-scores/en-en/M-src.seg.score", "bart 1\nbart x\n", ":2: not a finite number: 'x'"),
        ("metric-scores/en-en/M-src.seg.score", "bart nan\n", ":1: not a finite number"),
        (
            "metric-scores/en-en/M-src.seg.score",
            "bart None\n",
            ":1: a metric score may not be None",
        ),
        (
            "metric-scores/en-en/M-src.seg.score",
            "bart 1\nbart 2\n",
            "2 scores of system 'bart', expected 3",
        ),
        (
            "metric-scores/en-en/M-src.sys.score",
            "bort 1\n",
            "no system 'bort'; did you mean 'bart'",
        ),
        ("metric-scores/en-en/M.seg.score", "bart 1\n", "METRIC-REF.LEVEL.score"),
        ("metric-scores/en-en/likert.x-y.sys.score", "bart 1\nbart 2\n", "expected 1"),
        ("human-scores/en-en.R1-refA.sys.score", "bart 1\n", "names a human and a metric"),
        ("human-scores/en-en.odd.score", "bart 1\n", "NAME.LEVEL.score"),
        ("system-outputs/en-en/bart.txt", "one\n", "1 lines, but the set has 3"),
        ("documents/en-en.docs", "news\n", ":1: expected DOMAIN DOCUMENT"),
    ],
)
def test_what_does_not_fit_is_told_with_its_place(
    tree: Path, file: str, text: str, message: str
) -> None:
    (tree / file).write_text(text)
    with pytest.raises(DataError) as caught:
        read_wmt(tree, "en-en")
    assert message in str(caught.value)
    assert Path(file).name.split(".")[0] in str(caught.value)


def test_scores_without_outputs_name_their_own_systems(tmp_path: Path) -> None:
    folder = tmp_path / "human-scores"
    folder.mkdir()
    (folder / "en-de.mqm.merged.seg.score").write_text("b -1\nb None\na 0\na -5\n")
    (folder / "en-de.mqm.doc.score").write_text("not read at all\n")
    found = read_wmt(tmp_path, "en-de")
    assert (found.systems, found.segments, found.human_names) == (("a", "b"), 2, ("mqm.merged",))
    assert read_scores(folder / "en-de.mqm.merged.seg.score") == {"b": [-1, None], "a": [0, -5]}
    with pytest.raises(DataError, match="no outputs and no scores"):
        read_wmt(tmp_path, "en-fr")


def test_what_the_layout_cannot_hold_is_refused(tmp_path: Path) -> None:
    table = sample()
    with pytest.raises(DataError, match="no likert of 'bart' on 'd2'"):
        write_wmt(table, tmp_path, "en-en", human={}, metrics={"likert": "L-src"})
    with pytest.raises(DataError, match="lacks its reference"):
        write_wmt(table, tmp_path, "en-en", human={}, metrics={"rouge-1.f1": "R1"})
    with pytest.raises(DataError, match="dot"):
        write_wmt(table, tmp_path, "en.en", human={}, metrics={})
    docs = [("n", "a"), ("n", "b"), ("n", "a")]
    with pytest.raises(DataError, match="follow one another"):
        write_wmt(table, tmp_path, "en-en", human={}, metrics={}, documents=docs)
    with pytest.raises(MismatchError, match="1 documents for 3"):
        write_wmt(table, tmp_path, "en-en", human={}, metrics={}, documents=[("n", "a")])
    with pytest.raises(DataError, match="blanks"):
        write_texts({"a b": ["x"]}, tmp_path, "en-en")
    with pytest.raises(DataError, match="may not be called 'all'"):
        write_texts({}, tmp_path, "en-en", references={"all": ["x"]})
    with pytest.raises(MismatchError, match="different numbers"):
        write_texts({"a": ["x"], "b": ["x", "y"]}, tmp_path, "en-en")
