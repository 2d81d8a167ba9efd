"""Shells complete commands, metrics, options and values; nothing that comes from a file is evaluated."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Rubrica = Callable[..., Any]


def completions(rubrica: Rubrica, *words: str) -> list[str]:
    answer = rubrica("complete", "--", *words)
    assert answer.code == 0
    return str(answer.out).splitlines()


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["comp"], ["compare", "completion"]),
        (["meteo"], ["meteor"]),
        (["report", ""], ["all", "embeddings", "meta", "pyramid", "rouge", "systems"]),
        (["study", "scus", ""], ["collect", "filter", "make"]),
        (["rouge", "ev"], ["evaluate"]),
        (["rouge", "evaluate", "--use_p"], ["--use_porter_stemmer"]),
        (["rouge", "evaluate", "--scoring_function", ""], ["average", "max"]),
        (["compare", "a.txt", "-m", "chr"], ["chrf"]),
        (["rouge", "score", "--dataset-reader", "par"], ["parquet"]),
        (["completion", ""], ["bash", "fish", "zsh"]),
        (
            ["correlate", "--measures", "rouge-"],
            ["rouge-1.f1", "rouge-2.f1", "rouge-be", "rouge-l.f1", "rouge-we"],
        ),
        (["setup-dataset", "fab"], ["fabbri2020"]),
        (["setup-metric", "bertsc"], ["bertscore"]),
        (["docs", "meta-ev"], ["meta-evaluate", "meta-evaluation"]),
        (["explain", "--a", "rouge-sc"], ["rouge-score"]),
        (["rouge", "evaluate", "--profile", "torch"], ["torchmetrics"]),
    ],
)
def test_words_are_completed(rubrica: Rubrica, words: list[str], expected: list[str]) -> None:
    assert completions(rubrica, *words) == expected


def test_nothing_is_offered_where_a_file_belongs(rubrica: Rubrica) -> None:
    assert completions(rubrica, "compare", "lead") == []
    assert completions(rubrica, "compare", "-r", "") == []


def test_measures_come_from_the_files_that_were_named(rubrica: Rubrica, tmp_path: Path) -> None:
    scores = tmp_path / "scores.jsonl"
    metrics = {"rouge-1": {"f1": 1, "recall": 2}, "$(touch evil)": 3, "rouge x": 1}
    scores.write_text(json.dumps({"metrics": metrics}) + "\n")
    words = ["report", "systems", str(scores), "--measures", "rouge"]
    assert completions(rubrica, *words) == ["rouge-1.f1", "rouge-1.recall"]
    words[-1] = ""
    assert not [word for word in completions(rubrica, *words) if "$" in word]


def test_measures_come_from_tables(rubrica: Rubrica, tmp_path: Path) -> None:
    table, flat = tmp_path / "scores.csv", tmp_path / "flat.jsonl"
    table.write_text('doc_id,rougeL,"x y",relevance\nd1,1,2,3\n')
    flat.write_text('{"doc_id": "d1", "model": "a", "rougeL": 0.5, "rouge2": 0.25}\n')
    words = ["correlate", "--scores", str(table), "--measures"]
    assert completions(rubrica, *words, "r") == ["relevance", "rougeL"]
    words = ["meta-evaluate", "--scores", str(flat), "--measures"]
    assert completions(rubrica, *words, "") == ["rouge2", "rougeL"]


def _shell(program: str, script: str, tmp_path: Path) -> list[str]:
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    command = [program, "-c", script]
    environment = {**os.environ, "PATH": path, "HOME": str(tmp_path)}
    answer = subprocess.run(
        command, capture_output=True, text=True, check=True, cwd=tmp_path, env=environment
    )
    assert not answer.stderr
    return answer.stdout.split()


def test_bash_completes(tmp_path: Path) -> None:
    script = """
source <(rubrica completion bash)
COMP_WORDS=(rubrica rouge evaluate --use_p) COMP_CWORD=3
_rubrica
printf '%s\n' "${COMPREPLY[@]}"
"""
    assert _shell("bash", script, tmp_path) == ["--use_porter_stemmer"]


def test_fish_completes(tmp_path: Path) -> None:
    script = "rubrica completion fish | source; complete -C 'rubrica rouge evaluate --use_p'"
    assert _shell("fish", script, tmp_path) == ["--use_porter_stemmer"]


@pytest.mark.slow
def test_zsh_accepts_the_script(tmp_path: Path) -> None:
    script = """
autoload -Uz compinit && compinit -u -d "$HOME/dump"
source <(rubrica completion zsh)
print $_comps[rubrica]
words=(rubrica rouge evaluate --use_p) CURRENT=4
compadd() { print -- ${(P)argv[-1]} }
_rubrica
"""
    assert _shell("zsh", script, tmp_path) == ["_rubrica", "--use_porter_stemmer"]
