"""Score peers and references, jackknifed, with the metrics of a configuration file."""

from __future__ import annotations

import argparse

from rubrica.cli.options import Parser
from rubrica.cli.scoring.outputs import rows_output
from rubrica.cli.scoring.run_config import add_config_arguments, configured_run
from rubrica.cli.scoring.run_options import add_run_arguments


def add_arguments(parser: Parser, words: list[str]) -> None:
    """The options of `rubrica score`."""
    add_config_arguments(parser)
    add_run_arguments(parser, "score")


def run(arguments: argparse.Namespace) -> int:
    """Run it."""
    made, config = configured_run(arguments)
    return made.score(rows_output(arguments, config.outputs))
