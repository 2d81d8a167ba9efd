"""What commands of meta-evaluation share: their files, filters, and the shape of their output."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

import msgspec

from rubrica.aliases import find_measure
from rubrica.cli.console import Console
from rubrica.cli.options import (
    add_lower_is_better,
    add_summarizer_type,
    check_alpha,
    check_confidence,
)
from rubrica.cli.parser import Parser
from rubrica.data.clusters import labels_of
from rubrica.data.files import check_ending
from rubrica.data.jsonl import write_json
from rubrica.data.scores.columns import TableColumns
from rubrica.data.table import ScoreTable
from rubrica.datasets.clusters import read_clusters
from rubrica.errors import MismatchError, UsageError, near_names
from rubrica.formatting.jsonable import to_jsonable
from rubrica.formatting.words import counted
from rubrica.meta.correlation.bootstrap import ROUNDS
from rubrica.meta.correlation.coefficients import Coefficient
from rubrica.meta.correlation.levels import Level
from rubrica.meta.join import JoinReport, join_scores
from rubrica.meta.measures import other_measures
from rubrica.parameters import parse_pairs

ALL_COEFFICIENTS = ("pearson", "spearman", "kendall")


def add_score_arguments(parser: Parser) -> None:
    """Which scores are read, and what is computed of them."""
    add_file_arguments(parser)
    what = parser.add_argument_group("statistics")
    for level in Level:
        what.add_argument(
            f"--skip-{level.key.replace('_', '-')}",
            action="store_true",
            help=f"do not compute the {level} level",
        )
    add_coefficients(what)
    what.add_argument(
        "--undefined",
        choices=("drop", "zero", "error"),
        default="drop",
        help="what to do with inputs that have no summary-level correlation (default: drop)",
    )
    add_rounds(parser, what, None, f"(default: {ROUNDS:,})")
    what.add_argument("--workers", type=int, metavar="N", help="cores to use (default: all)")


def add_file_arguments(parser: Parser) -> None:
    """Which scores are read."""
    group = parser.add_argument_group("scores")
    add_scores(parser, group, required=True)
    add_summarizer_type(group, "peer")
    add_lower_is_better(group)


def add_scores(parser: Parser, group: Any, *, required: bool = False) -> None:
    """Add `--scores`, which SacreROUGE calls `--metrics-jsonl-files`, and `--fields` of its tables."""
    parser.old_spellings["--metrics-jsonl-files"] = "--scores"
    group.add_argument(
        "--scores",
        nargs="+",
        metavar="FILE",
        required=required,
        help="files of scores: rows of `score`, tables or logs (rows of one summary are merged)",
    )
    group.add_argument(
        "--fields",
        nargs="+",
        metavar="X",
        help="which column holds which field: instance_id=article summarizer_id=writer, for tables of scores "
        "(also summarizer_type and annotator); other columns are recognised by their usual names",
    )


def add_measures(parser: Parser, group: Any, detail: str, **options: Any) -> None:
    """Add `--measures`, which was called `--metrics`."""
    parser.old_spellings["--metrics"] = "--measures"
    options = {"nargs": "+", "metavar": "M"} | options
    group.add_argument("--measures", help=f"measures, such as rouge-1.f1 ({detail})", **options)


def add_rounds(parser: Parser, group: Any, default: int | None, detail: str) -> None:
    """Add `--rounds`, which was called `--num-samples`."""
    parser.old_spellings["--num-samples"] = "--rounds"
    group.add_argument(
        "--rounds", type=int, default=default, metavar="N", help=f"resampling rounds {detail}"
    )


def input_clusters(arguments: argparse.Namespace, table: ScoreTable) -> list[str] | None:
    """Return the cluster of each input of the table; None without `--cluster`, with a warning if there may be some."""
    fields = fields_of(arguments)
    mapping = TableColumns(fields) if fields else None
    rule = read_clusters(arguments.cluster, arguments.scores, mapping=mapping)
    labels = labels_of(table.inputs, rule)
    return None if labels is None else [labels[instance_id] for instance_id in table.inputs]


def add_coefficients(parser: Any) -> None:
    """`--coefficients`."""
    parser.add_argument(
        "--coefficients",
        nargs="+",
        choices=[c.value for c in Coefficient],
        default=list(ALL_COEFFICIENTS),
        metavar="C",
        help="correlation coefficients: pearson, spearman, kendall (tau-b), tau-a, tau-c (default: the first three)",
    )


def add_level(group: Any, of: str = "") -> None:
    """`--level`, one of the three."""
    group.add_argument(
        "--level",
        choices=[level.value for level in Level],
        default="system",
        help=f"level of the correlations ({of}default: system)",
    )


def add_coefficient(group: Any, of: str = "", default: str = "kendall") -> None:
    """`--coefficient`, one of them."""
    group.add_argument(
        "--coefficient",
        choices=[coefficient.value for coefficient in Coefficient],
        default=default,
        help=f"correlation coefficient ({of}default: {default})",
    )


def add_output_arguments(
    parser: Parser,
    formats: Sequence[str] = ("text", "json"),
    what: str = "as JSON",
    endings: Sequence[str] = (".json",),
) -> None:
    """Where results and messages go."""

    def file(path: str) -> str:
        try:
            check_ending(path, "results", endings)
        except UsageError as error:
            raise argparse.ArgumentTypeError(str(error)) from error
        return path

    group = parser.add_argument_group("output")
    parser.old_spellings["--output-file"] = "--output"
    group.add_argument(
        "-o", "--output", type=file, metavar="FILE", help=f"where to write the result ({what})"
    )
    group.add_argument(
        "-f", "--format", choices=formats, default="text", help="output format (default: text)"
    )


def check_numbers(arguments: argparse.Namespace) -> None:
    """Refuse numbers that mean nothing, before files are read."""
    if arguments.confidence is not None:
        check_confidence(arguments.confidence)
    check_alpha(alpha_of(arguments))
    if arguments.rounds is not None and arguments.rounds < 1:
        without = "; no intervals: --confidence-interval-method none"
        hint = without if hasattr(arguments, "confidence_interval_method") else ""
        raise UsageError(f"--rounds must be at least 1: {arguments.rounds}{hint}")
    workers = getattr(arguments, "workers", None)
    if workers is not None and workers < 1:
        raise UsageError(f"--workers must be at least 1: {workers}")
    if not levels_of(arguments):
        raise UsageError("every level is skipped; nothing is left to compute")


def alpha_of(arguments: argparse.Namespace) -> float:
    """Return `--alpha`; without it, what `--confidence` leaves: 95 gives 0.05, and not 0.050000000000000044."""
    if getattr(arguments, "alpha", None) is not None:
        return float(arguments.alpha)
    return float((100 - arguments.confidence) / 100)


def levels_of(arguments: argparse.Namespace) -> list[Level]:
    """The levels that are not skipped."""
    return [level for level in Level if not getattr(arguments, f"skip_{level.key}")]


def fields_of(arguments: argparse.Namespace) -> dict[str, str] | None:
    """Return the columns that `--fields` names."""
    pairs = parse_pairs(arguments.fields or [])
    for name, column in pairs.items():
        if not isinstance(column, str):
            raise UsageError(f"--fields {name}: name one column, not {', '.join(column)}")
    return {name: str(column) for name, column in pairs.items()} or None


def read_scores(
    arguments: argparse.Namespace,
    measures: Sequence[str],
    console: Console,
    *,
    required: Sequence[str] | None = None,
) -> tuple[ScoreTable, JoinReport]:
    """The named measures of all files; the report is told, too."""
    table, report = join_scores(
        arguments.scores,
        measures,
        arguments.summarizer_type,
        required=required,
        fields=fields_of(arguments),
    )
    for line in report.lines():
        console.say(line)
    if not report.kept:
        raise MismatchError(
            f"no summary is left to compare; {'; '.join(report.lines()[len(report.columns) + 1 : -1]) or 'no rows were read'}; "
            "scores belong together where instance_id and summarizer_id are equal (--fields names their columns)"
        )
    return table, report


def metric_names(
    arguments: argparse.Namespace, humans: Sequence[str], console: Console
) -> list[str]:
    """The metrics in the files, where none are named; says which measures are not among them."""
    others = other_measures(
        arguments.scores, humans, arguments.summarizer_type, fields_of(arguments)
    )
    if others.human:
        names = ", ".join(others.human)
        console.say(
            f"not counted as metrics, since they look like human scores: {names}; name them with --measures"
        )
    if others.variants:
        console.say(
            f"left out: {counted(len(others.variants), 'variant')} of these measures (precision and "
            "recall, jackknifed values); choose with --measures"
        )
    if others.incomplete:
        console.say(f"left out, since some summaries lack them: {', '.join(others.incomplete)}")
    return others.metrics


def lower_measures(arguments: argparse.Namespace, table: ScoreTable) -> list[str]:
    """The measures whose lower values are better: by option, or as their metric declares."""
    lower = set(table.lower_is_better)
    for name in arguments.lower_is_better:
        measure = find_measure(name, table.measures)
        if measure is None:
            near = near_names(name, table.measures)
            hint = f"; did you mean {' or '.join(near)}?" if near else ""
            raise UsageError(f"--lower-is-better {name}: not one of the measures compared{hint}")
        lower.add(measure)
    return [name for name in table.measures if name in lower]


def write_result(
    arguments: argparse.Namespace, console: Console, result: dict[str, Any], table: str
) -> None:
    """Write the result to standard output, as table or JSON, and to the output file."""
    result = to_jsonable(result)
    saved = arguments.output not in (None, "-")
    if saved:
        write_json(arguments.output, result)
    if arguments.format == "json" or arguments.output == "-":
        console.result(
            msgspec.json.format(msgspec.json.encode(result), indent=2).decode(), saved=saved
        )
    else:
        console.result(table, saved=saved)


def say_direction(console: Console, lower: Sequence[str]) -> None:
    """Say once what becomes of measures whose lower values are better."""
    if lower:
        console.say(
            f"lower is better: {', '.join(lower)}; correlations are plain coefficients, and rankings and tests "
            "reverse the sign"
        )
