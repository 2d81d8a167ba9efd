"""`--store DIR` and `rubrica store`: the same bytes with and without, and a store that can be looked after."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from support.waiting import wait_until

# Starts processes.
pytestmark = pytest.mark.slow

NEWS = Path(__file__).resolve().parents[3] / "examples" / "news" / "summaries.jsonl"

COUNTED = '''
"""A corpus metric that notes each text it is asked for."""
import os, time
from rubrica.data.metrics import MetricsDict
from rubrica.metrics import Metric
from rubrica.metrics.base.corpus import CorpusMetric


@Metric.register("counted")
class Counted(CorpusMetric):
    """Words of the summary per reference; waits for a signal after STOP_AFTER rows."""

    parallel = "threads"

    def statistics(self, summary, references):
        with open("asked.txt", "a") as stream:
            if stream.tell() >= int(os.environ.get("STOP_AFTER", "1000000")):
                open("waiting", "w").close()
                time.sleep(3600)
            stream.write("x")
        return [len(str(summary)), len(references)]

    def score_statistics(self, totals):
        return MetricsDict(counted=totals[0] / max(1, totals[1]))
'''


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "counted.py").write_text(COUNTED)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def words(*more: object) -> list[str]:
    fixed = ["--input-files", NEWS, "--include-packages", "counted", "--batch-size", 5]
    return ["counted", "evaluate", *map(str, more), *map(str, fixed)]


def command(*words: str) -> list[str]:
    code = "import sys; from rubrica.cli.app import main; sys.exit(main(sys.argv[1:]))"
    return [sys.executable, "-c", code, *words]


def asked() -> int:
    return Path("asked.txt").stat().st_size if Path("asked.txt").exists() else 0


def test_a_run_with_a_store_writes_the_same_bytes_and_scores_once(
    rubrica: Any, folder: Path
) -> None:
    assert rubrica(*words("a.json", "a.jsonl")).code == 0
    first = rubrica(*words("b.json", "b.jsonl", "--store", "s"))
    assert first.code == 0
    assert "s: 0 scores found, 108 added" in first.err
    Path("asked.txt").unlink()
    second = rubrica(*words("c.json", "c.jsonl", "--store", "s", "--rounds", 50))
    assert "s: 108 scores found, 0 added" in second.err
    assert asked() == 0, "new intervals cost no scoring"
    for name in ("b", "c"):
        assert Path(f"{name}.jsonl").read_bytes() == Path("a.jsonl").read_bytes()
    assert Path("b.json").read_bytes() == Path("a.json").read_bytes()


def test_a_killed_run_of_a_corpus_metric_resumes_without_scoring_again(
    rubrica: Any, folder: Path
) -> None:
    assert rubrica(*words("whole.json", "whole.jsonl")).code == 0
    Path("asked.txt").unlink()
    process = subprocess.Popen(
        command(*words("out.json", "out.jsonl", "--store", "s", "--workers", "1")),
        env={**os.environ, "STOP_AFTER": "30"},
        stderr=subprocess.PIPE,
    )
    partial = Path("out.jsonl.partial")
    wait_until(lambda: Path("waiting").exists() and partial.read_bytes().count(b"\n") >= 5, process)
    process.send_signal(signal.SIGTERM)
    process.communicate()
    before = asked()
    assert 0 < before < 108
    again = rubrica(*words("out.json", "out.jsonl", "--store", "s", "--resume"))
    assert again.code == 0
    assert "resuming after" in again.err
    # A row that was being scored when the run was stopped is scored once more.
    assert asked() - 108 <= 5
    assert Path("out.jsonl").read_bytes() == Path("whole.jsonl").read_bytes()
    assert Path("out.json").read_bytes() == Path("whole.json").read_bytes()


def test_ls_verify_merge_gc_and_export(rubrica: Any, folder: Path) -> None:
    half = NEWS.read_bytes().splitlines(keepends=True)
    Path("half.jsonl").write_bytes(b"".join(half[:50]))
    assert rubrica("chrf", "score", "a.jsonl", "--input-files", NEWS, "--store", "a").code == 0
    assert (
        rubrica("rouge", "evaluate", "--input-files", "half.jsonl", "--store", "b", "--silent").code
        == 0
    )
    listed = rubrica("store", "ls", "a")
    assert "chrf|" in listed.out
    assert "jackknifed" in listed.out
    assert "left-out" in listed.out
    merged = rubrica("store", "merge", "a", "b")
    assert merged.code == 0, merged.err
    kinds = json.loads(rubrica("store", "ls", "a", "--json").out)
    assert {one["signature"].partition("|")[0] for one in kinds} == {"chrf", "rouge"}
    assert {one["shards"] for one in kinds} == {1}
    assert rubrica("store", "verify", "a").out.endswith("ok\n")
    assert rubrica("store", "export", "a", "all.jsonl").code == 0
    rows = [json.loads(line) for line in Path("all.jsonl").read_text().splitlines()]
    assert len(rows) == sum(one["rows"] for one in kinds)
    assert set(rows[0]) == {"key", "signature", "form", "metrics", "statistics"}
    assert rubrica("store", "export", "a", "rouge.parquet", "--metrics", "rouge").code == 0
    from pyarrow import parquet

    table = parquet.read_table("rouge.parquet").to_pylist()
    assert len(table) == sum(one["rows"] for one in kinds if one["signature"].startswith("rouge"))
    assert dict(table[0]["metrics"])["rouge-1.f1"] >= 0
    [shard] = Path("a").glob("rouge-*/*.arrow")
    shard.write_bytes(shard.read_bytes()[:-1])
    bad = rubrica("store", "verify", "a")
    assert bad.code == 1
    assert f"{shard}: damaged" in bad.err
    assert "store gc" in bad.err
    lost = rubrica("store", "export", "a", "lost.jsonl")
    assert lost.code == 1
    assert "damaged" in lost.err
    assert "store gc a removes it" in lost.err
    assert not Path("lost.jsonl").exists()
    assert "1 files would be removed" in rubrica("store", "gc", "a", "--dry-run").out
    assert shard.exists()
    assert "1 files removed" in rubrica("store", "gc", "a").out
    assert rubrica("store", "verify", "a").code == 0
    assert rubrica("store", "gc", "a", "--metrics", "chrf").code == 0
    assert "no scores yet" in rubrica("store", "ls", "a").out


def test_mistakes_are_told(rubrica: Any, folder: Path) -> None:
    assert "not a store" in rubrica("store", "ls", "nowhere").err
    assert not Path("nowhere").exists()
    here = rubrica("chrf", "evaluate", "--input-files", NEWS, "--store", ".")
    assert here.code == 1
    assert "not a store" in here.err
    rubrica("chrf", "evaluate", "--input-files", NEWS, "--store", "s", "--silent")
    assert "the store itself" in rubrica("store", "merge", "s", "s").err
    assert rubrica("store").code == 2
    nowhere = rubrica("chrf", "evaluate", "--input-files", NEWS, "--store", "/proc/s")
    assert nowhere.code == 1
    assert "cannot be written" in nowhere.err
    wrong = rubrica("chrf", "evaluate", "--input-files", NEWS, "--address", "auto")
    assert "engine 'ray'" in wrong.err


def limited(size: int) -> Callable[[], None]:
    """Files may not grow beyond `size`: to a program the same as a full disk."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    return limit


