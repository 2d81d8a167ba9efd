"""Opens input of any shape: files by their endings and contents, data frames, lists and dicts."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Any

from rubrica.data.files import open_binary
from rubrica.data.instance import EvalInstance
from rubrica.data.jsonl import decode_object
from rubrica.datasets.readers.base import READERS, DatasetReader
from rubrica.datasets.readers.inputs import extension
from rubrica.datasets.source import Source
from rubrica.errors import DataError, ParameterError, UsageError
from rubrica.parameters import parameters_of

BY_ENDING = {
    ".txt": "text",
    ".csv": "csv",
    ".tsv": "csv",
    ".tab": "csv",
    ".parquet": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
    ".xlsx": "xlsx",
}
# Readers of JSON lines in our own schema, by the fields they give beside the summary.
_BY_FIELDS = {
    ("references",): "reference-based",
    ("documents",): "document-based",
    ("documents", "query"): "query-document-based",
    ("documents", "references"): "reference-document-based",
    ("annotation", "pyramid"): "pyramid-based",
    ("votes",): "votes-based",
    (): "summary-only",
}
# Of these, the readers whose rows are as plain as those of tables.
_SCHEMA_READERS = {
    "summary-only",
    "reference-based",
    "document-based",
    "reference-document-based",
}
_LINE_OPTIONS = {"references", "documents", "sentences", "ids", "summarizer_ids"}
_SCHEMA = {"instance_id", "summarizer_id", "summarizer_type", "summary"}
_TABLES = {"references", "documents"}
_LONGEST_PEEK = 1 << 22


def read(
    data: Any, needs: Iterable[str] = ("references",), **options: Any
) -> Source | Iterable[EvalInstance]:
    """Return the instances of files or of a table in memory: what `evaluate`, `score` and `compare` take.

    Args:
        data: A path or several, a pandas or polars frame, an Arrow table, a Hugging Face dataset, dicts or a dict of
            columns. Instances and sources are returned as they are.
        needs: The fields that metrics need beside the summary.
        options: Parameters of the reader: `fields` and `systems` for tables, `references` and `documents` for
            files with a text per line, `reader` for the name of the reader itself.

    Returns:
        The instances; for files they are read when you iterate, each time anew.

    Raises:
        UsageError: Options do not fit the files, or nothing can read them.

    Example:
        >>> import rubrica as rb
        >>> columns = {"reference": ["a cat sat"], "bart_out": ["the cat"], "t5_out": ["cats"]}
        >>> instances = rb.read(columns, systems={"bart": "bart_out", "t5": "t5_out"})
        >>> [(instance.summarizer_id, instance.fields["summary"]) for instance in instances]
        [('bart', 'the cat'), ('t5', 'cats')]
    """
    from rubrica.datasets.readers.memory import MemoryReader, check_instances, is_table

    options = {name: value for name, value in options.items() if value is not None}
    if isinstance(data, (str, os.PathLike)):
        data = [data]
    if isinstance(data, (list, tuple)) and data and isinstance(data[0], (str, os.PathLike)):
        files = [os.fspath(file) for file in data]
        name = options.pop("reader", None)
        return Source(reader_for(files, needs, name, options), files)
    if isinstance(data, Iterator) and not is_table(data):
        first = list(islice(data, 1))
        data = [*first, *data] if is_table(first) else chain(first, data)
    if is_table(data):
        return list(MemoryReader(data, **options).read("data"))
    if options:
        raise ParameterError(f"instances take no options: {', '.join(options)}")
    check_instances(data)
    return data  # type: ignore[no-any-return]


def reader_for(
    files: Sequence[str],
    needs: Iterable[str],
    reader: str | Mapping[str, Any] | None = None,
    options: Mapping[str, Any] | None = None,
    *,
    allow_import: bool = False,
) -> DatasetReader:
    """Return the reader for files: the named one, or by what the files are and the metrics need."""
    options = {
        name: value for name, value in (options or {}).items() if value not in (None, [], {})
    }
    if reader is None:
        check_same_kind(files)
        reader = detect(files[0], needs, options)
    config = {"type": reader} if isinstance(reader, str) else dict(reader)
    cls = READERS.load(config["type"]) if allow_import else READERS.get(config["type"])
    known = {parameter.name for parameter in parameters_of(cls)}
    for name in options:
        if name not in known:
            raise UsageError(_not_an_option(name, config["type"], files))
    return DatasetReader.from_config({**config, **options}, allow_import=allow_import)


def reader_of_all_fields(reader: DatasetReader) -> DatasetReader:
    """Return a reader that gives every field of a row: rows of our own schema are a table, too."""
    return READERS.make("jsonl") if reader.name in _SCHEMA_READERS else reader


def holds_summaries(file: str, options: Mapping[str, Any] | None = None) -> bool:
    """Return whether a file has summaries, by its first row; False if it cannot be read."""
    from rubrica.datasets.readers.tables import TableReader, holds_texts

    reader = reader_of_all_fields(reader_for([file], (), None, options))
    if not isinstance(reader, TableReader):
        return True
    try:
        record = next(reader.records(file), None)
    except DataError:
        return False
    return record is not None and holds_texts(record[0].values, record[1])


def detect(file: str, needs: Iterable[str], options: Mapping[str, Any] | None = None) -> str:
    """Return the name of the reader for a file, by its ending and by how it begins."""
    options = options or {}
    if extension(file) == ".eval":
        raise UsageError(f"{file} is a log of Inspect: scores, which `rubrica compare` takes")
    if (name := BY_ENDING.get(extension(file))) is not None:
        return name
    if _LINE_OPTIONS & set(options) and extension(file) not in (".jsonl", ".json"):
        return "text"
    needed = tuple(sorted(set(needs) - {"summary"}))
    schema = _BY_FIELDS.get(needed)
    if schema is None:
        raise UsageError(
            f"the metrics need {', '.join(needed)}: choose how to read that with `reader=...`"
        )
    if not _TABLES.issuperset(needed):
        return schema
    if {"fields", "systems"} & set(options):
        return "json" if _peek(file)[:1] == b"[" or extension(file) == ".json" else "jsonl"
    return _by_content(file, schema)


def _by_content(file: str, schema: str) -> str:
    head = _peek(file)
    if head[:1] == b"[":
        return "json"
    try:
        row = decode_object(head, file, 1) if head[:1] == b"{" else None
    except DataError:
        # An object over several lines; other errors are reported by the reader, with their line.
        return "json" if extension(file) == ".json" and not head.endswith(b"}") else schema
    if row is None or row.keys() >= _SCHEMA:
        return schema
    if extension(file) == ".json":
        return "json"
    return "jsonl"


def _peek(file: str) -> bytes:
    """Return the first line that is not blank; nothing if looking would use up the input."""
    if file == "-":
        peek = getattr(getattr(sys.stdin, "buffer", None), "peek", None)
        head = peek(1) if peek is not None else b""
        return next((line for line in head.splitlines() if line.strip()), b"").strip()
    if "://" not in file and not os.path.isfile(file):
        return b""
    with open_binary(file) as stream:
        for _ in range(100):
            line = stream.readline(_LONGEST_PEEK)
            if line.strip() or not line:
                return line.removeprefix(b"\xef\xbb\xbf").strip()
    return b""


def check_same_kind(files: Sequence[str]) -> None:
    """Refuse folders, and files of different kinds: one reader reads all of them."""
    for file in files:
        if os.path.isdir(file):
            inside = [name for name in sorted(os.listdir(file)) if not name.startswith(".")]
            examples = ", ".join([*inside[:3], *(["..."] if len(inside) > 3 else [])])
            raise UsageError(f"{file} is a folder; name its files ({examples or 'it is empty'})")
    first = BY_ENDING.get(extension(files[0]))
    for file in files[1:]:
        if (BY_ENDING.get(extension(file)) or first) != first:
            raise UsageError(
                f"{files[0]} and {file} look like files of different kinds, and one reader reads all; "
                "score them one by one, or choose the reader with `reader=...`"
            )


def _not_an_option(name: str, reader: str, files: Sequence[str]) -> str:
    option = f"--{name.replace('_', '-')}"
    if name in ("references", "documents"):
        return (
            f"-{name[0]} is for texts per line; reader {reader!r} finds {name} in {files[0]} itself, "
            f"or with --fields {name}=COLUMN"
        )
    readers = [
        other
        for other in READERS.builtin_names()
        if any(parameter.name == name for parameter in parameters_of(READERS.get(other)))
    ]
    return f"reader {reader!r} has no option {option}; it is an option of {', '.join(readers)}"
