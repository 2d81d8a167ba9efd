"""Files from a study: rows of scores, ratings, answers, raw events, payment; with pseudonyms on request."""

from __future__ import annotations

import os
import tempfile
from dataclasses import replace

from rubrica.data.jsonl import write_jsonl
from rubrica.data.scores.rows import write_score_rows
from rubrica.errors import UnknownNameError
from rubrica.serve.exchange import judgments_of, ratings_of, writing_columns, written
from rubrica.serve.monitor import naming, study_status
from rubrica.serve.study_database import StudyDatabase
from rubrica.study.forms.scores import answer_rows, rating_rows, score_rows
from rubrica.study.ratings import result_columns, result_row
from rubrica.study.sheets import write_sheet

# The names of exports, with their types for browsers.
EXPORTS = {
    "rows.jsonl": "application/x-ndjson",
    "results.csv": "text/csv",
    "answers.jsonl": "application/x-ndjson",
    "events.jsonl": "application/x-ndjson",
    "payment.csv": "text/csv",
}
PAYMENT_COLUMNS = [
    "annotator", "external_id", "submitted", "minutes", "payment", "bonus", "suspicion",
]  # fmt: skip


def export(
    database: StudyDatabase,
    name: str,
    path: str,
    *,
    pseudonyms: bool = False,
    standardize: bool = False,
) -> int:
    """Write one of `EXPORTS` and return the number of records: submitted tasks, events or people."""
    if name not in EXPORTS:
        raise UnknownNameError("export", name, EXPORTS)
    called = naming(database, pseudonyms)
    judgments = [replace(j, annotator=called(j.annotator)) for j in judgments_of(database)]
    if name == "rows.jsonl":
        write_score_rows(path, score_rows(database.form, judgments, standardize=standardize))
        return len(judgments)
    if name == "results.csv":
        return _results(database, path, pseudonyms)
    if name == "answers.jsonl":
        write_jsonl(path, answer_rows(database.form, judgments))
        return len(judgments)
    if name == "events.jsonl":
        events = [event | {"annotator": called(event["annotator"])} for event in database.events()]
        write_jsonl(path, events)
        return len(events)
    people = study_status(database, pseudonyms=pseudonyms).annotators
    rows = [
        {
            "annotator": who.name, "external_id": "" if pseudonyms else who.external,
            "submitted": who.submitted, "minutes": f"{who.minutes:.1f}",
            "payment": f"{who.payment:.2f}", "bonus": f"{who.bonus:.2f}", "suspicion": who.suspicion,
        }
        for who in people
    ]  # fmt: skip
    return write_sheet(path, PAYMENT_COLUMNS, rows)


def export_bytes(database: StudyDatabase, name: str, *, pseudonyms: bool = False) -> bytes:
    """Return one of `EXPORTS` as bytes."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, name)
        export(database, name, path, pseudonyms=pseudonyms)
        with open(path, "rb") as stream:
            return stream.read()


def _results(database: StudyDatabase, path: str, pseudonyms: bool) -> int:
    called = naming(database, pseudonyms)
    if database.form.kind == "write":
        most, rows = written(database)
        named = [row | {"WorkerId": called(row["WorkerId"]), "AssignmentId": ""} for row in rows]
        return write_sheet(path, writing_columns(most), named if pseudonyms else rows)
    if database.form.kind == "rate":
        return write_ratings(database, path, pseudonyms=pseudonyms)
    judgments = [replace(j, annotator=called(j.annotator)) for j in judgments_of(database)]
    flat = list(rating_rows(database.form, judgments))
    write_sheet(path, list(dict.fromkeys(name for row in flat for name in row)), flat)
    return len(judgments)


def write_ratings(
    database: StudyDatabase, path: str, *, qualification: bool = False, pseudonyms: bool = False
) -> int:
    """Write submitted rating tasks, or practice tasks, in Mechanical Turk's columns."""
    called = naming(database, pseudonyms)
    ratings = [
        replace(rating, worker=called(rating.worker))
        for rating in ratings_of(database, qualification=qualification)
    ]
    width = max((len(rating.answers) for rating in ratings), default=1)
    return write_sheet(path, result_columns(width), map(result_row, ratings))
