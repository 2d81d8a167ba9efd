"""Files of scores: one reader of rows, and one writer, for JSON lines and Parquet alike."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import lru_cache
from typing import Any, TypeVar

import msgspec

from rubrica.data.files import atomic_output, compress_to, read_lines, writable
from rubrica.data.jsonl import convert, decode_object, lock, write_jsonl
from rubrica.data.metrics import Metrics, decode_metrics
from rubrica.data.parquet import import_parquet
from rubrica.data.score_parquet import ScoreColumns, read_parquet
from rubrica.errors import DataError, MismatchError

Row = TypeVar("Row", bound=Metrics)
_ENCODER = msgspec.json.Encoder()


def read_score_rows(path: str | os.PathLike[str], kind: type[Row]) -> Iterator[tuple[int, Row]]:
    """Yield the rows of a file of scores with their line numbers (in Parquet, row numbers).

    Rows are records of a kind: `Metrics`, or a class that extends it.

    The ending of the name decides on the format: `.parquet`, or else JSON lines, compressed or not. Keys
    that a row of this kind does not have are skipped.
    """
    last: Any = None
    for number, row in _READERS.get(_ending(path), _read_lines)(os.fspath(path), kind):
        # Nearly always those of the row before, so they are held once.
        if last is not None and row.signatures == last.signatures:
            row.signatures = last.signatures
        if last is not None and row.measures == last.measures:
            row.measures = last.measures
        last = row
        yield number, row


def read_metrics(path: str | os.PathLike[str]) -> Iterator[Metrics]:
    """Yield the rows of a file of scores."""
    for _, row in read_score_rows(path, Metrics):
        yield row


def holds_scores(path: str | os.PathLike[str]) -> bool:
    """Return whether a file holds rows of scores, by its first row."""
    try:
        row = next(read_metrics(path), None)
    except DataError:
        return False
    # Any column of numbers in Parquet is a measure, so there a signature must tell scores from summaries.
    return row is not None and (_ending(path) != ".parquet" or bool(row.signatures))


def write_score_rows(path: str | os.PathLike[str], rows: Iterable[Metrics]) -> None:
    """Write rows in the format that the name asks for, atomically."""
    if _ending(path) != ".parquet":
        write_jsonl(path, rows)
        return
    columns = ScoreColumns()
    columns.add(rows)
    with atomic_output(path) as stream:
        columns.write(stream)


def decode_rows(lines: bytes) -> list[Metrics]:
    """Return rows that were encoded as JSON lines."""
    return _decoder(Metrics).decode_lines(lines)


def _read_lines(path: str, kind: type[Row]) -> Iterator[tuple[int, Row]]:
    decoder = _decoder(kind)
    for number, line in read_lines(path):
        if not line.strip():
            continue
        try:
            row = decoder.decode(line)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            row = None
        # The slow way accepts more (ids that are numbers), and says what is wrong where.
        yield number, row if row is not None and row.metrics else _convert(line, kind, path, number)


def _convert(line: bytes, kind: type[Row], path: str, number: int) -> Row:
    values = decode_object(line, path, number)
    if "metrics" not in values:
        raise DataError(
            f"no field 'metrics' (found: {', '.join(map(str, values))}); rows of scores are needed, "
            "as rubrica METRIC score writes them",
            file=path,
            line=number,
        )
    return convert(values, kind, path, number)


@lru_cache
def _decoder(kind: type[Row]) -> msgspec.json.Decoder[Row]:
    return msgspec.json.Decoder(kind, dec_hook=decode_metrics)


# A further format of scores is a function here: path and kind of row to numbered rows.
_READERS: Mapping[str, Callable[[str, type[Any]], Iterator[tuple[int, Any]]]] = {
    ".parquet": read_parquet
}


def _ending(path: str | os.PathLike[str]) -> str:
    return os.path.splitext(os.fspath(path))[1].lower()


class RowWriter:
    """Writes the rows of a long run: to `PATH.partial` as they come, and to `PATH` when all are there.

    A path that ends in `.parquet` becomes a Parquet file then.

    With `resume`, an earlier run's partial file is continued: `finished_rows` iterates over its rows, and
    new rows are written after them. `run` describes the run; the file of another run is an error.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        run: str,
        resume: bool = False,
        kind: type[Metrics] = Metrics,
    ) -> None:
        self.path, self._kind = writable(path), kind
        if self.path.suffix == ".parquet":
            # Now, not after an hour's work.
            import_parquet()
        self.partial = self.path.with_name(self.path.name + ".partial")
        self._note = self.path.with_name(self.path.name + ".partial.run")
        self._stream = open(self.partial, "ab")  # noqa: SIM115 (closed by finish or close)
        try:
            lock(self._stream, self.path)
            self.rows_finished = self._take_up(run) if resume and self._note.exists() else 0
        except BaseException:
            self._stream.close()
            raise
        if not self.rows_finished:
            self._stream.truncate(0)
            self._note.write_text(run, encoding="utf-8")

    def _take_up(self, run: str) -> int:
        """Drop a half-written last line and count the others."""
        if self._note.read_text(encoding="utf-8") != run:
            raise MismatchError(
                "was left by a run with other metrics, parameters or inputs; "
                "repeat that command to resume it, or drop --resume to start over",
                file=str(self.partial),
            )
        rows = whole = 0
        with open(self.partial, "rb+") as stream:
            for line in stream:
                if not line.endswith(b"\n"):
                    break
                rows, whole = rows + 1, whole + len(line)
            stream.truncate(whole)
        return rows

    def finished_rows(self) -> Iterator[Metrics]:
        """Yield the rows of the earlier run."""
        for number, (_, row) in enumerate(_read_lines(str(self.partial), self._kind), 1):
            yield row
            if number == self.rows_finished:
                return

    def write(self, row: Metrics) -> None:
        """Append one row."""
        self._stream.write(_ENCODER.encode(row) + b"\n")

    def write_lines(self, lines: bytes) -> None:
        """Append rows that are JSON lines already."""
        self._stream.write(lines)

    def flush(self) -> None:
        """Hand finished rows to the operating system."""
        self._stream.flush()

    def rows_safe(self) -> bool:
        """Write what can be written after a failure; return whether the partial file has any rows."""
        with suppress(OSError, ValueError):
            # A closed file has nothing left to write. On a full disk this fails; a half-written last
            # line is dropped by the next run.
            self._stream.flush()
        return self.partial.exists() and self.partial.stat().st_size > 0

    def finish(self) -> None:
        """Give the file its name: all rows are there."""
        self._stream.close()
        if self.path.suffix == ".parquet":
            rows = _read_lines(str(self.partial), self._kind)
            write_score_rows(self.path, (row for _, row in rows))
            self.partial.unlink()
        else:
            compress_to(self.partial, self.path)
        self._note.unlink(missing_ok=True)

    def close(self) -> None:
        """Stop early; the rows written so far stay in the partial file."""
        with suppress(OSError):
            # Closing writes what is left, which on a full disk fails once more.
            self._stream.close()
