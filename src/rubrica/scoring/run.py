"""One run, from input to output: its input, worker and engine, and the rows seen so far."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Sized
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from rubrica.data.instance import EvalInstance
from rubrica.data.store import ScoreStore
from rubrica.datasets.source import Source
from rubrica.scoring.cached import CachedStep
from rubrica.scoring.duplicates import Seen
from rubrica.scoring.engines.base import Engine
from rubrica.scoring.loop import Step, batches, ramped_sizes, rows_per_batch, run
from rubrica.scoring.reporter import SILENT, Reporter
from rubrica.scoring.worker import ScoredBatch, Worker


@dataclass(slots=True)
class Pieces:
    """The input of a run in pieces, and how they are scored."""

    worker: Worker
    source: Source | Iterable[EvalInstance]
    engine: Engine
    store: ScoreStore | None = None
    batch_size: int | None = None
    reporter: Reporter = SILENT
    seen: Seen = field(default_factory=Seen)

    def all(self) -> Iterator[Any]:
        """Yield all pieces of the input."""
        sizes = ramped_sizes(rows_per_batch(self.engine, self.batch_size))
        if isinstance(self.source, Source):
            return self.source.pieces(sizes)
        return batches(self.source, sizes)

    def score(self, pieces: Iterable[Any]) -> Generator[ScoredBatch, None, None]:
        """Yield scored pieces, in order; a duplicate row is an error.

        Raw pieces are read by the workers. With a store they are read here, where the store is.
        """
        step = Step(self.worker.work())
        if self.store is not None:
            step = CachedStep(self.worker, self.store)
        results = run(step, pieces, engine=self.engine)
        with closing(results), self.reporter.counter("rows", self._total) as count:
            for piece, batch in results:
                self.seen.check(batch.keys, partial(self.worker.read, piece))
                yield batch
                count(len(batch))

    def _total(self) -> int | None:
        """Return the number of rows, if it is known before they are read."""
        if isinstance(self.source, Source):
            return self.source.line_count()
        return len(self.source) if isinstance(self.source, Sized) else None

    def description(self) -> dict[str, Any]:
        """Return what must be equal for a run to be resumed: task, metrics and input."""
        plan, source = self.worker.plan, self.source
        return {
            "task": plan.task,
            "metrics": plan.signatures(),
            "peer_jackknifing": plan.peer_jackknifing,
            "reader": source.reader.name if isinstance(source, Source) else "",
            "files": list(source.files) if isinstance(source, Source) else [],
        }
