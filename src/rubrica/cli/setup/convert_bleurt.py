"""Make a BLEURT checkpoint usable: the original's TensorFlow folder becomes a transformers checkpoint."""

from __future__ import annotations

import argparse

from rubrica.cli.parser import Parser
from rubrica.neural.convert.bleurt import convert_bleurt


def add_arguments(parser: Parser, words: list[str]) -> None:
    """Add the options of `rubrica bleurt convert-checkpoint`."""
    parser.example = "rubrica bleurt convert-checkpoint BLEURT-20 converted/BLEURT-20"
    parser.add_argument(
        "source", metavar="FOLDER", help="the unpacked checkpoint: bleurt-base-128, BLEURT-20, ..."
    )
    parser.add_argument("output", metavar="OUT", help="folder to create")


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    convert_bleurt(arguments.source, arguments.output)
    print(f"{arguments.output}: ready; use it with --checkpoint {arguments.output}")
    return 0
