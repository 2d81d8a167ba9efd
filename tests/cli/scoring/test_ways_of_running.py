"""The same bytes whatever the number of workers and the batch size, and errors that say where."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from support.interrupted import leave_rows, run_of
from support.tiny_models import checkpoint, needs_torch

# Starts processes.
pytestmark = pytest.mark.slow

NEWS = Path(__file__).resolve().parents[3] / "examples" / "news" / "summaries.jsonl"


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Other processes are started at once, whatever the work."""
    monkeypatch.setattr("rubrica.scoring.engines.local.BEFORE_PROCESSES", 0.0)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def outputs(name: str) -> tuple[bytes, bytes]:
    return Path(f"{name}.json").read_bytes(), Path(f"{name}.jsonl").read_bytes()


@pytest.mark.parametrize("metric", ["rouge", "chrf"])
def test_workers_that_read_and_write_give_the_bytes_of_one_process(
    rubrica: Any, at_once: Path, metric: str
) -> None:
    def run(name: str, *more: object) -> tuple[bytes, bytes]:
        words = [metric, "evaluate", f"{name}.json", f"{name}.jsonl", "--input-files", NEWS]
        answer = rubrica(*words, "--silent", *more)
        assert answer.code == 0, answer.err
        return outputs(name)

    one = run("one", "--workers", 1)
    assert run("two", "--workers", 2, "--batch-size", 5) == one
    assert run("read-here", "--workers", 2, "--dataset-reader", "jsonl") == one
    assert run("large", "--workers", 1, "--batch-size", 1000) == one


def test_mistakes_that_workers_find_are_told_with_file_and_line(
    rubrica: Any, at_once: Path
) -> None:
    lines = NEWS.read_bytes().splitlines(keepends=True)
    Path("in.jsonl").write_bytes(b"".join([*lines[:90], b"\n", b'{"instance_id": 3}\n']))
    words = ["rouge", "score", "out.jsonl", "--workers", 2, "--batch-size", 8]
    answer = rubrica(*words, "--input-files", "in.jsonl")
    assert answer.code == 1
    assert "in.jsonl:92: no field 'summarizer_id'" in answer.err
    assert "--resume" in answer.err, "what came before is kept"
    Path("twice.jsonl").write_bytes(b"".join([*lines[:60], b"\n", lines[33]]))
    answer = rubrica(*words, "--overwrite", "--input-files", "twice.jsonl")
    assert answer.code == 1
    assert "twice.jsonl:62 (instance" in answer.err
    assert "already appear at twice.jsonl:34;" in answer.err


def test_a_run_goes_on_in_the_middle_of_a_piece(rubrica: Any, at_once: Path) -> None:
    for metric in ("rouge", "bleu"):
        words = ["evaluate", "out.json", "out.jsonl", "--input-files", NEWS, "--batch-size", 32]
        assert rubrica(metric, *words, "--workers", 1).code == 0
        whole = outputs("out")
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("rubrica.scoring.api.write_json", _fail)
            assert "the disk went away" in rubrica(metric, *words).err
        out = Path("out.jsonl")
        rows = Path("out.jsonl.partial").read_bytes().splitlines(keepends=True)
        leave_rows(out, run_of(out), rows[:41], torn=rows[41][:10])
        answer = rubrica(metric, *words, "--resume")
        assert "resuming after 41 finished rows" in answer.err
        assert outputs("out") == whole


def _fail(*_: Any) -> None:
    raise OSError("the disk went away")


@needs_torch
def test_a_model_gives_the_same_bytes_in_any_batch(rubrica: Any, at_once: Path) -> None:
    def run(name: str, *more: object) -> tuple[bytes, bytes]:
        words = ["bertscore", "evaluate", f"{name}.json", f"{name}.jsonl", "--input-files", NEWS]
        words += ["--model_type", str(checkpoint("encoder")), "--cache-dir", "off"]
        words += ["--num_layers", "2"]
        answer = rubrica(*words, "--device", "cpu", "--silent", "--rounds", 10, *more)
        assert answer.code == 0, answer.err
        return outputs(name)

    one = run("one")
    assert run("small", "--batch-size", 7, "--batch_tokens", 200) == one
    assert run("idf", "--idf", "true") == run("idf-small", "--idf", "true", "--batch-size", 7)


CLINGING = '''
"""A reader that no other process can have, and a metric in plain Python."""
from rubrica.datasets.readers import DatasetReader, ReferenceBasedReader
from rubrica.metrics import Metric, ReferenceBasedMetric


@DatasetReader.register("clinging")
class Clinging(ReferenceBasedReader):
    """Holds what cannot be pickled."""

    def read(self, *files):
        self.held = lambda: files
        yield from super().read(*files)


@Metric.register("clinging-length")
class Length(ReferenceBasedMetric):
    """Length of the summary."""

    def score_one(self, summary, references):
        return {"length": len(summary)}
'''


def test_a_reader_that_cannot_be_sent_reads_here(rubrica: Any, at_once: Path) -> None:
    Path("clinging_reader.py").write_text(CLINGING)
    words = ["clinging-length", "score", "out.jsonl", "--input-files", NEWS, "--batch-size", 8]
    words += ["--include-packages", "clinging_reader", "--dataset-reader", "clinging"]
    answer = rubrica(*words, "--workers", 2)
    assert answer.code == 0, answer.err
    assert Path("out.jsonl").read_bytes().count(b"\n") == 108
