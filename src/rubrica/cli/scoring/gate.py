"""Fail (exit code 4) when new summaries are worse than stored ones: a gate for continuous integration."""

from __future__ import annotations

import argparse
import math
import os
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict

from rubrica.cli.console import Console, with_console
from rubrica.cli.options import (
    add_alpha,
    add_cluster,
    add_lower_is_better,
    add_measure_names,
    add_seed,
    add_text_or_json,
)
from rubrica.cli.parser import Parser
from rubrica.cli.scoring.inputs import InputOptions
from rubrica.cli.scoring.metric_spec import add_metrics, metrics_of
from rubrica.cli.wording import with_options
from rubrica.comparison.baseline import StoredRow, read_baseline, score_system
from rubrica.comparison.gate import ROUNDS, Verdict, judge
from rubrica.comparison.gate import metrics_of as metrics_for
from rubrica.comparison.records import DEFAULT_TEST
from rubrica.data.clusters import Clusters
from rubrica.data.jsonl import encoded_json
from rubrica.data.logs.tasks import check_tasks
from rubrica.data.scores.rows import holds_scores, read_metrics, write_score_rows
from rubrica.datasets.clusters import read_clusters
from rubrica.errors import DataError, UsageError, printable
from rubrica.formatting.text_table import format_p, text_table
from rubrica.metrics.base.measures import Measures
from rubrica.metrics.base.metric import METRICS, Metric
from rubrica.metrics.base.metric_like import usage_notes
from rubrica.statistics.significance import PAIRED_TESTS
from rubrica.statistics.undefined import none_if_nan

CLOSED = 4
"""The exit code of a gate that the new outputs do not pass; other codes are errors."""


def add_arguments(parser: Parser, words: list[str]) -> None:
    """The options of `rubrica gate`."""
    parser.usage = (
        "rubrica gate NEW -r REFERENCES --baseline STORE --measures MEASURE [MEASURE ...]"
    )
    parser.example = "rubrica gate new.txt -r references.txt --baseline scores.jsonl --measures rouge-2.f1 --save"
    parser.old_spellings["--metric"] = "--measures"
    options = InputOptions(
        parser,
        words,
        files_help="the new summaries, or rows of scores that evaluate or score wrote",
    )
    parser.set_defaults(input_options=options)
    parser.add_argument(
        "--baseline",
        required=True,
        metavar="STORE",
        help="baseline (scores that --save or evaluate stored, or summaries)",
    )
    add_measure_names(parser, " (that must not get worse)", required=True)
    add_metrics(parser)
    test = parser.add_argument_group("test")
    add_alpha(test)
    test.add_argument(
        "--margin",
        type=float,
        metavar="X",
        help="pass only if the test shows that the new summaries are worse by at most X",
    )
    add_lower_is_better(test)
    test.add_argument(
        "--rounds",
        type=int,
        default=ROUNDS,
        metavar="N",
        help=f"resampling rounds (for the tests; default: {ROUNDS:,})",
    )
    test.add_argument(
        "--test",
        choices=tuple(name for name, paired_test in PAIRED_TESTS.items() if paired_test.one_sided),
        default=DEFAULT_TEST,
        help=f"paired test (default: {DEFAULT_TEST})",
    )
    add_cluster(test)
    test.add_argument(
        "--allow-undefined",
        action="store_true",
        help="leave inputs without a value out of both sides (default: undefined values fail the gate)",
    )
    add_seed(test)
    output = parser.add_argument_group("output")
    output.add_argument(
        "--save",
        action="store_true",
        help="store the new scores as the baseline if the gate passes or there is no baseline yet",
    )
    add_text_or_json(output)
    run = parser.add_argument_group("running")
    run.add_argument("--workers", type=int, metavar="N", help="cores to use (default: all)")


@with_console
def run(arguments: argparse.Namespace, console: Console) -> int:
    """Run the command."""
    if len(arguments.input_files) != 1:
        raise UsageError(
            "pass one file of new summaries to the gate, not "
            f"{' and '.join(arguments.input_files)}; -r takes one file, for a second one write -r again"
        )
    with ExitStack() as stack:
        measures, metrics = _metrics(arguments)
        stack.enter_context(console.reporting(metrics))
        new = _rows(arguments, arguments.input_files[0], metrics, console)
        if not os.path.exists(arguments.baseline):
            if not arguments.save:
                raise DataError(
                    "there is no baseline yet; --save stores these scores as one",
                    file=arguments.baseline,
                )
            write_score_rows(arguments.baseline, new)
            console.say(f"{len(new):,} rows stored: {arguments.baseline}")
            return 0
        stored = _rows(arguments, arguments.baseline, metrics, console)
        check_tasks(
            {
                file: [row.instance_id for row in rows]
                for file, rows in ((arguments.baseline, stored), (arguments.input_files[0], new))
            }
        )
        verdicts = judge(
            stored,
            new,
            measures,
            alpha=arguments.alpha,
            margin=arguments.margin,
            rounds=arguments.rounds,
            seed=arguments.seed,
            lower=arguments.lower_is_better,
            test=arguments.test,
            allow_undefined=arguments.allow_undefined,
            clusters=_clusters(arguments, metrics),
        )
        passed = all(verdict.passed for verdict in verdicts)
        unit = "input" if arguments.cluster is None else "cluster"
        shown = _shown(verdicts, usage_notes(metrics), arguments.format, unit)
        print(printable(shown), flush=True)
        if passed and arguments.save:
            write_score_rows(arguments.baseline, new)
            console.say(f"{len(new):,} rows stored: {arguments.baseline}")
    return 0 if passed else CLOSED


