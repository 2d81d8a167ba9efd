"""Keep content units that are one short sentence and no near duplicate; mark those for use."""

from __future__ import annotations

import argparse

from rubrica.cli.console import Console, with_console
from rubrica.cli.options import Parser
from rubrica.errors import UsageError
from rubrica.study.scus import ScuFilter, filter_scus, mark_for_use, read_scus, write_scus
from rubrica.study.sheets import write_sheet


def add_arguments(parser: Parser, words: list[str]) -> None:
    """Its options."""
    rules = ScuFilter()
    parser.add_argument("scus", metavar="CSV", help="units, as collect writes them")
    parser.add_argument("-o", "--output", required=True, metavar="CSV", help="the units kept")
    parser.add_argument("--dropped", metavar="CSV", help="write what was dropped, and why")
    parser.add_argument(
        "--any-sentences", action="store_true", help="also units of several sentences"
    )
    for name, value in (("--min-tokens", rules.min_tokens), ("--max-tokens", rules.max_tokens)):
        parser.add_argument(name, type=int, default=value, metavar="N", help=f"(default: {value})")
    parser.add_argument(
        "--overlap",
        type=float,
        default=rules.overlap,
        metavar="X",
        help=f"of content words, above which two units are duplicates (default: {rules.overlap})",
    )
    parser.add_argument(
        "--use", type=int, metavar="N", help="mark N of each reference for use (default: all)"
    )
    parser.add_argument(
        "--others", action="store_true", help="mark N others than the same seed marks without this"
    )
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="(default: 0)")
    parser.add_argument(
        "--pad", type=int, metavar="N", help="fill every input to N units with BLANK"
    )


@with_console
def run(arguments: argparse.Namespace, console: Console) -> int:
    """Run it."""
    if arguments.others and arguments.use is None:
        raise UsageError("--others needs --use N")
    scus, blank = read_scus(arguments.scus)
    rules = ScuFilter(
        not arguments.any_sentences, arguments.min_tokens, arguments.max_tokens, arguments.overlap
    )
    kept, dropped = filter_scus(scus, rules)
    kept = mark_for_use(kept, arguments.use, seed=arguments.seed, others=arguments.others)
    if arguments.pad is not None:
        kept = [scu for scu in kept if scu.for_use]
    write_scus(arguments.output, kept, pad=arguments.pad)
    if arguments.dropped:
        rows = [
            {"eventId": d.scu.event, "questionId": d.scu.id, "questionText": d.scu.text,
             "reason": d.reason}
            for d in dropped
        ]  # fmt: skip
        write_sheet(arguments.dropped, ["eventId", "questionId", "questionText", "reason"], rows)
    used = sum(scu.for_use for scu in kept)
    console.say(f"{arguments.output}: {len(kept):,} of {len(scus):,} units kept, {used:,} for use")
    for reason, many in _counts([one.reason for one in dropped]):
        console.say(f"  dropped: {many:,} for {reason}")
    if blank:
        console.say(f"  {blank:,} BLANK rows were passed over")
    return 0


def _counts(reasons: list[str]) -> list[tuple[str, int]]:
    kinds = {"sentences": "not one sentence", "tokens": "length", "near duplicate": "repetition"}
    return [
        (told, many)
        for part, told in kinds.items()
        if (many := sum(part in reason for reason in reasons))
    ]
