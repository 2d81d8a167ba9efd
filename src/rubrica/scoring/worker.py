"""What a worker does with one piece of the input: read it, score it, and encode its rows.

The driver only keeps the order: it writes encoded lines and never sees a text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice, repeat
from typing import Any, Literal, TypeAlias

import msgspec

from rubrica.data.columns import ColumnBatch, ColumnScores, Texts
from rubrica.data.instance import EvalInstance
from rubrica.data.measures import MeasureGroup
from rubrica.data.metrics import Metrics, MetricsDict
from rubrica.data.value_table import Facts, InstanceFacts, ValueTable, tabulate
from rubrica.datasets.readers.base import DatasetReader
from rubrica.errors import RubricaError
from rubrica.metrics.base.metric import Metric
from rubrica.scoring.batch import ScoredRow, describe_batch, gc_paused, score_batch
from rubrica.scoring.columns import (
    column_identities,
    column_keys,
    column_table,
    encode_columns,
    merged_dicts,
    row_digests,
    row_facts,
    score_columns,
)
from rubrica.scoring.digest import row_identity
from rubrica.scoring.duplicates import RowKeys, row_keys
from rubrica.scoring.engines.base import Work
from rubrica.scoring.plan import Plan

_ENCODER = msgspec.json.Encoder()

# Instance ids of a batch that reach the driver even where no clusters of inputs are resampled: enough to see that
# there are clusters.
IDS_FOR_HINT = 200

# Form of the rows: JSON lines for a file, objects for Python, or nothing (system scores only).
RowsAs: TypeAlias = Literal["lines", "objects", "nothing"]


@dataclass(frozen=True, slots=True)
class ScoredBatch:
    """The result of a scored piece."""

    keys: RowKeys
    # Its rows: as JSON lines, or as objects.
    lines: bytes = b""
    rows: Sequence[Metrics] = ()
    # For `evaluate`: what the digest of the data is computed from, and the values.
    identities: bytes = b""
    table: ValueTable | None = None

    def __len__(self) -> int:
        return len(self.keys)


@dataclass(frozen=True, slots=True)
class Worker:
    """Reads, scores and encodes pieces of the input; it can be sent to another process."""

    plan: Plan
    # None where pieces are instances.
    reader: DatasetReader | None
    signatures: tuple[str, ...]
    rows_as: RowsAs = "lines"

    def __call__(self, piece: Any) -> ScoredBatch:
        """Read, score and encode one piece."""
        # Models may leave large objects behind.
        has_model = any(metric.parallel == "device" for metric in self.plan.metrics)
        with nullcontext() if has_model else gc_paused():
            columns = self.reader.read_columns(piece) if self.reader is not None else None
            scored = self._process_columns(columns) if columns is not None else None
            if scored is not None:
                return scored
            batch = self.read(piece)
            return self.to_result(batch, score_batch(self.plan, batch))

    def _process_columns(self, batch: ColumnBatch) -> ScoredBatch | None:
        """Score a batch without an object per row; None where that cannot be done."""
        if not len(batch):
            return None
        try:
            scores = score_columns(self.plan, batch)
            digests = row_digests(self.plan, batch)
        except RubricaError:
            # Scoring row by row gives an error that names the row.
            return None
        if scores is None:
            return None
        keys = column_keys(batch)
        lines = self._encode_columns(batch, scores, digests) if self.rows_as == "lines" else b""
        rows = self._column_records(batch, scores, digests) if self.rows_as == "objects" else ()
        if self.plan.task != "evaluate":
            return ScoredBatch(keys, lines, rows)
        identities = column_identities(batch, digests)
        instance_ids = list(islice(batch.instance_ids, self._ids_needed))
        table = replace(column_table(batch, scores), instance_ids=instance_ids)
        return ScoredBatch(keys, lines, rows, identities, table)

    def _encode_columns(
        self, batch: ColumnBatch, scores: Sequence[ColumnScores], digests: Texts
    ) -> bytes:
        facts = row_facts(batch, scores)
        signatures = self._signature_lists(facts) if facts else [self.signatures]
        measures = self.plan.measures([part.paths for part in scores])
        tails = [_encoded_tail(row_signatures, measures) for row_signatures in signatures]
        return encode_columns(batch, scores, tails, digests)

    def _column_records(
        self, batch: ColumnBatch, scores: Sequence[ColumnScores], digests: Texts
    ) -> list[Metrics]:
        facts = row_facts(batch, scores)
        rows = zip(
            batch.instance_ids,
            batch.summarizer_ids,
            batch.summarizer_types,
            merged_dicts(scores),
            self._signature_lists(facts) if facts else repeat(self.signatures),
            repeat(self.plan.measures([part.paths for part in scores])),
            digests,
            strict=False,
        )
        return [Metrics(*row) for row in rows]

    def read(self, piece: Any) -> list[EvalInstance]:
        """Return the instances of a piece."""
        return list(piece if self.reader is None else self.reader.read_piece(piece))

    def work(self) -> Work:
        """Return the work on pieces, with the reader only where pieces are still to be read.

        Reading and encoding hold the interpreter lock, so threads do only where pieces are instances.
        """
        reads = self.reader is not None and self.reader.gives_raw_pieces
        kind = self.plan.work_kind()
        return Work(
            self if reads else replace(self, reader=None),
            "processes" if kind == "threads" and reads else kind,
            lambda piece: describe_batch(self.read(piece)),
        )

    def to_result(self, batch: Sequence[EvalInstance], rows: Sequence[ScoredRow]) -> ScoredBatch:
        """Return scored rows in the form that the run asks for."""
        facts = [instance_facts(self.plan.metrics, instance) for instance in batch]
        records = (
            self.records(rows, [row_facts for _, row_facts in facts])
            if self.rows_as != "nothing"
            else ()
        )
        lines, objects = self._encoded(records)
        if self.plan.task != "evaluate" or not rows:
            return ScoredBatch(row_keys(batch), lines, objects)
        instance_ids = [row.instance_id for row in islice(rows, self._ids_needed)]
        table = replace(value_table(rows, facts), instance_ids=instance_ids)
        return ScoredBatch(row_keys(batch), lines, objects, row_identities(rows), table)

    @property
    def _ids_needed(self) -> int | None:
        return None if self.plan.with_ids else IDS_FOR_HINT

    def records(self, rows: Sequence[ScoredRow], facts: Sequence[Sequence[Facts]]) -> list[Metrics]:
        """Return rows as records; what metrics report about a row goes into its signatures."""
        return [
            Metrics(
                row.instance_id,
                row.summarizer_id,
                row.summarizer_type,
                row.merged_metrics(),
                signatures,
                measures,
                row.digest,
            )
            for row, signatures, measures in zip(
                rows, self._signature_lists(facts), self._measure_lists(rows), strict=True
            )
        ]

    def _encoded(self, records: Sequence[Metrics]) -> tuple[bytes, Sequence[Metrics]]:
        """Return records as JSON lines or as they are."""
        if self.rows_as != "lines":
            return b"", records
        return _ENCODER.encode_lines(records) if records else b"", ()

    def _signature_lists(self, facts: Sequence[Sequence[Facts]]) -> Iterator[tuple[str, ...]]:
        """Yield the signatures of each row: nearly always the same."""
        others: dict[Any, tuple[str, ...]] = {}
        for of_row in facts:
            if not any(of_row):
                yield self.signatures
                continue
            key = tuple(tuple(metric_facts.items()) for metric_facts in of_row)
            if key not in others:
                others[key] = self.plan.signatures(of_row)
            yield others[key]

    def _measure_lists(self, rows: Sequence[ScoredRow]) -> Iterator[tuple[MeasureGroup, ...]]:
        """Yield the measures of each row; rows of one shape share them."""
        known: dict[Any, tuple[MeasureGroup, ...]] = {}
        for row in rows:
            shape = tuple(map(_shape, row.parts))
            if shape not in known:
                paths = [[path for path, _ in part.leaves()] for part in row.parts]
                known[shape] = self.plan.measures(paths)
            yield known[shape]


@lru_cache(maxsize=64)
def _encoded_tail(signatures: tuple[str, ...], measures: tuple[MeasureGroup, ...]) -> bytes:
    """Return the JSON between the values of a row and its digest: the same in nearly every row."""
    encoded = _ENCODER.encode({"signatures": signatures, "measures": measures})
    return b"," + encoded[1:-1] + b',"digest":'


def _shape(values: MetricsDict) -> tuple[Any, ...]:
    return tuple(
        (key, _shape(value)) if type(value) is MetricsDict else key for key, value in values.items()
    )


def row_identities(rows: Sequence[ScoredRow]) -> bytes:
    """Return the bytes that the digest of the data is computed from."""
    return b"".join(
        row_identity(row.instance_id, row.summarizer_id, row.summarizer_type, row.digest)
        for row in rows
    )


def value_table(rows: Sequence[ScoredRow], facts: Sequence[InstanceFacts]) -> ValueTable:
    """Return the values of scored rows as columns, with facts about their instances."""
    return tabulate(
        [row.summarizer_id for row in rows],
        [row.summarizer_type for row in rows],
        facts,
        [row.parts for row in rows],
        [row.statistics for row in rows],
    )


def instance_facts(metrics: Sequence[Metric], instance: EvalInstance) -> InstanceFacts:
    """Return the facts about an instance that signatures and system scores need."""
    references = instance.fields.get("references")
    count = -1 if references is None else len(references)
    return count, tuple([metric.input_facts(instance) for metric in metrics])
