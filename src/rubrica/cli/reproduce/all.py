"""Recompute every published table whose files are available; list the others with their missing files."""

from __future__ import annotations

import argparse
from pathlib import Path

from rubrica.cli.console import Console, with_console
from rubrica.cli.parser import Parser
from rubrica.cli.reproduce import add_run_arguments, results_folder, write_results
from rubrica.errors import MissingResourceError
from rubrica.reproductions import load_recipes, run_recipe


def add_arguments(parser: Parser, words: list[str]) -> None:
    """Add the options of `rubrica reproduce all`."""
    parser.example = (
        "rubrica reproduce all --data released/ --results results/ -f html -o page.html"
    )
    add_run_arguments(parser)


@with_console
def run(arguments: argparse.Namespace, console: Console) -> int:
    """Run the command; recipes without their files are an error only if none can be run."""
    results, missing = [], []
    for recipe in load_recipes():
        try:
            folder = results_folder(arguments)
            results.append(run_recipe(recipe, Path(arguments.data), folder, say=console.say))
        except MissingResourceError as error:
            missing.append(error)
            console.say(f"skipped {error}")
    if not results and missing:
        raise missing[0]
    code = write_results(arguments, console, results)
    return code or (missing[0].exit_code if missing and arguments.strict else 0)
