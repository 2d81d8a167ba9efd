"""All readers: the table of their names, and their classes, imported when asked for."""

from __future__ import annotations

import importlib
from typing import Any

# name -> "module:class"; a reader's module is imported when the reader is first used.
ADDRESSES = {
    "reference-based": "rubrica.datasets.readers.rows:ReferenceBasedReader",
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
