"""Answers given in the browser into result files, in the columns of Mechanical Turk."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING

from rubrica.cli.console import Console, with_console
from rubrica.cli.options import Parser
from rubrica.errors import UsageError
from rubrica.formatting.text_table import text_table
from rubrica.study.ratings import Rating, result_columns, result_row
from rubrica.study.sheets import write_sheet

if TYPE_CHECKING:
    from rubrica.serve.store import Store


def add_arguments(parser: Parser, words: list[str]) -> None:
    """Add the options."""
    parser.example = "rubrica study collect study.db -o answers.csv"
    parser.add_argument(
        "database", metavar="DB", help="the study's file; the server may be running"
    )
    parser.add_argument("-o", "--output", metavar="CSV", help="output: submitted tasks")
    parser.add_argument("--qualification-output", metavar="CSV", help="the practice tasks")


def open_study(path: str) -> Store:
    """Open the file of a study, which must exist and hold one."""
    from rubrica.serve.store import Store

    if not os.path.exists(path):
        raise UsageError(f"{path} does not exist; rubrica study serve creates it")
    store = Store(path)
    if store.is_new:
        store.close()
        raise UsageError(
            f"{path} holds no study. A copy of a study needs its -wal file beside it: copy with "
            "rubrica study backup"
        )
    return store


@with_console
def run(arguments: argparse.Namespace, console: Console) -> int:
    """Run the command."""
    from rubrica.serve.exchange import progress_rows, ratings_of, writing_columns, written

    store = open_study(arguments.database)
    try:
        console.result(
            text_table(
                ["annotator", "submitted", "tasks", "state"], list(progress_rows(store)), right=1
            )
        )
        if arguments.output is not None:
            if store.fact("kind") == "write":
                most, rows = written(store)
                count = write_sheet(arguments.output, writing_columns(most), rows)
            else:
                count = _ratings(arguments.output, ratings_of(store))
            console.say(f"{arguments.output}: {count:,} submitted tasks")
        if arguments.qualification_output is not None:
            count = _ratings(arguments.qualification_output, ratings_of(store, qualification=True))
            console.say(f"{arguments.qualification_output}: {count:,} practice tasks")
    finally:
        store.close()
    return 0


def _ratings(path: str, ratings: list[Rating]) -> int:
    width = max((len(rating.answers) for rating in ratings), default=1)
    return write_sheet(path, result_columns(width), map(result_row, ratings))
