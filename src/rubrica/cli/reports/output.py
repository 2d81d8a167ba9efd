"""Where a report goes: the options that all pages share, and writing the page or its tables."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps

from rubrica.cli.console import Console, console_for
from rubrica.cli.parser import Parser
from rubrica.reports.page import write_page

DEFAULT_OUTPUT = "report.html"


@dataclass(frozen=True, slots=True)
class RenderedReport:
    """A page, or text in another format; and a note for people."""

    content: bytes | str
    note: str = ""


def add_report_options(parser: Parser, *, tables: bool = True) -> None:
    """Add `--output`, `--title` and, for pages with tables, `--format`."""
    output = parser.add_argument_group("output")
    output.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help=f"where to write the result (default: {DEFAULT_OUTPUT}"
        + ("; tables go to standard output)" if tables else ")"),
    )
    if tables:
        output.add_argument(
            "-f",
            "--format",
            choices=("html", "text", "markdown", "latex"),
            default="html",
            help="output format: the page, or its main tables (default: html)",
        )
    output.add_argument("--title", metavar="TEXT", help="title of the page")


def writes_report(
    render: Callable[[argparse.Namespace, Console], RenderedReport],
) -> Callable[[argparse.Namespace], int]:
    """Turn a function that renders a report into the `run(arguments)` of a command."""

    @wraps(render)
    def run(arguments: argparse.Namespace) -> int:
        with console_for(arguments) as console:
            report = render(arguments, console)
            if report.note:
                console.say(report.note)
            if isinstance(report.content, str) and arguments.output is None:
                console.result(report.content)
                return 0
            path = arguments.output or DEFAULT_OUTPUT
            text = report.content
            write_page(path, f"{text}\n".encode() if isinstance(text, str) else text)
            console.result(path, saved=True)
        return 0

    return run
