"""Run the four experiments of REALSumm on tables of scores, on all documents or by the published rules."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from functools import partial

from rubrica.cli.console import Console, with_console
from rubrica.cli.options import add_measure_names, add_resampling_rounds, add_seed
from rubrica.cli.parser import Parser
from rubrica.data.jsonl import write_json
from rubrica.data.table import ScoreTable
from rubrica.errors import UsageError
from rubrica.formatting.text_table import format_value, text_table
from rubrica.study.experiments import TOP, Experiments, run_experiments
from rubrica.study.human import MEASURE
from rubrica.study.merge import merge_tables
from rubrica.study.rows import read_table


def add_arguments(parser: Parser, words: list[str]) -> None:
    """Add the options."""
    parser.example = "rubrica study experiments metrics.jsonl human.jsonl --measures rouge-1.recall rouge-2.recall"
    parser.add_argument(
        "tables", nargs="+", metavar="TABLE", help="scores of metrics and human scores"
    )
    parser.add_argument(
        "--human", default=MEASURE, metavar="M", help=f"human scores (default: {MEASURE})"
    )
    parser.old_spellings |= {"--metrics": "--measures", "--num-samples": "--rounds"}
    add_measure_names(parser, " (to test)", required=True)
    parser.add_argument(
        "--rules",
        choices=("all", "realsumm"),
        default="all",
        help="rules (all: every document, ties as halves, Holm's correction; realsumm: as published) "
        "(default: all)",
    )
    parser.add_argument(
        "--top",
        nargs="+",
        type=int,
        metavar="K",
        help="numbers of best systems in experiment II (default: "
        f"{' '.join(map(str, TOP))}, up to the number of systems)",
    )
    add_resampling_rounds(parser)
    add_seed(parser, default=0)
    parser.add_argument(
        "-o", "--output", metavar="JSON", help="where to write the result (everything as JSON)"
    )


@with_console
def run(arguments: argparse.Namespace, console: Console) -> int:
    """Run the command."""
    if arguments.rounds < 1:
        raise UsageError(f"--rounds must be at least 1: {arguments.rounds}")
    rows = merge_tables([(file, read_table(file)) for file in arguments.tables])
    names = [*arguments.measures, arguments.human]
    scores = ScoreTable.from_metrics(rows, names)
    result = run_experiments(
        scores, arguments.measures, arguments.human, rules=arguments.rules, top=arguments.top,
        rounds=arguments.rounds, seed=arguments.seed,
    )  # fmt: skip
    if arguments.output:
        write_json(arguments.output, asdict(result))
    console.result(_shown(result))
    return 0


_number = partial(format_value, digits=3, missing="-")


def _shown(result: Experiments) -> str:
    summary = {level.metric: level for level in result.summary_level}
    beaten: dict[str, list[str]] = {}
    for test in result.williams:
        p = test.p if test.adjusted is None else test.adjusted
        if p is not None and p <= 0.05:
            beaten.setdefault(test.better, []).append(test.worse)
    sizes = list(dict.fromkeys(point.k for point in result.top))
    header = ["metric", "pearson", "kendall", *(f"top {k}" for k in sizes), "decisions F1", "within",
              "interval", "documents"]  # fmt: skip
    rows = []
    for system_level in result.system_level:
        tops = {t.k: t.kendall for t in result.top if t.metric == system_level.metric}
        inside = summary[system_level.metric]
        span = "-" if inside.lower is None else f"[{inside.lower:.3f}, {inside.upper:.3f}]"
        rows.append(
            [system_level.metric, _number(system_level.pearson), _number(system_level.kendall),
             *(_number(tops[k]) for k in sizes),
             _number(result.decisions[system_level.metric].weighted_f1), _number(inside.kendall), span,
             f"{inside.used} of {inside.documents}"]
        )  # fmt: skip
    notes = [
        f"{metric} correlates significantly better than {', '.join(worse)} (Williams)"
        for metric, worse in beaten.items()
    ]
    facts = f"{result.systems} systems, {result.documents} documents, human score {result.human}"
    rule = "published rules" if result.rules == "realsumm" else "all documents"
    return "\n".join([f"{facts}; {rule}", "", text_table(header, rows), "", *notes]).rstrip()
