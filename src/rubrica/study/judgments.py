"""Other kinds of judgment: Likert ratings by dimension, and atomic content units (ACU) as in RoSE."""

from __future__ import annotations

import math
import statistics
import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rubrica.data.jsonl import read_jsonl
from rubrica.data.metrics import MetricsDict
from rubrica.errors import DataError, DataWarning
from rubrica.study.rows import StudyRow, spread, standardizer
from rubrica.study.sheets import read_sheet


def likert_rows(
    files: Sequence[str],
    dimensions: Sequence[str],
    *,
    columns: Mapping[str, str] | None = None,
    bounds: tuple[float, float] | None = None,
    standardize: bool = False,
) -> list[StudyRow]:
    """Return the mean rating of each summary in each dimension, with its standard error.

    Files are CSV with a row per summary and rater; `columns` maps `instance_id`, `summarizer_id` and
    `rater` to column names. An empty cell is no rating; a value outside `bounds` raises an error.
    `standardize` first scales each rater's values in a dimension to mean 0 and deviation 1; a rater
    who always gave the same value counts as 0. The error is None with one rater.
    """
    names = {"instance_id": "instance_id", "summarizer_id": "summarizer_id", "rater": "rater"}
    names |= dict(columns or {})
    ratings: dict[tuple[str, str], dict[str, list[tuple[str, float]]]] = {}
    for file in files:
        _, rows = read_sheet(file, [*names.values(), *dimensions])
        for line, row in rows:
            key = row[names["instance_id"]], row[names["summarizer_id"]]
            for name in dimensions:
                value = _number(row[name], name, bounds, file, line)
                if value is not None:
                    values = ratings.setdefault(key, {}).setdefault(name, [])
                    values.append((row[names["rater"]], value))
    if standardize:
        scale = standardizer(
            ((name, rater), value)
            for by_name in ratings.values()
            for name, values in by_name.items()
            for rater, value in values
        )
        for by_name in ratings.values():
            for name, values in by_name.items():
                by_name[name] = [(rater, scale((name, rater), value)) for rater, value in values]
    study_rows = []
    for (instance, system), by_name in ratings.items():
        metrics = {name: statistics.fmean(v for _, v in values) for name, values in by_name.items()}
        study_rows.append(
            StudyRow(
                instance_id=instance,
                summarizer_id=system,
                summarizer_type="peer",
                metrics=MetricsDict(metrics),
                uncertainty={name: spread([v for _, v in g]) for name, g in by_name.items()},
            )
        )
    return study_rows


def _number(
    text: str, name: str, bounds: tuple[float, float] | None, file: str, line: int
) -> float | None:
    if not text.strip():
        return None
    try:
        value = float(text)
    except ValueError as error:
        raise DataError(f"{name} is {text!r}, not a number", file=file, line=line) from error
    if not math.isfinite(value) or (bounds and not bounds[0] <= value <= bounds[1]):
        expected = f", not {bounds[0]:g} to {bounds[1]:g}" if bounds else ""
        raise DataError(f"{name} is {text!r}{expected}", file=file, line=line)
    return value


def acu_rows(files: Iterable[str], *, length_alpha: float | None = None) -> list[StudyRow]:
    """Return ACU scores from RoSE's rows: the share of a reference's units that are present.

    With `length_alpha`, `normalized_acu` is the score times exp(min(0, 1 - |s| / |r|) / alpha), where
    |s| and |r| are the numbers of words in summary and reference. A warning reports a stored `acu`
    that differs from its labels. The error is that of a share of independent units.
    """
    rows = []
    for file in files:
        for line, row in read_jsonl(file):
            annotations = row.get("annotations")
            if not isinstance(annotations, dict) or "example_id" not in row:
                raise DataError("expected example_id and annotations", file=file, line=line)
            for system, judged in annotations.items():
                rows.append(_acu(file, line, row, str(system), judged, length_alpha))
    return rows


def _acu(
    file: str, line: int, row: Mapping[str, Any], system: str, judged: Any, alpha: float | None
) -> StudyRow:
    labels = judged.get("acu_labels") if isinstance(judged, dict) else None
    if not isinstance(labels, list) or not labels or any(label not in (0, 1) for label in labels):
        raise DataError(f"{system}: acu_labels must be a list of 0 and 1", file=file, line=line)
    units = row.get("reference_acus")
    if isinstance(units, list) and len(units) != len(labels):
        raise DataError(
            f"{system}: {len(labels)} labels for {len(units)} units", file=file, line=line
        )
    value = sum(labels) / len(labels)
    stored = judged.get("acu")
    if isinstance(stored, (int, float)) and abs(stored - value) > 1e-3:
        warnings.warn(
            f"{file}:{line}: {system}: acu is {stored}, and its labels give {value:.4f}",
            DataWarning,
            stacklevel=2,
        )
    metrics = {"acu": value}
    if alpha is not None:
        outputs, reference = row.get("system_outputs"), row.get("reference")
        text = outputs.get(system) if isinstance(outputs, dict) else None
        if not isinstance(text, str) or not isinstance(reference, str) or not reference.split():
            raise DataError(
                f"{system}: system_outputs and reference are needed for the length",
                file=file,
                line=line,
            )
        ratio = len(text.split()) / len(reference.split())
        metrics["normalized_acu"] = value * math.exp(min(0.0, 1.0 - ratio) / alpha)
    error = math.sqrt(value * (1 - value) / len(labels))
    return StudyRow(
        instance_id=str(row["example_id"]),
        summarizer_id=system,
        summarizer_type="peer",
        metrics=MetricsDict(metrics),
        uncertainty={"acu": {"error": error, "units": len(labels)}},
    )
