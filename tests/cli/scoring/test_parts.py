"""`score OUT/`: every input file becomes a part, by path or URL, and a stopped run goes on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

NEWS = Path(__file__).resolve().parents[3] / "examples" / "news" / "summaries.jsonl"


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
    assert "54 rows scored, 2 files, 2 reused from an earlier run" in again.err
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
    assert "4 reused" in rubrica(*words, "--resume").err
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


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("form", ["jsonl", "parquet"])
def test_system_scores_of_parts_are_those_of_one_file(
    rubrica: Any, files: list[str], form: str, workers: int
) -> None:
    for metric in ("rouge", "bleu"):
        words = ["--input-files", *files, "--rounds", 20, "--silent"]
        assert rubrica(metric, "evaluate", "one.json", "one.jsonl", *words).code == 0
        words += ["--parts-format", form, "--workers", workers]
        made = rubrica(metric, "evaluate", "parts.json", "out/", *words)
        assert made.code == 0, made.err
        assert Path("parts.json").read_bytes() == Path("one.json").read_bytes()
        Path("parts.json").unlink()
        (Path("out") / f"part-00002.{form}").unlink()
        again = rubrica(metric, "evaluate", "parts.json", "out/", *words, "--resume")
        assert again.code == 0, again.err
        assert Path("parts.json").read_bytes() == Path("one.json").read_bytes()
        assert len(list(Path("out").glob(f"part-*.{form}"))) == 4
        if form == "jsonl":
            assert parts() == Path("one.jsonl").read_bytes()


def test_parts_of_parquet_have_the_values_of_the_rows(rubrica: Any, files: list[str]) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    words = ["rouge", "score", "--input-files", *files, "--wlcs_weight", "1.2", "--silent"]
    assert rubrica(*words, "--output-jsonl", "one.jsonl").code == 0
    assert rubrica(*words, "--output-jsonl", "out/", "--parts-format", "parquet").code == 0
    rows = [json.loads(line) for line in Path("one.jsonl").read_text().splitlines()]
    tables = [parquet.read_table(one) for one in sorted(Path("out").glob("*.parquet"))]
    assert [row["digest"] for row in rows] == [d for t in tables for d in t["digest"].to_pylist()]
    recall = [row["metrics"].get("rouge-w-1.2", {}).get("recall") for row in rows]
    assert recall == [v for t in tables for v in t["rouge-w-1.2.recall"].to_pylist()]
    told = json.loads(tables[0].schema.metadata[b"rubrica-signatures"])
    assert told == rows[0]["signatures"]
    assert rubrica(*words, "--output-jsonl", "whole.parquet").code == 0
    whole = parquet.read_table("whole.parquet")
    assert whole["digest"].to_pylist() == [row["digest"] for row in rows]
    assert json.loads(whole.schema.metadata[b"rubrica-signatures"]) == rows[0]["signatures"]
    # Whoever reads rows of scores reads these, too.
    from rubrica.data.scores.rows import read_metrics

    again = [row for one in sorted(Path("out").glob("*.parquet")) for row in read_metrics(one)]
    assert [row.metrics for row in again] == [row["metrics"] for row in rows]


def test_parts_are_made_of_parquet_as_of_json_lines(rubrica: Any, files: list[str]) -> None:
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    for file in files:
        rows = [json.loads(line) for line in Path(file).read_text().splitlines()]
        columns = {
            name: [row[name] for row in rows]
            for name in ("instance_id", "summarizer_id", "summarizer_type")
        }
        columns["summary"] = [row["summary"]["text"] for row in rows]
        columns["references"] = [[one["text"] for one in row["references"]] for row in rows]
        parquet.write_table(pa.table(columns), file.replace(".jsonl", ".parquet"))
    assert rubrica("rouge", "score", "out/", "--input-files", *files).code == 0
    there = [file.replace(".jsonl", ".parquet") for file in files]
    answer = rubrica("rouge", "score", "far/", "--input-files", *there, "--workers", 1)
    assert answer.code == 0, answer.err
    assert parts("far") == parts("out")


@pytest.mark.parametrize("workers", [1, 2])
def test_a_row_in_two_files_is_refused(rubrica: Any, files: list[str], workers: int) -> None:
    first = Path(files[1]).read_bytes().splitlines(keepends=True)[4]
    Path(files[3]).write_bytes(Path(files[3]).read_bytes() + b"\n" + first)
    words = ["rouge", "score", "out/", "--input-files", *files, "--workers", workers]
    answer = rubrica(*words)
    assert answer.code == 1
    assert "in-3.jsonl:29 (instance" in answer.err
    assert "already appear at in-1.jsonl:5;" in answer.err


def test_system_scores_follow_an_input_that_has_changed(rubrica: Any, files: list[str]) -> None:
    words = ["--input-files", *files, "--workers", 1, "--rounds", 9]
    assert rubrica("rouge", "evaluate", "one.json", "out/", *words).code == 0
    lines = Path(files[1]).read_bytes().splitlines(keepends=True)
    Path(files[1]).write_bytes(b"".join(lines[:-1]))
    answer = rubrica("rouge", "evaluate", "one.json", "out/", *words, "--resume")
    assert answer.code == 0, answer.err
    assert "1 part scored again: its input changed" in answer.err
    assert rubrica("rouge", "evaluate", "fresh.json", *words).code == 0
    assert Path("one.json").read_bytes() == Path("fresh.json").read_bytes()
