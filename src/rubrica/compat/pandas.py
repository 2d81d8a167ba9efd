"""Scores of a pandas frame's rows: `frame.rubrica.score("summary", "reference")`, once this is imported."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from rubrica.compat.measured import measured, metric_of
from rubrica.errors import UnknownNameError
from rubrica.metrics.base.metric import Metric
from rubrica.metrics.base.metric_like import MetricLike


def score(
    frame: Any,
    summary: str = "summary",
    references: str | Sequence[str] = "references",
    metric: MetricLike = "rouge",
    measures: Sequence[str] | None = None,
) -> Any:
    """A frame with the same index and a column for each measure.

    `references` is a column of texts or of lists of texts, or several columns of texts; for a metric of
    documents it names those. A missing summary counts as an empty one.
    """
    columns = [references] if isinstance(references, str) else list(references)
    for name in (summary, *columns):
        if name not in frame.columns:
            raise UnknownNameError("column", name, map(str, frame.columns))
    contexts = frame[columns[0]].tolist()
    if len(columns) > 1:
        contexts = [list(row) for row in frame[columns].itertuples(index=False)]
    resolved = metric if isinstance(metric, Metric) else metric_of("", metric)
    scores = measured(resolved, measures, frame[summary].tolist(), contexts)
    return pd.DataFrame(scores, index=frame.index, dtype=float)


@pd.api.extensions.register_dataframe_accessor("rubrica")
class RubricaAccessor:
    """`frame.rubrica`."""

    def __init__(self, frame: Any) -> None:
        self._frame = frame

    def score(self, *columns: Any, **more: Any) -> Any:
        """As `rubrica.compat.pandas.score`."""
        return score(self._frame, *columns, **more)
