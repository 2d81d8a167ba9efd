"""Compute a baseline of BERTScore: the scores of pairs of unrelated texts, layer by layer."""

from __future__ import annotations

import argparse

from rubrica.cli.console import Console, with_console
from rubrica.cli.constructor_options import add_parameters, explicit_parameters
from rubrica.cli.options import add_seed
from rubrica.cli.parser import Parser
from rubrica.data.files import read_text_lines, writable
from rubrica.data.metrics import exact_mean
from rubrica.errors import ParameterError
from rubrica.metrics.bertscore.baseline import Baseline, random_pairs, write_baseline
from rubrica.metrics.bertscore.metric import BertScore

_RUNNING = ("device", "dtype", "threads", "batch_tokens")


def add_arguments(parser: Parser, words: list[str]) -> None:
    """Add the options of `rubrica bertscore make-baseline`."""
    parser.example = "rubrica bertscore make-baseline baseline.csv --texts texts.txt --lang en"
    parser.add_argument("output", metavar="OUT", help="file for the table LAYER,P,R,F")
    parser.add_argument(
        "--texts", nargs="+", required=True, metavar="FILE", help="texts, one per line; - is stdin"
    )
    parser.add_argument("--model_type", "--model-type", metavar="TEXT", help="as for the metric")
    parser.add_argument("--lang", metavar="TEXT", help="as for the metric")
    parser.add_argument(
        "--layers",
        nargs="+",
        type=int,
        metavar="N",
        help="layers to compute (default: all layers of the model)",
    )
    parser.add_argument(
        "--pairs", type=int, default=10000, metavar="N", help="pairs to draw (default: 10000)"
    )
    add_seed(parser)
    running = add_parameters(parser, "how the model runs", BertScore, prefix="", only=_RUNNING)
    parser.set_defaults(running=running)


@with_console
def run(arguments: argparse.Namespace, console: Console) -> int:
    """Run the command."""
    if arguments.pairs < 1:
        raise ParameterError(f"--pairs must be at least 1, not {arguments.pairs}")
    writable(arguments.output)
    texts = [line for file in arguments.texts for _, line in read_text_lines(file)]
    left, right = random_pairs(texts, arguments.pairs, arguments.seed)
    rows = []
    for layer in arguments.layers or range(_layers(arguments) + 1):
        scored = _metric(arguments, layer).score_pairs(left, right)
        p, r, f = (
            exact_mean(row["bertscore"][key] for row in scored)
            for key in ("precision", "recall", "f1")
        )
        console.say(f"layer {layer}: P {p:.6f} R {r:.6f} F {f:.6f}")
        rows.append((layer, Baseline(p, r, f)))
    write_baseline(arguments.output, rows)
    console.say(f"{arguments.pairs:,} pairs of {len(set(texts)):,} texts: {arguments.output}")
    return 0


def _layers(arguments: argparse.Namespace) -> int:
    return _metric(arguments, 0).encoder().layers


def _metric(arguments: argparse.Namespace, layer: int) -> BertScore:
    # Texts of a baseline are seen once: they would only fill the cache.
    return BertScore(
        arguments.model_type,
        layer,
        arguments.lang,
        cache_dir="off",
        **explicit_parameters(arguments, arguments.running),
    )
