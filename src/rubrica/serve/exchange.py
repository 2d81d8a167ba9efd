"""Between files and the store: tasks in, answers out, in the columns of LitePyramids and Mechanical Turk."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from rubrica.errors import DataError
from rubrica.serve.store import Annotator, Assigned, Item, Store
from rubrica.study.ratings import Answer, Rating, time_text
from rubrica.study.scus import WRITE_COLUMNS
from rubrica.study.sheets import TURK_COLUMNS, read_sheet
from rubrica.study.tasks import Task


def rating_items(tasks: Sequence[Task]) -> list[Item]:
    """Rating tasks as items."""
    return [
        Item(
            "rate",
            task.event,
            task.summarizer_id,
            task.shown,
            tuple({"id": one.id, "text": one.text, "known": one.known} for one in task.statements),
            task.qualification,
        )
        for task in tasks
    ]


def writing_items(path: str, lines: int) -> list[Item]:
    """Tasks of writing units, as `scus make` writes them, each with so many lines to begin with."""
    _, rows = read_sheet(path, WRITE_COLUMNS)
    empty = tuple({"id": str(n), "text": "", "known": ""} for n in range(lines))
    items = [
        Item("write", row["eventId"], row["summId"], row["summary_text"], empty) for _, row in rows
    ]
    if not items:
        raise DataError("no tasks", file=path)
    return items


def ratings_of(store: Store, *, qualification: bool = False) -> list[Rating]:
    """Submitted rating tasks, practice tasks apart."""
    made: list[Rating] = []
    for annotator, one in store.all_assigned():
        item = one.item
        if item.kind != "rate" or one.submitted is None or item.qualification != qualification:
            continue
        answers = tuple(
            Answer(
                statement["id"], statement["text"], _present(one.answers.get(place)),
                None if not statement["known"] else statement["known"] == "p",
            )
            for place, statement in enumerate(item.statements)
        )  # fmt: skip
        opened = one.opened or one.submitted
        made.append(
            Rating(
                item.event,
                item.source,
                annotator.name,
                answers,
                item.shown,
                store.path,
                len(made) + 2,
                round(one.submitted - opened, 1),
                time_text(opened),
                time_text(one.submitted),
            )
        )
    return made


def _present(value: str | None) -> bool | None:
    return None if value is None else value == "p"


def writing_columns(lines: int) -> list[str]:
    """The columns of a result file of written units."""
    inputs = [f"Input.{name}" for name in WRITE_COLUMNS]
    return [
        *TURK_COLUMNS,
        *inputs,
        *(f"Answer.s{n}" for n in range(1, lines + 1)),
        "Approve",
        "Reject",
    ]


def written(store: Store) -> tuple[int, list[dict[str, Any]]]:
    """Submitted tasks of writing as rows, and the most lines of any."""
    rows, most = [], 0
    for annotator, one in store.all_assigned():
        if one.item.kind != "write" or one.submitted is None:
            continue
        texts = [one.answers[place] for place in sorted(one.answers)]
        most = max(most, len(texts), len(one.item.statements))
        rows.append(_written_row(annotator, one, texts))
    return most, rows


def _written_row(annotator: Annotator, one: Assigned, texts: Sequence[str]) -> dict[str, Any]:
    assert one.submitted is not None
    opened = one.opened or one.submitted
    row: dict[str, Any] = {
        "HITId": one.item.source,
        "AssignmentId": f"{one.item.source}/{annotator.name}",
        "WorkerId": annotator.name,
        "AssignmentStatus": "Submitted",
        "AcceptTime": time_text(opened),
        "SubmitTime": time_text(one.submitted),
        "WorkTimeInSeconds": f"{one.submitted - opened:.1f}",
        "Input.eventId": one.item.event,
        "Input.summId": one.item.source,
        "Input.summary_text": one.item.shown,
    }
    return row | {f"Answer.s{n}": text for n, text in enumerate(texts, 1)}


def progress_rows(store: Store) -> Iterator[list[str]]:
    """For each annotator: name, submitted, all, state."""
    for annotator in store.annotators():
        done, total = store.progress(annotator.id)
        state = "done" if done == total else "open"
        if annotator.failed or annotator.removed:
            state = "removed" if annotator.removed else "not qualified"
        yield [annotator.name, str(done), str(total), state]
