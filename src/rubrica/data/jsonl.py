"""JSON lines: read as a stream with the place of every error, written so that nothing is lost."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

import msgspec

from rubrica.data.files import atomic_output, compress_to, decode, open_binary, read_lines, writable
from rubrica.data.metrics import Metrics, MetricsDict
from rubrica.errors import DataError, MismatchError, OutputError

T = TypeVar("T")
_ENCODER = msgspec.json.Encoder()
_DECODER = msgspec.json.Decoder()
_FLOATS_OF_ANY_SIZE = msgspec.json.Decoder(float_hook=float)
# A string, or an integer with more digits than Python turns into one.
_LONG_INTEGER = re.compile(rb'("(?:[^"\\]|\\.)*+")|(?<![\d.eE+-])-?\d{4300,}+(?![.eE])', re.DOTALL)
# As Python's json module writes them, where a value stands.
_NO_NUMBER = re.compile(rb"[:,\[]\s*-?(NaN|Infinity)\s*[,\]}]")
_MISSING = re.compile(r"Object missing required field `(.*?)`(?: - at `\$\.?(.*)`)?")
_WRONG = re.compile(r"Expected `(.*?)`, got `(.*?)`(?: - at `\$\.?(.*)`)?")
_KINDS = {
    "str": "a text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "array": "a list",
    "object": "an object",
}
_JSON_NAMES = {list: "a list", str: "a text", bool: "true or false", type(None): "null"}


def read_json(path: str | os.PathLike[str]) -> Any:
    """What a file of one JSON document holds."""
    file = os.fspath(path)
    with open_binary(path) as stream:
        try:
            return _DECODER.decode(stream.read())
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise DataError(f"not valid JSON: {error}", file=file) from error
        except RecursionError as error:
            raise DataError("JSON nested too deeply to be read", file=file) from error


def read_jsonl(path: str | os.PathLike[str]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Line numbers and JSON objects; blank lines are passed over."""
    file = os.fspath(path)
    for number, line in read_lines(path):
        if line.strip():
            yield number, decode_object(line, file, number)


def decode_object(line: bytes, file: str, number: int) -> dict[str, Any]:
    """The JSON object in a line; a `DataError` at its place where there is none.

    A number that no float holds is infinite, as in Python's own `json`: where nobody reads it, it does
    no harm.
    """
    try:
        row = _decoded(line)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        decode(line, file, number)  # tells of bytes that are no text
        raise DataError(
            f"not valid JSON: {error}{_remedy(line)}", file=file, line=number
        ) from error
    except RecursionError as error:
        raise DataError("JSON nested too deeply to be read", file=file, line=number) from error
    if not isinstance(row, dict):
        raise DataError(
            f"expected a JSON object, found {_JSON_NAMES.get(type(row), 'a number')}"
            + ("; jq -c '.[]' makes rows of a list" if isinstance(row, list) else ""),
            file=file,
            line=number,
        )
    return row


def _decoded(line: bytes) -> Any:
    try:
        return _DECODER.decode(line)
    except msgspec.ValidationError:
        # Without a type to fit, only a number can be out of its range.
        spelt = _LONG_INTEGER.sub(lambda found: found[1] or found[0][:2] + b"e999", line)
        return _FLOATS_OF_ANY_SIZE.decode(spelt)


def _remedy(line: bytes) -> str:
    """What to do about a line that is no JSON, where the mistake is one that people make."""
    if _NO_NUMBER.search(line):
        return "; NaN and Infinity are not JSON, write null for what is undefined"
    begins, ends = line.strip()[:1], line.strip()[-1:]
    if begins in b"[{" and ends not in b"]}":
        return (
            "; a row is one JSON object in one line (jq -c . makes that of objects over several "
            "lines, jq -c '.[]' of a list)"
        )
    if begins not in b"[{":
        return "; is this a file of JSON lines?"
    return ""


def convert(row: Any, kind: type[T], file: str, line: int) -> T:
    """A decoded row as a record type; what does not fit is told with file, line and field.

    Ids that are integers are taken as their digits, as the readers of summaries take them.
    """
    if isinstance(row, dict):
        for name in ("instance_id", "summarizer_id"):
            if type(row.get(name)) is int:
                row = {**row, name: str(row[name])}
    try:
        return msgspec.convert(row, kind)
    except msgspec.ValidationError as error:
        found = f" (found: {', '.join(map(str, row))})" if isinstance(row, dict) else ""
        raise DataError(f"{_told(str(error))}{found}", file=file, line=line) from error


def _told(error: str) -> str:
    """What msgspec complains of, in the words of other messages."""
    if missing := _MISSING.fullmatch(error):
        inside = f"{missing[2]}: " if missing[2] else ""
        return f"{inside}no field {missing[1]!r}"
    if wrong := _WRONG.fullmatch(error):
        wanted = " or ".join(_KINDS.get(kind, kind) for kind in wrong[1].split(" | "))
        return (
            f"field {wrong[3] or 'row'!r} must be {wanted}, found {_KINDS.get(wrong[2], wrong[2])}"
        )
    return error


