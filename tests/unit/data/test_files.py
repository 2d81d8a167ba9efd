"""Reading and writing files: compression, places of errors, atomic and resumable output."""

from __future__ import annotations

import bz2
import gzip
import io
import math
import os
import sys
from pathlib import Path

import pytest
import zstandard

from rubrica.data.files import atomic_folder, atomic_output
from rubrica.data.jsonl import (
    read_json,
    read_jsonl,
    write_json,
    write_jsonl,
)
from rubrica.data.scores.writer import RowWriter
from rubrica.errors import DataError, MissingResourceError, OutputError

ROWS = [{"a": 1}, {"a": "héllo"}]
TEXT = '{"a":1}\n{"a":"héllo"}\n'.encode()
COMPRESSED = {
    "gz": gzip.compress(TEXT, mtime=0),
    "bz2": bz2.compress(TEXT),
    "zst": zstandard.compress(TEXT),
}


@pytest.mark.parametrize("kind", COMPRESSED)
def test_compression_is_known_by_its_first_bytes_whatever_the_name(
    tmp_path: Path, kind: str
) -> None:
    for name in (f"rows.jsonl.{kind}", "rows.jsonl"):
        (tmp_path / name).write_bytes(COMPRESSED[kind])
        assert [row for _, row in read_jsonl(tmp_path / name)] == ROWS


def test_a_plain_file_called_gz_is_read_as_what_it_is(tmp_path: Path) -> None:
    (tmp_path / "rows.jsonl.gz").write_bytes(TEXT)
    assert [row for _, row in read_jsonl(tmp_path / "rows.jsonl.gz")] == ROWS


@pytest.mark.parametrize("ending", ["", ".gz", ".bz2", ".zst"])
def test_what_is_written_is_read_again(tmp_path: Path, ending: str) -> None:
    path = tmp_path / "deep" / f"rows.jsonl{ending}"
    write_jsonl(path, ROWS)
    assert [row for _, row in read_jsonl(path)] == ROWS
    assert os.listdir(path.parent) == [path.name]


def test_compressed_output_is_the_same_every_time(tmp_path: Path) -> None:
    for ending in ("gz", "bz2", "zst"):
        one, two = tmp_path / f"1.{ending}", tmp_path / f"2.{ending}"
        write_jsonl(one, ROWS)
        write_jsonl(two, ROWS)
        assert one.read_bytes() == two.read_bytes()


def test_lines_are_utf8_whatever_the_locale_blank_ones_passed_over_and_a_bom_dropped(
    tmp_path: Path,
) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + TEXT.replace(b"\n", b"\r\n\r\n"))
    assert list(read_jsonl(path)) == [(1, ROWS[0]), (3, ROWS[1])]


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b'{"a":1}\n{"a":\n', r"x\.jsonl:2: not valid JSON"),
        (b'{"a":1}\n[1]\n', r"x\.jsonl:2: expected a JSON object, found a list; jq"),
        (b'{"a":"\xff"}\n', r"x\.jsonl:1: not UTF-8 at byte 7 of the line; convert"),
        (
            b'[\n{"a":1}\n]\n',
            r"x\.jsonl:1: not valid JSON: .*; a row is one JSON object in one line",
        ),
        (
            b'{"a": NaN}\n',
            r"x\.jsonl:1: not valid JSON: .*; NaN and Infinity are not JSON, write null",
        ),
        (b'{"a": "NaN,", "b": x}\n', r"x\.jsonl:1: not valid JSON: [^;]*$"),
        (b"a sentence\n", r"x\.jsonl:1: not valid JSON: .*; is this a file of JSON lines\?"),
        (COMPRESSED["gz"][:-9], r"x\.jsonl: compressed data is damaged"),
    ],
)
def test_bad_lines_are_told_with_file_and_line(tmp_path: Path, content: bytes, told: str) -> None:
    (tmp_path / "x.jsonl").write_bytes(content)
    with pytest.raises(DataError, match=told):
        list(read_jsonl(tmp_path / "x.jsonl"))


@pytest.mark.parametrize("spelt", ["1e999", "9" * 5000, "9" * 5000 + ".5", "9" * 5000 + "e5"])
def test_a_number_that_no_float_holds_is_infinite(tmp_path: Path, spelt: str) -> None:
    kept = '"s": "' + "9" * 5000 + '\\\\\\"", "n": 0.' + "3" * 5000
    (tmp_path / "x.jsonl").write_text(f'{{"a": [{spelt}, -{spelt}], {kept}}}')
    [(_, row)] = read_jsonl(tmp_path / "x.jsonl")
    assert row == {"a": [math.inf, -math.inf], "s": "9" * 5000 + '\\"', "n": 1 / 3}


def test_a_compression_that_cannot_be_written_is_told_before_the_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("compression.zstd", "backports.zstd", "zstandard"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingResourceError, match=r"pip install 'rubrica\[zst\]'"):
        RowWriter(tmp_path / "rows.jsonl.zst", run="")
    assert list(tmp_path.iterdir()) == []


def test_a_json_document_is_read_or_told(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(b'{"a": [1]}')
    assert read_json(path) == {"a": [1]}
    for content, told in ((b"{", "not valid JSON"), (b"[" * 1_000_000, "nested too deeply")):
        path.write_bytes(content)
        with pytest.raises(DataError, match=rf"x\.json: .*{told}"):
            read_json(path)


def test_deeply_nested_json_is_an_error_not_a_crash(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_bytes(b'{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}\n")
    with pytest.raises(DataError, match=r"x\.jsonl:1"):
        list(read_jsonl(tmp_path / "x.jsonl"))


def test_a_missing_file_is_told_plainly(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"nope\.jsonl: cannot be opened: No such file"):
        list(read_jsonl(tmp_path / "nope.jsonl"))
    with pytest.raises(DataError, match="cannot be"):
        list(read_jsonl(tmp_path))


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "out.json"
    write_json(path, {"old": 1})
    before = path.read_bytes()

    def fail() -> None:
        with atomic_output(path) as stream:
            stream.write(b"half")
            raise RuntimeError("stopped")

    with pytest.raises(RuntimeError):
        fail()
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["out.json"]


def test_undefined_numbers_are_written_as_null(tmp_path: Path) -> None:
    write_json(tmp_path / "x.json", {"x": float("nan")})
    assert b'"x": null' in (tmp_path / "x.json").read_bytes()


def test_standard_input_is_a_dash(monkeypatch: pytest.MonkeyPatch) -> None:
    stdin = io.TextIOWrapper(io.BufferedReader(io.BytesIO(COMPRESSED["gz"])))
    monkeypatch.setattr("sys.stdin", stdin)
    assert [row for _, row in read_jsonl("-")] == ROWS


def test_a_folder_appears_whole_or_not_at_all(tmp_path: Path) -> None:
    target = tmp_path / "new" / "folder"

    def half() -> None:
        with atomic_folder(target) as made:
            (made / "half").write_text("x")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        half()
    assert list((tmp_path / "new").iterdir()) == []
    with atomic_folder(target) as made:
        (made / "whole").write_text("x")
        assert not target.exists()
    assert [path.name for path in (tmp_path / "new").rglob("*")] == ["folder", "whole"]
    (tmp_path / "plain").mkdir()
    assert target.stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_a_folder_that_is_there_stays(tmp_path: Path) -> None:
    (tmp_path / "kept").write_text("x")
    with pytest.raises(OutputError, match="already exists"), atomic_folder(tmp_path):
        pass
    assert (tmp_path / "kept").exists()
