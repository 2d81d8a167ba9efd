"""A REALSumm pickle of scores into a table; nothing that the pickle asks for is imported or run."""

from __future__ import annotations

import argparse

from rubrica.cli.console import Console, with_console
from rubrica.cli.parser import Parser
from rubrica.data.metrics import MetricsDict
from rubrica.data.score_rows import write_score_rows
from rubrica.errors import UnknownNameError, UsageError
from rubrica.study.layout import read_ids
from rubrica.study.pickles import read_score_dict


def add_arguments(parser: Parser, words: list[str]) -> None:
    """Add the options."""
    parser.example = "rubrica study import abs.pkl -o abs.jsonl"
    parser.add_argument("pickle", metavar="PICKLE", help="a pickle written by get_scores.py")
    parser.add_argument(
        "-o", "--output", required=True, metavar="TABLE", help="output: .jsonl or .parquet"
    )
    parser.add_argument(
        "--split", default="", metavar="NAME", help="ext or abs (prefix of system ids)"
    )
    parser.add_argument(
        "--ids", metavar="FILE", help="file of input ids, one per line (of documents 0, 1, ...)"
    )
    parser.add_argument(
        "--measures",
        nargs="+",
        metavar="M",
        help="measures, such as rouge-1.f1 (default: all) (default: all)",
    )


@with_console
def run(arguments: argparse.Namespace, console: Console) -> int:
    """Run the command."""
    rows = list(read_score_dict(arguments.pickle, arguments.split))
    if arguments.measures:
        known = {name for row in rows for name in row.metrics}
        for name in arguments.measures:
            if name not in known:
                raise UnknownNameError("measure", name, known)
        for row in rows:
            chosen = ((k, v) for k, v in row.metrics.items() if k in arguments.measures)
            row.metrics = MetricsDict(dict(chosen))
    if arguments.ids is not None:
        documents = {row.instance_id for row in rows}
        ids = read_ids(arguments.ids, len(documents))
        for row in rows:
            if not row.instance_id.isdecimal() or int(row.instance_id) >= len(ids):
                raise UsageError(f"--ids: document {row.instance_id!r} has no line in the file")
            row.instance_id = ids[int(row.instance_id)]
    write_score_rows(arguments.output, rows)
    systems = {row.summarizer_id for row in rows}
    console.say(f"{arguments.output}: {len(rows):,} rows, {len(systems)} systems")
    return 0