class _MetricsRow(msgspec.Struct):
    instance_id: str
    summarizer_id: str
    summarizer_type: str
    metrics: dict[str, Any]


def read_metrics(path: str | os.PathLike[str]) -> Iterator[Metrics]:
    """Rows of scores; keys beside the four of `Metrics` are passed over."""
    for _, row in read_metrics_lines(path):
        yield row


def read_score_rows(path: str | os.PathLike[str]) -> Iterator[tuple[int, dict[str, Any]]]:
    """As `read_jsonl`, of rows that must hold scores: people also give the summaries themselves."""
    for number, row in read_jsonl(path):
        if "metrics" not in row:
            raise DataError(
                f"no field 'metrics' (found: {', '.join(map(str, row))}); rows of scores are needed, "
                "as rubrica METRIC score writes them",
                file=os.fspath(path),
                line=number,
            )
        yield number, row


def read_metrics_lines(path: str | os.PathLike[str]) -> Iterator[tuple[int, Metrics]]:
    """As `read_metrics`, each row with the number of its line (in a `.parquet` file: its row)."""
    if os.fspath(path).endswith(".parquet"):
        from rubrica.data.score_parquet import read_score_parquet

        for at, (scored, _) in enumerate(read_score_parquet(path), 1):
            yield at, scored
        return
    for number, row in read_score_rows(path):
        made = convert(row, _MetricsRow, os.fspath(path), number)
        yield (
            number,
            Metrics(
                made.instance_id,
                made.summarizer_id,
                made.summarizer_type,
                MetricsDict(made.metrics),
            ),
        )


def encoded_json(value: Any) -> bytes:
    """One JSON document, indented; undefined numbers become null."""
    return msgspec.json.format(_ENCODER.encode(value), indent=2) + b"\n"


def write_json(path: str | os.PathLike[str], value: Any) -> None:
    """The same, written atomically."""
    with atomic_output(path) as stream:
        stream.write(encoded_json(value))


def write_jsonl(path: str | os.PathLike[str], rows: Any) -> None:
    """All rows, one per line, written atomically."""
    with atomic_output(path) as stream:
        for row in rows:
            stream.write(_ENCODER.encode(row) + b"\n")


def lock(stream: BinaryIO | int, path: Path) -> None:
    """Refuse a file (or folder) that another run is writing; the lock goes with the process."""
    try:
        import fcntl
    except ImportError:
        # Windows: there an open file cannot be replaced anyway.
        return
    try:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise OutputError(path, "another run is writing it") from error
    except OSError:
        # A file system without locks: better unlocked than not at all.
        return


class RowWriter:
    """Rows of a long run: kept in `PATH.partial` as they come, `PATH` only when all are there.

    A path that ends in `.parquet` becomes a Parquet file then.

    With `resume`, an earlier run's partial file is taken up: `finished_rows` iterates over its rows, and
    writing goes on after them. `run` describes the run; another run's file is refused.
    """

    def __init__(self, path: str | os.PathLike[str], *, run: str, resume: bool = False) -> None:
        self.path = writable(path)
        if self.path.suffix == ".parquet":
            from rubrica.data.score_parquet import check_parquet

            # Now, not after an hour's work.
            check_parquet()
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

    def finished_rows(self) -> Iterator[dict[str, Any]]:
        """The rows taken up from the earlier run."""
        for number, (_, row) in enumerate(read_jsonl(self.partial), 1):
            yield row
            if number == self.rows_finished:
                return

    def write(self, row: Any) -> None:
        """Append one row."""
        self._stream.write(_ENCODER.encode(row) + b"\n")

    def write_lines(self, lines: bytes) -> None:
        """Append rows that are JSON lines already."""
        self._stream.write(lines)

    def flush(self) -> None:
        """Hand finished rows to the operating system."""
        self._stream.flush()

    def rows_safe(self) -> bool:
        """Write what can be written after a failure; whether the partial file has any rows."""
        with suppress(OSError, ValueError):
            # A closed file has nothing left to write. On a full disk this fails; a half-written last
            # line is dropped by the next run.
            self._stream.flush()
        return self.partial.exists() and self.partial.stat().st_size > 0

    def finish(self) -> None:
        """All rows are there: the file gets its name."""
        self._stream.close()
        if self.path.suffix == ".parquet":
            from rubrica.data.score_parquet import parquet_of_lines

            parquet_of_lines(self.partial, self.path)
            self.partial.unlink()
        else:
            compress_to(self.partial, self.path)
        self._note.unlink(missing_ok=True)

    def close(self) -> None:
        """Stop early; what was written stays in the partial file."""
        with suppress(OSError):
            # Closing writes what is left, which on a full disk fails once more.
            self._stream.close()
