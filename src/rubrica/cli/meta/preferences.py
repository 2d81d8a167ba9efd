"""Compare metrics with preferences between two summaries, and estimate the strength of each system."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from typing import Any

import numpy as np

from rubrica.cli.console import Console, console_for
from rubrica.cli.meta.inputs import (
    add_measures,
    add_scores,
    lower_measures,
    read_scores,
    write_result,
)
from rubrica.cli.meta.method_inputs import (
    add_resampling_arguments,
    section,
    signature_lines,
    span,
)
from rubrica.cli.options import add_lower_is_better, resampling_of
from rubrica.cli.parser import Parser
from rubrica.errors import DataError, UsageError
from rubrica.formatting.text_table import format_value
from rubrica.meta.ranking.comparisons import Preference, read_comparisons
from rubrica.meta.ranking.preferences import BradleyTerry, bradley_terry, preference_agreement


def add_arguments(parser: Parser, words: list[str]) -> None:
    """The options of `rubrica preferences`."""
    parser.example = (
        "rubrica preferences preferences.csv --measures rouge-1.f1 chrf --scores scores.jsonl"
    )
    parser.add_argument(
        "files",
        nargs="+",
        metavar="FILE",
        help="comparisons, tables or JSON lines: instance_id, first, second, preferred",
    )
    group = parser.add_argument_group("columns")
    group.add_argument(
        "--first",
        default="first",
        metavar="COLUMN",
        help="column of the first system (default: first)",
    )
    group.add_argument(
        "--second",
        default="second",
        metavar="COLUMN",
        help="column of the second system (default: second)",
    )
    group.add_argument(
        "--preferred",
        default="preferred",
        metavar="COLUMN",
        help="1, -1, 0, first, second, tie, or the system's name (default: preferred)",
    )
    scores = parser.add_argument_group("metrics")
    add_measures(parser, scores, "those to evaluate", default=[])
    add_scores(parser, scores)
    add_lower_is_better(scores)
    scores.add_argument(
        "--epsilon",
        type=float,
        default=0.0,
        metavar="X",
        help="largest difference in scores that counts as a tie (default: 0)",
    )
    add_resampling_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run it."""
    resampling = resampling_of(arguments, required=True)
    if bool(arguments.measures) != bool(arguments.scores):
        raise UsageError("--measures and --scores need each other")
    if arguments.epsilon < 0:
        raise UsageError("--epsilon must not be negative")
    with console_for(arguments) as console:
        compared = read_comparisons(
            arguments.files,
            first=arguments.first,
            second=arguments.second,
            preferred=arguments.preferred,
        )
        if not compared:
            raise DataError("the files hold no comparison")
        model = bradley_terry([(pair.first, pair.second, pair.preferred) for pair in compared])
        agreements, facts = _metrics(arguments, console, compared, resampling)
        result = {"strengths": model, "metrics": agreements, **facts}
        write_result(arguments, console, result, _tables(arguments, model, agreements))
    return 0


def _metrics(
    arguments: argparse.Namespace, console: Console, compared: list[Preference], resampling: Any
) -> tuple[dict[str, Any], dict[str, Any]]:
    if not arguments.measures:
        return {}, {}
    arguments.summarizer_type = "all"
    table, report = read_scores(arguments, arguments.measures, console, required=())
    lower = lower_measures(arguments, table)
    rows = {name: at for at, name in enumerate(table.systems)}
    columns = {name: at for at, name in enumerate(table.inputs)}
    agreements = {}
    for name in table.measures:
        matrix = -table.matrix(name) if name in lower else table.matrix(name)

        def scores(side: str, matrix: Any = matrix) -> list[float]:
            return [
                float(matrix[rows[system], columns[pair.instance_id]])
                if (system := getattr(pair, side)) in rows and pair.instance_id in columns
                else np.nan
                for pair in compared
            ]

        agreements[name] = preference_agreement(
            scores("first"),
            scores("second"),
            [pair.preferred for pair in compared],
            epsilon=arguments.epsilon,
            resampling=resampling,
        )
        if not agreements[name].pairs:
            console.say(f"{name}: no comparison has scores of both summaries; do the ids agree?")
    return agreements, {"lower_is_better": lower, "join": asdict(report)}


def _tables(arguments: argparse.Namespace, model: BradleyTerry, agreements: dict[str, Any]) -> str:
    parts, signatures = [], [model.signature]
    if model.strengths is None:
        parts.append(
            f"strengths of {len(model.systems):,} systems: none, since some of them never lost to, "
            "or tied with, the others"
        )
    else:
        order = sorted(zip(model.systems, model.strengths, strict=True), key=lambda item: -item[1])
        rows = [[name, f"{strength:.4f}"] for name, strength in order]
        title = f"strengths from {model.comparisons:,} comparisons (Bradley-Terry)"
        parts.append(section(title, ["system", "log strength"], rows))
    if agreements:
        rows = [
            [
                name,
                format_value(item.decided),
                span(item.lower, item.upper),
                format_value(item.accuracy),
                f"{item.pairs:,}",
                f"{item.human_ties:,}",
                f"{item.metric_ties:,}",
                f"{item.left_out:,}",
            ]
            for name, item in agreements.items()
        ]
        interval = f"{arguments.confidence:g} % interval"
        headers = ["metric", "of decided pairs", interval, "of all", "pairs", "tied by people"]
        parts.append(section("preferences shared", [*headers, "by metric", "left out"], rows))
        signatures += [item.signature for item in agreements.values()]
    return "\n\n".join([*parts, signature_lines(signatures)])
