"""Answers given in the browser into result files: rows of scores, ratings, or Mechanical Turk's columns."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING

from rubrica.cli.console import Console, with_console
from rubrica.cli.options import Parser
from rubrica.data.jsonl import write_jsonl
from rubrica.data.score_rows import write_score_rows
from rubrica.errors import UsageError
from rubrica.formatting.text_table import text_table
from rubrica.study.ratings import Rating, result_columns, result_row
from rubrica.study.sheets import write_sheet

if TYPE_CHECKING:
    from rubrica.serve.store import Store


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
        help="output: submitted tasks, or rows of scores (.jsonl, .parquet)",
    )
    parser.add_argument(
        "--standardize", action="store_true", help="scale each rater to mean 0, deviation 1"
    )
    parser.add_argument(
        "--answers-output", metavar="JSONL", help="every answer as given, with flags and comments"
    )
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
    from rubrica.serve.exchange import judgments_of, progress_rows, ratings_of
    from rubrica.study.forms.scores import answer_rows

    store = open_study(arguments.database)
    try:
        console.result(
            text_table(
                ["annotator", "submitted", "tasks", "state"], list(progress_rows(store)), right=1
            )
        )
        if arguments.output is not None:
            count = _write(store, arguments.output, arguments.standardize)
            console.say(f"{arguments.output}: {count:,} submitted tasks")
        if arguments.answers_output is not None:
            rows = list(answer_rows(store.form, judgments_of(store)))
            write_jsonl(arguments.answers_output, rows)
            console.say(f"{arguments.answers_output}: {len(rows):,} submitted tasks")
        if arguments.qualification_output is not None:
            count = _ratings(arguments.qualification_output, ratings_of(store, qualification=True))
            console.say(f"{arguments.qualification_output}: {count:,} practice tasks")
    finally:
        store.close()
    return 0


def _write(store: Store, path: str, standardize: bool) -> int:
    """Write the submitted tasks in the format of the file's ending; return their number."""
    from rubrica.serve.exchange import judgments_of, ratings_of, writing_columns, written
    from rubrica.study.forms.scores import rating_rows, score_rows

    judgments = judgments_of(store)
    if path.lower().endswith(_ROWS) and store.form.kind != "write":
        write_score_rows(path, score_rows(store.form, judgments, standardize=standardize))
        return len(judgments)
    if store.form.kind == "write":
        most, rows = written(store)
        return write_sheet(path, writing_columns(most), rows)
    if store.form.kind == "rate":
        return _ratings(path, ratings_of(store))
    flat = list(rating_rows(store.form, judgments))
    write_sheet(path, list(dict.fromkeys(name for row in flat for name in row)), flat)
    return len(judgments)


def _ratings(path: str, ratings: list[Rating]) -> int:
    width = max((len(rating.answers) for rating in ratings), default=1)
    return write_sheet(path, result_columns(width), map(result_row, ratings))
