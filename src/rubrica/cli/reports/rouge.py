"""Write a page of what ROUGE counted, word by word, by several implementations."""

from __future__ import annotations

import argparse
from itertools import chain, islice

from rubrica.cli.console import Console
from rubrica.cli.parser import Parser
from rubrica.cli.reports.output import RenderedReport, add_report_options, writes_report
from rubrica.cli.scoring.inputs import InputOptions
from rubrica.errors import UsageError


def add_arguments(parser: Parser, words: list[str]) -> None:
    """Add the options of `rubrica report rouge`."""
    from rubrica.reports.rouge_matches import DEFAULT_VARIANTS

    parser.example = "rubrica report rouge summaries.jsonl -o page.html"
    parser.set_defaults(input_options=InputOptions(parser, words))
    parser.add_argument(
        "--profiles",
        nargs="+",
        metavar="P",
        help="implementations to compare: a ROUGE profile, with :stemming, :no-stemming or "
        f":no-stop-words after it (default: {' '.join(DEFAULT_VARIANTS)}; unicode comes first if "
        "the others would drop most letters)",
    )
    parser.add_argument(
        "--max-instances",
        type=int,
        default=100,
        metavar="N",
        help="number of inputs to show (the first N; 0 for all; default: 100)",
    )
    add_report_options(parser, tables=False)


def render(arguments: argparse.Namespace, console: Console) -> RenderedReport:
    """Return the page, or its tables."""
    from rubrica.metrics.rouge.metric import Rouge
    from rubrica.reports.rouge_matches import DEFAULT_VARIANTS, rouge_report, usual_variant
    from rubrica.reports.run_facts import title_for

    if arguments.max_instances < 0:
        raise UsageError(f"--max-instances must not be negative: {arguments.max_instances}")
    reader = arguments.input_options.reader(arguments, [Rouge()])
    instances = iter(reader.read(*arguments.input_files))
    # What reads the texts comes first: the page opens with it.
    first = list(islice(instances, 100))
    usual = dict.fromkeys((usual_variant(first), *DEFAULT_VARIANTS))
    report = rouge_report(
        chain(first, instances),
        arguments.profiles or list(usual),
        title=arguments.title or title_for("ROUGE matches", arguments.input_files),
        max_instances=arguments.max_instances,
    )
    note = reader.describe()
    if report.left_out:
        shown = arguments.max_instances
        note = f"{note}\nthe page shows the first {shown} of {shown + report.left_out} inputs; "
        note += "--max-instances 0 shows all"
    return RenderedReport(report.page(), note.strip())


run = writes_report(render)
