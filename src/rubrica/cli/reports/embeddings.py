"""Write a page of token similarities, or its alignments as tables."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from rubrica.cli.console import Console
from rubrica.cli.parser import Parser
from rubrica.cli.reports.output import RenderedReport, add_report_options, writes_report
from rubrica.cli.scoring.inputs import InputOptions
from rubrica.cli.scoring.metric_spec import metrics_of
from rubrica.errors import UsageError


def add_arguments(parser: Parser, words: list[str]) -> None:
    """Add the options of `rubrica report embeddings`."""
    parser.example = "rubrica report embeddings summaries.jsonl -m wms -o page.html"
    parser.set_defaults(input_options=InputOptions(parser, words))
    parser.old_spellings["--metric"] = "--metrics"
    parser.add_argument(
        "-m",
        "--metrics",
        dest="metric",
        default="wms",
        metavar="METRIC",
        help="metrics (one of bertscore, moverscore, rouge-we, wms, sms, s+wms or another that shows its "
        "alignments, with parameters after commas or as JSON; default: wms)",
    )
    parser.add_argument(
        "--max-summaries",
        type=int,
        default=50,
        metavar="N",
        help="number of summaries to show (input by input; 0 for all; default: 50)",
    )
    add_report_options(parser)


def render(arguments: argparse.Namespace, console: Console) -> RenderedReport:
    """Return the page, or its tables."""
    from rubrica.reports.embeddings import embeddings_report
    from rubrica.reports.run_facts import title_for

    if arguments.max_summaries < 0:
        raise UsageError(f"--max-summaries must not be negative: {arguments.max_summaries}")
    metric = metrics_of([arguments.metric])[0]
    reader = arguments.input_options.reader(arguments, [metric])
    report = embeddings_report(
        reader.read(*arguments.input_files),
        metric,
        title=arguments.title or title_for("Token similarities", arguments.input_files),
        max_summaries=arguments.max_summaries,
    )
    notes = list(_notes(reader.describe(), report.left_out, arguments.max_summaries))
    if arguments.format == "html":
        return RenderedReport(report.page(), "\n".join(notes))
    from rubrica.reports.tables.embeddings import WRITERS

    return RenderedReport(WRITERS[arguments.format](report), "\n".join(notes))


run = writes_report(render)


def _notes(description: str, left_out: int, shown: int) -> Iterator[str]:
    if description:
        yield description
    if left_out:
        yield f"{shown:,} of {shown + left_out:,} summaries are shown; --max-summaries 0 shows all"
