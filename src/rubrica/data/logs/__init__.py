"""Per-sample logs of evaluation harnesses, read as rows of scores; a module per format.

Formats are recognised by their content. The model that a log names is the system, a sample is an input, and repeated
runs of a sample (epochs, trials) are a list of values: their mean counts, and the sample stays one unit of every test.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from rubrica.data.logs import helm, inspect_log, promptfoo
from rubrica.data.logs.rows import NumberedRow

# A further format of one JSON document is a module with `matches(document)` and `rows(document, path)`, listed here.
_DOCUMENTS: tuple[
    tuple[Callable[[Any], bool], Callable[[Any, str], Iterator[NumberedRow]]], ...
] = tuple((log.matches, log.rows) for log in (inspect_log, helm, promptfoo))


def document_rows(document: Any, path: str) -> Iterator[NumberedRow] | None:
    """Return the rows of a log that is one JSON document; None if it is not a log."""
    for matches, rows in _DOCUMENTS:
        if matches(document):
            return rows(document, path)
    return None
