"""Score peers and references with several metrics, jackknifed: rows for meta-evaluation."""

from __future__ import annotations

import argparse

from rubrica.cli.parser import Parser
from rubrica.cli.scoring.outputs import rows_output
from rubrica.cli.scoring.run_config import add_run_source, prepared_run
from rubrica.cli.scoring.run_options import add_run_arguments


def add_arguments(parser: Parser, words: list[str]) -> None:
    """Add the options of `rubrica score`."""
    add_run_source(parser, words, "score")
    add_run_arguments(parser, "score", positional=False)


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    run, config = prepared_run(arguments, "score")
    # With a configuration, which names the input, positional words are outputs.
    words = arguments.input_files if config is not None else []
    return run.score(rows_output(arguments, words, config.outputs if config else None))
