"""Test, while a study runs, whether one system is better than another; look as often as you like."""

from __future__ import annotations

import argparse

from rubrica.cli.console import Console, with_console
from rubrica.cli.parser import Parser
from rubrica.cli.study.collect import open_study
from rubrica.errors import UsageError


def add_arguments(parser: Parser, words: list[str]) -> None:
    """Add the options."""
    parser.example = "rubrica study stop study.db --systems bart t5 --human coherence"
    parser.add_argument(
        "database", metavar="DB", help="the study's file; the server may be running"
    )
    parser.add_argument("--systems", nargs="+", required=True, metavar="ID", help="systems (two)")
    parser.add_argument(
        "--human", required=True, metavar="M", help="human scores (a measure of the study)"
    )
    parser.add_argument(
        "--alpha", type=float, default=0.05, metavar="X", help="significance level (default: 0.05)"
    )


@with_console
def run(arguments: argparse.Namespace, console: Console) -> int:
    """Run the command."""
    from rubrica.serve.stopping import study_stopping

    if len(arguments.systems) != 2:
        raise UsageError(f"--systems: name two systems, not {len(arguments.systems)}")
    first, second = arguments.systems
    database = open_study(arguments.database)
    try:
        result = study_stopping(database, first, second, arguments.human, alpha=arguments.alpha)
    finally:
        database.close()
    test = result.test
    console.result(
        f"{result.inputs:,} of {result.all_inputs:,} inputs judged; mean difference {test.mean:+.3f} of the "
        f"scale; anytime-valid p {test.p:.3g}"
    )
    if result.better is None:
        console.result("go on: neither system is shown to be better")
    else:
        console.result(
            f"stop: {result.better} is better (decided after {test.stopped:,} inputs; {result.saved:,} "
            "of the fixed design are saved)"
        )
    return 0
