"""Ratings of systems' summaries in BASSE's layout, joined with scores of whole systems in CSV files."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from rubrica.data.files import read_text_lines
from rubrica.data.metrics import exact_mean
from rubrica.data.table import ScoreTable
from rubrica.datasets.readers.delimited import delimited_rows
from rubrica.datasets.released.values import as_mapping, as_number, read_json_lines
from rubrica.errors import DataError

# (input, system) -> measure -> score
Scores = dict[tuple[str, str], dict[str, float]]


def read_rated_systems(
    paths: Sequence[Path],
    *,
    where: Mapping[str, Any] | None = None,
    annotators: int = 0,
) -> ScoreTable:
    """Read ratings of a `.jsonl` file (`model_summaries.SYSTEM.anns.CRITERION`) and scores of `.csv` files.

    A measure is the mean of a criterion's ratings. With `annotators`, each annotator's ratings are the measures
    `CRITERION/1`, ..., and summaries with another number of ratings are left out. A CSV file has a row per score,
    with the columns `model`, `score` and, unless the path names the measure (`FOLDER/NAME.csv`), `metric`. The
    mean score of a system counts for each of its summaries; an empty score is left out.
    """
    scores: Scores = {}
    for path in paths:
        if path.suffix == ".jsonl":
            for instance, system, criteria in _rated(path, where or {}):
                row = scores.setdefault((instance, system), {})
                for criterion, ratings in criteria.items():
                    row |= _measures(criterion, ratings, annotators)
    for path in paths:
        if path.suffix == ".csv":
            for (system, measure), values in _system_scores(path).items():
                for key in scores:
                    if key[1] == system:
                        scores[key][measure] = exact_mean(values)
    if not any(scores.values()):
        raise DataError("no summary has the ratings that the options ask for", file=str(paths[0]))
    return _table(scores)


def _rated(
    path: Path, where: Mapping[str, Any]
) -> Iterator[tuple[str, str, dict[str, list[float]]]]:
    """Yield each summary: its input, its system, and the ratings by criterion."""
    for number, record in read_json_lines(path):
        if any(record.get(key) != value for key, value in where.items()):
            continue
        for system, summary in as_mapping(record.get("model_summaries"), path).items():
            criteria = as_mapping(as_mapping(summary, path).get("anns"), path)
            yield str(record.get("idx")), system, {
                criterion: [_rating(value, criterion, path, number) for value in values]
                for criterion, values in criteria.items()
            }  # fmt: skip


def _rating(value: Any, criterion: str, path: Path, number: int) -> float:
    return math.nan if value is None else as_number(value, criterion, path, number)


def _measures(criterion: str, ratings: list[float], annotators: int) -> dict[str, float]:
    if not annotators:
        return {criterion: exact_mean(ratings)} if ratings else {}
    if len(ratings) != annotators:
        return {}
    return {f"{criterion}/{number}": rating for number, rating in enumerate(ratings, 1)}


def _system_scores(path: Path) -> dict[tuple[str, str], list[float]]:
    """Return all scores of each system and measure of a CSV file."""
    lines = [line for _, line in read_text_lines(path)]
    named = f"{path.parent.name}/{path.stem}"
    scores: dict[tuple[str, str], list[float]] = {}
    for line, row in delimited_rows(lines, str(path)):
        # A judge whose answer could not be read has no score.
        if row.get("score") != "":
            key = str(row.get("model")), str(row.get("metric", named))
            scores.setdefault(key, []).append(as_number(row.get("score"), "score", path, line))
    return scores


def _table(scores: Scores) -> ScoreTable:
    inputs = list(dict.fromkeys(instance for instance, _ in scores))
    systems = list(dict.fromkeys(system for _, system in scores))
    measures = list(dict.fromkeys(measure for row in scores.values() for measure in row))
    values = np.full((len(systems), len(inputs), len(measures)), np.nan)
    at_input, at_system, at_measure = (
        {name: at for at, name in enumerate(names)} for names in (inputs, systems, measures)
    )
    for (instance, system), row in scores.items():
        for measure, score in row.items():
            values[at_system[system], at_input[instance], at_measure[measure]] = score
    return ScoreTable.from_array(values, systems=systems, inputs=inputs, measures=measures)
