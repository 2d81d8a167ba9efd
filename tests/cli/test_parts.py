"""`score OUT/`: every input file becomes a part, by path or URL, and a stopped run goes on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

NEWS = Path(__file__).resolve().parents[2] / "examples" / "news" / "summaries.jsonl"


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.chdir(tmp_path)
    lines = NEWS.read_bytes().splitlines(keepends=True)
    names = []
    for n in range(4):
        Path(f"in-{n}.jsonl").write_bytes(b"".join(lines[27 * n : 27 * n + 27]))
        names.append(f"in-{n}.jsonl")
    return names


def parts(folder: str = "out") -> bytes:
    return b"".join(one.read_bytes() for one in sorted(Path(folder).glob("part-*.jsonl")))


@pytest.mark.parametrize("metric", ["rouge", "cider"])
@pytest.mark.parametrize("workers", [1, 2])
def test_the_parts_together_are_the_rows_of_one_file(
    rubrica: Any, files: list[str], metric: str, workers: int
) -> None:
    assert rubrica(metric, "score", "one.jsonl", "--input-files", *files).code == 0
    answer = rubrica(metric, "score", "out/", "--input-files", *files, "--workers", workers)
    assert answer.code == 0, answer.err
    assert "108 rows scored, 4 files: out/" in answer.err
    assert parts() == Path("one.jsonl").read_bytes()
    names = sorted(one.name for one in Path("out").iterdir())
    assert names == [*(f"part-0000{n}.jsonl" for n in range(4)), "run.json"]


def test_a_stopped_run_goes_on_with_the_missing_parts(rubrica: Any, files: list[str]) -> None:
    words = ["rouge", "score", "out/", "--input-files", *files, "--workers", 1]
    good = Path(files[2]).read_bytes()
    Path(files[2]).write_bytes(good + b'{"instance_id": 3}\n')
    broken = rubrica(*words)
    assert broken.code == 1
    assert "in-2.jsonl:28" in broken.err
    assert len(list(Path("out").glob("part-*"))) == 2
    Path(files[2]).write_bytes(good)
    first = (Path("out") / "part-00000.jsonl").stat().st_mtime_ns
    again = rubrica(*words, "--resume")
    assert "54 rows scored, 2 files, 2 kept of an earlier run" in again.err
    assert (Path("out") / "part-00000.jsonl").stat().st_mtime_ns == first
    rubrica("rouge", "score", "one.jsonl", "--input-files", *files)
    assert parts() == Path("one.jsonl").read_bytes()
    other = rubrica(*words, "--resume", "--max_ngram", 1)
    assert "other metrics" in other.err
    assert rubrica(*words[:3], "--input-files", files[0]).code == 0
    assert len(list(Path("out").glob("part-*"))) == 1, "started over"


def test_inputs_and_parts_may_have_urls(rubrica: Any, files: list[str], tmp_path: Path) -> None:
    pytest.importorskip("fsspec")
    urls = [(tmp_path / one).as_uri() for one in files]
    there = (tmp_path / "far" / "out").as_uri() + "/"
    words = ["rouge", "score", there, "--input-files", *urls, "--workers", 1]
    assert rubrica(*words).code == 0
    rubrica("rouge", "score", "out/", "--input-files", *files, "--workers", 1)
    assert parts("far/out") == parts()
    assert "4 kept" in rubrica(*words, "--resume").err
    missing = rubrica("rouge", "score", there, "--input-files", (tmp_path / "no.jsonl").as_uri())
    assert missing.code == 1
    assert "cannot be opened" in missing.err
    unknown = rubrica("rouge", "score", "x.jsonl", "--input-files", "nowhere://a/b.jsonl")
    assert unknown.code == 1
    assert "nowhere" in unknown.err


def test_a_folder_of_something_else_is_left_alone(rubrica: Any, files: list[str]) -> None:
    Path("mine").mkdir()
    Path("mine/part-of-me.jsonl").write_text("x")
    answer = rubrica("rouge", "score", "mine/", "--input-files", *files)
    assert answer.code == 1
    assert "other files" in answer.err
    assert Path("mine/part-of-me.jsonl").read_text() == "x"
    assert rubrica("rouge", "score", "out/", "--input-files", "-").code == 2


def test_parts_fill_a_store_and_are_made_from_it(rubrica: Any, files: list[str]) -> None:
    words = ["rouge", "score", "out/", "--input-files", *files, "--workers", 1, "--store", "s"]
    assert rubrica(*words).code == 0
    first = parts()
    kinds = json.loads(rubrica("store", "ls", "s", "--json").out)
    assert sum(one["rows"] for one in kinds) > 0
    assert rubrica(*words).code == 0
    assert parts() == first
    assert json.loads(rubrica("store", "ls", "s", "--json").out) == kinds
