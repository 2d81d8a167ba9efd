"""`setup-dataset --layout sacrerouge`: the ids, file names and rows of SacreROUGE's readers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rubrica.datasets import setup_dataset
from rubrica.datasets.sacrerouge_layout import LAYOUTS
from rubrica.errors import ParameterError
from support.dataset_samples import write_sample


def made(name: str, folder: Path) -> dict[str, list[dict[str, Any]]]:
    source = write_sample(name, folder / "raw")
    done = setup_dataset(name, source, folder / "out", offline=True, layout="sacrerouge")
    return {
        file: [json.loads(line) for line in (done.folder / file).read_text("utf-8").splitlines()]
        for file in done.files
    }


def test_vasilyev2020_counts_from_0_and_has_its_document_in_the_row(tmp_path: Path) -> None:
    files = made("vasilyev2020", tmp_path)
    assert sorted(files) == sorted(
        f"{part}.{kind}.jsonl"
        for part in ("cnn-dailymail", "dailynews", "dailynews-aspects")
        for kind in ("summaries", "metrics")
    )
    assert files["cnn-dailymail.summaries.jsonl"][0] == {
        "instance_id": "0",
        "summarizer_id": "0",
        "summarizer_type": "peer",
        "summary": {"text": "One."},
        "document": {"text": "Same."},
    }


def test_chaganty2018_has_references_as_rows_and_its_scores_below_one_key(tmp_path: Path) -> None:
    files = made("chaganty2018", tmp_path)
    assert [row["summarizer_id"] for row in files["summaries.jsonl"]] == [
        "fastqa",
        "ml+rl",
        "reference",
        "snet",
    ]
    assert files["summaries.jsonl"][2]["references"] == []
    scores = files["metrics.jsonl"][0]["metrics"]
    assert list(scores) == ["chaganty2018"]
    assert scores["chaganty2018"]["hter"] == [0.5, 1.0]
    assert scores["chaganty2018"]["bleu-2"] == 0.5


def test_duc2005_has_human_and_published_scores_in_one_row_and_no_blank_summary(
    tmp_path: Path,
) -> None:
    files = made("duc2005", tmp_path)
    assert sorted(files) == [
        "task1.jsonl",
        "task1.metrics.jsonl",
        "task1.pyramid-annotations.jsonl",
        "task1.pyramids.jsonl",
        "task1.summaries.jsonl",
    ]
    row = files["task1.metrics.jsonl"][0]
    assert row["summarizer_id"] == "14"
    assert row["metrics"]["linguistic_quality"] == {"Q1": 5, "Q2": 4}
    assert row["metrics"]["rouge-2_jk"]["recall"] == 15.0
    assert {one["summarizer_id"] for one in files["task1.summaries.jsonl"]} == {"14", "A", "B"}
    (task,) = files["task1.jsonl"]
    assert [one["annotator"] for one in task["summaries"]] == ["A", "B"]


def test_tac2008_keeps_the_sets_of_a_system_side_by_side(tmp_path: Path) -> None:
    rows = made("tac2008", tmp_path)["task1.A-B.summaries.jsonl"]
    assert [(row["instance_id"], row["summarizer_id"]) for row in rows[:2]] == [
        ("d0801-A", "1"),
        ("d0801-B", "1"),
    ]
    assert rows[0]["summary"]["summarizer_type"] == "peer"
    assert rows[0]["references"][0]["summarizer_type"] == "reference"


@pytest.mark.parametrize("name", sorted(LAYOUTS))
def test_every_scored_summary_is_there(name: str, tmp_path: Path) -> None:
    files = made(name, tmp_path)
    keys = ("instance_id", "summarizer_id", "summarizer_type")
    for file, rows in files.items():
        if file.endswith(".metrics.jsonl") or file.startswith("metrics"):
            summaries = files[file.replace("metrics", "summaries")]
            assert [[row[key] for key in keys] for row in rows] == [
                [row[key] for key in keys] for row in summaries
            ]


def test_a_data_set_without_the_layout_is_refused(tmp_path: Path) -> None:
    source = write_sample("xsum", tmp_path / "raw")
    with pytest.raises(ParameterError, match="no layout 'sacrerouge'"):
        setup_dataset("xsum", source, tmp_path / "out", offline=True, layout="sacrerouge")
    assert not [*(tmp_path / "out").glob("*.jsonl")]
