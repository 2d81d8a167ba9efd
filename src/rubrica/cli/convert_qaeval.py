"""Make QAEval's archives usable: the original's generator and LERC become transformers checkpoints."""

from __future__ import annotations

import argparse

from rubrica.cli.options import Parser
from rubrica.metrics.qa.convert import convert_qaeval
from rubrica.text.checkpoint import find_checkpoint


def add_arguments(parser: Parser, words: list[str]) -> None:
    """The options of `rubrica qa-eval convert-checkpoint`."""
    parser.add_argument(
        "source", metavar="ARCHIVE", help="the question generator's or LERC's AllenNLP model.tar.gz"
    )
    parser.add_argument("output", metavar="OUT", help="the folder to make")
    parser.add_argument(
        "--base",
        required=True,
        metavar="NAME",
        help="what it was trained from (facebook/bart-large for the generator, bert-base-uncased for LERC): "
        "a folder or a name in the Hugging Face cache; configuration and tokenizer are taken from it",
    )


def run(arguments: argparse.Namespace) -> int:
    """Run it."""
    base = find_checkpoint(
        arguments.base, remedy=f"rubrica setup-metric qa-eval --model {arguments.base}"
    )
    parameter = convert_qaeval(arguments.source, base.folder, arguments.output)
    print(f"{arguments.output}: ready; use it with --{parameter} {arguments.output}")
    return 0
