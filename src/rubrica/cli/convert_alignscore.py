"""Make an AlignScore checkpoint usable: the original's Lightning file becomes an encoder's folder with heads."""

from __future__ import annotations

import argparse

from rubrica.cli.options import Parser
from rubrica.metrics.alignscore_convert import convert


def add_arguments(parser: Parser, words: list[str]) -> None:
    """The options of `rubrica alignscore convert-checkpoint`."""
    parser.add_argument(
        "file", metavar="CKPT", help="AlignScore-base.ckpt or AlignScore-large.ckpt"
    )
    parser.add_argument("output", metavar="OUT", help="the folder to make")
    parser.add_argument(
        "--base",
        required=True,
        metavar="NAME",
        help="the encoder it was trained from (roberta-base, roberta-large): a folder or a name in "
        "the Hugging Face cache; configuration and tokenizer are taken from it",
    )


def run(arguments: argparse.Namespace) -> int:
    """Run it."""
    convert(arguments.file, arguments.base, arguments.output)
    print(f"{arguments.output}: ready; use it with --model {arguments.output}")
    return 0
