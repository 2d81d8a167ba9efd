"""Add the shards of other stores to a store of scores, and combine small shards."""

from __future__ import annotations

import argparse
import os

from rubrica.cli.parser import Parser
from rubrica.cli.store import add_store, print_problems
from rubrica.data.store import ScoreStore
from rubrica.data.store.upkeep import merge
from rubrica.errors import MismatchError


def add_arguments(parser: Parser, words: list[str]) -> None:
    """Add the options of `rubrica store merge`."""
    parser.example = "rubrica store merge all/ monday/ tuesday/"
    add_store(parser)
    parser.add_argument("sources", nargs="*", metavar="FROM", help="other stores; left unchanged")


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    store = ScoreStore(arguments.store, must_exist=True)
    store.check_writable()
    sources = [ScoreStore(path, must_exist=True) for path in arguments.sources]
    for source, path in zip(sources, arguments.sources, strict=True):
        if os.path.samefile(source.path, store.path):
            raise MismatchError("is the store itself; name other stores to merge", file=path)
    rows, problems = merge(store, sources)
    print_problems(problems)
    print(f"{store.path}: {rows:,} rows")
    return 0
