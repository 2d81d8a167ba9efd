"""Scoring a batch as columns, from the reader to the encoded rows, where reader and metrics can do that.

The result is that of `score_batch`, row by row. A batch with anything unusual in it is left to that.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np

from rubrica.core import kernels
from rubrica.data.columns import ColumnBatch, ColumnScores, Texts
from rubrica.data.metrics import MetricsDict
from rubrica.data.value_table import Facts, Path, ValueTable, table_of_columns
from rubrica.scoring.duplicates import Places, RowKeys
from rubrica.scoring.plan import Plan

# Placeholder of a value; no measure's name contains it.
_VALUE = "\0"


def score_columns(plan: Plan, batch: ColumnBatch) -> list[ColumnScores] | None:
    """Return the scores of each metric; None where rows are needed."""
    counts = batch.reference_counts()
    if counts is not None and not counts.all():
        return None
    if plan.task == "score" and (
        "reference" in [*batch.summarizer_types.unique()[0]]
        # A jackknifed value needs two references.
        or (plan.peer_jackknifing and (counts is None or counts.max() > 1))
    ):
        return None
    scores = []
    for metric in plan.metrics:
        columns = metric.score_as_columns(batch.fields) if metric.output_key is None else None
        if columns is None:
            return None
        scores.append(columns)
    names = [{path[0] for path in columns.paths} for columns in scores]
    # Two metrics with the same name: `score_batch` raises the error.
    return scores if len(set().union(*names)) == sum(map(len, names)) else None


def row_digests(plan: Plan, batch: ColumnBatch) -> Texts:
    """Return a digest of each row's texts, as `Fields.digest` computes it."""
    return kernels.text_digests([batch.fields[name] for name in plan.field_names()])  # type: ignore[misc]


def column_keys(batch: ColumnBatch) -> RowKeys:
    """Return the keys that find duplicate rows."""
    lines = range(batch.first, batch.first + len(batch))
    keys = kernels.id_keys(batch.instance_ids, batch.summarizer_ids)  # type: ignore[arg-type]
    return RowKeys(keys, Places(lines, [(batch.file, len(batch))]))


def column_identities(batch: ColumnBatch, digests: Texts) -> bytes:
    """Return the bytes that the digest of the data is computed from."""
    return kernels.row_identities(*_ids(batch), digests)  # type: ignore[arg-type]


def encode_columns(
    batch: ColumnBatch, scores: Sequence[ColumnScores], tails: Sequence[bytes], digests: Texts
) -> bytes:
    """Return the rows as JSON lines; a tail is the JSON between values and digest."""
    values = [columns.values for columns in scores]
    return kernels.encode_rows(
        *_ids(batch),
        _between_values([path for columns in scores for path in columns.paths]),
        np.ascontiguousarray(np.concatenate(values, axis=1) if len(values) > 1 else values[0]),
        tails,
        digests,  # type: ignore[arg-type]
    )


def _between_values(paths: Sequence[Path]) -> list[bytes]:
    """Return the JSON around and between the values of a row."""
    tree: dict[str, Any] = {}
    for *above, name in paths:
        inner = tree
        for key in above:
            inner = inner.setdefault(key, {})
        inner[name] = _VALUE
    encoded = b',"metrics":' + msgspec.json.encode(tree)
    return encoded.split(msgspec.json.encode(_VALUE))


def _ids(batch: ColumnBatch) -> tuple[Any, Any, Any]:
    return batch.instance_ids, batch.summarizer_ids, batch.summarizer_types


def column_table(batch: ColumnBatch, scores: Sequence[ColumnScores]) -> ValueTable:
    """Return the values with the facts about their rows that system scores need."""
    counts = batch.reference_counts()
    systems, system = batch.summarizer_ids.unique()
    types, kind = batch.summarizer_types.unique()
    is_reference = np.array([name == "reference" for name in types])[kind]
    return table_of_columns(
        list(systems),
        system.astype(np.int32),
        is_reference,
        np.full(len(batch), -1, np.int32) if counts is None else counts.astype(np.int32),
        row_facts(batch, scores),
        [columns.paths for columns in scores],
        [columns.values for columns in scores],
    )


def row_facts(batch: ColumnBatch, scores: Sequence[ColumnScores]) -> list[tuple[Facts, ...]]:
    """Return what each metric adds to the signatures of each row; nothing where none adds anything."""
    if not any(metric_scores.facts for metric_scores in scores):
        return []
    columns: list[Any] = [metric_scores.facts or [{}] * len(batch) for metric_scores in scores]
    return list(zip(*columns, strict=True))


def merged_dicts(scores: Sequence[ColumnScores]) -> list[MetricsDict]:
    """Return the values of all metrics, a dict per row."""
    first, *rest = (each.to_dicts() for each in scores)
    for dicts in rest:
        for row, values in zip(first, dicts, strict=True):
            dict.update(row, values)
    return first
