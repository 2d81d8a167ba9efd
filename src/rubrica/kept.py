"""The rows an interrupted run has finished, checked against the input they were made from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import msgspec

from rubrica.batch import Plan, ScoredRow, score_batch
from rubrica.data.instance import EvalInstance
from rubrica.data.metrics import MetricsDict
from rubrica.duplicates import Seen, refused
from rubrica.errors import MismatchError
from rubrica.pieces import ScoredPiece, Work


@dataclass(frozen=True, slots=True)
class Finished:
    """Rows that were written: how many, how to read them, and the file they stand in."""

    file: str
    count: int
    read: Callable[[], Iterator[dict[str, Any]]]

    def other_input(self, line: int) -> MismatchError:
        """The error for rows that were not made from this input."""
        return MismatchError(
            "was made from other input than the files hold now; drop --resume to start over",
            file=self.file,
            line=line,
        )


class KeptRows:
    """Takes from the pieces of the input those that were scored already; `rest` is what is left of the last."""

    def __init__(self, finished: Finished, work: Work, pieces: Iterator[Any], seen: Seen) -> None:
        self._finished, self._work, self._pieces, self._seen = finished, work, pieces, seen
        self._owners: dict[str, int] = {}
        self.rest: list[EvalInstance] = []

    def pieces(self) -> Iterator[ScoredPiece]:
        """The finished rows as if they had been scored now."""
        kept, done = self._finished.read(), 0
        while done < self._finished.count:
            piece = next(self._pieces, None)
            if piece is None:
                raise self._finished.other_input(done + 1)
            batch = self._work.read(piece)
            left = self._finished.count - done
            batch, self.rest = batch[:left], batch[left:]
            made = self._work.finished(batch, self._rows(batch, kept, done + 1))
            again = self._seen.add(made.keys)
            if again is not None:
                raise refused(batch[again[0]], again[1])
            done += len(batch)
            yield made

    def _rows(
        self, batch: Sequence[EvalInstance], kept: Iterator[dict[str, Any]], first: int
    ) -> list[ScoredRow]:
        rows = list(islice(kept, len(batch)))
        for number, (row, instance) in enumerate(zip(rows, batch, strict=True), first):
            if _identity(row) != _expected(self._work.plan, instance):
                raise self._finished.other_input(number)
        return [self._row(row, instance) for row, instance in zip(rows, batch, strict=True)]

    def _row(self, kept: dict[str, Any], instance: EvalInstance) -> ScoredRow:
        plan = self._work.plan
        metrics = MetricsDict(kept["metrics"])
        if not metrics.keys() <= self._owners.keys():
            row = score_batch(plan, [instance])[0]
            self._owners |= {key: at for at, part in enumerate(row.parts) for key in part}
            return row
        parts = [MetricsDict() for _ in plan.metrics]
        for key, value in metrics.items():
            parts[self._owners[key]][key] = value
        ids = instance.instance_id, instance.summarizer_id, instance.summarizer_type
        return ScoredRow(*ids, parts, kept["digest"], {})


def without_kept(
    finished: Finished, scored: Iterator[ScoredPiece]
) -> Iterator[tuple[ScoredPiece, bytes]]:
    """Scored pieces with the lines that are not written yet.

    For metrics whose corpus statistics are not in the rows: everything is scored again, or asked of
    the store, and the rows that are there are only compared.
    """
    kept, done = finished.read(), 0
    for piece in scored:
        lines = piece.lines
        if done < finished.count:
            whole = lines.splitlines(keepends=True)
            there = list(islice(kept, min(len(whole), finished.count - done)))
            for number, (made, row) in enumerate(zip(whole, there, strict=False), done + 1):
                if _identity(msgspec.json.decode(made)) != _identity(row):
                    raise finished.other_input(number)
            lines = b"".join(whole[len(there) :])
            done += len(there)
        yield piece, lines
    if done < finished.count:
        raise finished.other_input(done + 1)


def _identity(row: dict[str, Any]) -> tuple[Any, Any, Any]:
    return row.get("instance_id"), row.get("summarizer_id"), row.get("digest")


def _expected(plan: Plan, instance: EvalInstance) -> tuple[str, str, str]:
    digest = instance.fields.digest(plan.field_names())
    return instance.instance_id, instance.summarizer_id, digest
