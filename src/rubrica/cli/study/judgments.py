"""Turn Likert ratings by dimension, or ACU labels as in RoSE, into human scores."""

from __future__ import annotations

import argparse

from rubrica.cli.console import Console, with_console
from rubrica.cli.parser import Parser
from rubrica.cli.study.options import add_standardize
from rubrica.data.scores.rows import write_score_rows
from rubrica.errors import UsageError
from rubrica.study.judgments import acu_rows, likert_rows


def add_arguments(parser: Parser, words: list[str]) -> None:
    """Add the options."""
    parser.example = "rubrica study judgments ratings.csv --kind likert --dimensions relevance fluency -o human.jsonl"
    parser.add_argument(
        "files", nargs="+", metavar="FILE", help="CSV of ratings, or RoSE's JSON lines"
    )
    parser.add_argument(
        "-o",
        "--output",
        required=True,
        metavar="TABLE",
        help="where to write the result (.jsonl or .parquet)",
    )
    parser.add_argument("--kind", choices=("likert", "acu"), required=True, help="kind of judgment")
    likert = parser.add_argument_group("likert")
    likert.add_argument(
        "--dimensions",
        nargs="+",
        default=[],
        metavar="COLUMN",
        help="columns of ratings to average",
    )
    for name, default in (
        ("instance", "instance_id"),
        ("summarizer", "summarizer_id"),
        ("rater", "rater"),
    ):
        likert.add_argument(
            f"--{name}-column",
            default=default,
            metavar="COLUMN",
            help=f"column of the {name} (default: {default})",
        )
    likert.add_argument(
        "--scale",
        nargs=2,
        type=float,
        metavar=("LOW", "HIGH"),
        help="scale of the labels: lowest and highest rating",
    )
    add_standardize(likert)
    acu = parser.add_argument_group("acu")
    acu.add_argument(
        "--length-alpha",
        type=float,
        metavar="A",
        help="add the normalized score, which discounts long summaries",
    )


@with_console
def run(arguments: argparse.Namespace, console: Console) -> int:
    """Run the command."""
    if arguments.kind == "likert":
        if not arguments.dimensions:
            raise UsageError("--kind likert needs --dimensions, the columns to average")
        columns = {
            "instance_id": arguments.instance_column, "summarizer_id": arguments.summarizer_column,
            "rater": arguments.rater_column,
        }  # fmt: skip
        rows = likert_rows(
            arguments.files, arguments.dimensions, columns=columns,
            bounds=tuple(arguments.scale) if arguments.scale else None,
            standardize=arguments.standardize,
        )  # fmt: skip
    else:
        if arguments.length_alpha is not None and not arguments.length_alpha > 0:
            raise UsageError(f"--length-alpha must be above 0: {arguments.length_alpha}")
        rows = acu_rows(arguments.files, length_alpha=arguments.length_alpha)
    write_score_rows(arguments.output, rows)
    console.say(f"{arguments.output}: {len(rows):,} rows")
    return 0
