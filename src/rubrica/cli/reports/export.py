"""Export system scores as records of Every Eval Ever, the shared schema of evaluation results."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable, Sequence
from typing import get_args

from rubrica.cli.console import Console, with_console
from rubrica.cli.options import (
    add_cluster,
    add_confidence,
    add_measure_names,
    add_resampling_rounds,
    add_seed,
    resampling_of,
)
from rubrica.cli.parser import Parser
from rubrica.errors import UnknownNameError, UsageError


def add_arguments(parser: Parser, words: list[str]) -> None:
    """Add the options of `rubrica export`."""
    from rubrica.compat.every_eval_ever import Relationship

    parser.example = "rubrica export rows.jsonl --dataset abisee/cnn_dailymail --organization 'My Lab' -o records"
    parser.add_argument(
        "scored",
        nargs="+",
        metavar="SCORED",
        help="rows of evaluate or score, tables of scores, logs of evaluation harnesses",
    )
    parser.add_argument(
        "--dataset",
        required=True,
        metavar="NAME",
        help="the data that was summarized; owner/name is a data set of the Hugging Face hub",
    )
    parser.add_argument(
        "--organization", required=True, metavar="NAME", help="who ran the evaluation"
    )
    parser.add_argument(
        "--relationship",
        choices=get_args(Relationship),
        default="other",
        help="relationship of the evaluator to the systems (default: other)",
    )
    parser.add_argument(
        "--models",
        nargs="+",
        default=[],
        metavar="SYSTEM=ID",
        help="developer/model of systems whose names do not say it, such as bart=facebook/bart-large-cnn",
    )
    add_measure_names(parser, " (default: all)")
    add_resampling_rounds(parser, "for the intervals; 0 for none; ")
    add_confidence(parser)
    add_cluster(parser)
    add_seed(parser)
    parser.add_argument(
        "-o",
        "--output",
        required=True,
        metavar="DIR",
        help="where to write the result (a folder, which gets data/DATASET/DEVELOPER/MODEL/UUID.json)",
    )


@with_console
def run(arguments: argparse.Namespace, console: Console) -> int:
    """Run the command."""
    from rubrica.comparison.records import TestPlan
    from rubrica.comparison.scored_rows import ScoredRows
    from rubrica.comparison.scores import compare_scores
    from rubrica.compat.every_eval_ever import UNKNOWN, Source, records, write_records
    from rubrica.datasets.clusters import read_clusters

    resampling = resampling_of(arguments)
    scored = ScoredRows.read(arguments.scored, name_by_file=True)
    for note in scored.notes:
        console.say(note)
    comparison = compare_scores(
        scored.rows.values(),
        plan=TestPlan(methods={}),
        measures=arguments.measures,
        known=scored.measures,
        resampling=resampling,
        clusters=read_clusters(arguments.cluster, arguments.scored),
    )
    models = _models(arguments.models, comparison.evaluation.systems)
    source = Source(arguments.dataset, arguments.organization, arguments.relationship, models)
    for path in write_records(arguments.output, records(comparison.evaluation, source)):
        console.result(str(path), saved=True)
    nameless = [
        system
        for system in comparison.evaluation.systems
        if source.model_id(system).startswith(f"{UNKNOWN}/")
    ]
    if nameless:
        console.say(
            f"unknown developer of {', '.join(nameless)}; pass --models {nameless[0]}=DEVELOPER/MODEL"
        )
    return 0


def _models(words: Sequence[str], systems: Iterable[str]) -> dict[str, str]:
    models = {}
    for word in words:
        system, equals, model = word.partition("=")
        if not equals or not re.fullmatch(r"[^/]+/[^/]+", model):
            raise UsageError(f"--models takes SYSTEM=DEVELOPER/MODEL, not {word!r}")
        if system not in systems:
            raise UnknownNameError("system", system, systems)
        models[system] = model
    return models
