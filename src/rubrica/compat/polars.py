"""Scores as polars expressions: `frame.with_columns(score("summary", "reference", "rouge-2.f1"))`."""

from __future__ import annotations

from typing import Any

import polars as pl

from rubrica.compat.measured import measured, metric_of
from rubrica.metrics.base.metric_like import MetricLike


def score(
    summary: str | pl.Expr = "summary",
    references: str | pl.Expr = "references",
    measure: str = "rouge-1.f1",
    metric: MetricLike | None = None,
) -> pl.Expr:
    """An expression of one measure, named after it; references are texts or lists of texts.

    Of a metric of documents `references` names those. A missing summary counts as an empty one.
    """
    resolved = metric_of(measure, metric)

    def values(columns: pl.Series) -> pl.Series:
        fields = columns.struct.unnest()
        texts = [fields[name].to_list() for name in ("summary", "references")]
        return pl.Series(measure, measured(resolved, [measure], *texts)[measure], dtype=pl.Float64)

    both = pl.struct(_column(summary).alias("summary"), _column(references).alias("references"))
    return both.map_batches(values, return_dtype=pl.Float64).alias(measure)


def _column(column: Any) -> pl.Expr:
    return pl.col(column) if isinstance(column, str) else column
