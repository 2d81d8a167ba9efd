"""Write a page of systems over measures, with intervals, tests, inputs and texts."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING, Any

from rubrica.cli.console import Console
from rubrica.cli.options import (
    add_cluster,
    add_confidence,
    add_correction,
    add_interval_rounds,
    add_measure_names,
    add_seed,
    add_test_rounds,
    resampling_of,
)
from rubrica.cli.parser import Parser
from rubrica.cli.reports.output import RenderedReport, add_report_options, writes_report
from rubrica.cli.scoring.compare import compare_files, refuse_scores
from rubrica.cli.scoring.inputs import InputOptions
from rubrica.cli.scoring.metric_spec import add_metrics, metrics_of
from rubrica.comparison.records import DEFAULT_TEST, ROUNDS, Comparison, TestPlan
from rubrica.data.logs.inspect_log import ARCHIVE_ENDING
from rubrica.data.scores.rows import holds_scores
from rubrica.datasets.open import holds_summaries
from rubrica.errors import UsageError
from rubrica.statistics.significance import PAIRED_TESTS

if TYPE_CHECKING:
    from rubrica.reports.scored_texts import SummaryTexts


def add_arguments(parser: Parser, words: list[str]) -> None:
    """Add the options of `rubrica report systems`."""
    parser.example = "rubrica report systems scores.jsonl --summaries summaries.jsonl -o page.html"
    options = InputOptions(
        parser,
        words,
        files_help="existing scores (rows of evaluate or score, tables, logs of harnesses), or summaries, which are scored first",
        line_files=("references",),
    )
    parser.set_defaults(input_options=options)
    add_metrics(parser)
    parser.add_argument("--summaries", nargs="+", default=[], metavar="FILE", help="the texts")
    parser.add_argument(
        "--documents",
        nargs="+",
        default=[],
        metavar="FILE",
        help="documents (JSON lines with instance_id and document), to find copied text",
    )
    add_measure_names(parser, " (default: all)")
    parser.add_argument(
        "--include-references", action="store_true", help="include reference rows (as systems)"
    )
    parser.old_spellings["--num-samples"] = "--interval-rounds"
    add_interval_rounds(parser)
    add_test_rounds(parser)
    add_confidence(parser)
    parser.add_argument(
        "--baseline",
        metavar="SYSTEM",
        help="baseline (the system that the page compares with at first; default: the first)",
    )
    parser.add_argument(
        "--test",
        choices=tuple(PAIRED_TESTS),
        default=DEFAULT_TEST,
        metavar="NAME",
        help=f"paired test: {', '.join(PAIRED_TESTS)} (default: {DEFAULT_TEST})",
    )
    add_correction(parser, "the comparisons shown")
    add_cluster(parser)
    add_seed(parser)
    add_report_options(parser)


def render(arguments: argparse.Namespace, console: Console) -> RenderedReport:
    """Return the page, or its tables."""
    from rubrica.comparison.tables import WRITERS
    from rubrica.reports.run_facts import scores_date, title_for
    from rubrica.reports.scored_texts import SummaryTexts
    from rubrica.reports.systems import comparison_report

    resampling = resampling_of(arguments, "--interval-rounds")
    files = arguments.input_files
    is_scored = not arguments.metrics and not any(map(_holds_summaries, files))
    if arguments.documents and is_scored and not arguments.summaries:
        raise UsageError("--documents needs --summaries, the texts to compare them with")
    settings: dict[str, Any] = {
        "plan": _plan(arguments),
        "measures": arguments.measures,
        "resampling": resampling,
    }
    if is_scored:
        comparison = compare_files(
            arguments, console, include_references=arguments.include_references, **settings
        )
        texts = SummaryTexts.read(arguments.summaries) if arguments.summaries else None
    else:
        comparison, texts = _score(arguments, settings, console)
    if texts is not None:
        texts.add_documents(arguments.documents)
    if arguments.format != "html":
        return RenderedReport(WRITERS[arguments.format](comparison, None))
    report = comparison_report(
        comparison,
        texts,
        title=arguments.title or title_for("Systems", arguments.summaries or files),
        measures=arguments.measures,
        date=scores_date(files) if is_scored else scores_date(),
    )
    return RenderedReport(report.page())


run = writes_report(render)


def _holds_summaries(file: str) -> bool:
    """Return whether a file has texts to score; logs of harnesses have texts, too, but are read for their scores."""
    if file.lower().endswith(ARCHIVE_ENDING) or not os.path.isfile(file) or holds_scores(file):
        return False
    return holds_summaries(file)


def _score(
    arguments: argparse.Namespace, settings: dict[str, Any], console: Console
) -> tuple[Comparison, SummaryTexts]:
    """Score summaries as `compare` does, and return their texts, too."""
    from rubrica.comparison.systems import compare_instances
    from rubrica.datasets.clusters import read_clusters
    from rubrica.reports.scored_texts import SummaryTexts

    for option in ("summaries", "include_references"):
        if getattr(arguments, option):
            word = f"--{option.replace('_', '-')}"
            raise UsageError(f"{word} is for scores that exist; the files here hold summaries")
    refuse_scores(arguments)
    metrics = metrics_of(arguments.metrics or ["rouge"])
    with console.reporting(metrics):
        reader = arguments.input_options.reader(arguments, metrics)
        instances = arguments.input_options.instances(arguments, reader)
        clusters = read_clusters(arguments.cluster, arguments.input_files, reader=reader)
        comparison = compare_instances(instances, metrics, clusters=clusters, **settings)
    labels = ", ".join(metric.label for metric in metrics)
    console.say(f"scored {len(instances):,} summaries by {labels}")
    if note := reader.describe():
        console.say(note)
    return comparison, SummaryTexts.of(instances)


def _plan(arguments: argparse.Namespace) -> TestPlan:
    usual = ROUNDS[arguments.test]
    rounds = usual if arguments.rounds is None or not usual else arguments.rounds
    return TestPlan(
        methods={arguments.test: rounds} if arguments.interval_rounds else {},
        baseline=arguments.baseline,
        correction=arguments.correction,
        seed=arguments.seed,
    )
