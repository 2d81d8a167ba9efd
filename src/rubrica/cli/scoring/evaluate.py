"""Score summaries with several metrics: system scores with intervals, and a row per summary."""

from __future__ import annotations

import argparse

from rubrica.cli.parser import Parser
from rubrica.cli.scoring.outputs import macro_and_micro
from rubrica.cli.scoring.run_config import add_run_source, prepared_run
from rubrica.cli.scoring.run_options import add_run_arguments


def add_arguments(parser: Parser, words: list[str]) -> None:
    """Add the options of `rubrica evaluate`."""
    add_run_source(parser, words, "evaluate")
    add_run_arguments(parser, "evaluate", positional=False)


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    run, config = prepared_run(arguments, "evaluate")
    # With a configuration, which names the input, positional words are outputs.
    words = arguments.input_files if config is not None else []
    return run.evaluate(*macro_and_micro(arguments, words, config.outputs if config else None))
