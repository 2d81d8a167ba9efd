"""Commands take the names that people type."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def texts(tmp_path: Path) -> list[Path]:
    contents = {
        "a": "the cat sat\nhello you\nfine day\n",
        "b": "a cat sat\nhello\nday\n",
        "refs": "the cat sat down\nhello you there\na fine day\n",
    }
    for name, content in contents.items():
        (tmp_path / f"{name}.txt").write_text(content)
    return [tmp_path / f"{name}.txt" for name in contents]


def test_compare_takes_measures_and_metrics_by_alias(rubrica: Any, texts: list[Path]) -> None:
    a, b, references = texts
    plain = rubrica("compare", a, b, "-r", references, "--measures", "rouge-l.f1", "rouge-1.f1")
    words: list[Any] = [
        "compare",
        a,
        b,
        "-r",
        references,
        "-m",
        "ROUGE",
        "--measures",
        "rougeL",
        "rouge1",
    ]
    assert plain.code == 0
    assert rubrica(*words).out == plain.out
    words = ["compare", a, b, "-r", references, "--no-tests", "-f", "csv", "-m"]
    lsum = rubrica(*words, "rougeLsum,profile=rouge-score", "sacrebleu")
    assert {"rouge-lsum.f1", "bleu"} <= {line.split(",")[2] for line in lsum.out.splitlines()}
    # ROUGE-1.5.5's ROUGE-L is computed over sentences.
    perl = rubrica(*words, "rouge", "--measures", "rougeLsum")
    assert {line.split(",")[2] for line in perl.out.splitlines()} == {"measure", "rouge-l.f1"}


def test_gate_correlate_and_reports_take_measures_by_alias(
    rubrica: Any, texts: list[Path], tmp_path: Path
) -> None:
    a, b, references = texts
    store, rows = tmp_path / "store.jsonl", tmp_path / "rows.jsonl"
    gate: list[Any] = [
        "-r",
        references,
        "--baseline",
        store,
        "--measures",
        "rougeL",
        "ROUGE-2",
        "-q",
    ]
    assert rubrica("gate", a, *gate, "--save").code == 0
    passed = rubrica("gate", a, *gate, "-f", "json")
    assert [one["measure"] for one in json.loads(passed.out)["measures"]] == [
        "rouge-l.f1",
        "rouge-2.f1",
    ]
    evaluated = rubrica(
        "evaluate", "-m", "rouge", a, b, "-r", references, "--rows-output", rows, "-q"
    )
    assert evaluated.code == 0
    report: list[Any] = ["report", "systems", rows, "-f", "text", "--measures"]
    assert rubrica(*report, "rougeL").out == rubrica(*report, "rouge-l.f1").out != ""
    page = tmp_path / "page.html"
    html = rubrica("report", "systems", rows, "--measures", "rougeL", "-o", page)
    assert (html.code, page.exists()) == (0, True), html.err
    files: list[Any] = ["--scores", rows, "--summarizer-type", "peer", "--measures"]
    plain = rubrica("correlate", *files, "rouge-l.f1", "rouge-1.f1")
    aliased = rubrica("correlate", *files, "rougeL", "rouge1")
    assert aliased.code == plain.code == 0, aliased.err
    # The table; the signature below it names the measures as they were typed.
    assert aliased.out.splitlines()[:5] == plain.out.splitlines()[:5]


def test_a_metric_command_takes_another_spelling(rubrica: Any, texts: list[Path]) -> None:
    words: list[Any] = ["--p", texts[0], "--r", texts[2]]
    assert rubrica("sacrebleu", *words).out == rubrica("bleu", *words).out != ""
