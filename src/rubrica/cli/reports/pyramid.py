"""Write a page of content units by weight: where they occur, and how each score adds up."""

from __future__ import annotations

import argparse

from rubrica.cli.console import Console
from rubrica.cli.parser import Parser
from rubrica.cli.reports.output import RenderedReport, add_report_options, writes_report


def add_arguments(parser: Parser, words: list[str]) -> None:
    """Add the options of `rubrica report pyramid`."""
    parser.example = "rubrica report pyramid pyramids.jsonl annotations.jsonl -o page.html"
    parser.add_argument("pyramids", metavar="PYRAMIDS", help="pyramids (JSON lines)")
    parser.add_argument(
        "annotations", nargs="*", metavar="ANNOTATIONS", help="annotated summaries (JSON lines)"
    )
    parser.add_argument(
        "--no-check-spans",
        action="store_true",
        help="accept parts whose text differs from the text at their position",
    )
    add_report_options(parser)


def render(arguments: argparse.Namespace, console: Console) -> RenderedReport:
    """Return the page, or its tables."""
    from rubrica.datasets.readers.pyramids import PyramidBasedReader
    from rubrica.reports.pyramid import pyramid_report
    from rubrica.reports.run_facts import title_for

    reader = PyramidBasedReader(
        [arguments.pyramids],
        include_reference_annotations=False,
        check_spans=not arguments.no_check_spans,
    )
    pyramids = reader.read_pyramids(arguments.pyramids)
    instances = reader.read(*arguments.annotations) if arguments.annotations else ()
    annotated = [
        (instance.fields["annotation"], instance.fields["pyramid"]) for instance in instances
    ]
    title = arguments.title or title_for("Pyramids", [arguments.pyramids])
    report = pyramid_report(pyramids, annotated, title=title)
    if arguments.format != "html":
        from rubrica.reports.tables.pyramid import WRITERS

        return RenderedReport(WRITERS[arguments.format](report))
    return RenderedReport(report.page())


run = writes_report(render)
