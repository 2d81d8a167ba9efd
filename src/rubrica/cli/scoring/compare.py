"""Compare systems: scores with intervals, and paired tests against a baseline or of all pairs."""

from __future__ import annotations

import argparse

from rubrica.cli.console import Console, with_console
from rubrica.cli.options import Parser, add_seed, check_confidence
from rubrica.cli.scoring.metric_spec import add_metrics, metrics_of
from rubrica.cli.scoring.systems_inputs import add_inputs, reader_of
from rubrica.comparison.records import ROUNDS, Comparison, Method, Plan
from rubrica.comparison.systems import compare_instances
from rubrica.data.jsonl import write_json
from rubrica.errors import UsageError, printable
from rubrica.metrics.base.metric import Metric
from rubrica.reports.tables.compare import WRITERS, scores_only
from rubrica.statistics.corrections import CORRECTIONS
from rubrica.statistics.intervals import Resampling

FORMATS = ("text", "json", "latex", "markdown", "csv", "rouge155")


def add_arguments(parser: Parser, words: list[str]) -> None:
    """The options of `rubrica compare`."""
    parser.usage = (
        "rubrica compare -r REFERENCES BASELINE SYSTEM [SYSTEM ...] -m METRIC [METRIC ...]"
    )
    add_inputs(parser)
    add_metrics(parser, default=["rouge"])
    parser.add_argument(
        "--measures", nargs="+", metavar="M", help="only these, as rouge-2.f1 (default: F of each)"
    )
    add_test_options(parser)
    output = parser.add_argument_group("output")
    output.add_argument("-f", "--format", choices=FORMATS, default="text", help="(default: text)")
    output.add_argument(
        "-b", "--score-only", action="store_true", help="print the scores and nothing else"
    )
    output.add_argument(
        "-w", "--width", type=int, metavar="N", help="digits after the point (default: by size)"
    )
    output.add_argument("-o", "--output-file", metavar="FILE", help="also write the JSON result")
    run = parser.add_argument_group("running")
    run.add_argument("--workers", type=int, metavar="N", help="cores to use (default: all)")


def add_test_options(parser: Parser) -> None:
    """Which tests, of what, and the intervals."""
    tests = parser.add_argument_group("paired tests")
    tests.add_argument(
        "--baseline", metavar="SYSTEM", help="test against this (default: the first)"
    )
    tests.add_argument(
        "--all-pairs", action="store_true", help="test every pair, corrected by holm unless told"
    )
    tests.add_argument(
        "--paired-ar",
        "-par",
        action="store_true",
        help="paired approximate randomization; the test that is made if none is named",
    )
    tests.add_argument("--paired-bs", "-pbs", action="store_true", help="paired bootstrap")
    for method, rounds in ROUNDS.items():
        tests.add_argument(
            f"--paired-{method}-n",
            f"-p{method}n",
            type=int,
            default=rounds,
            metavar="N",
            help=f"its rounds (default: {rounds:,})",
        )
    tests.add_argument("--no-tests", action="store_true", help="scores and intervals only")
    tests.add_argument("--alpha", type=float, default=0.05, metavar="X", help="(default: 0.05)")
    tests.add_argument(
        "--correction",
        choices=tuple(CORRECTIONS),
        help="over the pairs of a measure (default: none, with --all-pairs holm)",
    )
    tests.add_argument(
        "--p-value",
        choices=("two-sided", "sacrebleu"),
        help="how p is counted (default: two-sided for -par, sacrebleu for -pbs)",
    )
    add_seed(tests)
    intervals = parser.add_argument_group("intervals")
    intervals.add_argument(
        "--num-samples", type=int, default=1000, metavar="N", help="0 for none (default: 1000)"
    )
    intervals.add_argument(
        "--confidence", type=float, default=95.0, metavar="X", help="percent (default: 95)"
    )


@with_console
def run(arguments: argparse.Namespace, console: Console) -> int:
    """Run the command."""
    if arguments.width is not None and not 0 <= arguments.width <= 20:
        raise UsageError(f"-w must lie between 0 and 20: {arguments.width}")
    metrics = metrics_of(arguments.metrics)
    with console.reporting(metrics):
        reader = reader_of(arguments, metrics, arguments.input_files)
        made = compare_instances(
            reader.read(*arguments.input_files),
            metrics,
            plan=plan_of(arguments),
            measures=arguments.measures,
            resampling=resampling_of(arguments),
            workers=arguments.workers,
            progress=lambda rows: console.progress(rows, "rows"),
        )
        if told := reader.describe():
            console.say(told)
    if arguments.output_file:
        write_json(arguments.output_file, made.to_dict())
    print(printable(_shown(made, metrics, arguments)), flush=True)
    return 0


def plan_of(arguments: argparse.Namespace) -> Plan:
    """The tests that were asked for."""
    methods: dict[Method, int] = {}
    if not arguments.no_tests:
        if arguments.paired_ar or not arguments.paired_bs:
            methods["ar"] = arguments.paired_ar_n
        if arguments.paired_bs:
            methods["bs"] = arguments.paired_bs_n
    elif arguments.paired_ar or arguments.paired_bs:
        raise UsageError("--no-tests and a test say different things")
    return Plan(
        methods=methods,
        baseline=arguments.baseline,
        all_pairs=arguments.all_pairs,
        alpha=arguments.alpha,
        correction=arguments.correction or ("holm" if arguments.all_pairs else "none"),
        p_rule=arguments.p_value,
        seed=_seed(arguments),
    )


def resampling_of(arguments: argparse.Namespace) -> Resampling:
    """The intervals that were asked for."""
    check_confidence(arguments.confidence)
    if arguments.num_samples < 0:
        raise UsageError(f"--num-samples must not be negative: {arguments.num_samples}")
    return Resampling(arguments.num_samples, arguments.confidence, _seed(arguments))


def _seed(arguments: argparse.Namespace) -> int:
    if not 0 <= arguments.seed < 2**64:
        raise UsageError(f"--seed must lie between 0 and 2^64 - 1: {arguments.seed}")
    return int(arguments.seed)


def _shown(made: Comparison, metrics: list[Metric], arguments: argparse.Namespace) -> str:
    if arguments.score_only:
        return scores_only(made, arguments.width)
    if arguments.format == "rouge155":
        from rubrica.cli.rouge155.layout import rouge155_layout

        return rouge155_layout(made.evaluation, metrics)
    return WRITERS[arguments.format](made, arguments.width)
