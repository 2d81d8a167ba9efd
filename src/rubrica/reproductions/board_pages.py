"""The leaderboard as Markdown, JSON, text and an interactive HTML page."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import groupby

import msgspec

from rubrica.formatting.table import Cell, Table
from rubrica.formatting.text_table import format_value
from rubrica.reports.page import page
from rubrica.reproductions.leaderboard import BoardEntry, Leaderboard
from rubrica.reproductions.render import OutputFormat

_NOTE = """\
How well metrics agree with people on released data: Kendall's tau with its 95 % interval. One command computes all
values from the same files as the [reproductions](reproductions.md). At the system level, each system is one point, so
intervals are wide. The sign is reversed for measures whose lower values are better.

Clusters follow the WMT metrics task (permutation tests, Holm's correction). Going down from the best measure, the first
one that a measure of the current cluster significantly beats starts the next cluster. Cluster 1 is in bold. Measures in
one cluster are not necessarily equally good.

Cost is a class of speed: *lexical* metrics count words and characters, *word vectors* look up and compare a vector per
word, *neural* metrics run a language model. A metric appears in a benchmark only if the data have what it needs and it
supports the language.
"""


def render_board(board: Leaderboard, output: OutputFormat) -> bytes:
    """Return the leaderboard in a format."""
    if output == "json":
        return msgspec.json.format(msgspec.json.encode(board), indent=1) + b"\n"
    if output == "html":
        return page(board.title, board, script="leaderboard", styles=("leaderboard",))
    if output == "markdown":
        return ("\n".join(_markdown(board)) + "\n").encode()
    parts = [f"{title}\n\n{_table(entries).to_text()}" for title, entries in _groups(board)]
    return ("\n\n".join(parts) + "\n").encode()


def _groups(board: Leaderboard) -> Iterator[tuple[str, list[BoardEntry]]]:
    """Yield the comparisons: a title and the entries, the best first."""
    for (benchmark, human, level), group in groupby(
        board.entries, key=lambda e: (e.benchmark, e.human, e.level)
    ):
        yield f"{benchmark}: {human}, {level} level", list(group)


def _table(entries: list[BoardEntry]) -> Table:
    rows = [
        [
            Cell(entry.measure, best=entry.cluster == 1),
            Cell(entry.needs),
            Cell(entry.cost),
            Cell(_number(entry.value)),
            Cell(f"{_number(entry.lower)} to {_number(entry.upper)}"),
            Cell("-" if entry.cluster is None else str(entry.cluster)),
        ]
        for entry in entries
    ]
    return Table(["measure", "needs", "cost", "tau", "95 % interval", "cluster"], rows, labels=3)


_number = partial(format_value, digits=3, missing="-")


def _markdown(board: Leaderboard) -> Iterator[str]:
    yield "# Leaderboard of metrics\n"
    yield "<!-- Written by rubrica reproduce leaderboard; do not edit. -->\n"
    yield _NOTE
    yield "```text"
    yield "rubrica reproduce leaderboard --data released -f markdown -o docs/leaderboard.md"
    yield "rubrica reproduce leaderboard --data released -f html -o leaderboard.html"
    yield "```\n"
    yield "The HTML page filters by language, benchmark and level, and by what a metric needs and costs."
    for title, entries in _groups(board):
        yield f"\n## {title}\n"
        yield _table(entries).to_markdown()
    yield "\n## Signatures\n"
    yield "Each metric, then each comparison:\n"
    yield "```text"
    yield from dict.fromkeys(entry.signature for entry in board.entries)
    yield from (f"{name}: {line}" for name, line in board.signatures.items())
    yield "```"
