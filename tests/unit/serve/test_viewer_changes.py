"""Two runs in the viewer: changes of scores and texts, regressions first."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rubrica.errors import DataError
from rubrica.serve.viewer.library import Library
from rubrica.serve.viewer.sample import PREVIOUS_RUN, read_sample

Rows = dict[str, tuple[str, dict[str, Any]]]


def written(path: Path, rows: Rows) -> str:
    lines = [
        {"instance_id": name, "summarizer_id": "s", "summarizer_type": "peer", "summary": text, "metrics": metrics}
        for name, (text, metrics) in rows.items()
    ]  # fmt: skip
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return str(path)


@pytest.fixture
def library(tmp_path: Path) -> Library:
    old: Rows = {
        "a": ("one two", {"rouge-1": {"f1": 40}, "ter": 10}),
        "b": ("three", {"rouge-1": {"f1": 30}, "ter": 10}),
        "c": ("four", {"rouge-1": {"f1": 20}, "ter": 10}),
        "gone": ("x", {"rouge-1": {"f1": 1}}),
    }
    new: Rows = {
        "a": ("one two", {"rouge-1": {"f1": 45}, "ter": 10}),
        "b": ("three!", {"rouge-1": {"f1": 10}, "ter": 30}),
        "c": ("four", {"rouge-1": {"f1": 15}, "ter": 5}),
        "d": ("new", {"rouge-1": {"f1": 50}, "other": 1}),
    }
    library = Library(str(tmp_path))
    library.open(written(tmp_path / "new.jsonl", new))
    library.compare_with([written(tmp_path / "old.jsonl", old)])
    return library


def test_regressions_come_first_and_new_rows_last(library: Library) -> None:
    changes = library.changes
    assert changes is not None
    assert (changes.new_rows, changes.missing_rows) == (1, 1)
    assert (changes.sort, changes.descending) == ("rouge-1.f1.change", False)
    rows = library.query.rows("", changes.sort, changes.descending)
    assert [library.table.ids(row)[0] for row in rows.tolist()] == ["b", "c", "a", "d"]
    assert library.table.column("rouge-1.f1.change")[rows[:3]].tolist() == [-20.0, -5.0, 5.0]
    assert library.table.column("rouge-1.f1.before")[rows[:3]].tolist() == [30.0, 20.0, 40.0]


def test_changes_can_be_filtered_like_any_column(library: Library) -> None:
    names = {
        find: [library.table.ids(row)[0] for row in library.query.rows(find).tolist()]
        for find in ("rouge-1.f1.change<0", "summary-change=changed", "summary-change=new")
    }
    assert names == {
        "rouge-1.f1.change<0": ["b", "c"],
        "summary-change=changed": ["b"],
        "summary-change=new": ["d"],
    }


def test_only_measures_of_both_runs_have_changes(library: Library) -> None:
    assert "other.change" not in library.table.scores
    assert library.distributions.lower_is_better("ter.change")
    assert not library.distributions.is_of_people("ter.change")


def test_a_sample_shows_the_words_that_changed(library: Library) -> None:
    sample = read_sample(library, {"input": "a", "other": PREVIOUS_RUN})
    assert sample["before"] is True
    assert sample["differences"] == ([(False, "one two")], [(False, "one two")])
    assert read_sample(library, {"input": "d", "other": PREVIOUS_RUN})["before"] is False


def test_runs_without_a_common_summary_are_an_error(tmp_path: Path) -> None:
    library = Library(str(tmp_path))
    library.open(written(tmp_path / "new.jsonl", {"a": ("x", {})}))
    with pytest.raises(DataError, match="no summary in common"):
        library.compare_with([written(tmp_path / "old.jsonl", {"b": ("x", {})})])
