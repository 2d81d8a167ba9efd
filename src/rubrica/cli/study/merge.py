"""Join tables of scores, including human scores; refuse tables with different texts or values."""

from __future__ import annotations

import argparse

from rubrica.cli.console import Console, with_console
from rubrica.cli.parser import Parser
from rubrica.data.scores.rows import write_score_rows
from rubrica.study.merge import merge_tables
from rubrica.study.rows import read_table


def add_arguments(parser: Parser, words: list[str]) -> None:
    """Add the options."""
    parser.example = "rubrica study merge metrics.jsonl human.jsonl -o all.jsonl"
    parser.add_argument("tables", nargs="+", metavar="TABLE", help=".jsonl or .parquet")
    parser.add_argument(
        "-o",
        "--output",
        required=True,
        metavar="OUT",
        help="where to write the result (the joined table)",
    )


@with_console
def run(arguments: argparse.Namespace, console: Console) -> int:
    """Run the command."""
    merged = merge_tables([(file, read_table(file)) for file in arguments.tables])
    write_score_rows(arguments.output, merged)
    names = dict.fromkeys(name for row in merged for name in row.values())
    console.say(f"{arguments.output}: {len(merged):,} rows with {len(names)} measures")
    return 0
