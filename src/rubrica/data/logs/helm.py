"""Statistics per instance of HELM: `per_instance_stats.json`."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rubrica.data.logs.rows import NumberedRow, SampleRows, neighbour, text_at
from rubrica.errors import DataError

# Statistics about a run, not about the quality of its answers, by the start of their names.
_BOOKKEEPING = (
    "batch_size",
    "finish_reason_",
    "inference_",
    "num_",
    "prompt_truncated",
    "training_",
)


def matches(document: Any) -> bool:
    """Return whether a JSON document is a list of statistics per instance."""
    return (
        isinstance(document, list)
        and bool(document)
        and isinstance(document[0], dict)
        and {"instance_id", "stats"} <= document[0].keys()
    )


def rows(document: Sequence[Any], path: str) -> Iterator[NumberedRow]:
    """Yield the rows without a run's bookkeeping (tokens, time, cost).

    Scores of a perturbed instance are measures of their own (`exact_match@typos`), trials are repeated runs.
    """
    samples = SampleRows(path)
    system = _model(path)
    for number, entry in enumerate(document, 1):
        if not isinstance(entry, dict) or not isinstance(entry.get("stats"), list):
            raise DataError(
                "an entry must have instance_id and a list of stats", file=path, line=number
            )
        perturbation = text_at(entry, "perturbation", "name")
        ending = "" if perturbation is None else f"@{perturbation}"
        scores = {}
        for stat in entry["stats"]:
            name = text_at(stat, "name", "name")
            if name is not None and not name.startswith(_BOOKKEEPING):
                scores[f"{name}{ending}"] = _mean(stat)
        samples.add(number, entry.get("instance_id"), system, scores)
    return samples.rows()


def _mean(stat: Mapping[str, Any]) -> Any:
    total, count = stat.get("sum"), stat.get("count")
    if isinstance(total, (int, float)) and isinstance(count, int) and count > 0:
        return total / count
    return stat.get("mean")


def run_folder(path: str) -> str:
    """Return the name of the folder that holds a log: that of the run."""
    return os.path.basename(os.path.dirname(os.path.abspath(path)))


def _model(path: str) -> str:
    """Return the model of the run: from run_spec.json, or the folder's name, or that name itself."""
    folder = run_folder(path)
    match = re.search(r"\bmodel=([^,:]+)", folder)
    spec = text_at(neighbour(path, "run_spec.json"), "adapter_spec", "model")
    return spec or (match[1] if match else folder)
