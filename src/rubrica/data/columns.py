"""A batch of rows as columns, and scores as columns: no Python object per row."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rubrica.data.metrics import MetricsDict
from rubrica.data.value_table import Path


@dataclass(frozen=True, slots=True)
class ColumnBatch:
    """Rows that follow each other in a file: a list of values per field."""

    file: str
    # The number of the first row's line.
    first: int
    instance_ids: list[str]
    summarizer_ids: list[str]
    summarizer_types: list[str]
    fields: Mapping[str, list[Any]]

    def __len__(self) -> int:
        return len(self.instance_ids)


@dataclass(frozen=True, slots=True)
class ColumnScores:
    """The scores of one metric: a row per summary and a column per measure."""

    paths: list[Path]
    values: NDArray[np.float64]
    # The same as nested dicts, for those who write rows.
    to_dicts: Callable[[], list[MetricsDict]]
    # What single rows add to signatures; empty where no row adds anything.
    facts: Sequence[Mapping[str, str]] = ()
