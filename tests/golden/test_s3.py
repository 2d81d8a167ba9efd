"""S3 against the numbers SacreROUGE publishes for its 12 test summaries (made with deps.words).

The texts are not ours to copy; recorded are the six features of each row. Four of them were computed
from the texts; the two of ROUGE-WE are fractions of n-grams that matched, found as the only pair of
counts that gives both published numbers (the next best misses by more than 2.7e-4).
"""

from __future__ import annotations

import gzip
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rubrica.errors import MissingResourceError
from rubrica.metrics import S3, JensenShannon, RougeWE
from rubrica.metrics.s3 import models, regress
from support.vectors import write_glove

FOLDER = Path(__file__).parent / "metrics"
ROWS: list[dict[str, Any]] = json.loads((FOLDER / "s3.json").read_text())
ROUGE_WE: dict[str, Any] = json.loads(gzip.decompress((FOLDER / "rouge_we.json.gz").read_bytes()))


@pytest.fixture
def made(tmp_path: Path) -> str:
    return str(write_glove(tmp_path / "made.txt", ROUGE_WE["embeddings"]))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["row"])
def test_the_regressions_give_the_published_numbers(row: dict[str, Any]) -> None:
    point = np.array(row["features"])
    # Seven decimals are published.
    assert regress("pyr", point) == pytest.approx(row["pyr"], abs=6e-8)
    assert regress("resp", point) == pytest.approx(row["resp"], abs=6e-8)


def test_the_order_of_features_is_that_of_the_models() -> None:
    assert models()["features"].tolist() == [
        *("JS_eval_1", "JS_eval_2", "ROUGE_1_R", "ROUGE_1_R_WE", "ROUGE_2_R", "ROUGE_2_R_WE")
    ]


def test_the_recall_of_stems_is_that_of_the_original(made: str) -> None:
    metric = S3(embeddings_file=made)
    for case in ROUGE_WE["cases"]:
        rows = metric.score_pairs([case["summary"]] * len(case["references"]), case["references"])
        for n in (1, 2):
            matches = sum(row[f"rouge-{n}"] for row in rows)
            total = sum(row[f"total-{n}"] for row in rows)
            expected = case["expected"][f"rouge_{n}_stem_recall"]
            assert (matches / total if total else 0.0) == pytest.approx(expected), case["id"]


def test_a_score_is_the_regression_of_its_six_features(made: str) -> None:
    case = ROUGE_WE["cases"][0]
    texts = case["summary"], case["references"]
    js = JensenShannon(divergence=True).score(*texts)
    we = RougeWE(2, made).score(*texts)
    features = [
        js["js-1-divergence"],
        js["js-2-divergence"],
        case["expected"]["rouge_1_stem_recall"],
        we["rouge-we-1"]["recall"],
        case["expected"]["rouge_2_stem_recall"],
        we["rouge-we-2"]["recall"],
    ]
    scored = S3(embeddings_file=made).score(*texts)["s3"]
    for name in ("pyr", "resp"):
        arrays = models()
        expected = float(arrays[f"{name}_b"][0])
        for vector, weight in zip(arrays[f"{name}_sv"], arrays[f"{name}_coef"], strict=True):
            expected += weight * math.exp(-(math.dist(vector, features) ** 2) / 6)
        assert scored[name] == pytest.approx(expected, abs=1e-9)


def test_without_vectors_it_says_which_it_needs() -> None:
    with pytest.raises(MissingResourceError, match=r"deps\.words.*embeddings_file=PATH"):
        S3()
