"""Import tasks into the store and export answers, in the columns of LitePyramids and Mechanical Turk."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from rubrica.errors import DataError
from rubrica.serve.people import Annotator
from rubrica.serve.study_database import Assigned, StudyDatabase
from rubrica.study.forms.base import UNSURE, Item, Judgment
from rubrica.study.ratings import Answer, Rating, time_text
from rubrica.study.scus import WRITE_COLUMNS
from rubrica.study.sheets import TURK_COLUMNS, read_sheet
from rubrica.study.tasks import Task


def rating_items(tasks: Sequence[Task]) -> list[Item]:
    """Return rating tasks as items."""
    return [
        Item(
            "rate",
            task.event,
            task.summarizer_id,
            task.shown,
            tuple(
                {"id": statement.id, "text": statement.text, "known": statement.known}
                for statement in task.statements
            ),
            task.qualification,
        )
        for task in tasks
    ]


def writing_items(path: str, lines: int) -> list[Item]:
    """Return tasks to write units, from the files of `scus make`, each with `lines` empty lines."""
    _, rows = read_sheet(path, WRITE_COLUMNS)
    empty = tuple({"id": str(n), "text": "", "known": ""} for n in range(lines))
    items = [
        Item("write", row["eventId"], row["summId"], row["summary_text"], empty) for _, row in rows
    ]
    if not items:
        raise DataError("no tasks", file=path)
    return items


def ratings_of(database: StudyDatabase, *, qualification: bool = False) -> list[Rating]:
    """Return the submitted rating tasks, or the submitted practice tasks (`qualification`)."""
    ratings: list[Rating] = []
    for annotator, assigned in database.all_assigned():
        item = assigned.item
        if item.kind != "rate" or assigned.submitted is None or item.qualification != qualification:
            continue
        answers = tuple(
            Answer(
                statement["id"], statement["text"], _present(assigned.answers.get(place)),
                None if not statement["known"] else statement["known"] == "p",
            )
            for place, statement in enumerate(item.statements)
        )  # fmt: skip
        opened = assigned.opened or assigned.submitted
        ratings.append(
            Rating(
                item.event,
                item.source,
                annotator.name,
                answers,
                item.shown,
                database.path,
                len(ratings) + 2,
                _seconds(assigned),
                time_text(opened),
                time_text(assigned.submitted),
            )
        )
    return ratings


def judgments_of(database: StudyDatabase) -> list[Judgment]:
    """Return the submitted tasks of any kind, without practice tasks."""
    return [
        Judgment(
            annotator.name, assigned.item, assigned.answers, _seconds(assigned), assigned.remarks,
        )
        for annotator, assigned in database.all_assigned()
        if assigned.submitted is not None and not assigned.item.qualification
    ]  # fmt: skip


def _seconds(assigned: Assigned) -> float | None:
    """Return how long a task took, None if nobody recorded when it was opened."""
    if assigned.submitted is None or assigned.opened is None:
        return None
    return round(assigned.submitted - assigned.opened, 1)


def _present(value: str | None) -> bool | None:
    return None if value in (None, UNSURE) else value == "p"


def writing_columns(lines: int) -> list[str]:
    """Return the columns of a result file of written units."""
    inputs = [f"Input.{name}" for name in WRITE_COLUMNS]
    return [
        *TURK_COLUMNS,
        *inputs,
        *(f"Answer.s{n}" for n in range(1, lines + 1)),
        "Approve",
        "Reject",
    ]


def written(database: StudyDatabase) -> tuple[int, list[dict[str, Any]]]:
    """Return the largest number of lines of a writing task, and the submitted ones as rows."""
    rows, most = [], 0
    for annotator, assigned in database.all_assigned():
        if assigned.item.kind != "write" or assigned.submitted is None:
            continue
        texts = [assigned.answers[place] for place in sorted(assigned.answers)]
        most = max(most, len(texts), len(assigned.item.statements))
        rows.append(_written_row(annotator, assigned, texts))
    return most, rows


def _written_row(annotator: Annotator, assigned: Assigned, texts: Sequence[str]) -> dict[str, Any]:
    assert assigned.submitted is not None
    opened = assigned.opened or assigned.submitted
    row: dict[str, Any] = {
        "HITId": assigned.item.source,
        "AssignmentId": f"{assigned.item.source}/{annotator.name}",
        "WorkerId": annotator.name,
        "AssignmentStatus": "Submitted",
        "AcceptTime": time_text(opened),
        "SubmitTime": time_text(assigned.submitted),
        "WorkTimeInSeconds": f"{assigned.submitted - opened:.1f}",
        "Input.eventId": assigned.item.event,
        "Input.summId": assigned.item.source,
        "Input.summary_text": assigned.item.shown,
    }
    return row | {f"Answer.s{n}": text for n, text in enumerate(texts, 1)}


def progress_rows(database: StudyDatabase) -> Iterator[list[str]]:
    """Yield, for each annotator, name, submitted tasks, all tasks and state."""
    for annotator in database.annotators():
        done, total = database.progress(annotator.id)
        state = "done" if done == total else "open"
        if annotator.failed or annotator.removed:
            state = "removed" if annotator.removed else "not qualified"
        yield [annotator.name, str(done), str(total), state]
