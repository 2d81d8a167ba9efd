"""Flags and notes: stored whole or not at all, fields of the table, and a choice of tasks for a study."""

from __future__ import annotations

from pathlib import Path

import pytest

from rubrica.errors import DataError, RubricaError
from rubrica.serve.viewer.flagging import LONGEST_NOTE, Flags
from rubrica.serve.viewer.flags import Flag, FlagFile, read_flags
from rubrica.serve.viewer.library import Library
from rubrica.serve.viewer.sample import read_sample
from rubrica.serve.viewer.table import Sample


@pytest.fixture
def library(tmp_path: Path) -> Library:
    library = Library(str(tmp_path))
    library.table.add(Sample(name, "s", summary=name) for name in ("a", "b"))
    library.flags = Flags(str(tmp_path / "notes.jsonl"), library.table)
    return library


def test_a_flag_is_stored_shown_and_found_again(library: Library, tmp_path: Path) -> None:
    assert library.flags is not None
    flag = Flag("a", "s", True, "wrong date <b>")
    library.flags.set(flag)
    assert read_flags(tmp_path / "notes.jsonl") == [flag]
    assert read_sample(library, {"input": "a"})["flag"] == flag
    assert library.query.rows('flag=yes note:"wrong date"').tolist() == [0]
    again = Library(str(tmp_path))
    again.table.add([Sample("a", "s"), Sample("b", "s")])
    again.flags = Flags(str(tmp_path / "notes.jsonl"), again.table)
    assert again.query.rows("flag=yes").tolist() == [0]
    library.flags.set(Flag("a", "s", False))
    assert read_flags(tmp_path / "notes.jsonl") == []
    assert library.query.rows("flag=yes").tolist() == []


def test_flags_that_cannot_be_stored_are_errors(library: Library, tmp_path: Path) -> None:
    assert library.flags is not None
    with pytest.raises(RubricaError, match="no summary of 'x'"):
        library.flags.set(Flag("x", "s", True))
    with pytest.raises(RubricaError, match="at most"):
        library.flags.set(Flag("a", "s", True, "x" * (LONGEST_NOTE + 1)))
    assert not (tmp_path / "notes.jsonl").exists()


def test_a_file_of_something_else_is_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "notes.jsonl"
    path.write_text('{"instance_id": "a"}\n')
    with pytest.raises(DataError, match=r"notes\.jsonl:1"):
        FlagFile(str(path))
    row = '{"instance_id": "a", "summarizer_id": "s", "flagged": true}\n'
    path.write_text(row * 2)
    with pytest.raises(DataError, match="a second row for 's' on 'a'"):
        read_flags(path)
