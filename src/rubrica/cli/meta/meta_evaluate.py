"""Rank many metrics by their correlation with human scores: intervals, tests of all pairs, clusters."""

from __future__ import annotations

import argparse
import sys
from typing import Any

import msgspec

from rubrica.cli.console import Console, console_for, has_style
from rubrica.cli.meta.config import config_of, config_words, toml_of
from rubrica.cli.meta.inputs import (
    add_measures,
    add_output_arguments,
    add_score_arguments,
    alpha_of,
    check_numbers,
    input_clusters,
    levels_of,
    lower_measures,
    metric_names,
    read_scores,
    say_direction,
)
from rubrica.cli.meta.options import (
    add_interval_arguments,
    add_plot_style,
    add_test_arguments,
    add_test_tails,
)
from rubrica.cli.options import (
    RESULT_ENDINGS,
    add_alpha,
    add_cluster,
    add_correction,
    add_seed,
    format_of,
)
from rubrica.cli.parser import Parser
from rubrica.data.files import atomic_output
from rubrica.data.table import ScoreTable
from rubrica.errors import DataError
from rubrica.meta.correlation.bootstrap import ROUNDS
from rubrica.meta.evaluation import meta_evaluate
from rubrica.meta.ranking.rankings import MetaEvaluation
from rubrica.meta.ranking.tables import WRITERS, as_text, object_of


def add_arguments(parser: Parser, words: list[str]) -> None:
    """The options of `rubrica meta-evaluate`; those of --config come first, so others override them."""
    parser.example = "rubrica meta-evaluate --human relevance fluency --scores scores.jsonl human.jsonl --summarizer-type peer"
    parser.expand = lambda words: config_words(words, parser) + words
    parser.add_argument(
        "--human",
        nargs="+",
        metavar="M",
        required=True,
        help="human scores (measures such as relevance)",
    )
    add_measures(
        parser,
        parser,
        "those to rank; default: F-scores rather than precision and recall, and no jackknifed values",
    )
    parser.add_argument(
        "--config",
        metavar="FILE",
        help="TOML or JSON file of options (an earlier result works, too)",
    )
    add_score_arguments(parser)
    add_interval_arguments(parser)
    add_cluster(parser)
    add_test_arguments(parser)
    add_alpha(parser, None)
    add_test_tails(parser)
    add_correction(parser, "the tests of a human score, level and coefficient")
    parser.add_argument(
        "--clusters",
        choices=("wmt", "layers"),
        default="wmt",
        help="wmt: a new cluster begins at the first metric that a member of the current one beats; "
        "layers: a cluster holds the metrics that only earlier clusters beat (default: wmt)",
    )
    add_seed(parser)
    add_output_arguments(
        parser,
        formats=("json", *WRITERS),
        what="in the format of the ending: .json, .md, .tex, ...",
        endings=RESULT_ENDINGS,
    )
    parser.add_argument("--output-config", metavar="FILE", help="write the options as TOML")
    parser.add_argument("--plots", metavar="DIR", help="write plots to this folder")
    parser.add_argument(
        "--plot-format",
        nargs="+",
        choices=("svg", "png", "pdf"),
        default=["svg"],
        help="format of the plots (default: svg)",
    )
    add_plot_style(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run it."""
    check_numbers(arguments)
    if arguments.plots is not None:
        from rubrica.reports.plots.plots import check_libraries

        check_libraries()
    with console_for(arguments) as console:
        evaluation, table = evaluated(arguments, console)
        config = config_of(arguments)
        result = object_of(evaluation, config)
        if arguments.output_config is not None:
            _write(arguments.output_config, toml_of(config))
        if arguments.plots is not None:
            from rubrica.reports.plots.meta import draw_all

            paths = draw_all(
                arguments.plots, evaluation, table, arguments.plot_format, arguments.plot_style
            )
            console.say(f"written: {len(paths):,} plots in {arguments.plots}")
        _put(arguments, console, evaluation, result)
    return 0


def evaluated(arguments: argparse.Namespace, console: Console) -> tuple[MetaEvaluation, ScoreTable]:
    """What the options ask for, and the scores that it rests on."""
    if arguments.measures is None:
        arguments.measures = _other_measures(arguments, console)
    names = [*arguments.measures, *arguments.human]
    table, report = read_scores(arguments, names, console)
    number = len(arguments.measures)
    lower = lower_measures(arguments, table)
    say_direction(console, lower)
    rounds = arguments.rounds or ROUNDS
    _warn_of_few_rounds(arguments, number, rounds, console)
    evaluation = meta_evaluate(
        table,
        metrics=table.measures[:number],
        humans=table.measures[number:],
        levels=levels_of(arguments),
        coefficients=arguments.coefficients,
        lower_is_better=lower,
        interval_method=arguments.confidence_interval_method,
        bounds=arguments.bounds,
        confidence=arguments.confidence,
        tails=arguments.num_tails,
        test=arguments.hypothesis_test,
        scheme=arguments.scheme,
        p_rule=arguments.p_value,
        signed=arguments.signed,
        test_tails=arguments.test_tails,
        correction=arguments.correction,
        clusters=arguments.clusters,
        rounds=rounds,
        seed=arguments.seed,
        undefined=arguments.undefined,
        threads=arguments.workers,
        input_clusters=input_clusters(arguments, table),
        join=report,
    )
    return evaluation, table


def _other_measures(arguments: argparse.Namespace, console: Console) -> list[str]:
    names = metric_names(arguments, arguments.human, console)
    if not names:
        # The join tells of a human score that does not exist, and of other reasons.
        read_scores(arguments, arguments.human, console)
        raise DataError("the files hold no measure that all judged summaries have; name --measures")
    return names


def _warn_of_few_rounds(
    arguments: argparse.Namespace, metrics: int, rounds: int, console: Console
) -> None:
    """A permutation test's p-value is at least 1 / (rounds + 1), and Holm multiplies it."""
    tests = metrics * (metrics - 1) // arguments.test_tails
    least = tests / (rounds + 1)
    permuted = arguments.hypothesis_test.startswith("permutation")
    plus_one = arguments.p_value == "plus-one" and arguments.correction == "holm"
    if permuted and plus_one and least > alpha_of(arguments):
        console.say(
            f"warning: with {rounds:,} rounds and {tests:,} tests no adjusted p-value is below "
            f"{min(1.0, least):.3g}; raise --rounds"
        )


def _put(
    arguments: argparse.Namespace,
    console: Console,
    evaluation: MetaEvaluation,
    result: dict[str, Any],
) -> None:
    def text(format: str, *, to_file: bool = False) -> str:
        if format == "json":
            return msgspec.json.format(msgspec.json.encode(result), indent=2).decode()
        if format == "text" and not to_file:
            return as_text(evaluation, bold=has_style(sys.stdout))
        return WRITERS[format](evaluation)

    path = arguments.output
    if path not in (None, "-"):
        _write(path, text(format_of(path), to_file=True) + "\n")
    console.result(text("json" if path == "-" else arguments.format), saved=path not in (None, "-"))


def _write(path: str, text: str) -> None:
    with atomic_output(path) as stream:
        stream.write(text.encode())
