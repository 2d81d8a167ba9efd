"""Scoring a batch as columns, from the reader to the encoded rows, where reader and metrics can do that.

The result is that of `score_batch`, row by row. A batch with anything unusual in it is left to that.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rubrica.core import kernels
from rubrica.data.columns import ColumnBatch, ColumnScores
from rubrica.data.metrics import MetricsDict
from rubrica.data.value_table import Facts, ValueTable, table_of_columns
from rubrica.scoring.duplicates import Places, RowKeys
from rubrica.scoring.plan import Plan


def score_columns(plan: Plan, batch: ColumnBatch) -> list[ColumnScores] | None:
    """Return the scores of each metric; None where rows are needed."""
    references = batch.fields.get("references")
    if references is not None and not all(references):
        return None
    if plan.task == "score" and (
        "reference" in batch.summarizer_types
        # A jackknifed value needs two references.
        or (plan.peer_jackknifing and (references is None or max(map(len, references)) > 1))
    ):
        return None
    found = []
    for metric in plan.metrics:
        scores = metric.score_as_columns(batch.fields) if metric.output_key is None else None
        if scores is None:
            return None
        found.append(scores)
    names = [{path[0] for path in scores.paths} for scores in found]
    # Two metrics that give the same name: `score_batch` says what to do about it.
    return found if len(set().union(*names)) == sum(map(len, names)) else None


def row_digests(plan: Plan, batch: ColumnBatch) -> list[str]:
    """Return a digest of each row's texts, as `Fields.digest` computes it."""
    return kernels.text_digests([batch.fields[name] for name in plan.field_names()])


def column_keys(batch: ColumnBatch) -> RowKeys:
    """Return what finds duplicate rows."""
    lines = range(batch.first, batch.first + len(batch))
    keys = kernels.id_keys(batch.instance_ids, batch.summarizer_ids)
    return RowKeys(keys, Places(lines, [(batch.file, len(batch))]))


def column_identities(batch: ColumnBatch, digests: Sequence[str]) -> bytes:
    """Return what the digest of the data is computed from."""
    rows = zip(
        batch.instance_ids, batch.summarizer_ids, batch.summarizer_types, digests, strict=True
    )
    joined = "\n".join(map("\0".join, rows))
    return (joined + "\n").encode("utf-8", "surrogatepass")


def column_table(batch: ColumnBatch, scores: Sequence[ColumnScores]) -> ValueTable:
    """Return the values with what system scores need to know about their rows."""
    references = batch.fields.get("references")
    counts = (
        np.full(len(batch), -1, np.int32)
        if references is None
        else np.fromiter(map(len, references), np.int32, len(batch))
    )
    return table_of_columns(
        batch.summarizer_ids,
        batch.summarizer_types,
        counts,
        row_facts(batch, scores),
        [each.paths for each in scores],
        [each.values for each in scores],
    )


def row_facts(batch: ColumnBatch, scores: Sequence[ColumnScores]) -> list[tuple[Facts, ...]]:
    """Return what each metric adds to the signatures of each row; nothing where none adds anything."""
    if not any(each.facts for each in scores):
        return []
    columns: list[Any] = [each.facts or [{}] * len(batch) for each in scores]
    return list(zip(*columns, strict=True))


def merged_dicts(scores: Sequence[ColumnScores]) -> list[MetricsDict]:
    """Return the values of all metrics, a dict per row."""
    first, *others = (each.to_dicts() for each in scores)
    for dicts in others:
        for row, more in zip(first, dicts, strict=True):
            dict.update(row, more)
    return first
