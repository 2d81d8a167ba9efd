"""The folder in memory that test runs use for their temporary files goes away with its run."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from support.temporary import MemoryFolder

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no locks of files")


def test_the_files_of_a_run_are_removed_at_its_end(tmp_path: Path) -> None:
    folder = MemoryFolder(tmp_path)
    (folder.path / "file").touch()
    folder.close()
    assert list(tmp_path.iterdir()) == []


def test_the_files_of_a_failed_run_stay_until_the_next_one(tmp_path: Path) -> None:
    failed = MemoryFolder(tmp_path)
    failed.keep = True
    failed.close()
    assert failed.path.exists()
    following = MemoryFolder(tmp_path)
    assert list(tmp_path.iterdir()) == [following.path]
    following.close()


def test_a_run_leaves_the_files_of_another_that_goes_on(tmp_path: Path) -> None:
    first, second = MemoryFolder(tmp_path), MemoryFolder(tmp_path)
    assert first.path.exists()
    second.close()
    assert first.path.exists()
    first.close()
