"""Scores of systems as records of Every Eval Ever, the shared schema of evaluation results (version 0.3.0).

A record is one JSON file per system, with a result per measure: score, interval, range, direction and signature.
Records of single samples are not written: the schema asks whether each answer is correct, which scores of summaries
do not say.
"""

from __future__ import annotations

import hashlib
import math
import re
import time
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from rubrica import __version__
from rubrica.data.files import writable
from rubrica.data.jsonl import encoded_json, write_json
from rubrica.data.measures import MeasureGroup
from rubrica.errors import DataError
from rubrica.scoring.evaluation import Evaluation
from rubrica.statistics.intervals import Interval

SCHEMA_VERSION = "0.3.0"
UNKNOWN = "unknown"
Relationship = Literal["first_party", "third_party", "collaborative", "other"]


@dataclass(frozen=True, slots=True)
class Source:
    """What a record says of its origin.

    Args:
        dataset: Name of the data; `owner/name` is a data set of the Hugging Face hub.
        organization: Who ran the evaluation.
        relationship: Of the evaluator to the systems: first_party, third_party, collaborative or other.
        models: The `developer/model` of a system, where its name does not say it.
    """

    dataset: str
    organization: str
    relationship: Relationship = "other"
    models: Mapping[str, str] = field(default_factory=dict)

    def model_id(self, system: str) -> str:
        """Return `developer/model`; the developer is `unknown` where nothing says it."""
        developer, slash, model = self.models.get(system, system).partition("/")
        if not slash or "/" in model:
            developer, model = UNKNOWN, self.models.get(system, system)
        return f"{_part(developer)}/{_part(model)}"

    def data(self) -> dict[str, Any]:
        """Return the field `source_data`."""
        if re.fullmatch(r"[\w.-]+/[\w.-]+", self.dataset):
            return {
                "dataset_name": self.dataset.partition("/")[2],
                "source_type": "hf_dataset",
                "hf_repo": self.dataset,
            }
        return {"dataset_name": self.dataset, "source_type": "other"}


def records(
    evaluation: Evaluation, source: Source, *, timestamp: float | None = None
) -> dict[str, dict[str, Any]]:
    """Return the record of each system; undefined scores are left out.

    Args:
        evaluation: System scores, as `rubrica.evaluate` returns them.
        source: Where data and scores come from.
        timestamp: When the records are created, in seconds since 1970 (default: now).
    """
    created = str(time.time() if timestamp is None else timestamp)
    return {system: _record(evaluation, system, source, created) for system in evaluation.systems}


def write_records(folder: str | Path, records: Mapping[str, dict[str, Any]]) -> list[Path]:
    """Write records as `data/DATASET/DEVELOPER/MODEL/UUID.json` below a folder, and return the paths."""
    paths = []
    for record in records.values():
        collection = record["evaluation_id"].split("/")[0]
        # The schema asks for random UUIDs; this one depends on the content, so that a record has one file.
        digest = hashlib.sha256(encoded_json(record)).digest()
        name = f"{uuid.UUID(bytes=digest[:16], version=4)}.json"
        path = Path(folder, "data", collection, record["model_info"]["id"], name)
        writable(path)
        write_json(path, record)
        paths.append(path)
    return paths


def _record(evaluation: Evaluation, system: str, source: Source, created: str) -> dict[str, Any]:
    scores = evaluation.systems[system]
    results = [
        _result(source, measure, score, evaluation, scores.num_summaries)
        for measure, score in scores.scores.items()
        if math.isfinite(score.value)
    ]
    if not results:
        raise DataError(f"system {system!r} has no score that is a number")
    unknown = {"deployment_type": "unknown", "model_availability": "unknown"}
    return {
        "schema_version": SCHEMA_VERSION,
        "evaluation_id": f"{_part(source.data()['dataset_name'])}/{source.model_id(system)}/{created}",
        "retrieved_timestamp": created,
        "source_metadata": {
            "source_type": "evaluation_run",
            "source_organization_name": source.organization,
            "evaluator_relationship": source.relationship,
        },
        "eval_library": {
            "name": "rubrica",
            "version": __version__,
            "additional_details": {
                f"signature_{number}": line for number, line in enumerate(evaluation.signatures, 1)
            },
        },
        "model_info": {
            "name": system,
            "id": source.model_id(system),
            "additional_details": unknown,
        },
        "evaluation_results": results,
    }


def _result(
    source: Source, measure: str, score: Interval, evaluation: Evaluation, summaries: int
) -> dict[str, Any]:
    group = evaluation.measures.get(measure) or MeasureGroup("", (measure,))
    low, high = group.range
    return {
        "evaluation_result_id": f"{source.dataset}#{measure}",
        "evaluation_name": source.data()["dataset_name"],
        "source_data": source.data(),
        "metric_config": {
            "metric_id": measure,
            "metric_name": measure,
            "metric_kind": group.metric or measure,
            "lower_is_better": group.direction == "lower",
            "score_type": "continuous",
            "min_score": "-Infinity" if low is None or math.isinf(low) else low,
            "max_score": "Infinity" if high is None or math.isinf(high) else high,
        },
        "score_details": {
            "score": score.value,
            "uncertainty": _uncertainty(score, evaluation, summaries),
        },
    }


def _uncertainty(score: Interval, evaluation: Evaluation, summaries: int) -> dict[str, Any]:
    if score.lower is None or score.upper is None:
        return {"num_samples": summaries}
    return {
        "num_samples": summaries,
        "num_bootstrap_samples": evaluation.resampling.rounds,
        "confidence_interval": {
            "lower": score.lower,
            "upper": score.upper,
            "confidence_level": evaluation.resampling.confidence / 100,
            "method": f"percentile bootstrap over {evaluation.resampled_units}",
        },
    }


def _part(name: str) -> str:
    """Return a name as one part of a path."""
    return re.sub(r"[^\w.-]+", "_", name).strip(".") or "_"
