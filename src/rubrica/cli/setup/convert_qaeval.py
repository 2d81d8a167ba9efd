"""Make QAEval's archives usable: the original's generator and LERC become transformers checkpoints."""

from __future__ import annotations

import argparse

from rubrica.cli.parser import Parser
from rubrica.cli.setup.convert_options import add_output_and_base, base_of
from rubrica.metrics.qa.convert import convert_qaeval


def add_arguments(parser: Parser, words: list[str]) -> None:
    """Add the options of `rubrica qa-eval convert-checkpoint`."""
    parser.example = "rubrica qa-eval convert-checkpoint model.tar.gz converted/generator --base facebook/bart-large"
    parser.add_argument(
        "source", metavar="ARCHIVE", help="the question generator's or LERC's AllenNLP model.tar.gz"
    )
    add_output_and_base(parser, "facebook/bart-large for the generator, bert-base-uncased for LERC")


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    base = base_of(arguments, "qa-eval")
    parameter = convert_qaeval(arguments.source, base.folder, arguments.output)
    print(f"{arguments.output}: ready; use it with --{parameter} {arguments.output}")
    return 0
