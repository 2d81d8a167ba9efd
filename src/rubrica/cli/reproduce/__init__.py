"""`rubrica reproduce`: recompute published tables from the data that their authors released."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from rubrica.errors import UsageError

if TYPE_CHECKING:
    from rubrica.cli.console import Console
    from rubrica.cli.options import Parser
    from rubrica.reproductions.results import Reproduction

FORMATS = ("text", "json", "markdown", "html")


def add_run_arguments(parser: Parser) -> None:
    """Add the folder of the data, that of results, and the output."""
    parser.add_argument(
        "--data",
        required=True,
        metavar="DIR",
        help="folder with a clone of each repository (see `reproduce list`); nothing is downloaded",
    )
    parser.add_argument(
        "--results",
        metavar="DIR",
        help="folder of results, a JSON file per recipe: those of unchanged recipes are not computed again",
    )
    parser.add_argument(
        "-f", "--format", choices=FORMATS, default="text", help="output format (default: text)"
    )
    parser.add_argument("-o", "--output", metavar="FILE", help="where to write; the result")
    parser.add_argument(
        "--strict", action="store_true", help="exit code 4 also for cells that cannot be computed"
    )


def write_results(
    arguments: argparse.Namespace, console: Console, results: list[Reproduction]
) -> int:
    """Write the results; return 0, or 4 if a cell differs without a known reason."""
    from rubrica.data.files import atomic_output
    from rubrica.reproductions.render import OutputFormat, render, summary
    from rubrica.reproductions.results import Verdict

    assert set(FORMATS) == set(get_args(OutputFormat))
    content = render(results, arguments.format)
    if arguments.output:
        with atomic_output(arguments.output) as stream:
            stream.write(content)
        console.result(summary(results), saved=True)
    elif arguments.format == "html":
        raise UsageError("an HTML page needs a file: -o page.html")
    else:
        console.result(content.decode().rstrip("\n"))
    bad = [Verdict.UNEXPLAINED, *([Verdict.UNAVAILABLE] if arguments.strict else [])]
    return 4 if any(result.count(verdict) for result in results for verdict in bad) else 0


def results_folder(arguments: argparse.Namespace) -> Path | None:
    """Return the folder of results, if one is named."""
    return None if arguments.results is None else Path(arguments.results)
