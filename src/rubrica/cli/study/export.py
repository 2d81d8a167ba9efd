"""A table of scores into a pickle of REALSumm's form, for programs that read it."""

from __future__ import annotations

import argparse

from rubrica.cli.console import Console, with_console
from rubrica.cli.parser import Parser
from rubrica.errors import UsageError
from rubrica.study.layout import read_ids
from rubrica.study.pickles import write_score_dict
from rubrica.study.rows import read_table


def add_arguments(parser: Parser, words: list[str]) -> None:
    """Add the options."""
    parser.example = "rubrica study export all.jsonl -o all.pkl"
    parser.add_argument("table", metavar="TABLE", help=".jsonl or .parquet, with texts")
    parser.add_argument(
        "-o", "--output", required=True, metavar="PICKLE", help="output: the pickle"
    )
    parser.add_argument(
        "--ids",
        metavar="FILE",
        help="file of input ids, one per line (of documents 0, 1, ...) (default: ids stay as they are)",
    )
    parser.add_argument("--split", metavar="NAME", help="ext or abs (only its systems)")


@with_console
def run(arguments: argparse.Namespace, console: Console) -> int:
    """Run the command."""
    if not arguments.output.endswith(".pkl"):
        raise UsageError(f"--output must end in .pkl: {arguments.output}")
    rows = read_table(arguments.table)
    if arguments.split:
        rows = (row for row in rows if row.summarizer_id.startswith(f"{arguments.split}/"))
    ids = read_ids(arguments.ids) if arguments.ids else None
    count = write_score_dict(arguments.output, rows, ids)
    if not count:
        raise UsageError(f"--split {arguments.split}: no row belongs to this split")
    console.say(f"{arguments.output}: {count:,} summaries")
    return 0
