"""The file of a long run: rows in `PATH.partial` as they come, and `PATH` once all of them are there."""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path

import msgspec

from rubrica.data.files import compress_to, sync_folder, writable
from rubrica.data.formats.parquet import import_parquet
from rubrica.data.locking import open_locked, remove_abandoned
from rubrica.data.metrics import Metrics
from rubrica.data.scores.rows import read_row_lines, write_score_rows
from rubrica.errors import DataError, MismatchError, OutputError

_ENCODER = msgspec.json.Encoder()


class _Checkpoint(msgspec.Struct):
    """How many bytes of rows were written, and their CRC-32."""

    bytes: int = 0
    crc: int = 0


class RowWriter:
    """Writes rows to `PATH.partial`; `finish` gives the file its name. One run at a time can write a path.

    `PATH.partial.run` describes the run and holds checksums of the rows. With `resume`, an earlier run's rows are
    checked and continued: `finished_rows` iterates over them. Without it, they are an error, unless `overwrite`
    discards them. A path that ends in `.parquet` becomes a Parquet file.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        run: str,
        resume: bool = False,
        overwrite: bool = False,
        kind: type[Metrics] = Metrics,
    ) -> None:
        self.path, self._kind = writable(path), kind
        if self.path.suffix == ".parquet":
            # Fail now, not after an hour's work.
            import_parquet()
        self.partial, journal = working_files(self.path)
        self._stream = open_locked(self.partial, self.path)
        self._journal: _Journal | None = None
        try:
            remove_abandoned(self.path.parent, f".{self.path.name}.")
            size = self.partial.stat().st_size
            earlier = None if overwrite else _read_journal(journal)
            if size and not overwrite and (earlier is None or (earlier[1] and not resume)):
                raise _not_resumable(self.partial) if resume else unfinished(self.partial)
            self.rows_finished, start = 0, _Checkpoint()
            if earlier is not None and resume:
                if earlier[1] and earlier[0] != run:
                    raise another_run(self.partial)
                self.rows_finished, start = _verify(self.partial, earlier[1])
            self._stream.truncate(start.bytes)
            self._journal = _Journal(journal, run, start)
        except BaseException as error:
            if not os.fstat(self._stream.fileno()).st_size:
                self.partial.unlink()
            self._stream.close()
            if isinstance(error, OSError):
                raise OutputError(self.path, error.strerror or error) from error
            raise

    def finished_rows(self) -> Iterator[Metrics]:
        """Yield the rows of the earlier run."""
        rows = read_row_lines(str(self.partial), self._kind)
        for _, row in islice(rows, self.rows_finished):
            yield row

    def write(self, row: Metrics) -> None:
        """Append one row."""
        self.write_lines(_ENCODER.encode(row) + b"\n")

    def write_lines(self, lines: bytes) -> None:
        """Append rows that are JSON lines already."""
        self._stream.write(lines)
        if self._journal is not None:
            self._journal.add(lines)

    def flush(self) -> None:
        """Hand finished rows to the operating system, and record their checksum."""
        self._stream.flush()
        if self._journal is not None:
            self._journal.record()

    def rows_safe(self) -> bool:
        """Write what can be written after a failure; return whether there are rows to resume from."""
        try:
            self.flush()
        except (OSError, ValueError):
            # A full disk: rows that did not fit are scored again.
            with suppress(OSError):
                self._record_what_fits()
        return self._journal is not None and self._journal.recorded > 0

    def _record_what_fits(self) -> None:
        """Record the whole rows that reached the file."""
        if self._journal is not None:
            with open(self.partial, "rb") as stream:
                stream.seek(self._journal.recorded)
                rows, newline, _ = stream.read().rpartition(b"\n")
            self._journal.record_only(rows + newline)

    def finish(self) -> None:
        """Give the file its name: all rows are there."""
        self._stream.flush()
        os.fsync(self._stream.fileno())
        # The lock is held until the file has its name.
        if self.path.suffix == ".parquet":
            rows = read_row_lines(str(self.partial), self._kind)
            write_score_rows(self.path, (row for _, row in rows))
            self.partial.unlink()
        else:
            compress_to(self.partial, self.path)
            sync_folder(self.path.parent)
        self._drop_journal()
        self._stream.close()

    def close(self) -> None:
        """Stop early; the rows written so far stay in the partial file. Without rows, nothing stays."""
        if self._stream.closed:
            return
        if not self.rows_safe():
            self._drop_journal()
            self.partial.unlink(missing_ok=True)
        if self._journal is not None:
            self._journal.close()
        with suppress(OSError):
            # Closing writes what is left, which on a full disk fails once more.
            self._stream.close()

    def _drop_journal(self) -> None:
        if self._journal is not None:
            self._journal.close()
            self._journal.path.unlink(missing_ok=True)
            self._journal = None


def working_files(path: Path) -> tuple[Path, Path]:
    """Return the temporary files of a run: the rows so far, and their checksums."""
    return path.with_name(f"{path.name}.partial"), path.with_name(f"{path.name}.partial.run")


class _Journal:
    """The journal of the rows: a description of the run, then a checkpoint per line."""

    def __init__(self, path: Path, run: str, start: _Checkpoint) -> None:
        self.path, self.recorded = path, start.bytes
        self._bytes, self._crc, self._recorded_crc = start.bytes, start.crc, start.crc
        lines = [{"run": run}, *([start] if start.bytes else [])]
        # Never without what an earlier run recorded: a kill may come at any moment.
        fresh = path.with_name(f"{path.name}.tmp")
        # A file that a killed run left, or a link that leads elsewhere.
        fresh.unlink(missing_ok=True)
        try:
            with open(fresh, "xb") as stream:
                stream.write(b"\n".join(map(_ENCODER.encode, lines)))
            os.replace(fresh, path)
        except BaseException:
            fresh.unlink(missing_ok=True)
            raise
        self._stream = open(path, "ab", buffering=0)  # noqa: SIM115 (closed by close)

    def add(self, lines: bytes) -> None:
        """Count rows that were written."""
        self._bytes += len(lines)
        self._crc = zlib.crc32(lines, self._crc)

    def record(self) -> None:
        """Write a checkpoint: all rows so far are in the file."""
        if self._bytes > self.recorded:
            # Behind a newline: a full disk may have cut off the line before.
            self._stream.write(b"\n" + _ENCODER.encode(_Checkpoint(self._bytes, self._crc)))
            self.recorded, self._recorded_crc = self._bytes, self._crc

    def record_only(self, lines: bytes) -> None:
        """Write a checkpoint after these rows, which follow those recorded; others were not written."""
        self._bytes, self._crc = self.recorded + len(lines), zlib.crc32(lines, self._recorded_crc)
        self.record()

    def close(self) -> None:
        """Close the file."""
        self._stream.close()


def _read_journal(path: Path) -> tuple[str, list[_Checkpoint]] | None:
    """Return the run and the checkpoints; None if there is no such file, or it is something else."""
    try:
        first, *others = path.read_bytes().split(b"\n")
        run = msgspec.json.decode(first)["run"]
    except (OSError, ValueError, RecursionError, KeyError, TypeError):
        return None
    checkpoints = []
    for line in others:
        # A line that was cut off says nothing.
        with suppress(ValueError, RecursionError):
            checkpoints.append(msgspec.json.decode(line, type=_Checkpoint))
    return str(run), checkpoints


def _verify(partial: Path, checkpoints: list[_Checkpoint]) -> tuple[int, _Checkpoint]:
    """Return the rows that were recorded, and where they end; rows that were changed are an error."""
    rows, verified = 0, _Checkpoint()
    with open(partial, "rb") as stream:
        for checkpoint in checkpoints:
            if not verified.bytes <= checkpoint.bytes <= os.fstat(stream.fileno()).st_size:
                # Cut off, as by a power failure: the rows after the checkpoint before are scored again.
                break
            first, crc, left = rows + 1, verified.crc, checkpoint.bytes - verified.bytes
            while block := stream.read(min(left, 1 << 20)):
                rows, crc, left = (
                    rows + block.count(b"\n"),
                    zlib.crc32(block, crc),
                    left - len(block),
                )
            if crc != checkpoint.crc:
                raise DataError(
                    f"rows {first:,} to {rows:,} were changed after they had been written; "
                    "`overwrite=True` starts over",
                    file=str(partial),
                )
            verified = checkpoint
    return rows, verified


def another_run(place: Path | str) -> MismatchError:
    """Return the error for output of a run that was not this one."""
    return MismatchError(
        "was left by a run with other metrics, parameters or inputs; repeat that command to resume it, "
        "or use `overwrite=True` to start over",
        file=str(place),
    )


def unfinished(place: Path | str, what: str = "rows") -> MismatchError:
    """Return the error for output of an interrupted run that a new run would discard."""
    return MismatchError(
        f"holds the finished {what} of an interrupted run; use `resume=True` to continue it, or "
        "`overwrite=True` to discard them",
        file=str(place),
    )


def _not_resumable(partial: Path) -> MismatchError:
    return MismatchError(
        "was not written by a run that can be resumed; move it, or use `overwrite=True` to discard it",
        file=str(partial),
    )
