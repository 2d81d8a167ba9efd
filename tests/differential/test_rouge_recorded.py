"""Profiles py-rouge and torchmetrics against values recorded from the packages.

Origin: record_rouge_packages.py, run with py-rouge 1.1 and torchmetrics 1.9.0 (torch 2.15.0).
"""

from __future__ import annotations

import gzip
import json
import warnings
from pathlib import Path
from typing import Any

import pytest

from rubrica.errors import RubricaWarning
from rubrica.metrics import Rouge

HERE = Path(__file__).parent
GOLDENS = HERE.parent / "golden" / "rouge" / "rouge155.jsonl.gz"


def read(path: Path) -> list[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


@pytest.fixture(scope="module")
def texts() -> dict[str, tuple[str, list[str]]]:
    return {row["case"]: (row["hyp"], row["refs"]) for row in read(GOLDENS)}


def ours(metric: Rouge, rows: list[dict[str, Any]], texts: Any) -> list[Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RubricaWarning)
        summaries, references = zip(*(texts[row["case"]] for row in rows), strict=True)
        return metric.score_all(summaries, references)


@pytest.mark.parametrize("function", ["average", "max"])
@pytest.mark.parametrize("stem", [True, False])
@pytest.mark.parametrize("limit", ["665 bytes", "10 words", "60 bytes"])
def test_py_rouge(texts: Any, function: Any, stem: bool, limit: str) -> None:
    key = f"{function} {'stem' if stem else 'plain'} {limit}"
    rows = [row for row in read(HERE / "recorded_py-rouge.jsonl.gz")[1:] if key in row]
    size = int(limit.split()[0])
    metric = Rouge(
        profile="py-rouge",
        use_porter_stemmer=stem,
        scoring_function=function,
        compute_rouge_l=True,
        wlcs_weight=1.2,
        max_words=size if limit.endswith("words") else None,
        max_bytes=size if limit == "60 bytes" else None,
    )
    assert len(rows) > 350
    for row, scores in zip(rows, ours(metric, rows, texts), strict=True):
        scores["rouge-w"] = scores.pop("rouge-w-1.2")
        found = {k: [s["recall"], s["precision"], s["f1"]] for k, s in scores.items()}
        assert found == row[key], texts[row["case"]]


@pytest.mark.parametrize("accumulate", ["best", "avg"])
@pytest.mark.parametrize("stem", [True, False])
def test_torchmetrics(texts: Any, accumulate: str, stem: bool) -> None:
    rows = read(HERE / "recorded_torchmetrics.jsonl.gz")[1:]
    metric = Rouge(
        2,
        profile="torchmetrics",
        use_porter_stemmer=stem,
        scoring_function="max" if accumulate == "best" else "average",
        compute_rouge_l=True,
        compute_rouge_lsum=True,
    )
    for row, scores in zip(rows, ours(metric, rows, texts), strict=True):
        for name, expected in row[f"{accumulate} {'stem' if stem else 'plain'}"].items():
            found = scores[name.replace("rouge", "rouge-").lower()]
            values = [found["recall"], found["precision"], found["f1"]]
            assert values == expected, (name, texts[row["case"]])
