"""Find careless workers and rows by explicit rules; write what is left, and who was removed and why."""

from __future__ import annotations

import argparse
import secrets
from dataclasses import asdict, replace

from rubrica.cli.console import Console, with_console
from rubrica.cli.options import Parser
from rubrica.cli.study.human import add_split_by_folder
from rubrica.data.jsonl import write_json
from rubrica.formatting.text_table import text_table
from rubrica.study.batches import agreement_by_batch, retest
from rubrica.study.clean import Rules, clean, read_rules
from rubrica.study.human import Voting, human_scores
from rubrica.study.ratings import Rating, read_ratings, result_columns, result_row
from rubrica.study.sheets import pseudonym, write_sheet
from rubrica.study.tasks import read_key


def add_arguments(parser: Parser, words: list[str]) -> None:
    """Its options."""
    parser.add_argument("results", nargs="+", metavar="CSV", help="answers, as collect writes them")
    parser.add_argument("-o", "--output", metavar="CSV", help="the rows that are left")
    parser.add_argument("--report", metavar="JSON", help="workers, removals, agreement")
    parser.add_argument(
        "--rules", metavar="TOML", help="the rules (default: LitePyramids', agreement below 0.5)"
    )
    parser.add_argument("--key", nargs="+", default=[], metavar="JSONL", help="keys of the tasks")
    add_split_by_folder(parser)
    parser.add_argument(
        "--pseudonymize", action="store_true", help="give workers names that cannot be undone"
    )


@with_console
def run(arguments: argparse.Namespace, console: Console) -> int:
    """Run it."""
    key = {task.key: task for file in arguments.key for task in read_key(file)}
    ratings = read_ratings(arguments.results, key=key, split_by_folder=arguments.split_by_folder)
    if arguments.pseudonymize:
        secret = secrets.token_bytes(32)
        ratings = [
            replace(one, worker=pseudonym(one.worker, secret)) if one.worker else one
            for one in ratings
        ]
    made = clean(ratings, read_rules(arguments.rules) if arguments.rules else Rules())
    before, after = (agreement_by_batch(rows) for rows in (ratings, made.kept))
    values, _ = human_scores(made.kept, Voting(rounds=0))
    scores = {(one.event, one.summarizer_id): one.value for one in values if one.value is not None}
    again = retest(made.kept, scores)
    if arguments.report:
        report = made.report() | {
            "agreement_before": [asdict(one) for one in before],
            "agreement_after": [asdict(one) for one in after],
            "retest": asdict(again),
        }
        write_json(arguments.report, report)
    if arguments.output:
        _write(arguments.output, list(made.kept))
    if any(one.worker for one in made.workers):
        rows = [
            [one.worker, str(one.rows), _share(one.agreement), _share(one.leave_one_out),
             _share(one.straight_lines), _share(one.attention), _share(one.seconds_per_statement)]
            for one in made.workers
        ]  # fmt: skip
        header = [
            "worker",
            "rows",
            "agreement",
            "with majority",
            "straight",
            "checks",
            "s/statement",
        ]
        console.result(text_table(header, rows))
    whole, left = before[-1] if before else None, after[-1] if after else None
    if whole is not None and left is not None:
        console.say(
            f"Krippendorff's alpha: {_share(whole.alpha)} before, {_share(left.alpha)} after"
        )
    if again.pairs:
        told = (
            f"mean difference {_share(again.difference)}, correlation {_share(again.correlation)}"
        )
        console.say(f"{again.pairs:,} pairs of equal texts: {told}")
    console.say(f"{len(made.kept):,} rows kept, {len(made.removed):,} removed")
    for rule in dict.fromkeys(one.rule for one in made.removed):
        mine = [one for one in made.removed if one.rule == rule]
        workers = sorted({one.worker for one in mine if one.worker})
        who = (
            f" of {', '.join(workers[:5])}{', ...' if len(workers) > 5 else ''}" if workers else ""
        )
        console.say(f"  {rule}: {len(mine):,} rows{who} ({mine[0].reason})")
    if made.left_without:
        console.say(f"warning: {len(made.left_without):,} summaries have no rating left")
    return 0


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _write(path: str, ratings: list[Rating]) -> None:
    width = max((len(one.answers) for one in ratings), default=1)
    write_sheet(path, result_columns(width), map(result_row, ratings))
