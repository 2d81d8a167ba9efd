"""Write the page of a study: agreement, retest, workers, ranges, and experiments I to IV."""

from __future__ import annotations

import argparse

from rubrica.cli.console import Console, with_console
from rubrica.cli.options import add_measure_names, add_resampling_rounds, add_seed
from rubrica.cli.parser import Parser
from rubrica.data.table import ScoreTable
from rubrica.reports.page import write_page
from rubrica.study.clean import Rules, clean, read_rules
from rubrica.study.experiments import run_experiments
from rubrica.study.human import MEASURE
from rubrica.study.matrix import measure_matrix
from rubrica.study.merge import merge_tables
from rubrica.study.ratings import read_ratings
from rubrica.study.report import study_report
from rubrica.study.rows import read_table
from rubrica.study.tasks import read_key


def add_arguments(parser: Parser, words: list[str]) -> None:
    """Add the options."""
    parser.example = (
        "rubrica study report metrics.jsonl human.jsonl --measures rouge-1.recall js-2 "
        "--answers answers.csv -o study.html"
    )
    parser.add_argument("tables", nargs="+", metavar="TABLE", help="scores of metrics and people")
    add_measure_names(parser, required=True)
    parser.add_argument(
        "--human", default=MEASURE, metavar="M", help=f"human scores (default: {MEASURE})"
    )
    parser.add_argument(
        "--answers", nargs="+", default=[], metavar="CSV", help="the answers of workers"
    )
    parser.add_argument("--key", nargs="+", default=[], metavar="JSONL", help="keys of the tasks")
    parser.add_argument("--clean-rules", metavar="TOML", help="cleaning rules, as in study clean")
    add_resampling_rounds(parser)
    add_seed(parser, default=0)
    parser.add_argument(
        "-o",
        "--output",
        default="study.html",
        metavar="HTML",
        help="where to write the result (the page)",
    )


@with_console
def run(arguments: argparse.Namespace, console: Console) -> int:
    """Run the command."""
    rows = merge_tables([(file, read_table(file)) for file in arguments.tables])
    names = [*arguments.measures, arguments.human]
    table = ScoreTable.from_metrics(rows, names)
    matrix = measure_matrix(table, names)
    experiments = run_experiments(
        table, arguments.measures, arguments.human, rounds=arguments.rounds, seed=arguments.seed
    )
    key = {task.key: task for file in arguments.key for task in read_key(file)}
    ratings = read_ratings(arguments.answers, key=key)
    rules = read_rules(arguments.clean_rules) if arguments.clean_rules else Rules()
    cleaned = clean(ratings, rules) if ratings else None
    write_page(arguments.output, study_report(matrix, experiments, ratings, cleaned).page())
    console.say(f"wrote {arguments.output}")
    return 0
