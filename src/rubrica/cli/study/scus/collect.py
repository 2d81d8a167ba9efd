"""Collect the content units that people wrote from result files, in LitePyramids' seven columns."""

from __future__ import annotations

import argparse
import secrets

from rubrica.cli.console import Console, with_console
from rubrica.cli.parser import Parser
from rubrica.study.scus import collect_scus, write_scus


def add_arguments(parser: Parser, words: list[str]) -> None:
    """Add the options."""
    parser.example = "rubrica study scus collect results.csv -o written.csv"
    parser.add_argument(
        "results", nargs="+", metavar="CSV", help="with Input.eventId and Answer.sN"
    )
    parser.add_argument(
        "-o", "--output", required=True, metavar="CSV", help="where to write the result (the units)"
    )
    parser.add_argument(
        "--first-id", type=int, default=0, metavar="N", help="id of the first unit (default: 0)"
    )
    parser.add_argument(
        "--keep-worker-ids", action="store_true", help="keep worker ids instead of pseudonyms"
    )


@with_console
def run(arguments: argparse.Namespace, console: Console) -> int:
    """Run the command."""
    secret = None if arguments.keep_worker_ids else secrets.token_bytes(32)
    scus = collect_scus(arguments.results, first_id=arguments.first_id, secret=secret)
    write_scus(arguments.output, scus)
    events = {scu.event for scu in scus}
    console.say(
        f"{arguments.output}: {len(scus):,} units of {len(events):,} inputs, none for use yet"
    )
    return 0
