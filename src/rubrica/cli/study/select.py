"""Choose documents for judgment, stratified by the mean and the spread of metric scores over systems."""

from __future__ import annotations

import argparse

from rubrica.cli.console import Console, with_console
from rubrica.cli.options import add_measure_names, add_seed
from rubrica.cli.parser import Parser
from rubrica.data.files import atomic_output
from rubrica.data.jsonl import write_json
from rubrica.data.table import ScoreTable
from rubrica.study.merge import merge_tables
from rubrica.study.rows import read_table
from rubrica.study.select import select_documents


def add_arguments(parser: Parser, words: list[str]) -> None:
    """Add the options."""
    parser.example = "rubrica study select metrics.jsonl --measures rouge-1.recall rouge-l.recall -o selection.json"
    parser.add_argument("tables", nargs="+", metavar="TABLE", help="scores: .jsonl or .parquet")
    parser.old_spellings["--metrics"] = "--measures"
    add_measure_names(parser, " (to stratify by; REALSumm used five)", required=True)
    parser.add_argument(
        "-o",
        "--output",
        required=True,
        metavar="JSON",
        help="where to write the result (the manifest)",
    )
    parser.add_argument("--ids-output", metavar="FILE", help="the chosen ids, one per line")
    parser.add_argument(
        "--mean-bins", type=int, default=5, metavar="N", help="bins of the mean score (default: 5)"
    )
    parser.add_argument(
        "--spread-bins",
        type=int,
        default=4,
        metavar="N",
        help="bins of the spread of scores (default: 4)",
    )
    parser.add_argument(
        "--per-cell", type=int, default=1, metavar="N", help="documents per cell (default: 1)"
    )
    add_seed(parser, default=0)


@with_console
def run(arguments: argparse.Namespace, console: Console) -> int:
    """Run the command."""
    rows = merge_tables([(file, read_table(file)) for file in arguments.tables])
    table = ScoreTable.from_metrics(rows, arguments.measures)
    selection = select_documents(
        table, arguments.measures, mean_bins=arguments.mean_bins,
        spread_bins=arguments.spread_bins, per_cell=arguments.per_cell, seed=arguments.seed,
    )  # fmt: skip
    how = {
        "metrics": arguments.measures, "mean_bins": arguments.mean_bins,
        "spread_bins": arguments.spread_bins, "per_cell": arguments.per_cell,
        "systems": list(table.systems), "tables": arguments.tables,
    }  # fmt: skip
    write_json(arguments.output, selection.manifest(**how))
    if arguments.ids_output:
        with atomic_output(arguments.ids_output) as stream:
            stream.write("".join(f"{name}\n" for name in selection.names()).encode())
    console.say(
        f"{arguments.output}: {len(selection.chosen):,} of {selection.documents:,} documents, seed {selection.seed}"
    )
    if selection.short:
        console.say(f"warning: {len(selection.short)} cells have no document left; use fewer bins")
    return 0
