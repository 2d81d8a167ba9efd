"""List the published tables that can be recomputed: paper, cells, and where to get the data."""

from __future__ import annotations

import argparse

import msgspec

from rubrica.cli.parser import Parser
from rubrica.formatting.text_table import text_table
from rubrica.reproductions import load_recipes


def add_arguments(parser: Parser, words: list[str]) -> None:
    """Add the options of `rubrica reproduce list`."""
    parser.example = "rubrica reproduce list"
    parser.add_argument(
        "--json", action="store_true", help="print JSON: every recipe with its files and commands"
    )


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    recipes = load_recipes()
    if arguments.json:
        print(msgspec.json.format(msgspec.json.encode(recipes), indent=1).decode())
        return 0
    rows = [
        [
            recipe.name,
            recipe.paper,
            f"git clone {recipe.source.repository} DIR/{recipe.source.folder}",
            f"{recipe.cells:,}",
            f"{len(recipe.files):,}",
        ]
        for recipe in recipes
    ]
    print(text_table(["recipe", "paper", "data", "cells", "files"], rows, right=3))
    cells = sum(recipe.cells for recipe in recipes)
    papers = len({recipe.paper for recipe in recipes})
    print(
        f"\n{len(recipes)} recipes, {papers} papers, {cells:,} cells; DIR is the folder that run --data names"
    )
    return 0
