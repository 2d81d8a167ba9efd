"""What commands about judges share: annotations by people and judges, and the page they write."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from rubrica.cli.parser import Parser
from rubrica.data.files import atomic_output
from rubrica.meta.judges.annotations import Annotations, read_annotations

if TYPE_CHECKING:
    from rubrica.reports.judges import JudgeReport


def add_annotation_arguments(parser: Parser) -> None:
    """Add the files of annotations and how to read them."""
    parser.add_argument(
        "files",
        nargs="+",
        metavar="FILE",
        help="annotations: a .json object annotator -> item -> label, or .csv, .tsv or JSON lines",
    )
    group = parser.add_argument_group("annotations")
    group.add_argument(
        "--judge-files", nargs="+", default=[], metavar="FILE", help="annotations by judges only"
    )
    group.add_argument(
        "--judges",
        nargs="+",
        metavar="NAME",
        help="judges (which of the annotators are judges; default: all in the judge files)",
    )
    group.add_argument(
        "--annotator",
        metavar="COLUMN",
        help="table with one label per row: the column of the annotator's name",
    )
    group.add_argument(
        "--annotators",
        nargs="+",
        metavar="COLUMN",
        help="annotators (their columns, judges included, in tables with one item per row)",
    )
    group.add_argument("--label", metavar="NAME", help="column of the label, such as relevance")
    group.add_argument(
        "--item",
        nargs="+",
        metavar="COLUMN",
        help="columns that identify an item (default: instance_id summarizer_id)",
    )
    group.add_argument(
        "--separator",
        metavar="TEXT",
        help="text between the fields of an item's name in .json files, such as __",
    )


def annotations_of(arguments: argparse.Namespace) -> Annotations:
    """Read the annotations that the options describe."""
    return read_annotations(
        arguments.files,
        arguments.judge_files,
        judges=arguments.judges,
        annotator=arguments.annotator,
        annotators=arguments.annotators,
        label=arguments.label,
        item=arguments.item,
        separator=arguments.separator,
    )


def add_html(parser: Parser) -> None:
    """Add `--html`."""
    parser.add_argument("--html", metavar="FILE", help="also write an HTML page")


def write_page(arguments: argparse.Namespace, report: JudgeReport) -> None:
    """Write the page that --html asks for."""
    with atomic_output(arguments.html) as stream:
        stream.write(report.page())
