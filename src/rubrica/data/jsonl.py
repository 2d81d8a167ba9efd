"""JSON lines: read as a stream, with the position of every error; written atomically."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import Any, TypeVar

import msgspec

from rubrica.data.files import atomic_output, decode, open_binary, read_lines
from rubrica.data.formats.json_keys import check_keys
from rubrica.data.metrics import decode_metrics
from rubrica.errors import DataError

# Above this a document would fill the memory; a small compressed file may hold one.
LARGEST_DOCUMENT = 1 << 29

T = TypeVar("T")
_ENCODER = msgspec.json.Encoder()
_DECODER = msgspec.json.Decoder()
_FLOATS_OF_ANY_SIZE = msgspec.json.Decoder(float_hook=float)
# A string, or an integer with more digits than Python turns into one.
_LONG_INTEGER = re.compile(rb'("(?:[^"\\]|\\.)*+")|(?<![\d.eE+-])-?\d{4300,}+(?![.eE])', re.DOTALL)
# NaN and Infinity as values, as Python's json module writes them.
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
    """Return the content of a file with one JSON document."""
    file = os.fspath(path)
    with open_binary(path) as stream:
        try:
            content = stream.read(LARGEST_DOCUMENT + 1)
            if len(content) > LARGEST_DOCUMENT:
                raise DataError(
                    f"a JSON document of more than {LARGEST_DOCUMENT >> 20} MiB; use JSON lines",
                    file=file,
                )
            value = _DECODER.decode(content)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise DataError(f"not valid JSON: {error}", file=file) from error
        except RecursionError as error:
            raise DataError("JSON nested too deeply to be read", file=file) from error
        check_keys(content, value, file, None)
        return value


def read_jsonl(path: str | os.PathLike[str]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield line numbers and JSON objects; blank lines are skipped."""
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
        decode(line, file, number)  # raises an error for bytes that are not text
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
    check_keys(line, row, file, number)
    return row


def _decoded(line: bytes) -> Any:
    try:
        return _DECODER.decode(line)
    except msgspec.ValidationError:
        # Without a target type, only a number out of range fails validation.
        spelt = _LONG_INTEGER.sub(lambda match: match[1] or match[0][:2] + b"e999", line)
        return _FLOATS_OF_ANY_SIZE.decode(spelt)


def _remedy(line: bytes) -> str:
    """Return a hint for common mistakes in lines that are not JSON."""
    if _NO_NUMBER.search(line):
        return "; NaN and Infinity are not JSON, write null for what is undefined"
    begins, ends = line.strip()[:1], line.strip()[-1:]
    if begins in b"[{" and ends not in b"]}":
        return (
            "; a row is one JSON object in one line (jq -c . makes that of objects over several "
            "lines, jq -c '.[]' of a list)"
        )
    if begins not in b"[{":
        return (
            "; is this a file of JSON lines? The ending says what a file is: .txt for one text per line, .csv, .tsv, "
            ".parquet, .arrow, .xlsx or .json for a table"
        )
    return ""


def convert(row: Any, kind: type[T], file: str, line: int) -> T:
    """Return a decoded row as a record type; a `DataError` names file, line and field.

    Integer ids become strings, as in the readers of summaries.
    """
    if isinstance(row, dict):
        for name in ("instance_id", "summarizer_id"):
            if type(row.get(name)) is int:
                row = {**row, name: str(row[name])}
    try:
        return msgspec.convert(row, kind, dec_hook=decode_metrics)
    except msgspec.ValidationError as error:
        fields = f" (found: {', '.join(map(str, row))})" if isinstance(row, dict) else ""
        raise DataError(f"{_describe_error(str(error))}{fields}", file=file, line=line) from error
    except RecursionError as error:
        raise DataError("JSON nested too deeply to be read", file=file, line=line) from error


def _describe_error(error: str) -> str:
    """Return the message of a msgspec error in Rubrica's words."""
    if missing := _MISSING.fullmatch(error):
        inside = f"{missing[2]}: " if missing[2] else ""
        return f"{inside}no field {missing[1]!r}"
    if wrong := _WRONG.fullmatch(error):
        expected = " or ".join(_KINDS.get(kind, kind) for kind in wrong[1].split(" | "))
        return f"field {wrong[3] or 'row'!r} must be {expected}, found {_KINDS.get(wrong[2], wrong[2])}"
    return error


def encoded_json(value: Any) -> bytes:
    """Return one indented JSON document; undefined numbers become null."""
    return msgspec.json.format(_ENCODER.encode(value), indent=2) + b"\n"


def write_json(path: str | os.PathLike[str], value: Any) -> None:
    """Write one indented JSON document atomically."""
    with atomic_output(path) as stream:
        stream.write(encoded_json(value))


def write_jsonl(path: str | os.PathLike[str], rows: Any) -> None:
    """Write all rows, one per line, atomically."""
    with atomic_output(path) as stream:
        for row in rows:
            stream.write(_ENCODER.encode(row) + b"\n")
