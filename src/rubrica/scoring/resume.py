"""Resuming: the rows that an interrupted run has finished, checked against the input."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import Any

from rubrica.data.instance import EvalInstance
from rubrica.data.metrics import Metrics, MetricsDict
from rubrica.data.scores.rows import decode_rows
from rubrica.errors import MismatchError
from rubrica.scoring.batch import ScoredRow, score_batch
from rubrica.scoring.duplicates import Seen
from rubrica.scoring.plan import Plan
from rubrica.scoring.worker import ScoredBatch, Worker


@dataclass(frozen=True, slots=True)
class Finished:
    """Rows that were written: how many, how to read them, and the file they are in."""

    file: str
    count: int
    read: Callable[[], Iterator[Metrics]]

    def other_input(self, line: int) -> MismatchError:
        """Return the error for rows that belong to other input."""
        return MismatchError(
            "was computed from different input files; use `overwrite=True` to start over",
            file=self.file,
            line=line,
        )


class ResumedRows:
    """Skips the input that was already scored; `rest` has the unscored rows of the last piece."""

    def __init__(
        self, finished: Finished, worker: Worker, pieces: Iterator[Any], seen: Seen
    ) -> None:
        self._finished, self._worker, self._pieces, self._seen = finished, worker, pieces, seen
        self._owners: dict[str, int] = {}
        self.rest: list[EvalInstance] = []

    def batches(self) -> Iterator[ScoredBatch]:
        """Yield the finished rows as if they had been scored now."""
        rows, row_count = self._finished.read(), 0
        while row_count < self._finished.count:
            piece = next(self._pieces, None)
            if piece is None:
                raise self._finished.other_input(row_count + 1)
            batch = self._worker.read(piece)
            remaining = self._finished.count - row_count
            batch, self.rest = batch[:remaining], batch[remaining:]
            result = self._worker.to_result(batch, self._rows(batch, rows, row_count + 1))
            self._seen.check(result.keys, partial(iter, batch))
            row_count += len(batch)
            yield result

    def _rows(
        self, batch: Sequence[EvalInstance], finished: Iterator[Metrics], first: int
    ) -> list[ScoredRow]:
        rows = list(islice(finished, len(batch)))
        for number, (row, instance) in enumerate(zip(rows, batch, strict=True), first):
            if (*row.key, row.digest) != _expected(self._worker.plan, instance):
                raise self._finished.other_input(number)
        return [self._row(row, instance) for row, instance in zip(rows, batch, strict=True)]

    def _row(self, finished: Metrics, instance: EvalInstance) -> ScoredRow:
        plan = self._worker.plan
        if not finished.metrics.keys() <= self._owners.keys():
            row = score_batch(plan, [instance])[0]
            self._owners |= {key: at for at, part in enumerate(row.parts) for key in part}
            return row
        parts = [MetricsDict() for _ in plan.metrics]
        for key, value in finished.metrics.items():
            parts[self._owners[key]][key] = value
        ids = instance.instance_id, instance.summarizer_id, instance.summarizer_type
        return ScoredRow(*ids, parts, finished.digest, {})


def skip_existing(finished: Finished, scored: Iterator[ScoredBatch]) -> Iterator[ScoredBatch]:
    """Yield scored batches with only the lines that are not written yet.

    For metrics whose corpus statistics are not in the rows: everything is scored again, or asked of
    the store, and the rows that are there are only compared.
    """
    existing, row_count = finished.read(), 0
    for batch in scored:
        lines = batch.lines
        if row_count < finished.count:
            new_lines, rows = lines.splitlines(keepends=True), decode_rows(lines)
            written = list(islice(existing, min(len(new_lines), finished.count - row_count)))
            for number, (row, old) in enumerate(zip(rows, written, strict=False), row_count + 1):
                if (*row.key, row.digest) != (*old.key, old.digest):
                    raise finished.other_input(number)
            lines = b"".join(new_lines[len(written) :])
            row_count += len(written)
        yield replace(batch, lines=lines)
    if row_count < finished.count:
        raise finished.other_input(row_count + 1)


def _expected(plan: Plan, instance: EvalInstance) -> tuple[str, str, str]:
    digest = instance.fields.digest(plan.field_names())
    return instance.instance_id, instance.summarizer_id, digest
