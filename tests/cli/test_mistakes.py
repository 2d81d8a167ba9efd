"""Mistakes are answered in one paragraph with the remedy, and the right exit code."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

NEWS = Path(__file__).resolve().parents[2] / "examples" / "news" / "summaries.jsonl"


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (["blue", "evaluate"], 2, "did you mean bleu or bleurt?"),
        (["evalute"], 2, "did you mean evaluate or"),
        (["--verison"], 2, "no option --verison"),
        (["bleu", "evalute"], 2, "did you mean evaluate?"),
        (["bleu", "evaluate", "--input-file", "x"], 2, "did you mean --input-files"),
        (["bleu", "evaluate"], 2, "required: --input-files"),
        (["bleu", "evaluate", "--input-files", "nope.jsonl"], 1, "nope.jsonl: cannot be opened"),
        (
            ["bleu", "evaluate", "--input-files", NEWS, "--max_ngram_order", "two"],
            2,
            "takes a whole number, not 'two'",
        ),
        (
            ["bleu", "evaluate", "--input-files", NEWS, "--smooth_method", "expo"],
            2,
            "takes one of exp, floor, add-k, none",
        ),
        (
            ["bleu", "evaluate", "--input-files", NEWS, "--lowercase", "maybe"],
            2,
            "takes true or false",
        ),
        (
            ["bleu", "evaluate", "--dataset-reader", "reference-bsed", "--input-files", NEWS],
            1,
            "did you mean 'reference-based'",
        ),
        (["bleu", "score", "--input-files", NEWS], 2, "score needs a file for its rows"),
        (
            ["bleu", "score", "a.jsonl", "--output-jsonl", "b.jsonl", "--input-files", NEWS],
            2,
            "say different things",
        ),
        (
            ["bleu", "evaluate", "--input-files", NEWS, "--confidence", "100"],
            2,
            "--confidence must lie between 0 and 100",
        ),
        (
            ["bleu", "evaluate", "--input-files", NEWS, "--resume"],
            2,
            "--resume needs a file for the rows",
        ),
        (["setup-metric", "blue"], 1, "did you mean 'bleu' or 'bleurt'?"),
        (["list", "metric"], 2, "invalid choice: 'metric'"),
        (
            ["x", "evaluate", "--include-packages", "no_such_package"],
            3,
            "--include-packages no_such_package: cannot be imported",
        ),
        (["no.such.module:Class", "evaluate"], 3, "cannot be imported"),
    ],
)
def test_a_mistake_is_answered_with_the_remedy(
    rubrica: Any, words: list[str], code: int, told: str
) -> None:
    answer = rubrica(*words)
    assert told in answer.err
    assert answer.code == code
    assert "Traceback" not in answer.err
    assert answer.out == ""


def test_a_bad_line_names_file_line_and_field(rubrica: Any, tmp_path: Path) -> None:
    rows = tmp_path / "peers.jsonl"
    rows.write_text('{"instance_id":"1","summarizer_id":"s","summarizer_type":"peer","text":"x"}\n')
    answer = rubrica("bleu", "evaluate", "--input-files", rows)
    assert answer.code == 1
    assert f"{rows}:1: no field 'summary'" in answer.err


def test_debug_shows_the_traceback(rubrica: Any) -> None:
    from rubrica.errors import RubricaError

    with pytest.raises(RubricaError):
        rubrica("bleu", "evaluate", "--debug", "--input-files", "nope.jsonl")