def _metrics(arguments: argparse.Namespace) -> tuple[Mapping[str, Metric | None], list[Metric]]:
    """Each measure's metric, and the metrics to score texts with (none are needed for rows)."""
    files = [arguments.input_files[0], arguments.baseline]
    only_rows = all(holds_scores(file) for file in files if os.path.exists(file))
    if arguments.metrics:
        metrics = metrics_of(arguments.metrics)
        if len(metrics) == 1:
            return dict.fromkeys(arguments.measures, metrics[0]), metrics
        raise UsageError("-m takes one metric here; run the gate again for another one")
    if only_rows and os.path.exists(arguments.baseline):
        return _of_rows(arguments.measures, arguments.baseline), []
    measures = metrics_for(arguments.measures)
    return measures, list({id(metric): metric for metric in measures.values()}.values())


def _of_rows(names: Sequence[str], file: str) -> dict[str, Metric | None]:
    """Rows need no metric, except where a system's score is not their mean."""
    row = next(read_metrics(file))
    known, metrics = Measures([row]), {}
    for name in names:
        group = known.group(row.metrics.find(name) or (name,))
        # A name in a file is looked up, and never imported.
        registered = group.sentence_level and METRICS.find(group.metric) is not None
        metrics[name] = Metric.from_config(group.metric) if registered else None
    return metrics


def _rows(
    arguments: argparse.Namespace, file: str, metrics: list[Metric], console: Console
) -> list[StoredRow]:
    if holds_scores(file):
        notes: list[str] = []
        rows = read_baseline(file, arguments.input_options.score_columns(arguments), notes)
        for note in notes:
            console.say(note)
        return rows
    if not metrics:
        raise DataError("neither rows of scores nor summaries to score", file=file)
    reader = arguments.input_options.reader(arguments, metrics, [file])
    scored = score_system(
        reader.read(file),
        metrics,
        arguments.workers,
    )
    if description := reader.describe():
        console.say(description)
    return scored


def _clusters(arguments: argparse.Namespace, metrics: list[Metric]) -> Clusters | None:
    file = arguments.input_files[0]
    if holds_scores(file):
        mapping = arguments.input_options.score_columns(arguments)
        return read_clusters(arguments.cluster, [file], mapping=mapping)
    reader = arguments.input_options.reader(arguments, metrics, [file])
    return read_clusters(arguments.cluster, [file], reader=reader)


def _number(value: float, sign: str = "") -> str:
    return "-" if math.isnan(value) else f"{value:{sign}.4f}"


def _shown(verdicts: Sequence[Verdict], usage: Sequence[str], layout: str, unit: str) -> str:
    if layout == "json":
        passed = all(verdict.passed for verdict in verdicts)
        decision = {"passed": passed, "measures": [*map(asdict, verdicts)]}
        return encoded_json(decision | ({"usage": usage} if usage else {})).decode()[:-1]
    verdict = verdicts[0]
    rows = [
        [
            v.measure,
            f"{v.inputs:,}",
            _number(v.baseline),
            _number(v.new),
            _number(v.difference, "+"),
            format_p(none_if_nan(v.adjusted)),
            _number(v.loss),
            "pass" if v.passed else "FAIL",
        ]
        for v in verdicts
    ]
    headers = ["measure", "n", "baseline", "new", "difference", "p worse", "loss at most", ""]
    lines = [text_table(headers, rows), ""]
    lines += [f"{v.measure}: {with_options(v.reason)}" for v in verdicts if v.reason]
    lines += [
        f"{v.measure}: {v.undefined:,} inputs without a value are left out"
        for v in verdicts
        if v.undefined and not v.reason
    ]
    if verdict.margin is None:
        corrected = ", corrected (holm) for the measures" if len(verdicts) > 1 else ""
        lines += [
            f"null hypothesis: new and stored outputs are exchangeable on every {unit}",
            f"p: one-sided, {PAIRED_TESTS[verdict.test].label}; FAIL: p <= {verdict.alpha:g}{corrected}",
        ]
    else:
        lines += [
            f"FAIL unless the loss is at most {verdict.margin:g}, with {100 - 100 * verdict.alpha:g} % "
            "confidence (paired bootstrap, one-sided)"
        ]
    return "\n".join([*lines, *usage])
