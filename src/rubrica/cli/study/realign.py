"""Put a file's lines into the order of the anchors, by the mapping that align found."""

from __future__ import annotations

import argparse

from rubrica.cli.console import Console, with_console
from rubrica.cli.parser import Parser
from rubrica.data.files import atomic_output, read_text_lines
from rubrica.study.realign import anchor_count, read_mapping, realign, record_path
from rubrica.text.tags import NO_MATCH


def add_arguments(parser: Parser, words: list[str]) -> None:
    """Add the options."""
    parser.example = "rubrica study realign -ip tagged/bart.txt -op aligned/abs/bart/out.txt -matching_path bart.json"
    parser.add_argument("-ip", "--input", required=True, metavar="FILE", help="lines to reorder")
    parser.add_argument(
        "-o",
        "--output",
        "-op",
        required=True,
        metavar="FILE",
        help="where to write the result (the reordered lines)",
    )
    parser.add_argument(
        "-matching_path",
        "--matching-path",
        required=True,
        metavar="JSON",
        help="the mapping (from align)",
    )
    parser.add_argument(
        "--lines",
        type=int,
        metavar="N",
        help="number of lines (of the output; default: the number of anchors in align's record)",
    )
    parser.add_argument(
        "--collisions",
        choices=("refuse", "last"),
        default="refuse",
        help="two lines with the same anchor: raise an error, or keep the last (default: refuse)",
    )


@with_console
def run(arguments: argparse.Namespace, console: Console) -> int:
    """Run the command."""
    lines = [line for _, line in read_text_lines(arguments.input)]
    length = arguments.lines
    if length is None:
        length = anchor_count(arguments.matching_path)
    ordered = realign(
        lines, read_mapping(arguments.matching_path),
        length=length, collisions=arguments.collisions,
    )  # fmt: skip
    with atomic_output(arguments.output) as stream:
        for line in ordered:
            stream.write(line.encode() + b"\n")
    missing = sum(line == NO_MATCH for line in ordered)
    console.say(f"{arguments.output}: {len(ordered):,} lines, {missing:,} of them {NO_MATCH}")
    if length is None:
        console.say(
            f"warning: {record_path(arguments.matching_path)} does not exist, so the number of anchors "
            "is unknown; lines without a match may be missing at the end. Pass --lines N"
        )
    return 0
