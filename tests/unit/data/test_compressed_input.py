"""Compressed files: read line by line, and never taken for whole when they are not."""

from __future__ import annotations

import bz2
import gzip
from pathlib import Path

import pytest

from rubrica.data import files
from rubrica.data.files import atomic_output, read_lines, read_text_lines
from rubrica.data.jsonl import read_jsonl
from rubrica.errors import DataError

zstandard = pytest.importorskip("zstandard")
COMPRESS = {"gz": gzip.compress, "bz2": bz2.compress, "zst": zstandard.compress}
LINES = b"".join(b"line %d\n" % n for n in range(20000))


@pytest.mark.parametrize("kind", COMPRESS)
def test_a_compressed_file_reads_as_the_plain_one(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(COMPRESS[kind](LINES))
    assert [line for _, line in read_lines(path)] == LINES.splitlines()


@pytest.mark.parametrize("kind", COMPRESS)
def test_joined_compressed_files_read_as_one(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(COMPRESS[kind](b"a\n") + COMPRESS[kind](b"b\n"))
    assert list(read_lines(path)) == [(1, b"a"), (2, b"b")]


@pytest.mark.parametrize("kind", COMPRESS)
def test_a_cut_off_compressed_file_is_an_error(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(COMPRESS[kind](LINES)[:-20])
    with pytest.raises(DataError, match=r"damaged|cannot be read"):
        list(read_lines(path))


@pytest.mark.parametrize("magic", [b"\x1f\x8b\x08\x00", b"BZh9", b"\x28\xb5\x2f\xfd"])
def test_rubbish_after_a_magic_number_is_a_data_error(magic: bytes, tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(magic + b"a" * 40)
    with pytest.raises(DataError):
        list(read_lines(path))


@pytest.mark.parametrize("kind", COMPRESS)
def test_what_is_written_can_be_read(kind: str, tmp_path: Path) -> None:
    path = tmp_path / f"x.{kind}"
    with atomic_output(path) as stream:
        stream.write(LINES)
    assert len(path.read_bytes()) < len(LINES)
    assert sum(1 for _ in read_lines(path)) == 20000


def test_a_line_that_never_ends_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "LONGEST_LINE", 1 << 20)
    path = tmp_path / "x"
    path.write_bytes(b"ok\n" + b"a" * (1 << 21))
    with pytest.raises(DataError, match=r"x:2: a line of more than 1 MiB"):
        list(read_lines(path))


def test_nul_bytes_in_text_are_refused_with_the_likely_cause(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes("hello\nworld".encode("utf-16-le"))
    with pytest.raises(DataError, match=r"x:1: a NUL byte at byte 2 .* utf-16"):
        list(read_text_lines(path))


def test_a_file_name_with_nul_is_a_data_error() -> None:
    with pytest.raises(DataError, match="cannot be opened"):
        list(read_lines("a\0b"))


@pytest.mark.parametrize("line", [b"[" * 100_000, b'{"a":' * 100_000])
def test_json_nested_without_end_is_a_data_error(line: bytes, tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(line)
    with pytest.raises(DataError, match="x:1: JSON nested too deeply"):
        list(read_jsonl(path))
