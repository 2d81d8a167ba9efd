"""Keep content units that are one short sentence and not near duplicates, and mark units for use."""

from __future__ import annotations

import argparse

from rubrica.cli.console import Console, with_console
from rubrica.cli.options import add_seed
from rubrica.cli.parser import Parser
from rubrica.errors import UsageError
from rubrica.study.scus import ScuFilter, filter_scus, mark_for_use, read_scus, write_scus
from rubrica.study.sheets import write_sheet


def add_arguments(parser: Parser, words: list[str]) -> None:
    """Add the options."""
    parser.example = "rubrica study scus filter written.csv -o scus.csv --dropped dropped.csv"
    rules = ScuFilter()
    parser.add_argument("scus", metavar="CSV", help="units, from scus collect")
    parser.add_argument(
        "-o",
        "--output",
        required=True,
        metavar="CSV",
        help="where to write the result (the units that remain)",
    )
    parser.add_argument("--dropped", metavar="CSV", help="write the dropped units and the reasons")
    parser.add_argument(
        "--any-sentences", action="store_true", help="also keep units of several sentences"
    )
    for name, value in (("--min-tokens", rules.min_tokens), ("--max-tokens", rules.max_tokens)):
        parser.add_argument(
            name,
            type=int,
            default=value,
            metavar="N",
            help=f"words and punctuation marks of a unit (default: {value})",
        )
    parser.add_argument(
        "--overlap",
        type=float,
        default=rules.overlap,
        metavar="X",
        help=f"share of common content words above which units are duplicates (default: {rules.overlap})",
    )
    parser.add_argument(
        "--use", type=int, metavar="N", help="mark N of each reference for use (default: all)"
    )
    parser.add_argument(
        "--others",
        action="store_true",
        help="mark N units other than those marked without this option",
    )
    add_seed(parser, default=0)
    parser.add_argument(
        "--pad", type=int, metavar="N", help="fill up to N with BLANK (the units of every input)"
    )


@with_console
def run(arguments: argparse.Namespace, console: Console) -> int:
    """Run the command."""
    if arguments.others and arguments.use is None:
        raise UsageError("--others needs --use N")
    scus, blank = read_scus(arguments.scus)
    rules = ScuFilter(
        not arguments.any_sentences, arguments.min_tokens, arguments.max_tokens, arguments.overlap
    )
    passed, dropped = filter_scus(scus, rules)
    passed = mark_for_use(passed, arguments.use, seed=arguments.seed, others=arguments.others)
    if arguments.pad is not None:
        passed = [scu for scu in passed if scu.for_use]
    write_scus(arguments.output, passed, pad=arguments.pad)
    if arguments.dropped:
        rows = [
            {"eventId": d.scu.event, "questionId": d.scu.id, "questionText": d.scu.text,
             "reason": d.reason}
            for d in dropped
        ]  # fmt: skip
        write_sheet(arguments.dropped, ["eventId", "questionId", "questionText", "reason"], rows)
    used = sum(scu.for_use for scu in passed)
    console.say(
        f"{arguments.output}: {len(passed):,} of {len(scus):,} units kept, {used:,} for use"
    )
    for reason, many in _counts([item.reason for item in dropped]):
        console.say(f"  dropped: {many:,} for {reason}")
    if blank:
        console.say(f"  {blank:,} BLANK rows ignored")
    return 0


def _counts(reasons: list[str]) -> list[tuple[str, int]]:
    kinds = {"sentences": "not one sentence", "tokens": "length", "near duplicate": "repetition"}
    return [
        (label, many)
        for part, label in kinds.items()
        if (many := sum(part in reason for reason in reasons))
    ]
