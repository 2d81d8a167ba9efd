"""Options shared by the commands that convert checkpoints: the output, and the base model."""

from __future__ import annotations

import argparse

from rubrica.cli.parser import Parser
from rubrica.neural.checkpoint import Checkpoint, find_checkpoint


def add_output_and_base(parser: Parser, trained_from: str) -> None:
    """Add the options for the output folder, and for the model with its configuration and tokenizer."""
    parser.add_argument("output", metavar="OUT", help="folder to create")
    parser.add_argument(
        "--base",
        required=True,
        metavar="NAME",
        help=f"base model that it was trained from ({trained_from}): a folder or a name in the Hugging Face cache; "
        "configuration and tokenizer are taken from it",
    )


def base_of(arguments: argparse.Namespace, metric: str) -> Checkpoint:
    """Return the model that `--base` names."""
    return find_checkpoint(
        arguments.base, remedy=f"rubrica setup-metric {metric} --model {arguments.base}"
    )
