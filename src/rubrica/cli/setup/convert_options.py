"""What the commands that convert checkpoints share: where to, and from what the model was trained."""

from __future__ import annotations

import argparse

from rubrica.cli.options import Parser
from rubrica.neural.checkpoint import Checkpoint, find_checkpoint


def add_output_and_base(parser: Parser, trained_from: str) -> None:
    """The folder to make, and the model whose configuration and tokenizer it gets."""
    parser.add_argument("output", metavar="OUT", help="the folder to make")
    parser.add_argument(
        "--base",
        required=True,
        metavar="NAME",
        help=f"what it was trained from ({trained_from}): a folder or a name in the Hugging Face cache; "
        "configuration and tokenizer are taken from it",
    )


def base_of(arguments: argparse.Namespace, metric: str) -> Checkpoint:
    """The model that `--base` names."""
    return find_checkpoint(
        arguments.base, remedy=f"rubrica setup-metric {metric} --model {arguments.base}"
    )
