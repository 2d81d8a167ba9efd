"""One piece of the input, read, scored and made ready to be written, by whoever has time for it.

The process that asks only keeps the order: it writes lines that are made, and never sees a text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from rubrica.batch import Plan, ScoredRow, score_batch, uncollected
from rubrica.data.instance import EvalInstance
from rubrica.data.value_table import Facts, Noted, ValueTable, tabulate
from rubrica.datasets.readers.base import DatasetReader
from rubrica.duplicates import RowKeys, row_keys
from rubrica.metrics.base import Metric

_ENCODER = msgspec.json.Encoder()


@dataclass(frozen=True, slots=True)
class ScoredPiece:
    """What a run needs of a piece that was scored."""

    keys: RowKeys
    # Its rows as they are written, one JSON object per line.
    lines: bytes
    # For `evaluate`: what the digest of the data is made of, and the values.
    identities: bytes = b""
    table: ValueTable | None = None

    def __len__(self) -> int:
        return len(self.keys)


@dataclass(frozen=True, slots=True)
class Work:
    """What is done to every piece."""

    plan: Plan
    # None where pieces are instances.
    reader: DatasetReader | None
    signatures: Sequence[str]

    def __call__(self, piece: Any) -> ScoredPiece:
        """Read, score and encode one piece."""
        if any(metric.parallel == "device" for metric in self.plan.metrics):
            # What a model leaves behind may be large.
            return self._made(piece)
        with uncollected():
            return self._made(piece)

    def _made(self, piece: Any) -> ScoredPiece:
        batch = self.read(piece)
        return self.finished(batch, score_batch(self.plan, batch))

    def read(self, piece: Any) -> list[EvalInstance]:
        """The instances of a piece."""
        return list(piece if self.reader is None else self.reader.read_piece(piece))

    def noted(self, instance: EvalInstance) -> Noted:
        """What signatures and the scores of systems need to know of an instance."""
        return noted(self.plan.metrics, instance)

    def for_workers(self) -> Work:
        """The same, to be sent: with the reader only where they need it, for it may hold anything."""
        return self if self.reads_raw_pieces else replace(self, reader=None)

    @property
    def reads_raw_pieces(self) -> bool:
        """Whether reading a piece is work."""
        return self.reader is not None and self.reader.gives_raw_pieces

    def finished(self, batch: Sequence[EvalInstance], rows: Sequence[ScoredRow]) -> ScoredPiece:
        """Scored rows, ready to be written."""
        told = [self.noted(one) for one in batch]
        keys, lines = row_keys(batch), self.encoded(rows, [facts for _, facts in told])
        if self.plan.task != "evaluate" or not rows:
            return ScoredPiece(keys, lines)
        return ScoredPiece(keys, lines, identities(rows), table_of(rows, told))

    def encoded(self, rows: Sequence[ScoredRow], facts: Sequence[Sequence[Facts]]) -> bytes:
        """Rows as JSON lines, with what metrics tell of each in its signatures."""
        # The same in nearly every row, so it is encoded once.
        usual = msgspec.Raw(_ENCODER.encode(list(self.signatures)))
        others: dict[Any, msgspec.Raw] = {}

        def signatures(told: Sequence[Facts]) -> msgspec.Raw:
            key = tuple(tuple(own.items()) for own in told)
            if key not in others:
                others[key] = msgspec.Raw(_ENCODER.encode(self.plan.signatures(told)))
            return others[key]

        lines = [
            _Line(
                row.instance_id,
                row.summarizer_id,
                row.summarizer_type,
                row.together(),
                signatures(told) if any(told) else usual,
                row.digest,
            )
            for row, told in zip(rows, facts, strict=True)
        ]
        return _ENCODER.encode_lines(lines) if lines else b""


class _Line(msgspec.Struct):
    """A row as it is written: the keys of `Metrics`, then how and of what it was made."""

    instance_id: str
    summarizer_id: str
    summarizer_type: str
    metrics: dict[str, Any]
    signatures: msgspec.Raw
    digest: str


def identities(rows: Sequence[ScoredRow]) -> bytes:
    """What `DataDigest` takes of rows."""
    return b"".join(
        identity(row.instance_id, row.summarizer_id, row.summarizer_type, row.digest)
        for row in rows
    )


def identity(instance_id: str, summarizer_id: str, summarizer_type: str, digest: str) -> bytes:
    """What `DataDigest` takes of one row."""
    told = f"{instance_id}\0{summarizer_id}\0{summarizer_type}\0{digest}\n"
    return told.encode("utf-8", "surrogatepass")


def table_of(rows: Sequence[ScoredRow], of_instances: Sequence[Noted]) -> ValueTable:
    """The values of scored rows, with what was noted of their instances."""
    return tabulate(
        [row.summarizer_id for row in rows],
        [row.summarizer_type for row in rows],
        of_instances,
        [row.parts for row in rows],
        [row.statistics for row in rows],
    )


def noted(metrics: Sequence[Metric], instance: EvalInstance) -> Noted:
    """As `table_of` takes it."""
    references = instance.fields.get("references")
    count = -1 if references is None else len(references)
    return count, tuple([metric.input_facts(instance) for metric in metrics])
