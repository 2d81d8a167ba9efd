"""When a running study has settled which of two systems is better."""

from __future__ import annotations

import json

from rubrica.errors import DataError, UnknownNameError
from rubrica.serve.exchange import judgments_of
from rubrica.serve.study_database import StudyDatabase
from rubrica.study.forms.adaptive import Stopping, paired_differences, stopping_rule
from rubrica.study.forms.scores import score_rows


def study_stopping(
    database: StudyDatabase, first: str, second: str, measure: str, *, alpha: float = 0.05
) -> Stopping:
    """Test whether a system is better, on the inputs judged so far.

    An input counts when all its judgments of both systems are submitted. Inputs follow the order of
    the study if it has one, and otherwise the times of their last judgments.
    """
    width = database.form.width(measure)
    if width is None:
        raise DataError(f"measure {measure!r} has no bounded scale, which the stopping rule needs")
    known: set[str] = set()
    open_inputs, finished = set(), dict[str, float]()
    for _, task in database.all_assigned():
        systems = {task.item.source, *(statement["id"] for statement in task.item.statements)}
        known |= systems
        if task.item.qualification or not systems & {first, second}:
            continue
        event = task.item.event
        if task.submitted is None:
            open_inputs.add(event)
        else:
            finished[event] = max(finished.get(event, 0.0), task.submitted)
    for name in (first, second):
        if name not in known:
            raise UnknownNameError("system", name, known)
    rows = score_rows(database.form, judgments_of(database))
    measures = {name for row in rows for name in row.values()}
    if measures and measure not in measures:
        raise UnknownNameError("measure", measure, measures)
    differences = paired_differences(rows, first, second, measure, width)
    done = {name: value for name, value in differences.items() if name not in open_inputs}
    names = [
        *sorted(finished, key=lambda name: finished[name]),
        *sorted(open_inputs - set(finished)),
    ]
    order = json.loads(database.fact("order") or "null") or names
    weights = json.loads(database.fact("weights") or "null")
    return stopping_rule(first, second, done, order=order, weights=weights, alpha=alpha)
