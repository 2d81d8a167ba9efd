"""Check every shard of a store of scores; the exit code is 1 if something is wrong."""

from __future__ import annotations

import argparse
import sys

from rubrica.cli.parser import Parser
from rubrica.cli.store import add_store, print_problems
from rubrica.data.store import ScoreStore
from rubrica.data.store.upkeep import contents, verify
from rubrica.formatting.words import counted


def add_arguments(parser: Parser, words: list[str]) -> None:
    """Add the options of `rubrica store verify`."""
    parser.example = "rubrica store verify scores/"
    add_store(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    store = ScoreStore(arguments.store, must_exist=True)
    problems = list(verify(store))
    print_problems(problems)
    if problems:
        print(f"rubrica store gc {store.path} removes damaged shards", file=sys.stderr)
        return 1
    kinds, _ = contents(store)
    shards, rows = sum(entry.shards for entry in kinds), sum(entry.rows for entry in kinds)
    print(f"{counted(shards, 'shard')}, {rows:,} rows: ok")
    return 0
