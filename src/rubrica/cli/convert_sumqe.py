"""Make a SumQE checkpoint usable: the original's weights become an encoder's folder with a head."""

from __future__ import annotations

import argparse

from rubrica.cli.options import Parser
from rubrica.metrics.sumqe_convert import convert_sumqe
from rubrica.text.checkpoint import find_checkpoint


def add_arguments(parser: Parser, words: list[str]) -> None:
    """The options of `rubrica sum-qe convert-checkpoint`."""
    parser.add_argument(
        "source",
        metavar="WEIGHTS",
        help="the published multitask_5-duc2006_duc2007.npy, a Keras .h5, or a TensorFlow checkpoint or .npz with named weights",
    )
    parser.add_argument("output", metavar="OUT", help="the folder to make")
    parser.add_argument(
        "--base",
        required=True,
        metavar="NAME",
        help="the encoder it was trained from (bert-base-uncased): a folder or a name in the Hugging "
        "Face cache; configuration and tokenizer are taken from it",
    )


def run(arguments: argparse.Namespace) -> int:
    """Run it."""
    base = find_checkpoint(
        arguments.base, remedy=f"rubrica setup-metric sum-qe --model {arguments.base}"
    )
    convert_sumqe(arguments.source, base.folder, arguments.output)
    print(f"{arguments.output}: ready; use it with --model {arguments.output}")
    return 0
