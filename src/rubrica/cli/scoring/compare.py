"""Compare systems: scores with intervals, and paired tests against a baseline or of all pairs."""

from __future__ import annotations

import argparse
import os
import sys
from typing import Any

from rubrica.cli.console import Console, has_style, with_console
from rubrica.cli.options import (
    RESULT_ENDINGS,
    add_alpha,
    add_cluster,
    add_confidence,
    add_correction,
    add_interval_rounds,
    add_measure_names,
    add_seed,
    add_test_rounds,
    format_of,
    resampling_of,
)
from rubrica.cli.parser import Parser
from rubrica.cli.scoring.inputs import InputOptions
from rubrica.cli.scoring.metric_spec import add_metrics, metrics_of
from rubrica.comparison.records import DEFAULT_TEST, Comparison, TestPlan
from rubrica.comparison.scores import compare_scores
from rubrica.comparison.systems import compare_instances
from rubrica.comparison.tables import WRITERS, as_text, scores_only
from rubrica.data.files import atomic_output, check_ending, writable
from rubrica.data.logs.inspect_log import ARCHIVE_ENDING
from rubrica.data.scores.rows import holds_scores
from rubrica.datasets.clusters import read_clusters
from rubrica.errors import UsageError, printable
from rubrica.metrics.base.metric import Metric
from rubrica.statistics.significance import PAIRED_TESTS

FORMATS = ("text", "json", "latex", "markdown", "csv", "rouge155")


def add_arguments(parser: Parser, words: list[str]) -> None:
    """The options of `rubrica compare`."""
    parser.example = "rubrica compare -r references.txt baseline.txt new.txt -m rouge chrf"
    parser.usage = (
        "rubrica compare -r REFERENCES BASELINE SYSTEM [SYSTEM ...] -m METRIC [METRIC ...]"
    )
    options = InputOptions(
        parser,
        words,
        files_help="one file per system, or tables with several systems; the first is the baseline. Also existing scores: rows of evaluate or score, tables of scores, logs of evaluation harnesses",
    )
    parser.set_defaults(input_options=options)
    add_metrics(parser)
    add_measure_names(parser, " (default: F1 of each metric)")
    add_test_options(parser)
    output = parser.add_argument_group("output")
    output.add_argument(
        "-f", "--format", choices=FORMATS, default="text", help="output format (default: text)"
    )
    output.add_argument(
        "-b", "--score-only", action="store_true", help="print the scores and nothing else"
    )
    output.add_argument(
        "-w",
        "--width",
        type=int,
        metavar="N",
        help="digits after the decimal point (default: by the size of the values)",
    )
    parser.old_spellings |= {"--output-file": "--output", "--num-samples": "--interval-rounds"}
    output.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help="where to write the result (as well, in the format of the ending: .json, .tex, .md, .csv, .txt)",
    )
    output.add_argument(
        "--html", metavar="FILE", help="also write an HTML page (the same as `report systems`)"
    )
    run = parser.add_argument_group("running")
    run.add_argument("--workers", type=int, metavar="N", help="cores to use (default: all)")


def add_test_options(parser: Parser) -> None:
    """Which tests, of what, and the intervals."""
    tests = parser.add_argument_group("paired tests")
    tests.add_argument(
        "--baseline",
        metavar="SYSTEM",
        help="baseline (the system to compare with; default: the first)",
    )
    tests.add_argument("--all-pairs", action="store_true", help="test every pair of systems")
    tests.add_argument(
        "--test",
        nargs="+",
        choices=tuple(PAIRED_TESTS),
        metavar="NAME",
        help="paired test (one or more): "
        + "; ".join(f"{name}: {test.label}" for name, test in PAIRED_TESTS.items())
        + f" (default: {DEFAULT_TEST})",
    )
    add_test_rounds(tests)
    tests.add_argument("--paired-ar", "-par", action="store_true", help="the same as --test ar")
    tests.add_argument("--paired-bs", "-pbs", action="store_true", help="the same as --test bs")
    for method in ("ar", "bs"):
        tests.add_argument(
            f"--paired-{method}-n",
            f"-p{method}n",
            type=int,
            metavar="N",
            help=f"rounds of {method}, as sacrebleu spells it",
        )
    add_cluster(tests)
    tests.add_argument("--no-tests", action="store_true", help="scores and intervals only")
    add_alpha(tests)
    add_correction(tests, "the comparisons of each measure")
    tests.add_argument(
        "--p-value",
        choices=("two-sided", "sacrebleu"),
        help="rule of the p-values (sacrebleu: the tests ar-sacrebleu and bs-sacrebleu, which reject equal systems too often)",
    )
    add_seed(tests)
    intervals = parser.add_argument_group("intervals")
    add_interval_rounds(intervals)
    add_confidence(intervals)


