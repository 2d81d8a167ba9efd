"""`JsonlReader` and `JsonlWriter`: objects from and to JSON lines, compressed by the file's name."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from typing import Any, Self

import msgspec

from rubrica.data.files import atomic_output, read_text_lines
from rubrica.errors import DataError


class JsonlReader:
    """The objects of a file, as mappings or as objects of a class; bare NaN is read."""

    def __init__(self, file_path: str | os.PathLike[str], cls: Any = None) -> None:
        self.file_path, self.cls = os.fspath(file_path), cls

    def __enter__(self) -> Self:
        self._rows = self._read()
        return self

    def __exit__(self, *error: object) -> None:
        self._rows.close()  # type: ignore[attr-defined]

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        return next(self._rows)

    def read(self) -> list[Any]:
        """Return all objects."""
        with self:
            return list(self)

    def _read(self) -> Iterator[Any]:
        for number, line in read_text_lines(self.file_path):
            if not line.strip():
                continue
            try:
                yield self._object(json.loads(line))
            except json.JSONDecodeError as error:
                raise DataError(
                    f"not valid JSON: {error}", file=self.file_path, line=number
                ) from error
            except (TypeError, msgspec.ValidationError) as error:
                raise DataError(
                    f"not a {self.cls.__name__}: {error}", file=self.file_path, line=number
                ) from error

    def _object(self, value: Any) -> Any:
        if self.cls is None:
            return value
        if issubclass(self.cls, msgspec.Struct):
            return msgspec.convert(value, self.cls)
        # Keys that the class does not know are passed over.
        known = getattr(self.cls, "serialized_keys", None)
        return self.cls(**({key: value[key] for key in known if key in value} if known else value))


class JsonlWriter:
    """Writes a line per object; the file appears, whole, when the block ends."""

    def __init__(self, file_path: str | os.PathLike[str]) -> None:
        self.file_path = os.fspath(file_path)

    def __enter__(self) -> Self:
        self._output = atomic_output(self.file_path)
        self._stream = self._output.__enter__()
        return self

    def write(self, object: Any) -> None:
        """Append an object; what is not a number is written as NaN."""
        self._stream.write(json.dumps(object, default=_plain).encode() + b"\n")

    def __exit__(self, *error: Any) -> None:
        self._output.__exit__(*error)


def is_gz_file(file_path: str) -> bool:
    """Return whether a file begins as gzip's do."""
    with open(file_path, "rb") as stream:
        return stream.read(2) == b"\x1f\x8b"


def _plain(value: Any) -> Any:
    """What JSON can hold of an object: a record's fields, a numpy number's value."""
    if isinstance(value, msgspec.Struct):
        return msgspec.to_builtins(value)
    if hasattr(value, "item"):
        return value.item()
    keys = getattr(value, "serialized_keys", None) or vars(value)
    return {key: getattr(value, key) for key in keys}
