"""Make an AlignScore checkpoint usable: the original's Lightning file becomes an encoder's folder with heads."""

from __future__ import annotations

import argparse

from rubrica.cli.parser import Parser
from rubrica.cli.setup.convert_options import add_output_and_base
from rubrica.neural.convert.alignscore import convert


def add_arguments(parser: Parser, words: list[str]) -> None:
    """Add the options of `rubrica alignscore convert-checkpoint`."""
    parser.example = "rubrica alignscore convert-checkpoint AlignScore-base.ckpt converted/alignscore --base roberta-base"
    parser.add_argument(
        "file", metavar="CKPT", help="AlignScore-base.ckpt or AlignScore-large.ckpt"
    )
    add_output_and_base(parser, "roberta-base or roberta-large")


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    convert(arguments.file, arguments.base, arguments.output)
    print(f"{arguments.output}: ready; use it with --model {arguments.output}")
    return 0