@with_console
def run(arguments: argparse.Namespace, console: Console) -> int:
    """Run the command."""
    if arguments.width is not None and not 0 <= arguments.width <= 20:
        raise UsageError(f"-w must lie between 0 and 20: {arguments.width}")
    if arguments.output:
        check_ending(arguments.output, "results", RESULT_ENDINGS, "; --html writes a page")
    for path in filter(None, (arguments.output, arguments.html)):
        # Now, not when all is computed.
        writable(path)
    if _scores_exist(arguments):
        metrics: list[Metric] = []
        with console.reporting(metrics):
            comparison = _compare_existing(arguments, console)
    else:
        refuse_scores(arguments)
        metrics = metrics_of(arguments.metrics or ["rouge"])
        with console.reporting(metrics):
            reader = arguments.input_options.reader(arguments, metrics)
            comparison = compare_instances(
                arguments.input_options.instances(arguments, reader),
                metrics,
                plan=plan_of(arguments),
                measures=arguments.measures,
                resampling=resampling_of(arguments, "--interval-rounds"),
                workers=arguments.workers,
                clusters=read_clusters(arguments.cluster, arguments.input_files, reader=reader),
            )
            if description := reader.describe():
                console.say(description)
    if arguments.output:
        with atomic_output(arguments.output) as stream:
            stream.write(
                f"{WRITERS[format_of(arguments.output)](comparison, arguments.width)}\n".encode()
            )
    if arguments.html:
        from rubrica.reports.page import write_page
        from rubrica.reports.run_facts import scores_date, title_for
        from rubrica.reports.systems import comparison_report

        title = title_for("Systems", arguments.input_files)
        write_page(
            arguments.html, comparison_report(comparison, title=title, date=scores_date()).page()
        )
    console.result(_shown(comparison, metrics, arguments), saved=bool(arguments.output))
    return 0


def _scores_exist(arguments: argparse.Namespace) -> bool:
    """Return whether all files hold scores and no option asks for texts to be scored."""
    files = arguments.input_files
    if arguments.metrics or arguments.references or not files or "-" in files:
        return False
    # An .eval file is a log or damaged, never summaries.
    return all(file.lower().endswith(ARCHIVE_ENDING) or holds_scores(file) for file in files)


def refuse_scores(arguments: argparse.Namespace) -> None:
    """Raise an error if some files hold scores: they have no texts for `-m`, and are not compared with texts."""
    files = [file for file in arguments.input_files if os.path.isfile(file)]
    scores = [file for file in files if holds_scores(file)]
    if scores and arguments.metrics:
        raise UsageError(
            f"{scores[0]} holds scores, and no summaries for -m to score; leave out -m, and choose among the scores "
            "with --measures"
        )
    others = [file for file in files if file not in scores]
    if scores and others and not arguments.references:
        raise UsageError(
            f"{scores[0]} holds scores, {others[0]} does not; compare files of scores, or files of summaries"
        )


def _compare_existing(arguments: argparse.Namespace, console: Console) -> Comparison:
    if arguments.format == "rouge155":
        raise UsageError("-f rouge155 needs summaries to score, not scores")
    return compare_files(
        arguments,
        console,
        plan=plan_of(arguments),
        measures=arguments.measures,
        resampling=resampling_of(arguments, "--interval-rounds"),
    )


def compare_files(arguments: argparse.Namespace, console: Console, **settings: Any) -> Comparison:
    """Return the comparison of the systems in files of scores; `settings` are those of `compare_scores`."""
    from rubrica.comparison.scored_rows import ScoredRows

    mapping = arguments.input_options.score_columns(arguments)
    clusters = read_clusters(arguments.cluster, arguments.input_files, mapping=mapping)
    scored = ScoredRows.read(arguments.input_files, name_by_file=True, mapping=mapping)
    for note in scored.notes:
        console.say(note)
    return compare_scores(
        scored.rows.values(), known=scored.measures, clusters=clusters, **settings
    )


def plan_of(arguments: argparse.Namespace) -> TestPlan:
    """Return the tests that the options ask for."""
    names: list[str] = list(arguments.test or ())
    names += [name for name in ("ar", "bs") if getattr(arguments, f"paired_{name}")]
    if arguments.no_tests and names:
        raise UsageError("--no-tests contradicts --test; remove one of them")
    if not arguments.no_tests:
        names = list(dict.fromkeys(names)) or [DEFAULT_TEST]
    methods: dict[str, int] = {}
    for name in names:
        rounds = arguments.rounds
        if rounds is None:
            rounds = getattr(arguments, f"paired_{name}_n", None)
        if arguments.p_value == "sacrebleu" and f"{name}-sacrebleu" in PAIRED_TESTS:
            name = f"{name}-sacrebleu"
        usual = PAIRED_TESTS[name].rounds
        methods[name] = usual if rounds is None or not usual else rounds
    return TestPlan(
        methods=methods,
        baseline=arguments.baseline,
        all_pairs=arguments.all_pairs,
        alpha=arguments.alpha,
        correction=arguments.correction,
        seed=arguments.seed,
    )


def _shown(comparison: Comparison, metrics: list[Metric], arguments: argparse.Namespace) -> str:
    if arguments.score_only:
        return printable(scores_only(comparison, arguments.width))
    if arguments.format == "rouge155":
        from rubrica.cli.rouge155.layout import rouge155_layout

        return printable(rouge155_layout(comparison.evaluation, metrics))
    if arguments.format == "text":
        return as_text(comparison, arguments.width, bold=has_style(sys.stdout))
    return printable(WRITERS[arguments.format](comparison, arguments.width))
