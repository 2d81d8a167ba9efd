"""One sample, whole: the source, every reference, every system's summary, scores and word-level matches."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rubrica.data.instance import EvalInstance, Fields
from rubrica.errors import DataError
from rubrica.reports.rouge_matches import RougeReport, rouge_report, usual_variant
from rubrica.serve.viewer.library import Library


def read_sample(library: Library, query: Mapping[str, str]) -> dict[str, Any]:
    """Return everything about an input; `system` names the summary to begin with (default: the first).

    Raises:
        DataError: No file has such an input or summary.
    """
    table = library.table
    name, system = query.get("input", ""), query.get("system", "")
    with table.lock:
        code = table.inputs.find(name)
        rows = [] if code is None else table.rows_of_input(code)
        if not rows or (system and table.row(name, system) is None):
            raise DataError(
                f"no file here has a summary of {name!r}" + (f" by {system!r}" if system else "")
            )
        return {
            "input": name,
            "system": system or table.ids(rows[0])[1],
            "documents": table.context("documents", rows[0]),
            "summaries": [_summary(library, row) for row in rows],
            "matches": _matches(library, rows),
        }


def _summary(library: Library, row: int) -> dict[str, Any]:
    table = library.table
    _, system, kind = table.ids(row)
    return {
        "row": row,
        "system": system,
        "type": kind,
        "summary": table.summary(row),
        "references": table.context("references", row),
        "languages": table.languages(row),
        "fields": {name: table.field_of(name, row) for name in table.fields},
        "scores": {name: float(table.column(name)[row]) for name in table.scores},
    }


def _matches(library: Library, rows: list[int]) -> RougeReport | None:
    """Return ROUGE's matches of all summaries that have references; None if none has."""
    table, instances = library.table, []
    for row in rows:
        summary, references = table.summary(row), table.context("references", row)
        if summary is not None and references:
            fields = Fields(summary=summary, references=references)
            instances.append(EvalInstance(*table.ids(row), fields, languages=table.languages(row)))
    return rouge_report(instances, (usual_variant(instances),)) if instances else None
