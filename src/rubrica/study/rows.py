"""A table of a study: one row per summary, with scores, where its text came from, and its hash.

Rows are JSON lines that `rubrica meta-evaluate` and its kin read as they are, or Parquet.
"""

from __future__ import annotations

import math
import os
import statistics
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from rubrica.data.metrics import Metrics
from rubrica.data.scores.rows import read_score_rows


class StudyRow(Metrics, kw_only=True):
    """The scores of one summary, with its texts.

    `summary_digest` and `reference_digest` are `text_digest`s of what was scored. `uncertainty`
    holds, for human scores, their standard error and bounds; it is no measure. `tagged_summary` and
    `tagged_reference` hold an imported text whose faulty tags its sentences cannot restore.
    """

    summary_digest: str = ""
    reference_digest: str = ""
    origin: str = ""
    summary: list[str] | None = None
    references: list[list[str]] | None = None
    uncertainty: dict[str, Any] | None = None
    tagged_summary: str | None = None
    tagged_reference: str | None = None


def read_table(path: str | os.PathLike[str]) -> Iterator[StudyRow]:
    """Yield the rows of a table; keys that a row of a study does not have are skipped."""
    for _, row in read_score_rows(path, StudyRow):
        yield row


def spread(values: Sequence[float]) -> dict[str, float | int | None]:
    """Return the standard error of raters' mean, None with one rater, and their number."""
    error = statistics.stdev(values) / math.sqrt(len(values)) if len(values) > 1 else None
    return {"error": error, "raters": len(values)}


def standardizer(
    ratings: Iterable[tuple[tuple[str, str], float]],
) -> Callable[[tuple[str, str], float], float]:
    """Return a function that scales a value to mean 0 and deviation 1 of all that have its key, measure and rater.

    A rater who always gave the same value counts as 0.
    """
    pools: dict[tuple[str, str], list[float]] = {}
    for key, value in ratings:
        pools.setdefault(key, []).append(value)
    scales = {key: (statistics.fmean(v), statistics.pstdev(v)) for key, v in pools.items()}

    def scaled(key: tuple[str, str], value: float) -> float:
        mean, deviation = scales[key]
        return (value - mean) / deviation if deviation else 0.0

    return scaled
