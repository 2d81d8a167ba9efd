"""Recompute one published table: published and recomputed value, difference and verdict of every cell."""

from __future__ import annotations

import argparse
from pathlib import Path

from rubrica.cli.console import Console, with_console
from rubrica.cli.parser import Parser
from rubrica.cli.reproduce import add_run_arguments, results_folder, write_results
from rubrica.reproductions import load_recipe, recipe_names, run_recipe


def add_arguments(parser: Parser, words: list[str]) -> None:
    """Add the options of `rubrica reproduce run`."""
    parser.example = "rubrica reproduce run unieval --data released/"
    parser.completions["recipes"] = recipe_names
    parser.add_argument("recipes", nargs="+", metavar="NAME", help="recipe, or a .toml file")
    add_run_arguments(parser)


@with_console
def run(arguments: argparse.Namespace, console: Console) -> int:
    """Run the command."""
    recipes = [load_recipe(name) for name in arguments.recipes]
    folder = results_folder(arguments)
    data = Path(arguments.data)
    results = [run_recipe(recipe, data, folder, say=console.say) for recipe in recipes]
    return write_results(arguments, console, results)
