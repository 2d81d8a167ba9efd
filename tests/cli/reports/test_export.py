"""`rubrica export` writes system scores as records of the Every Eval Ever schema."""

from __future__ import annotations

import json
import subprocess
import sys
import uuid
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    """Scores of two systems: one named as on the Hugging Face hub, one with a name that is no path."""
    lines = [
        {
            "instance_id": str(i),
            "summarizer_id": system,
            "summarizer_type": "peer",
            "metrics": {"rouge-1": {"f1": 10.0 * i}, "undefined": None},
        }
        for system in ("lab/model-7b", "../../etc")
        for i in range(6)
    ]
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def exported(rubrica: Any, rows: Path, folder: Path, *more: str) -> dict[str, Any]:
    words = ["--organization", "My Lab", "--dataset", "owner/news", "-o", folder]
    answer = rubrica("export", rows, *words, *more)
    assert answer.code == 0, answer.err
    paths = list(folder.rglob("*.json"))
    return {path.relative_to(folder).as_posix(): json.loads(path.read_text()) for path in paths}


def test_a_record_per_system_lies_where_the_collection_expects_it(
    rubrica: Any, rows: Path, tmp_path: Path
) -> None:
    records = exported(rubrica, rows, tmp_path / "out")
    folders = {path.rpartition("/")[0] for path in records}
    assert folders == {"data/news/lab/model-7b", "data/news/unknown/_.._etc"}
    for path, record in records.items():
        assert uuid.UUID(Path(path).stem).version == 4
        collection, model = path.split("/", 2)[1], path.split("/", 2)[2].rpartition("/")[0]
        created = record["retrieved_timestamp"]
        assert record["evaluation_id"] == f"{collection}/{model}/{created}"
        assert float(created) > 0
        assert record["model_info"]["id"] == model


def test_a_result_has_score_interval_range_direction_and_origin(
    rubrica: Any, rows: Path, tmp_path: Path
) -> None:
    records = exported(rubrica, rows, tmp_path / "out", "--relationship", "third_party")
    record = next(r for r in records.values() if r["model_info"]["name"] == "lab/model-7b")
    assert record["schema_version"] == "0.3.0"
    assert record["source_metadata"] == {
        "source_type": "evaluation_run",
        "source_organization_name": "My Lab",
        "evaluator_relationship": "third_party",
    }
    # Undefined scores are left out: the schema wants numbers.
    (result,) = record["evaluation_results"]
    assert result["source_data"] == {
        "dataset_name": "news",
        "source_type": "hf_dataset",
        "hf_repo": "owner/news",
    }
    metric = result["metric_config"]
    assert (metric["metric_id"], metric["lower_is_better"]) == ("rouge-1.f1", False)
    assert (metric["score_type"], metric["min_score"], metric["max_score"]) == (
        "continuous",
        0,
        100,
    )
    details = result["score_details"]
    assert details["score"] == pytest.approx(25)
    interval = details["uncertainty"]["confidence_interval"]
    assert interval["lower"] < 25 < interval["upper"]
    assert interval["confidence_level"] == 0.95
    assert details["uncertainty"]["num_samples"] == 6
    assert interval["method"] == "percentile bootstrap over summaries"
    clustered = exported(rubrica, rows, tmp_path / "clustered", "--cluster", "id:[0-2]|[3-5]")
    (result,) = next(iter(clustered.values()))["evaluation_results"]
    interval = result["score_details"]["uncertainty"]["confidence_interval"]
    assert interval["method"] == "percentile bootstrap over 6 clusters of inputs"


def test_models_name_the_developers_of_systems(rubrica: Any, rows: Path, tmp_path: Path) -> None:
    records = exported(rubrica, rows, tmp_path / "out", "--models", "../../etc=meta-llama/Llama-3")
    assert any(path.startswith("data/news/meta-llama/Llama-3/") for path in records)
    words = ["--dataset", "x", "--organization", "y", "-o", tmp_path / "other"]
    answer = rubrica("export", rows, *words)
    assert "unknown developer of ../../etc" in answer.err
    for models, code in (("nobody=a/b", 1), ("../../etc=model", 2), ("model", 2)):
        assert rubrica("export", rows, *words, "--models", models).code == code


@pytest.mark.skipif(
    find_spec("every_eval_ever") is None,
    reason="pip install every-eval-ever (Python 3.12 or newer)",
)
def test_the_real_validator_accepts_the_records(rubrica: Any, rows: Path, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    paths = list(exported(rubrica, rows, folder, "--models", "../../etc=meta-llama/Llama-3"))
    command = [sys.executable, "-m", "every_eval_ever", "validate", *paths]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
