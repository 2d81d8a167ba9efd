"""A BLEURT checkpoint as TensorFlow writes it becomes one of transformers with the same scores.

Origin: `neural/bleurt-tiny` was written by tensorflow-cpu's SavedModelBuilder with random weights. The expected
scores were computed in plain TensorFlow operations with an exact GELU; those of BLEURT's own program, which
approximates it, are computed here in numpy.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from rubrica.errors import DataError
from rubrica.metrics import Metric
from rubrica.neural.convert.tf_checkpoint import read_named_arrays
from support.plain_bert import dense, plain_bert, pooled
from support.tiny_models import needs_torch

pytestmark = needs_torch
FOLDER = Path(__file__).parent / "neural" / "bleurt-tiny"


def test_every_weight_is_found_with_its_shape() -> None:
    arrays = read_named_arrays(FOLDER)
    assert len(arrays) == 42
    assert arrays["bert/embeddings/word_embeddings"].shape == (24, 8)
    assert arrays["bert/encoder/layer_1/intermediate/dense/kernel"].shape == (8, 16)
    assert arrays["dense/kernel"].shape == (8, 1)
    assert arrays["global_step"] == 7


def test_the_converted_checkpoint_scores_as_in_tensorflow(tmp_path: Path, rubrica: Any) -> None:
    made = tmp_path / "made"
    answer = rubrica("bleurt", "convert-checkpoint", FOLDER, made)
    assert answer.code == 0, answer.err
    arrays = read_named_arrays(FOLDER)
    metric = Metric.from_config(
        {"type": "bleurt", "checkpoint": str(made), "cache_dir": "off", "device": "cpu"}
    )
    words = (FOLDER / "vocab.txt").read_text("utf-8").split("\n")
    for case in json.loads((FOLDER / "expected.json").read_text("utf-8")):
        reference, summary = (case[name].split() for name in ("reference", "summary"))
        tokens = ["[CLS]", *reference, "[SEP]", *summary, "[SEP]"]
        types = [0] * (len(reference) + 2) + [1] * (len(summary) + 1)
        ids = [words.index(token) for token in tokens]
        ratings = [
            float(
                dense(
                    arrays,
                    "dense",
                    pooled(arrays, plain_bert(arrays, ids, types, heads=2, tanh=tanh)),
                )[0]
            )
            for tanh in (False, True)
        ]
        assert ratings[0] == pytest.approx(case["score"], abs=1e-6)
        scored = metric.score(case["summary"], [case["reference"]])["bleurt"]["average"]
        assert scored == pytest.approx(ratings[1], abs=1e-6)
        assert abs(ratings[0] - ratings[1]) > 1e-5
    assert "max_length" not in str(metric.signature())
    # What is there is not written over.
    assert "already exists" in rubrica("bleurt", "convert-checkpoint", FOLDER, made).err


@pytest.mark.parametrize("damage", ["cut", "magic", "numbers", "config"])
def test_a_damaged_checkpoint_is_told(tmp_path: Path, damage: str, rubrica: Any) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(FOLDER, copy)
    index = copy / "variables" / "variables.index"
    if damage == "cut":
        index.write_bytes(index.read_bytes()[:100])
    elif damage == "magic":
        index.write_bytes(index.read_bytes()[:-8] + b"\0" * 8)
    elif damage == "numbers":
        data = copy / "variables" / "variables.data-00000-of-00001"
        data.write_bytes(data.read_bytes()[:200])
    else:
        (copy / "bert_config.json").unlink()
    answer = rubrica("bleurt", "convert-checkpoint", copy, tmp_path / "made")
    assert answer.code == 1
    assert "checkpoint" in answer.err
    assert not (tmp_path / "made").exists()


def test_what_is_no_checkpoint_is_told(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"variables\.index"):
        read_named_arrays(tmp_path)
