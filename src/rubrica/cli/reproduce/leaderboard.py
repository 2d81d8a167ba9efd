"""Compare metrics by their agreement with people on the benchmarks of the recipes, with intervals and clusters."""

from __future__ import annotations

import argparse
from pathlib import Path

from rubrica.cli.console import Console, with_console
from rubrica.cli.parser import Parser
from rubrica.cli.reproduce import FORMATS, add_data, write_output


def add_arguments(parser: Parser, words: list[str]) -> None:
    """Add the options of `rubrica reproduce leaderboard`."""
    parser.example = "rubrica reproduce leaderboard --data released/ -f html -o leaderboard.html"
    add_data(parser)
    parser.add_argument(
        "-f", "--format", choices=FORMATS, default="text", help="output format (default: text)"
    )
    parser.add_argument("-o", "--output", metavar="FILE", help="where to write the result")


@with_console
def run(arguments: argparse.Namespace, console: Console) -> int:
    """Run the command."""
    from rubrica.reproductions.board_pages import render_board
    from rubrica.reproductions.leaderboard import build_leaderboard, load_board

    board = build_leaderboard(load_board(), Path(arguments.data), say=console.say)
    write_output(arguments, console, render_board(board, arguments.format), "")
    return 0
