"""List what is in a store of scores: metrics, rows, shards and bytes."""

from __future__ import annotations

import argparse

from rubrica.cli.parser import Parser
from rubrica.cli.store import add_store, print_problems
from rubrica.data.jsonl import encoded_json
from rubrica.data.store import ScoreStore
from rubrica.data.store.upkeep import contents
from rubrica.formatting.text_table import text_table


def add_arguments(parser: Parser, words: list[str]) -> None:
    """Add the options of `rubrica store ls`."""
    parser.example = "rubrica store ls scores/"
    add_store(parser)
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    kinds, problems = contents(ScoreStore(arguments.store, must_exist=True))
    if arguments.json:
        rows = [
            {
                "signature": entry.kind.signature,
                "form": entry.kind.form,
                "rows": entry.rows,
                "shards": entry.shards,
                "bytes": entry.size,
                "statistics": entry.statistics,
            }
            for entry in kinds
        ]
        print(encoded_json(rows).decode(), end="")
    elif kinds:
        cells = [
            [
                entry.kind.signature,
                entry.kind.form + (" + statistics" if entry.statistics else ""),
                f"{entry.rows:,}",
                f"{entry.shards:,}",
                f"{entry.size:,}",
            ]
            for entry in kinds
        ]
        print(text_table(["signature", "scores", "rows", "shards", "bytes"], cells, right=2))
    else:
        print("no scores yet")
    print_problems(problems)
    return 0
