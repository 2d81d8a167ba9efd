"""Two runs compared: what changed in scores and texts since an earlier run, as columns of the table."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rubrica.errors import DataError
from rubrica.serve.viewer.distribution import Distributions
from rubrica.serve.viewer.table import BEFORE, CHANGE, SampleTable

TEXT_CHANGE = "summary-change"


@dataclass(frozen=True, slots=True)
class Changes:
    """What the page shows about an earlier run: its measures, and the column that has regressions first."""

    measures: list[str]
    sort: str
    descending: bool
    new_rows: int
    missing_rows: int


def add_changes(table: SampleTable, before: SampleTable, distributions: Distributions) -> Changes:
    """Add to each measure of both runs its earlier value and the change, and whether the text changed.

    Raises:
        DataError: The runs have no summary, or no measure, in common.
    """
    rows = [before.row(*table.ids(row)[:2]) for row in range(len(table))]
    known = np.array([-1 if row is None else row for row in rows], dtype=np.int64)
    shared = known >= 0
    measures = [name for name in table.scores if name in before.scores]
    if not shared.any():
        raise DataError(
            "the two runs have no summary in common: inputs or systems have other names"
        )
    has_texts = len(table.summaries) > 0 and len(before.summaries) > 0
    if not measures and not has_texts:
        raise DataError("the two runs have no measure in common")
    for name in measures:
        earlier = np.where(shared, before.column(name)[known], np.nan)
        change = table.column(name) - earlier
        table.set_column(name + BEFORE, earlier)
        table.set_column(name + CHANGE, change)
    if has_texts:
        table.set_field(
            TEXT_CHANGE, [_text_change(table, before, at, row) for at, row in enumerate(rows)]
        )
    first = next((name for name in measures if name.endswith(".f1")), (measures or [""])[0])
    return Changes(
        measures,
        first + CHANGE if first else "",
        distributions.lower_is_better(first) if first else False,
        int((~shared).sum()),
        len(before) - int(shared.sum()),
    )


def _text_change(table: SampleTable, before: SampleTable, at: int, row: int | None) -> str:
    if row is None:
        return "new"
    return "same" if table.summary(at) == before.summary(row) else "changed"
