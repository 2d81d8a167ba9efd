"""Copy a study's file completely, even while the server is running."""

from __future__ import annotations

import argparse
import os

from rubrica.cli.console import Console, with_console
from rubrica.cli.parser import Parser
from rubrica.cli.study.collect import open_study
from rubrica.errors import UsageError


def add_arguments(parser: Parser, words: list[str]) -> None:
    """Add the options."""
    parser.example = "rubrica study backup study.db -o copy.db"
    parser.add_argument("database", metavar="DB", help="the study's file")
    parser.add_argument(
        "-o",
        "--output",
        required=True,
        metavar="COPY",
        help="where to write the result (the copy, a new file)",
    )


@with_console
def run(arguments: argparse.Namespace, console: Console) -> int:
    """Run the command."""
    if os.path.exists(arguments.output):
        raise UsageError(f"{arguments.output} already exists; choose another name for the copy")
    database = open_study(arguments.database)
    try:
        database.backup(arguments.output)
    finally:
        database.close()
    console.say(f"{arguments.output}: {os.path.getsize(arguments.output):,} bytes")
    return 0
