"""`rubrica store`: maintain a store of scores, as `--store DIR` of `evaluate` and `score` writes it."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING

from rubrica.errors import printable

if TYPE_CHECKING:
    from rubrica.cli.parser import Parser
    from rubrica.data.store.upkeep import Problem


def add_store(parser: Parser) -> None:
    """Add the directory of the store."""
    parser.add_argument("store", metavar="DIR", help="directory of the store")


def add_metrics(parser: Parser, what: str) -> None:
    """Add the metrics whose scores are chosen."""
    parser.add_argument("-m", "--metrics", nargs="+", default=[], metavar="METRIC", help=what)


def print_problems(problems: Iterable[Problem]) -> None:
    """Print each problem to standard error."""
    for problem in problems:
        print(printable(f"{problem.path}: {problem.reason}"), file=sys.stderr)
