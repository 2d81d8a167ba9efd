"""`rubrica rouge`: SacreROUGE's command lines, verbatim, and the official layout."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from rubrica.metrics import Rouge


@pytest.fixture(autouse=True)
def _files(news: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    lines = (news / "summaries.jsonl").read_text().splitlines(keepends=True)
    Path("a.jsonl").write_text("".join(lines[:54]))
    Path("b.jsonl").write_text("".join(lines[54:]))
    shutil.copy(news / "summaries.jsonl", "all.jsonl")


def test_sacrerouges_evaluate_line_works_verbatim(rubrica: Any) -> None:
    line = (
        "rouge evaluate macro.json micro.jsonl --dataset-reader reference-based "
        "--input-files a.jsonl b.jsonl --max_ngram 2 --use_porter_stemmer false"
    )
    assert rubrica(*line.split()).code == 0
    macro = json.loads(Path("macro.json").read_text())
    assert set(macro["metrics"]) == {"rouge-1", "rouge-2"}
    assert "|use_porter_stemmer:no|" in macro["signatures"][0]
    rows = [json.loads(line) for line in Path("micro.jsonl").read_text().splitlines()]
    assert len(rows) == 108
    assert set(rows[0]["metrics"]["rouge-1"]) == {"recall", "precision", "f1"}


def test_sacrerouges_score_line_works_verbatim(rubrica: Any) -> None:
    line = (
        "rouge score out.jsonl --dataset-reader reference-based --input-files a.jsonl "
        "--max_ngram 2 --use_porter_stemmer false"
    )
    assert rubrica(*line.split()).code == 0
    first = json.loads(Path("out.jsonl").read_text().splitlines()[0])
    assert set(first["metrics"]) == {"rouge-1", "rouge-2", "rouge-1_jk", "rouge-2_jk"}


def test_system_scores_are_the_official_averages_in_the_official_layout(rubrica: Any) -> None:
    words = ["rouge", "evaluate", "m.json", "--input-files", "all.jsonl", "--compute-rouge-l"]
    answer = rubrica(*words, "--max-ngram", "1", "--format", "rouge155")
    lines = answer.out.splitlines()
    assert len(lines) == 6 * 2 * 4
    assert lines[0] == "-" * 45
    macro = json.loads(Path("m.json").read_text())["systems"]["lead3"]
    value = macro["metrics"]["rouge-1"]["recall"] / 100
    bounds = macro["intervals"]["rouge-1"]["recall"]
    assert lines[8 * 4 + 1] == (
        f"lead3 ROUGE-1 Average_R: {value:.5f} "
        f"(95%-conf.int. {bounds['lower'] / 100:.5f} - {bounds['upper'] / 100:.5f})"
    )
    assert "ROUGE-L Average_F" in lines[7]
    assert lines[1].startswith("abstractor ")


def test_the_command_and_the_library_give_the_same_averages(rubrica: Any) -> None:
    rubrica("rouge", "evaluate", "m.json", "--input-files", "all.jsonl", "--max-ngram", "2")
    rows = [json.loads(line) for line in Path("all.jsonl").read_text().splitlines()]
    lead = [row for row in rows if row["summarizer_id"] == "lead3"]
    macro, _ = Rouge(max_ngram=2).evaluate(
        [row["summary"]["text"] for row in lead],
        [[one["text"] for one in row["references"]] for row in lead],
    )
    assert json.loads(Path("m.json").read_text())["systems"]["lead3"]["metrics"] == macro
