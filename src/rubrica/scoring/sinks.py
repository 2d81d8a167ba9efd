"""Where scored rows go: nowhere, a stream, or a file that survives interruption and can be resumed."""

from __future__ import annotations

import math
import time
from collections.abc import Generator, Iterator
from itertools import chain
from typing import BinaryIO, Self

import msgspec

from rubrica.data.scores.writer import RowWriter
from rubrica.errors import InterruptedRunError, OutputError, RubricaError
from rubrica.scoring.resume import Finished, ResumedRows, skip_existing
from rubrica.scoring.run import Pieces
from rubrica.scoring.worker import ScoredBatch

FLUSH_SECONDS = 1.0
"""The most work, in seconds, that is lost when the process is killed."""


class Sink:
    """Takes the rows of one run. This one stores none: they are only yielded."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        """Keep what is finished, whatever happened."""

    def write(self, pieces: Pieces) -> Generator[ScoredBatch, None, None]:
        """Score pieces of the input and write their rows; yield each batch once it is written."""
        return pieces.score(pieces.all())

    def finish(self) -> None:
        """Complete the output: all rows are written."""


class StreamSink(Sink):
    """Writes rows to a stream, such as standard output."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def write(self, pieces: Pieces) -> Generator[ScoredBatch, None, None]:
        """Write rows as they come."""
        for batch in super().write(pieces):
            self._stream.write(batch.lines)
            yield batch

    def finish(self) -> None:
        """Flush the stream."""
        self._stream.flush()


class FileSink(Sink):
    """Writes rows to a file. An interrupted run leaves them in `PATH.partial`, from which it can be resumed."""

    def __init__(self, path: str, pieces: Pieces, *, resume: bool, overwrite: bool) -> None:
        self._path, self._reporter = path, pieces.reporter
        run = msgspec.json.encode(pieces.description()).decode()
        self._writer = RowWriter(path, run=run, resume=resume, overwrite=overwrite)

    def write(self, pieces: Pieces) -> Generator[ScoredBatch, None, None]:
        """Go on after the rows that the file holds already."""
        writer = self._writer
        if not writer.rows_finished:
            batches: Iterator[ScoredBatch] = pieces.score(pieces.all())
        else:
            self._reporter.say(f"resuming after {writer.rows_finished:,} finished rows")
            finished = Finished(str(writer.partial), writer.rows_finished, writer.finished_rows)
            if pieces.worker.plan.has_corpus_statistics():
                batches = skip_existing(finished, pieces.score(pieces.all()))
            else:
                remaining = iter(pieces.all())
                resumed = ResumedRows(finished, pieces.worker, remaining, pieces.seen)
                yield from resumed.batches()
                rest = [resumed.rest] if resumed.rest else []
                batches = pieces.score(chain(rest, remaining))
        # The first batch is flushed at once: from then on there is something to resume from.
        flushed = -math.inf
        for batch in batches:
            writer.write_lines(batch.lines)
            if time.monotonic() - flushed > FLUSH_SECONDS:
                writer.flush()
                flushed = time.monotonic()
            yield batch

    def finish(self) -> None:
        """Give the file its name."""
        self._writer.finish()

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        safe = self._writer.rows_safe() if error is not None else False
        self._writer.close()
        message = f"finished rows are in {self._writer.partial}; add `resume=True` to continue"
        if safe and isinstance(error, (RubricaError, OSError)):
            self._reporter.say(message)
        if isinstance(error, OSError):
            # A full or removed disk: rows that could not be written are not in the file.
            raise OutputError(self._path, error.strerror or error) from error
        if isinstance(error, KeyboardInterrupt):
            reason = message if safe else "no row was finished"
            raise InterruptedRunError(f"interrupted; {reason}") from error
