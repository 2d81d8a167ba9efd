"""Write a page of systems over measures, with intervals, tests, inputs and texts."""

from __future__ import annotations

import argparse

from rubrica.cli.console import Console
from rubrica.cli.options import Parser, add_seed, check_confidence
from rubrica.cli.reports.output import RenderedReport, add_report_options, writes_report
from rubrica.errors import UsageError


def add_arguments(parser: Parser, words: list[str]) -> None:
    """Add the options of `rubrica report systems`."""
    parser.example = "rubrica report systems scores.jsonl --summaries summaries.jsonl -o page.html"
    parser.add_argument(
        "scored", nargs="+", metavar="SCORED", help="rows that evaluate or score wrote"
    )
    parser.add_argument(
        "--summaries", nargs="+", default=[], metavar="FILE", help="the texts (JSON lines)"
    )
    parser.add_argument(
        "--documents",
        nargs="+",
        default=[],
        metavar="FILE",
        help="what was summarized (JSON lines with instance_id and document), to find copies",
    )
    parser.add_argument(
        "--measures", nargs="+", metavar="M", help="only these, as rouge-1.f1 (default: all)"
    )
    parser.add_argument(
        "--include-references", action="store_true", help="show references as systems, too"
    )
    parser.add_argument(
        "--num-samples",
        type=int,
        metavar="N",
        help="rounds (default: 1000; with more than 7 systems as many as the tests need, up to 10000)",
    )
    parser.add_argument(
        "--confidence", type=float, default=95.0, metavar="X", help="percent (default: 95)"
    )
    add_seed(parser)
    add_report_options(parser)


@writes_report
def run(arguments: argparse.Namespace, console: Console) -> RenderedReport:
    """Run the command."""
    from rubrica.reports.systems import ScoredRows, SummaryTexts, enough_rounds, systems_report
    from rubrica.statistics.intervals import Resampling

    check_confidence(arguments.confidence)
    if arguments.num_samples is not None and arguments.num_samples < 0:
        raise UsageError(f"--num-samples must not be negative: {arguments.num_samples}")
    if arguments.documents and not arguments.summaries:
        raise UsageError("--documents needs --summaries, the texts to compare them with")
    scored = ScoredRows.read(arguments.scored)
    texts = None
    if arguments.summaries:
        texts = SummaryTexts.read(arguments.summaries, arguments.documents)
    rounds = arguments.num_samples
    if rounds is None:
        rounds = enough_rounds(scored.systems(arguments.include_references))
    report = systems_report(
        scored,
        texts,
        title=arguments.title or "Systems",
        measures=arguments.measures,
        include_references=arguments.include_references,
        resampling=Resampling(rounds, arguments.confidence, arguments.seed),
    )
    if arguments.format != "html":
        from rubrica.reports.tables.systems import systems_table

        return RenderedReport(systems_table(report, arguments.format))
    return RenderedReport(report.page())
