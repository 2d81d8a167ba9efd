"""What a run may do to files that are there: nothing finished is lost, and nothing is replaced on error."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from rubrica.data.locking import open_locked
from support.full_disk import no_room_after

NEWS = Path(__file__).resolve().parents[3] / "examples" / "news" / "summaries.jsonl"
LINES = NEWS.read_bytes().splitlines(keepends=True)
BROKEN_ROW = b'{"instance_id": 3}\n'


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("in.jsonl").write_bytes(b"".join(LINES[:60]))


def score(rubrica: Any, out: str, *more: object, files: tuple[str, ...] = ("in.jsonl",)) -> Any:
    words = ["rouge", "score", out, "--input-files", *files, "--workers", 1, "--batch-size", 16]
    return rubrica(*words, *more)


def break_off(rubrica: Any) -> bytes:
    """Leave a run unfinished: its last row cannot be read. Return the finished bytes."""
    good = Path("in.jsonl").read_bytes()
    Path("in.jsonl").write_bytes(good + BROKEN_ROW)
    assert score(rubrica, "out.jsonl").code == 1
    Path("in.jsonl").write_bytes(good)
    finished = Path("out.jsonl.partial").read_bytes()
    assert finished
    return finished


# Files.


def test_empty_input_leaves_an_existing_result_alone(rubrica: Any) -> None:
    assert score(rubrica, "good.jsonl").code == 0
    good = Path("good.jsonl").read_text()
    Path("empty.jsonl").write_text("")
    for out in ("good.jsonl", "new.jsonl"):
        answer = score(rubrica, out, files=("empty.jsonl",))
        assert answer.code == 1
        assert "no rows" in answer.err
    assert Path("good.jsonl").read_text() == good
    assert sorted(os.listdir()) == ["empty.jsonl", "good.jsonl", "in.jsonl"]


@pytest.mark.parametrize(
    "words",
    [
        ("score", "mine"),
        ("evaluate", "mine"),
        ("evaluate", "new.json", "mine"),
    ],
)
@pytest.mark.parametrize(
    "content",
    [
        b"my notes\n",
        b"".join(LINES[:2]),
        b'{"a": 1}\n',
        b'{"id": "d1", "system": "lead", "relevance": 4}\n',
        b"\xff\x00",
    ],
)
def test_a_file_that_holds_no_scores_is_not_replaced(
    rubrica: Any, words: tuple[str, ...], content: bytes
) -> None:
    Path("mine").write_bytes(content)
    answer = rubrica("rouge", *words, "--input-files", "in.jsonl")
    assert answer.code == 2
    assert "mine exists and holds no scores" in answer.err
    assert Path("mine").read_bytes() == content


def test_scores_of_an_earlier_run_are_replaced(rubrica: Any) -> None:
    for _ in range(2):
        answer = rubrica("rouge", "evaluate", "all.json", "rows.jsonl", "--input-files", "in.jsonl")
        assert answer.code == 0, answer.err


@pytest.mark.parametrize("name", ["z.jsonl.partial", "z.jsonl.partial.run"])
def test_an_input_named_like_a_working_file_is_refused(rubrica: Any, name: str) -> None:
    Path("in.jsonl").rename(name)
    answer = score(rubrica, "z.jsonl", files=(name,))
    assert answer.code == 2
    assert "is an input file" in answer.err
    assert Path(name).read_bytes() == b"".join(LINES[:60])


def test_an_input_inside_the_output_folder_is_refused(rubrica: Any) -> None:
    assert score(rubrica, "out/").code == 0
    Path("out/.part-00000.jsonl.done").write_bytes(b"".join(LINES[:9]))
    answer = score(rubrica, "out/", files=("out/.part-00000.jsonl.done",))
    assert answer.code == 2
    assert "is an input file" in answer.err


def test_unfinished_rows_are_only_discarded_on_request(rubrica: Any) -> None:
    finished = break_off(rubrica)
    answer = score(rubrica, "out.jsonl")
    assert answer.code == 1
    assert "--resume" in answer.err
    assert "--overwrite" in answer.err
    assert Path("out.jsonl.partial").read_bytes() == finished
    assert score(rubrica, "out.jsonl", "--overwrite").code == 0
    assert len(Path("out.jsonl").read_bytes().splitlines()) == 60
    assert sorted(os.listdir()) == ["in.jsonl", "out.jsonl"]


def test_a_foreign_file_with_the_working_name_is_not_overwritten(rubrica: Any) -> None:
    Path("out.jsonl.partial").write_text("somebody's notes\n")
    for more in ((), ("--resume",)):
        answer = score(rubrica, "out.jsonl", *more)
        assert answer.code == 1
        assert "out.jsonl.partial" in answer.err
        assert "--overwrite" in answer.err
    assert Path("out.jsonl.partial").read_text() == "somebody's notes\n"


def test_a_changed_number_in_unfinished_rows_is_noticed(rubrica: Any) -> None:
    finished = break_off(rubrica)
    value = str(json.loads(finished.splitlines()[3])["metrics"]["rouge-1"]["f1"])
    changed = finished.replace(value.encode(), value[:-1].encode() + b"7", 1)
    if changed == finished:
        changed = finished.replace(value.encode(), value[:-1].encode() + b"5", 1)
    Path("out.jsonl.partial").write_bytes(changed)
    answer = score(rubrica, "out.jsonl", "--resume")
    assert answer.code == 1
    assert "out.jsonl.partial" in answer.err
    assert "changed" in answer.err
    Path("out.jsonl.partial").write_bytes(finished)
    assert score(rubrica, "out.jsonl", "--resume").code == 0


def test_rows_cut_off_by_a_crash_are_scored_again(rubrica: Any) -> None:
    assert score(rubrica, "whole.jsonl").code == 0
    finished = break_off(rubrica)
    # As after a power failure: the note of what was written is there, the last rows are not.
    Path("out.jsonl.partial").write_bytes(finished[:-100])
    assert score(rubrica, "out.jsonl", "--resume").code == 0
    assert Path("out.jsonl").read_bytes() == Path("whole.jsonl").read_bytes()


def test_an_error_replaces_no_finished_result(rubrica: Any) -> None:
    assert score(rubrica, "out.jsonl").code == 0
    before = Path("out.jsonl").read_bytes()
    with open("in.jsonl", "ab") as stream:
        stream.write(BROKEN_ROW)
    assert score(rubrica, "out.jsonl", "--max_ngram", 1).code == 1
    assert Path("out.jsonl").read_bytes() == before


def test_system_scores_and_rows_cannot_go_to_one_file(rubrica: Any) -> None:
    answer = rubrica("rouge", "evaluate", "a.json", "./a.json", "--input-files", "in.jsonl")
    assert answer.code == 2
    assert "both" in answer.err


@pytest.mark.parametrize("name", ["out.jsonl", "out.jsonl.gz", "out.parquet"])
def test_a_disk_that_is_full_from_the_start_is_reported_by_file(rubrica: Any, name: str) -> None:
    with no_room_after(150):
        answer = score(rubrica, name)
    assert (answer.code, answer.err) == (1, f"rubrica: {name}: cannot be written: File too large\n")
    assert os.listdir() == ["in.jsonl"]


def test_the_file_that_found_no_room_is_named(rubrica: Any) -> None:
    Path("in.jsonl").write_bytes(LINES[0])
    words = ("rouge", "evaluate", "all.json", "rows.jsonl", "--input-files", "in.jsonl")
    with no_room_after(800):
        answer = rubrica(*words)
    assert answer.code == 1
    assert "all.json: cannot be written: File too large" in answer.err
    assert rubrica(*words, "--resume").code == 0
    assert sorted(os.listdir()) == ["all.json", "in.jsonl", "rows.jsonl"]


def test_a_loop_of_links_as_output_is_reported(rubrica: Any) -> None:
    Path("a").symlink_to("b")
    Path("b").symlink_to("a")
    answer = score(rubrica, "a")
    assert answer.code == 1
    assert "a: cannot be written" in answer.err
    assert "bug" not in answer.err


def test_temporary_files_of_a_killed_run_are_removed_by_the_next(rubrica: Any) -> None:
    Path(".out.jsonl.x1y2z3.tmp").write_text("half")
    Path(".other.jsonl.x1y2z3.tmp").write_text("not ours")
    with open_locked(Path(".out.jsonl.live.tmp")):
        assert score(rubrica, "out.jsonl").code == 0
        assert Path(".out.jsonl.live.tmp").exists(), "another process is writing it"
    assert not Path(".out.jsonl.x1y2z3.tmp").exists()
    assert Path(".other.jsonl.x1y2z3.tmp").exists()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs links and named pipes")
@pytest.mark.parametrize(
    "name",
    ["out.jsonl.partial", "out.jsonl.partial.run", "out.jsonl.partial.run.tmp", ".out.jsonl.x.tmp"],
)
def test_a_link_with_a_working_name_leads_no_writer_elsewhere(rubrica: Any, name: str) -> None:
    Path("victim").write_text("mine\n")
    Path(name).symlink_to("victim")
    score(rubrica, "out.jsonl", "--overwrite")
    assert Path("victim").read_text() == "mine\n"
    assert not Path("out.jsonl").is_symlink()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_with_a_working_name_stops_no_run(rubrica: Any) -> None:
    os.mkfifo(".out.jsonl.x.tmp")
    assert score(rubrica, "out.jsonl").code == 0
    os.mkfifo("other.jsonl.partial")
    answer = score(rubrica, "other.jsonl")
    assert answer.code == 1
    assert "other.jsonl.partial" in answer.err


# Folders.


@pytest.fixture
def files() -> tuple[str, ...]:
    for n in range(3):
        Path(f"in-{n}.jsonl").write_bytes(b"".join(LINES[20 * n : 20 * n + 20]))
    return "in-0.jsonl", "in-1.jsonl", "in-2.jsonl"


def content(folder: str = "out") -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in Path(folder).iterdir() if file.is_file()}


def leave_unfinished(rubrica: Any, files: tuple[str, ...], *more: object) -> None:
    good = Path(files[2]).read_bytes()
    Path(files[2]).write_bytes(good + BROKEN_ROW)
    assert score(rubrica, "out/", *more, files=files).code == 1
    Path(files[2]).write_bytes(good)


def test_the_manifest_has_digests_of_inputs_and_parts(rubrica: Any, files: tuple[str, ...]) -> None:
    import hashlib

    assert score(rubrica, "out/", files=files).code == 0
    manifest = json.loads(Path("out/run.json").read_bytes())
    assert manifest["run"]["files"] == list(files)
    for n, name in enumerate(files):
        record = manifest["parts"][f"part-0000{n}.jsonl"]
        part = Path(f"out/part-0000{n}.jsonl").read_bytes()
        assert record["sha256"] == hashlib.sha256(part).hexdigest()
        assert record["input"] == name
        assert record["rows"] == 20
    assert sorted(content()) == [*(f"part-0000{n}.jsonl" for n in range(3)), "run.json"]


def test_two_runs_cannot_fill_one_folder(rubrica: Any, files: tuple[str, ...]) -> None:
    Path("out").mkdir()
    with open_locked(Path("out/.lock")):
        answer = score(rubrica, "out/", files=files)
        assert answer.code == 1
        assert "another run is writing" in answer.err
    assert score(rubrica, "out/", files=files).code == 0


def test_parts_whose_input_changed_are_scored_again(rubrica: Any, files: tuple[str, ...]) -> None:
    leave_unfinished(rubrica, files)
    first = Path("out/part-00000.jsonl").stat().st_mtime_ns
    lines = Path(files[1]).read_bytes().splitlines(keepends=True)
    Path(files[1]).write_bytes(b"".join(lines[:-1]))
    answer = score(rubrica, "out/", "--resume", files=files)
    assert answer.code == 0, answer.err
    assert "1 part scored again: its input changed" in answer.err
    assert Path("out/part-00000.jsonl").stat().st_mtime_ns == first
    assert len(Path("out/part-00001.jsonl").read_bytes().splitlines()) == 19
    score(rubrica, "one.jsonl", files=files)
    parts = b"".join(own for name, own in sorted(content().items()) if name.startswith("part-"))
    assert parts == Path("one.jsonl").read_bytes()


def test_parts_that_were_changed_are_scored_again(rubrica: Any, files: tuple[str, ...]) -> None:
    leave_unfinished(rubrica, files)
    good = Path("out/part-00001.jsonl").read_bytes()
    Path("out/part-00001.jsonl").write_bytes(good.replace(b"1", b"2", 1))
    answer = score(rubrica, "out/", "--resume", files=files)
    assert answer.code == 0, answer.err
    assert "1 part scored again: the file had been changed" in answer.err
    assert Path("out/part-00001.jsonl").read_bytes() == good


def test_unfinished_parts_are_only_discarded_on_request(
    rubrica: Any, files: tuple[str, ...]
) -> None:
    leave_unfinished(rubrica, files)
    before = content()
    answer = score(rubrica, "out/", files=files)
    assert answer.code == 1
    assert "--resume" in answer.err
    assert "--overwrite" in answer.err
    assert content() == before
    assert score(rubrica, "out/", "--overwrite", files=files[:1]).code == 0
    assert sorted(content()) == ["part-00000.jsonl", "run.json"]


def test_a_finished_folder_is_replaced_only_by_a_whole_run(
    rubrica: Any, files: tuple[str, ...]
) -> None:
    assert score(rubrica, "out/", files=files).code == 0
    before = content()
    leave_unfinished(rubrica, files, "--max_ngram", 1)
    assert content() == before
    assert score(rubrica, "out/", "--max_ngram", 1, files=files).code == 1
    assert score(rubrica, "out/", "--max_ngram", 1, "--resume", files=files).code == 0
    assert score(rubrica, "fresh/", "--max_ngram", 1, files=files).code == 0
    assert content() == content("fresh") != before
    assert sorted(os.listdir("out")) == sorted(os.listdir("fresh"))


def test_a_replacement_that_was_killed_while_moving_is_completed(
    rubrica: Any, files: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert score(rubrica, "out/", files=files).code == 0

    def stop(source: str, target: str) -> None:
        if source.endswith("part-00001.jsonl"):
            raise KeyboardInterrupt
        os.replace(source, target)

    with monkeypatch.context() as patched:
        patched.setattr("rubrica.scoring.parts_folder.move", stop)
        assert score(rubrica, "out/", "--max_ngram", 1, files=files).code == 130
    # The next run, whatever it is for, finds the replacement whole.
    assert score(rubrica, "out/", "--max_ngram", 1, "--resume", files=files).code == 0
    assert score(rubrica, "fresh/", "--max_ngram", 1, files=files).code == 0
    assert content() == content("fresh")


def test_a_folder_of_an_earlier_version_is_replaced_not_resumed(
    rubrica: Any, files: tuple[str, ...]
) -> None:
    Path("out").mkdir()
    Path("out/run.json").write_text('{"task":"score","metrics":[]}')
    Path("out/part-00000.jsonl").write_text("old\n")
    answer = score(rubrica, "out/", "--resume", files=files)
    assert answer.code == 1
    assert "other metrics" in answer.err
    assert score(rubrica, "out/", files=files).code == 0
    assert len(content()["part-00000.jsonl"].splitlines()) == 20
