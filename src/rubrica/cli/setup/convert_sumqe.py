"""Make a SumQE checkpoint usable: the original's weights become an encoder's folder with a head."""

from __future__ import annotations

import argparse

from rubrica.cli.parser import Parser
from rubrica.cli.setup.convert_options import add_output_and_base, base_of
from rubrica.metrics.sumqe_convert import convert_sumqe


def add_arguments(parser: Parser, words: list[str]) -> None:
    """Add the options of `rubrica sum-qe convert-checkpoint`."""
    parser.example = "rubrica sum-qe convert-checkpoint multitask_5-duc2006_duc2007.npy converted/sum-qe --base bert-base-uncased"
    parser.add_argument(
        "source",
        metavar="WEIGHTS",
        help="the published multitask_5-duc2006_duc2007.npy, a Keras .h5, or a TensorFlow checkpoint or .npz with named weights",
    )
    add_output_and_base(parser, "bert-base-uncased")


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    base = base_of(arguments, "sum-qe")
    convert_sumqe(arguments.source, base.folder, arguments.output)
    print(f"{arguments.output}: ready; use it with --model {arguments.output}")
    return 0
