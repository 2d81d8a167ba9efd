"""Per-sample logs of evaluation harnesses, read as rows of scores; a module per format.

Formats are recognised by their content. The model that a log names is the system, a sample is an input, and repeated
runs of a sample (epochs, trials) are a list of values: their mean counts, and the sample stays one unit of every test.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rubrica.data.logs import helm, inspect_log, promptfoo
from rubrica.data.logs.rows import NumberedRow

# A further format of one JSON document is a module here, with `matches(document)` and `rows(document, path)`.
_DOCUMENTS = (inspect_log, helm, promptfoo)


def document_rows(document: Any, path: str) -> Iterator[NumberedRow] | None:
    """Return the rows of a log that is one JSON document; None if it is not a log."""
    for log in _DOCUMENTS:
        if log.matches(document):
            return log.rows(document, path)
    return None
