"""`rubrica reproduce`: recompute published tables from the data that their authors released."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from rubrica.errors import UsageError

if TYPE_CHECKING:
    from rubrica.cli.console import Console
    from rubrica.cli.parser import Parser
    from rubrica.reproductions.results import Reproduction

FORMATS = ("text", "json", "markdown", "html")


def add_data(parser: Parser) -> None:
    """Add the folder of the data."""
    parser.add_argument(
        "--data",
        required=True,
        metavar="DIR",
        help="folder with a clone of each repository (see `reproduce list`); nothing is downloaded",
    )


def add_run_arguments(parser: Parser) -> None:
    """Add the folder of the data, that of results, and the output."""
    add_data(parser)
    parser.add_argument(
        "--results",
        metavar="DIR",
        help="folder of results, one JSON file per recipe; unchanged recipes are not computed again",
    )
    parser.add_argument(
        "-f", "--format", choices=FORMATS, default="text", help="output format (default: text)"
    )
    parser.add_argument("-o", "--output", metavar="FILE", help="where to write the result")
    parser.add_argument(
        "--strict", action="store_true", help="exit code 4 also for cells that cannot be computed"
    )


def write_results(
    arguments: argparse.Namespace, console: Console, results: list[Reproduction]
) -> int:
    """Write the results; return 0, or 4 if a cell differs without a known reason."""
    from rubrica.reproductions.render import OutputFormat, render, summary
    from rubrica.reproductions.results import Verdict

    assert set(FORMATS) == set(get_args(OutputFormat))
    write_output(arguments, console, render(results, arguments.format), summary(results))
    bad = [Verdict.UNEXPLAINED, *([Verdict.UNAVAILABLE] if arguments.strict else [])]
    return 4 if any(result.count(verdict) for result in results for verdict in bad) else 0


def write_output(
    arguments: argparse.Namespace, console: Console, content: bytes, short: str
) -> None:
    """Write the content to the file of -o and print a short text, or print the content."""
    from rubrica.data.files import atomic_output

    if arguments.output:
        with atomic_output(arguments.output) as stream:
            stream.write(content)
        if short:
            console.result(short, saved=True)
    elif arguments.format == "html":
        raise UsageError("an HTML page needs a file: -o page.html")
    else:
        console.result(content.decode().rstrip("\n"))


def results_folder(arguments: argparse.Namespace) -> Path | None:
    """Return the folder of results, if one is named."""
    return None if arguments.results is None else Path(arguments.results)
