"""`rubrica setup-dataset`: lists, asks for the licence, writes, tells; and the way on to correlations."""

from __future__ import annotations

import io
import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

from rubrica.datasets import ADDRESSES, Dataset
from rubrica.datasets.base import DATASETS
from rubrica.datasets.output import Output
from rubrica.datasets.raw.tree import Raw
from support.dataset_samples import write_sample


@pytest.fixture
def sample(tmp_path: Path) -> Path:
    return write_sample("duc2006", tmp_path / "raw")


def test_without_a_name_all_are_listed_with_licence_size_and_needs(rubrica: Any) -> None:
    answer = rubrica("setup-dataset")
    assert answer.code == 0
    for name in ADDRESSES:
        assert f"\n{name} " in answer.out
    assert "CC BY 4.0" in answer.out
    assert "3.3 MB" in answer.out
    assert "DUC2005_Summarization_Documents.tgz" in answer.out
    listed = json.loads(rubrica("list", "datasets", "--json").out)
    assert {row["name"] for row in listed} >= set(ADDRESSES)
    assert all(row["licence"] and row["citation"] for row in listed if row["name"] in ADDRESSES)
    assert "bhandari2020" in rubrica("list", "datasets").out


def test_the_licence_is_shown_and_must_be_accepted(
    rubrica: Any, sample: Path, tmp_path: Path
) -> None:
    answer = rubrica("setup-dataset", "duc2006", "--from", sample, "--output", tmp_path / "out")
    assert answer.code == 2
    assert "licence: Not public" in answer.err
    assert "--accept-licence" in answer.err
    assert not (tmp_path / "out").exists()


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("said", "code"), [("y\n", 0), ("n\n", 1), ("\n", 1)])
def test_on_a_terminal_it_asks(
    rubrica: Any,
    sample: Path,
    tmp_path: Path,
    said: str,
    code: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "stdin", Terminal(said))
    answer = rubrica("setup-dataset", "duc2006", "--from", sample, "--output", tmp_path / "out")
    assert answer.code == code
    assert "[y/N]" in answer.err
    assert (tmp_path / "out").exists() is (code == 0)


def test_it_writes_tells_and_is_idempotent(rubrica: Any, sample: Path, tmp_path: Path) -> None:
    words = (
        "setup-dataset",
        "duc2006",
        "--from",
        sample,
        "--output",
        tmp_path / "out",
        "--accept-licence",
    )
    answer = rubrica(*words)
    assert (answer.code, answer.out) == (0, f"{tmp_path / 'out'}\n")
    assert "task1.summaries.jsonl" in answer.err
    assert "\nwritten" in answer.err
    assert "unchanged" in rubrica(*words).err


def test_scores_and_correlations_follow(rubrica: Any, tmp_path: Path) -> None:
    raw = write_sample("tac2008", tmp_path / "raw")
    out = tmp_path / "out"
    rubrica("setup-dataset", "tac2008", "--from", raw, "--output", out, "--accept-licence")
    scores = tmp_path / "rouge.jsonl"
    answer = rubrica(
        "rouge",
        "score",
        scores,
        "--input-files",
        out / "task1.A-B.summaries.jsonl",
        "--max_ngram",
        "1",
    )
    assert answer.code == 0, answer.err
    answer = rubrica(
        "correlate",
        "--measures",
        "rouge-1_recall",
        "overall_responsiveness",
        "--summarizer-type",
        "peer",
        "--scores",
        scores,
        out / "task1.A-B.metrics.jsonl",
        "--skip-summary-level",
        "--rounds",
        "10",
    )
    assert answer.code == 0, answer.err
    answer = rubrica(
        "pyramid-score",
        "score",
        tmp_path / "pyramid.jsonl",
        "--input-files",
        out / "task1.A-B.pyramids.jsonl",
        out / "task1.A-B.pyramid-annotations.jsonl",
    )
    assert answer.code == 0, answer.err


def test_own_outputs_are_scored_against_the_references(rubrica: Any, tmp_path: Path) -> None:
    raw = write_sample("xsum", tmp_path / "raw")
    out = tmp_path / "out"
    rubrica("setup-dataset", "xsum", "--from", raw, "--output", out, "--accept-licence")
    mine = tmp_path / "mine.jsonl"
    mine.write_text(
        json.dumps({"instance_id": "35764147", "summary": "The first sentence."}) + "\n"
    )
    answer = rubrica(
        "rouge",
        "evaluate",
        "--dataset-reader",
        "split-reference-based",
        "--references",
        out / "train.references.jsonl",
        "--input-files",
        mine,
        "--default_summarizer_id",
        "mine",
        "--default_summarizer_type",
        "peer",
        "--max_ngram",
        "1",
        "--rounds",
        "0",
    )
    assert answer.code == 0, answer.err
    assert "100.00" in answer.out


def test_a_polite_kill_stops_it_and_leaves_nothing(
    rubrica: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # What is registered here is forgotten afterwards.
    monkeypatch.setattr(DATASETS, "_known", dict(DATASETS._known))

    @Dataset.register("test-stopped", replace=True)
    class Stopped(Dataset):
        """Is killed while it writes."""

        name = "test-stopped"
        licence = "CC0"
        needs = ("anything",)

        def write(self, raw: Raw, out: Output) -> None:
            out.write("rows.jsonl", [{"instance_id": "1"}])
            os.kill(os.getpid(), signal.SIGTERM)

    before = signal.getsignal(signal.SIGTERM)
    answer = rubrica(
        "setup-dataset",
        "test-stopped",
        "--from",
        tmp_path,
        "--output",
        tmp_path / "out",
        "--accept-licence",
    )
    assert answer.code == 130
    assert not list((tmp_path / "out").iterdir())
    assert signal.getsignal(signal.SIGTERM) is before


def test_mistakes_are_answered(rubrica: Any, tmp_path: Path) -> None:
    answer = rubrica("setup-dataset", "duc2009")
    assert answer.code == 1
    assert "did you mean" in answer.err
    answer = rubrica("setup-dataset", "duc2006", "--from", tmp_path / "none", "--accept-licence")
    assert answer.code == 3
    assert "no such file or folder" in answer.err
    answer = rubrica(
        "setup-dataset",
        "duc2006",
        "--from",
        tmp_path,
        "--output",
        tmp_path / "o",
        "--accept-licence",
    )
    assert answer.code == 3
    assert "NISTeval.tar.gz" in answer.err
    answer = rubrica("setup-dataset", "duc2006", "--form", tmp_path)
    assert answer.code == 2
    assert "--from" in answer.err
