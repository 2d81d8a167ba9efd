"""Write the page, or tables, of a meta-evaluation from its result or its configuration."""

from __future__ import annotations

import argparse
import os
from typing import Any

from rubrica.cli.console import Console
from rubrica.cli.options import add_general_options
from rubrica.cli.parser import Parser
from rubrica.cli.reports.output import RenderedReport, add_report_options, writes_report
from rubrica.cli.scoring.config import load
from rubrica.data.scores.rows import holds_scores
from rubrica.data.table import ScoreTable
from rubrica.errors import MismatchError, UsageError
from rubrica.meta.join import JoinReport, join_scores
from rubrica.meta.ranking.rankings import MetaEvaluation

# As standard output of `meta-evaluate` names them, and as reports do.
TABLES = ("text", "markdown", "latex")


def add_arguments(parser: Parser, words: list[str]) -> None:
    """Add the options of `rubrica report meta`."""
    parser.example = "rubrica report meta result.json -o page.html"
    parser.add_argument(
        "result", metavar="RESULT", help="the JSON that meta-evaluate wrote, or its TOML, to run it"
    )
    parser.add_argument(
        "--scores",
        nargs="+",
        metavar="FILE",
        help="files of scores (if they have moved; default: the files that RESULT names)",
    )
    parser.add_argument(
        "--summaries",
        nargs="+",
        default=[],
        metavar="FILE",
        help="the texts (JSON lines), shown with their ROUGE matches",
    )
    parser.add_argument(
        "--max-instances",
        type=int,
        default=20,
        metavar="N",
        help="number of inputs to show (with ROUGE matches; 0 for all; default: 20)",
    )
    add_report_options(parser)


def render(arguments: argparse.Namespace, console: Console) -> RenderedReport:
    """Return the page, or its tables."""
    if arguments.max_instances < 0:
        raise UsageError(f"--max-instances must not be negative: {arguments.max_instances}")
    evaluation, table, config = _result(arguments, console)
    if arguments.format in TABLES:
        from rubrica.meta.ranking.tables import WRITERS

        return RenderedReport(WRITERS[arguments.format](evaluation))
    from rubrica.reports.meta import meta_report
    from rubrica.reports.run_facts import scores_date, title_for
    from rubrica.reports.scored_texts import SummaryTexts

    files = _score_files(arguments, config)
    texts = SummaryTexts.read(arguments.summaries) if arguments.summaries else None
    report = meta_report(
        evaluation,
        table,
        texts,
        title=arguments.title or title_for("Meta-evaluation", files),
        config=config,
        max_instances=arguments.max_instances,
        date=scores_date(files),
    )
    return RenderedReport(report.page())


run = writes_report(render)


def _result(
    arguments: argparse.Namespace, console: Console
) -> tuple[MetaEvaluation, ScoreTable, dict[str, Any]]:
    if os.path.isfile(arguments.result) and holds_scores(arguments.result):
        raise UsageError(
            f"{arguments.result} holds scores; pass the result that `rubrica meta-evaluate --scores "
            f"{arguments.result} --human MEASURE --output result.json` writes"
        )
    values = load(arguments.result)
    if "rankings" not in values:
        return _run(arguments, console)
    from rubrica.cli.meta.results import result_of

    evaluation, config = result_of(values, arguments.result)
    files = _score_files(arguments, config)
    missing = [file for file in files if not os.path.exists(file)]
    if missing or not files:
        raise UsageError(
            f"{arguments.result} was made from scores that are not here: {', '.join(missing)}; "
            "name them with --scores"
        )
    table, report = _joined(evaluation, files, config.get("summarizer_type", "all"))
    if not report.kept:
        raise MismatchError("no summary is left of these scores; name others with --scores")
    return evaluation, table, config


def _score_files(arguments: argparse.Namespace, config: dict[str, Any]) -> list[str]:
    files: list[str] = arguments.scores or config.get(
        "scores", config.get("metrics_jsonl_files", [])
    )
    return files


def _joined(
    evaluation: MetaEvaluation, files: list[str], summarizer_type: Any
) -> tuple[ScoreTable, JoinReport]:
    return join_scores(files, [*evaluation.metrics, *evaluation.humans], summarizer_type)


def _run(
    arguments: argparse.Namespace, console: Console
) -> tuple[MetaEvaluation, ScoreTable, dict[str, Any]]:
    """What the TOML file says, as `rubrica meta-evaluate --config` does it."""
    from rubrica.cli.meta import meta_evaluate
    from rubrica.cli.meta.config import config_of, config_words
    from rubrica.cli.meta.inputs import check_numbers

    parser = Parser(prog="rubrica report meta", description=meta_evaluate.__doc__)
    add_general_options(parser)
    meta_evaluate.add_arguments(parser, [])
    words = config_words(["--config", arguments.result], parser)
    if arguments.scores:
        words += ["--scores", *arguments.scores]
    options = parser.parse(words)
    check_numbers(options)
    evaluation, table = meta_evaluate.evaluated(options, console)
    return evaluation, table, config_of(options)
