"""Compare measures with each other: the range of each, and the correlation of every pair."""

from __future__ import annotations

import argparse
from dataclasses import asdict

from rubrica.cli.console import Console, with_console
from rubrica.cli.options import add_measure_names
from rubrica.cli.parser import Parser
from rubrica.data.jsonl import write_json
from rubrica.data.table import ScoreTable
from rubrica.formatting.text_table import text_table
from rubrica.meta.correlation.coefficients import Coefficient
from rubrica.meta.correlation.levels import Level
from rubrica.study.matrix import MeasureMatrix, measure_matrix
from rubrica.study.merge import merge_tables
from rubrica.study.rows import read_table


def add_arguments(parser: Parser, words: list[str]) -> None:
    """Add the options."""
    parser.example = "rubrica study matrix metrics.jsonl human.jsonl --measures rouge-1.recall litepyramid_recall"
    parser.add_argument(
        "tables", nargs="+", metavar="TABLE", help="scores of metrics, and optionally human scores"
    )
    parser.old_spellings["--metrics"] = "--measures"
    add_measure_names(parser, " (default: all)")
    parser.add_argument(
        "--level",
        choices=[str(level) for level in Level],
        default="system",
        help="level of the correlations (default: system)",
    )
    parser.add_argument(
        "--coefficient",
        choices=[str(coefficient) for coefficient in Coefficient],
        default="kendall",
        help="correlation coefficient (default: kendall)",
    )
    parser.add_argument(
        "-o", "--output", metavar="JSON", help="where to write the result (everything as JSON)"
    )


@with_console
def run(arguments: argparse.Namespace, console: Console) -> int:
    """Run the command."""
    rows = merge_tables([(file, read_table(file)) for file in arguments.tables])
    measures = arguments.measures or list(
        dict.fromkeys(name for row in rows for name in row.values())
    )
    table = ScoreTable.from_metrics(rows, measures)
    matrix = measure_matrix(table, measures, arguments.level, arguments.coefficient)
    if arguments.output:
        write_json(arguments.output, {"measures": measures} | asdict(matrix))
    console.result(_shown(matrix, measures))
    return 0


def _shown(matrix: MeasureMatrix, measures: list[str]) -> str:
    header = ["", "measure", "summaries", "min", "median", "max", "lowest system", "highest system"]
    ranges = [
        [f"{number}", r.measure, f"{r.summaries:,}"]
        + [f"{v:.4g}" for v in (r.minimum, r.median, r.maximum, r.lowest_system, r.highest_system)]
        for number, r in enumerate(matrix.ranges, 1)
    ]
    numbers = [str(number) for number in range(1, len(measures) + 1)]
    cells = [
        [number, name, *("-" if value is None else f"{value:.3f}" for value in row)]
        for number, name, row in zip(numbers, measures, matrix.correlations, strict=True)
    ]
    return "\n".join(
        [
            text_table(header, ranges, right=2),
            "",
            f"{matrix.coefficient}, {matrix.level} level",
            "",
            text_table(["", "measure", *numbers], cells, right=2),
        ]
    )
