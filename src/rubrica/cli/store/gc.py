"""Remove damaged shards of a store of scores, and leftover files of killed runs."""

from __future__ import annotations

import argparse

from rubrica.cli.options import add_dry_run
from rubrica.cli.parser import Parser
from rubrica.cli.store import add_metrics, add_store
from rubrica.data.store import ScoreStore
from rubrica.data.store.upkeep import garbage, remove
from rubrica.errors import printable


def add_arguments(parser: Parser, words: list[str]) -> None:
    """Add the options of `rubrica store gc`."""
    parser.example = "rubrica store gc scores/ --dry-run"
    add_store(parser)
    add_metrics(parser, "metrics (also remove their scores)")
    parser.add_argument(
        "--other-versions",
        action="store_true",
        help="also remove scores of other versions of Rubrica",
    )
    add_dry_run(parser, "which files would be removed")


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    store = ScoreStore(arguments.store, must_exist=True)
    files = list(garbage(store, metrics=arguments.metrics, other_versions=arguments.other_versions))
    for file in files:
        print(printable(f"{file.path}: {file.reason}"))
    if arguments.dry_run:
        print(f"{len(files):,} files would be removed")
    else:
        print(f"{len(files):,} files removed, {remove(files):,} bytes")
    return 0
