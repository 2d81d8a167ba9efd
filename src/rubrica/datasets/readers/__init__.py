"""All readers: the table of their names, and their classes, imported when asked for."""

from __future__ import annotations

import importlib
from typing import Any

# name -> "module:class"; a reader's module is imported when the reader is first used.
ADDRESSES = {
    "csv": "rubrica.datasets.readers.delimited:CsvReader",
    "document-based": "rubrica.datasets.readers.rows:DocumentBasedReader",
    "jsonl": "rubrica.datasets.readers.tables:JsonlReader",
    "parquet": "rubrica.datasets.readers.parquet:ParquetReader",
    "pyramid-based": "rubrica.datasets.readers.pyramids:PyramidBasedReader",
    "reference-based": "rubrica.datasets.readers.rows:ReferenceBasedReader",
    "reference-document-based": "rubrica.datasets.readers.rows:ReferenceDocumentBasedReader",
    "split-document-based": "rubrica.datasets.readers.split_documents:SplitDocumentBasedReader",
    "summary-only": "rubrica.datasets.readers.rows:SummaryOnlyReader",
    "text": "rubrica.datasets.readers.lines:LineAlignedReader",
}

_CLASSES = {
    "DatasetReader": "rubrica.datasets.readers.base:DatasetReader",
    **{address.rpartition(":")[2]: address for address in ADDRESSES.values()},
}

__all__ = sorted(_CLASSES)  # noqa: PLE0605 (names are loaded on first use)


def __getattr__(name: str) -> Any:
    if name not in _CLASSES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, _, attribute = _CLASSES[name].partition(":")
    return getattr(importlib.import_module(module), attribute)


def __dir__() -> list[str]:
    return [*globals(), *_CLASSES]
