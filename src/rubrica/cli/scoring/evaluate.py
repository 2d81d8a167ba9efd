"""Score a system's summaries with the metrics of a configuration file."""

from __future__ import annotations

import argparse

from rubrica.cli.options import Parser
from rubrica.cli.scoring.outputs import macro_and_micro
from rubrica.cli.scoring.run_config import add_config_arguments, configured_run
from rubrica.cli.scoring.run_options import add_run_arguments


def add_arguments(parser: Parser, words: list[str]) -> None:
    """The options of `rubrica evaluate`."""
    add_config_arguments(parser)
    add_run_arguments(parser, "evaluate")


def run(arguments: argparse.Namespace) -> int:
    """Run it."""
    made, config = configured_run(arguments)
    return made.evaluate(*macro_and_micro(arguments, config.outputs))
