"""Turn answers into human scores: the share of content units found, by majority, with its uncertainty."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from typing import get_args

import rubrica
from rubrica.cli.console import Console, with_console
from rubrica.cli.options import add_confidence, add_resampling_rounds, add_seed
from rubrica.cli.parser import Parser
from rubrica.data.jsonl import write_json
from rubrica.data.scores.rows import write_score_rows
from rubrica.signature import Signature
from rubrica.study.human import MEASURE, Tie, Vote, Voting, human_rows, human_scores
from rubrica.study.ratings import Missing, last_ratings, read_ratings
from rubrica.study.tasks import read_key


def add_arguments(parser: Parser, words: list[str]) -> None:
    """Add the options."""
    parser.example = "rubrica study human clean.csv --key tasks.csv.key.jsonl -o human.jsonl"
    parser.add_argument("results", nargs="+", metavar="CSV", help="answers, cleaned or not")
    parser.add_argument(
        "-o",
        "--output",
        required=True,
        metavar="TABLE",
        help="where to write the result (.jsonl or .parquet)",
    )
    parser.add_argument("--key", nargs="+", default=[], metavar="JSONL", help="keys of the tasks")
    parser.add_argument(
        "--vote",
        choices=get_args(Vote),
        default="majority",
        help="how to aggregate answers (default: majority)",
    )
    parser.add_argument(
        "--tie",
        choices=get_args(Tie),
        default="absent",
        help="majority: what a tie counts as (default: absent)",
    )
    parser.add_argument(
        "--missing",
        choices=get_args(Missing),
        default="none",
        help="what a missing answer counts as (default: none; LitePyramids: present)",
    )
    parser.add_argument(
        "--measure",
        default=MEASURE,
        metavar="NAME",
        help=f"name of the human score (default: {MEASURE})",
    )
    parser.add_argument(
        "--split", default="", metavar="NAME", help="ext or abs (prefix of system ids)"
    )
    add_split_by_folder(parser)
    parser.add_argument(
        "--workers-output", metavar="JSON", help="dawid-skene: reliability of workers"
    )
    add_resampling_rounds(parser, "for the uncertainty; 0 for none; ")
    parser.old_spellings["--num-samples"] = "--rounds"
    add_confidence(parser)
    add_seed(parser)


def add_split_by_folder(parser: Parser) -> None:
    """Add the option that tells systems of one name apart."""
    parser.add_argument(
        "--split-by-folder",
        action="store_true",
        help="prefix system ids with the folder of their file, as in abs/bart_out",
    )


@with_console
def run(arguments: argparse.Namespace, console: Console) -> int:
    """Run the command."""
    key = {task.key: task for file in arguments.key for task in read_key(file)}
    voting = Voting(
        arguments.vote, arguments.tie, arguments.missing, arguments.rounds,
        arguments.confidence, arguments.seed,
    )  # fmt: skip
    ratings = read_ratings(arguments.results, key=key, split_by_folder=arguments.split_by_folder)
    scores, truth = human_scores(ratings, voting)
    how = {"vote": voting.vote, "tie": voting.tie, "missing": voting.missing}
    facts = {"bs": str(voting.rounds), "seed": str(voting.seed)}
    note = str(Signature("human-scores", how, version=rubrica.__version__, run=facts))
    rows = human_rows(scores, measure=arguments.measure, split=arguments.split, note=note)
    write_score_rows(arguments.output, rows)
    if truth is not None and arguments.workers_output:
        write_json(arguments.workers_output, [asdict(worker) for worker in truth.workers])
    errors = [score.error for score in scores if score.error is not None]
    spread = f", mean standard error {sum(errors) / len(errors):.3f}" if errors else ""
    console.say(f"{arguments.output}: {len(rows):,} human scores ({arguments.measure}){spread}")
    if repeated := len(last_ratings(ratings)[1]):
        console.say(f"{repeated:,} ratings ignored: the same worker rated the summary again later")
    lost = len(scores) - len(rows)
    if lost:
        console.say(f"warning: {lost:,} summaries have no answered unit and therefore no score")
    return 0
