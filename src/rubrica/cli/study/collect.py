"""Write the answers given in the browser to files: rows of scores, ratings, or Mechanical Turk's columns."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING

from rubrica.cli.console import Console, with_console
from rubrica.cli.parser import Parser
from rubrica.cli.study.options import add_pseudonymize, add_standardize
from rubrica.errors import UsageError
from rubrica.formatting.text_table import text_table

if TYPE_CHECKING:
    from rubrica.serve.study_database import StudyDatabase


_ROWS = (".jsonl", ".jsonl.gz", ".jsonl.zst", ".parquet")


def add_arguments(parser: Parser, words: list[str]) -> None:
    """Add the options."""
    parser.example = "rubrica study collect study.db -o answers.csv"
    parser.add_argument(
        "database", metavar="DB", help="the study's file; the server may be running"
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="CSV",
        help="where to write the result (submitted tasks, or rows of scores: .jsonl, .parquet)",
    )
    add_standardize(parser)
    parser.add_argument(
        "--answers-output", metavar="JSONL", help="every answer as given, with flags and comments"
    )
    parser.add_argument(
        "--events-output", metavar="JSONL", help="every change of an answer, including undone ones"
    )
    parser.add_argument("--payment-output", metavar="CSV", help="payment and bonus of annotators")
    add_pseudonymize(parser)
    parser.add_argument("--qualification-output", metavar="CSV", help="the practice tasks")


def open_study(path: str) -> StudyDatabase:
    """Open the file of a study, which must exist and hold one."""
    from rubrica.serve.study_database import StudyDatabase

    if not os.path.exists(path):
        raise UsageError(f"{path} does not exist; rubrica study serve creates it")
    database = StudyDatabase(path)
    if database.is_new:
        database.close()
        raise UsageError(
            f"{path} holds no study. A copy of a study needs its -wal file beside it: copy with "
            "rubrica study backup"
        )
    return database


@with_console
def run(arguments: argparse.Namespace, console: Console) -> int:
    """Run the command."""
    from rubrica.serve.exchange import progress_rows

    database = open_study(arguments.database)
    try:
        console.result(
            text_table(
                ["annotator", "submitted", "tasks", "state"], list(progress_rows(database)), right=1
            )
        )
        _export(database, arguments, console)
    finally:
        database.close()
    return 0


def _export(database: StudyDatabase, arguments: argparse.Namespace, console: Console) -> None:
    """Write the files that were asked for."""
    from rubrica.serve.exports import export, write_ratings

    output = arguments.output or ""
    rows = output.lower().endswith(_ROWS) and database.form.kind != "write"
    for name, path, noun in (
        ("rows.jsonl" if rows else "results.csv", output, "submitted tasks"),
        ("answers.jsonl", arguments.answers_output, "submitted tasks"),
        ("events.jsonl", arguments.events_output, "changes of answers"),
        ("payment.csv", arguments.payment_output, "annotators"),
    ):
        if path:
            options = {"pseudonyms": arguments.pseudonymize, "standardize": arguments.standardize}
            console.say(f"{path}: {export(database, name, path, **options):,} {noun}")
    if path := arguments.qualification_output:
        count = write_ratings(database, path, qualification=True, pseudonyms=arguments.pseudonymize)
        console.say(f"{path}: {count:,} practice tasks")
