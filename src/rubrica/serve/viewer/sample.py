"""One sample, whole: the source, every reference, every system's summary, scores, matches and differences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rubrica.data.instance import EvalInstance, Fields, Text
from rubrica.errors import DataError
from rubrica.reports.rouge_matches import RougeReport, rouge_report, usual_variant
from rubrica.serve.viewer.differences import differences
from rubrica.serve.viewer.distribution import as_facts, next_disagreement
from rubrica.serve.viewer.library import Library

# Instead of a system's name: the same summary in an earlier run.
PREVIOUS_RUN = "@before"


def read_sample(library: Library, query: Mapping[str, str]) -> dict[str, Any]:
    """Return everything about an input; `system` names the summary to begin with (default: the first).

    `other` names a system whose summary is compared with it word by word.

    Raises:
        DataError: No file has such an input or summary.
    """
    table = library.table
    name, system, other = (query.get(key, "") for key in ("input", "system", "other"))
    with table.lock:
        code = table.inputs.find(name)
        rows = [] if code is None else table.rows_of_input(code)
        system = system or (table.ids(rows[0])[1] if rows else "")
        row = table.row(name, system)
        if row is None:
            by = f" by {system!r}" if system else ""
            raise DataError(f"no file here has a summary of {name!r}{by}")
        return {
            "input": name,
            "system": system,
            "documents": table.context("documents", row),
            "references": table.context("references", row),
            "languages": table.languages(row),
            "summaries": [_summary(library, at) for at in rows],
            "measures": [as_facts(library.distributions, measure) for measure in table.scores],
            "matches": _matches(library, rows),
            "explained": None if library.explainer is None else library.explainer.facts(),
            "differences": _differences(
                table.summary(row), _other_text(library, name, system, other)
            ),
            "before": library.before is not None
            and library.before.table.row(name, system) is not None,
            "units": library.pyramids.units(name),
            "flag": None if library.flags is None else library.flags.get(name, system),
        }


def read_next(library: Library, query: Mapping[str, str]) -> dict[str, Any]:
    """Return the next sample in order of disagreement between `by`, a measure, and `against`.

    `against` is another measure or `systems`; only rows that `find` matches count.

    Raises:
        DataError: No row has both values.
    """
    table = library.table
    with table.lock:
        by = library.query.resolve(query.get("by", ""))
        against = query.get("against", "systems")
        if against != "systems":
            against = library.query.resolve(against)
        values = library.distributions.disagreement(by, against)
        current = table.row(query.get("input", ""), query.get("system", ""))
        rows = library.query.rows(query.get("find", ""))
        sample = next_disagreement(values, rows, current)
        if sample is None:
            raise DataError(f"no row here has values of {by} and {against}")
        row, value, place, count = sample
        name, system, _ = table.ids(row)
        facts = {"by": by, "against": against, "value": value, "place": place, "count": count}
        return {"input": name, "system": system, **facts}


def _summary(library: Library, row: int) -> dict[str, Any]:
    table, distributions = library.table, library.distributions
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
        "ranks": {name: float(distributions.ranks(name)[row]) for name in table.scores},
    }


def _matches(library: Library, rows: Sequence[int]) -> RougeReport | None:
    """Return ROUGE's matches of all summaries that have references; None if none has."""
    table, instances = library.table, []
    for row in rows:
        summary, references = table.summary(row), table.context("references", row)
        if summary is not None and references:
            fields = Fields(summary=summary, references=references)
            instances.append(EvalInstance(*table.ids(row), fields, languages=table.languages(row)))
    return rouge_report(instances, (usual_variant(instances),)) if instances else None


def _other_text(library: Library, name: str, system: str, other: str) -> Text | None:
    """Return the summary to compare with: of another system, or of this one in the run before."""
    table = library.table
    if other == PREVIOUS_RUN and library.before is not None:
        table, other = library.before.table, system
    row = table.row(name, other)
    return None if row is None else table.summary(row)


def _differences(text: Text | None, other: Text | None) -> Any:
    return None if text is None or other is None else differences(text, other)