@pytest.mark.parametrize("size", [12_000, 3_000])
def test_a_full_disk_is_told_and_loses_nothing(rubrica: Any, folder: Path, size: int) -> None:
    assert rubrica(*words("whole.json", "whole.jsonl")).code == 0
    run = words("out.json", "out.jsonl", "--store", "s", "--workers", "1")
    full = subprocess.run(
        command(*run), preexec_fn=limited(size), capture_output=True, text=True, check=False
    )
    assert full.returncode == 1
    assert "cannot be written" in full.stderr
    assert "Traceback" not in full.stderr
    assert not Path("out.jsonl").exists()
    kept = Path("out.jsonl.partial").read_bytes()
    assert Path("whole.jsonl").read_bytes().startswith(kept)
    if kept:
        assert "--resume" in full.stderr
    assert rubrica(*run, "--resume").code == 0
    assert Path("out.jsonl").read_bytes() == Path("whole.jsonl").read_bytes()
    assert Path("out.json").read_bytes() == Path("whole.json").read_bytes()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere; run the tests as a user")
def test_a_read_only_store_is_read_and_nothing_is_added(rubrica: Any, folder: Path) -> None:
    rubrica(*words("--store", "s", "--silent"))
    before = asked()
    Path("s").chmod(0o500)
    answer = rubrica(*words("--store", "s"))
    Path("s").chmod(0o700)
    assert answer.code == 0, answer.err
    assert "cannot be written" in answer.err
    assert "new scores are not stored" in answer.err
    assert asked() == before
