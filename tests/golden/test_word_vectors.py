"""ROUGE-WE against Peyrard's program, WMS and SMS against Clark's, on vectors made for the purpose."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from rubrica.metrics import SMS, SWMS, WMS, RougeWE
from support.vectors import write_glove

FOLDER = Path(__file__).parent / "metrics"
ROUGE_WE: dict[str, Any] = json.loads(gzip.decompress((FOLDER / "rouge_we.json.gz").read_bytes()))
MOVERS: dict[str, Any] = json.loads(gzip.decompress((FOLDER / "sms.json.gz").read_bytes()))


@pytest.mark.parametrize(("alpha", "part"), [(0.0, "recall"), (0.5, "f1"), (1.0, "precision")])
def test_rouge_we_is_that_of_the_original(tmp_path: Path, alpha: float, part: str) -> None:
    vectors = str(write_glove(tmp_path / "made.txt", ROUGE_WE["embeddings"]))
    metric = RougeWE(3, vectors, alpha=alpha)
    cases = ROUGE_WE["cases"]
    assert len(cases) == 60
    scored = metric.score_all(
        [case["summary"] for case in cases], [case["references"] for case in cases]
    )
    for case, scores in zip(cases, scored, strict=True):
        for n in (1, 2, 3):
            expected = case["expected"][f"rouge_we_{n}_alpha{alpha}"]
            assert scores[f"rouge-we-{n}"][part] == pytest.approx(expected, abs=1e-12), case["id"]
            # F at these alphas is recall and precision themselves.
            assert scores[f"rouge-we-{n}"]["f1"] == pytest.approx(expected, abs=1e-12), case["id"]


@pytest.mark.parametrize("cls", [WMS, SMS, SWMS])
def test_movers_similarities_are_those_of_the_original(cls: Any, tmp_path: Path) -> None:
    metric = cls(str(write_glove(tmp_path / "made.txt", MOVERS["embeddings"])))
    assert len(MOVERS["cases"]) == 39
    for case in MOVERS["cases"]:
        scored = metric.score(case["sentences_summary"], [case["sentences_reference"]])
        # The original rounds masses to 1e-9 and costs to 1e-6, and computes in 32 bits.
        assert scored[metric.name] == pytest.approx(case["expected"][metric.name], abs=1e-6), case[
            "id"
        ]


def test_the_sentences_of_these_texts_are_found(tmp_path: Path) -> None:
    metric = SMS(str(write_glove(tmp_path / "made.txt", MOVERS["embeddings"])))
    for case in MOVERS["cases"]:
        scored = metric.score(case["summary"], [case["reference"]])
        assert scored["sms"] == pytest.approx(case["expected"]["sms"], abs=1e-6), case["id"]
