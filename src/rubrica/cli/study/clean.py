"""Remove careless workers and rows by explicit rules, and report who was removed and why."""

from __future__ import annotations

import argparse
import secrets
from dataclasses import asdict, replace
from functools import partial

from rubrica.cli.console import Console, with_console
from rubrica.cli.parser import Parser
from rubrica.cli.study.human import add_split_by_folder
from rubrica.cli.study.options import add_pseudonymize
from rubrica.data.jsonl import write_json
from rubrica.formatting.text_table import format_value, text_table
from rubrica.study.batches import agreement_by_batch, retest
from rubrica.study.clean import Rules, clean, read_rules
from rubrica.study.human import Voting, human_scores
from rubrica.study.ratings import Rating, read_ratings, result_columns, result_row
from rubrica.study.sheets import pseudonym, write_sheet
from rubrica.study.tasks import read_key


def add_arguments(parser: Parser, words: list[str]) -> None:
    """Add the options."""
    parser.example = (
        "rubrica study clean answers.csv --key tasks.csv.key.jsonl --rules rules.toml -o clean.csv"
    )
    parser.add_argument("results", nargs="+", metavar="CSV", help="answers, from collect")
    parser.add_argument(
        "-o", "--output", metavar="CSV", help="where to write the result (the remaining rows)"
    )
    parser.add_argument(
        "--report", metavar="JSON", help="where to write the report: workers, removals, agreement"
    )
    parser.add_argument(
        "--rules",
        metavar="TOML",
        help="rules (a TOML file; default: LitePyramids', agreement below 0.5)",
    )
    parser.add_argument("--key", nargs="+", default=[], metavar="JSONL", help="keys of the tasks")
    add_split_by_folder(parser)
    add_pseudonymize(parser)


@with_console
def run(arguments: argparse.Namespace, console: Console) -> int:
    """Run the command."""
    key = {task.key: task for file in arguments.key for task in read_key(file)}
    ratings = read_ratings(arguments.results, key=key, split_by_folder=arguments.split_by_folder)
    if arguments.pseudonymize:
        secret = secrets.token_bytes(32)
        ratings = [
            replace(rating, worker=pseudonym(rating.worker, secret)) if rating.worker else rating
            for rating in ratings
        ]
    cleaned = clean(ratings, read_rules(arguments.rules) if arguments.rules else Rules())
    before, after = (agreement_by_batch(rows) for rows in (ratings, cleaned.remaining))
    values, _ = human_scores(cleaned.remaining, Voting(rounds=0))
    scores = {
        (score.event, score.summarizer_id): score.value
        for score in values
        if score.value is not None
    }
    again = retest(cleaned.remaining, scores)
    if arguments.report:
        report = cleaned.report() | {
            "agreement_before": [asdict(batch) for batch in before],
            "agreement_after": [asdict(batch) for batch in after],
            "retest": asdict(again),
        }
        write_json(arguments.report, report)
    if arguments.output:
        _write(arguments.output, list(cleaned.remaining))
    if any(worker.worker for worker in cleaned.workers):
        rows = [
            [worker.worker, str(worker.rows), _share(worker.agreement), _share(worker.leave_one_out),
             _share(worker.straight_lines), _share(worker.attention), _share(worker.seconds_per_statement)]
            for worker in cleaned.workers
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
    all_before, all_after = before[-1] if before else None, after[-1] if after else None
    if all_before is not None and all_after is not None:
        console.say(
            f"Krippendorff's alpha: {_share(all_before.alpha)} before, {_share(all_after.alpha)} after"
        )
    if again.pairs:
        facts = (
            f"mean difference {_share(again.difference)}, correlation {_share(again.correlation)}"
        )
        console.say(f"{again.pairs:,} pairs of equal texts: {facts}")
    console.say(f"{len(cleaned.remaining):,} rows kept, {len(cleaned.removed):,} removed")
    for rule in dict.fromkeys(removal.rule for removal in cleaned.removed):
        removals = [removal for removal in cleaned.removed if removal.rule == rule]
        workers = sorted({removal.worker for removal in removals if removal.worker})
        who = (
            f" of {', '.join(workers[:5])}{', ...' if len(workers) > 5 else ''}" if workers else ""
        )
        console.say(f"  {rule}: {len(removals):,} rows{who} ({removals[0].reason})")
    if cleaned.left_without:
        console.say(f"warning: {len(cleaned.left_without):,} summaries have no rating left")
    return 0


_share = partial(format_value, digits=3, missing="-")


def _write(path: str, ratings: list[Rating]) -> None:
    width = max((len(rating.answers) for rating in ratings), default=1)
    write_sheet(path, result_columns(width), map(result_row, ratings))
