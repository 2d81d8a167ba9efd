"""Write a page of systems over measures, with intervals, tests, inputs and texts."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from rubrica.cli.console import Console
from rubrica.cli.options import (
    Parser,
    add_cluster,
    add_confidence,
    add_interval_rounds,
    add_seed,
    check_confidence,
)
from rubrica.cli.reports.output import RenderedReport, add_report_options, writes_report
from rubrica.comparison.records import DEFAULT_TEST, ROUNDS, TestPlan
from rubrica.errors import UsageError
from rubrica.statistics.corrections import CORRECTIONS
from rubrica.statistics.significance import PAIRED_TESTS


def add_arguments(parser: Parser, words: list[str]) -> None:
    """Add the options of `rubrica report systems`."""
    parser.example = "rubrica report systems scores.jsonl --summaries summaries.jsonl -o page.html"
    parser.add_argument(
        "scored", nargs="+", metavar="SCORED", help="rows that evaluate or score wrote"
    )
    parser.add_argument(
        "--summaries", nargs="+", default=[], metavar="FILE", help="the texts (JSON lines)"
    )
    parser.add_argument(
        "--documents",
        nargs="+",
        default=[],
        metavar="FILE",
        help="documents (JSON lines with instance_id and document), to find copied text",
    )
    parser.add_argument(
        "--measures",
        nargs="+",
        metavar="M",
        help="measures, such as rouge-1.f1 (default: all) (default: all)",
    )
    parser.add_argument(
        "--include-references", action="store_true", help="include reference rows (as systems)"
    )
    parser.old_spellings["--num-samples"] = "--interval-rounds"
    add_interval_rounds(parser)
    parser.add_argument(
        "--rounds",
        type=int,
        metavar="N",
        help="resampling rounds (for the tests) (default: ar 10,000, bs 1,000)",
    )
    add_confidence(parser)
    parser.add_argument(
        "--baseline",
        metavar="SYSTEM",
        help="what to compare with: the system that the page shows first (default: the first)",
    )
    parser.add_argument(
        "--test",
        choices=tuple(PAIRED_TESTS),
        default=DEFAULT_TEST,
        metavar="NAME",
        help=f"paired test: {', '.join(PAIRED_TESTS)} (default: {DEFAULT_TEST})",
    )
    parser.add_argument(
        "--correction",
        choices=tuple(CORRECTIONS),
        default="holm",
        help="multiplicity correction: over the comparisons shown (default: holm)",
    )
    add_cluster(parser)
    add_seed(parser)
    add_report_options(parser)


@writes_report
def run(arguments: argparse.Namespace, console: Console) -> RenderedReport:
    """Run the command."""
    from rubrica.comparison.scores import compare_scores
    from rubrica.comparison.tables import WRITERS
    from rubrica.datasets.clusters import read_clusters
    from rubrica.reports.run_facts import scores_date, title_for
    from rubrica.reports.systems import ScoredRows, SummaryTexts, comparison_report
    from rubrica.statistics.intervals import Resampling

    check_confidence(arguments.confidence)
    if arguments.interval_rounds < 0:
        raise UsageError(f"--interval-rounds must not be negative: {arguments.interval_rounds}")
    if arguments.documents and not arguments.summaries:
        raise UsageError("--documents needs --summaries, the texts to compare them with")
    _refuse_texts(arguments.scored)
    scored = ScoredRows.read(arguments.scored)
    texts = None
    if arguments.summaries:
        texts = SummaryTexts.read(arguments.summaries, arguments.documents)
    comparison = compare_scores(
        scored.rows.values(),
        plan=_plan(arguments),
        measures=arguments.measures,
        known=scored.measures,
        include_references=arguments.include_references,
        resampling=Resampling(arguments.interval_rounds, arguments.confidence, arguments.seed),
        clusters=read_clusters(arguments.cluster, arguments.scored),
    )
    if arguments.format != "html":
        return RenderedReport(WRITERS[arguments.format](comparison, None))
    report = comparison_report(
        comparison,
        texts,
        title=arguments.title or title_for("Systems", arguments.summaries or arguments.scored),
        measures=arguments.measures,
        date=scores_date(arguments.scored),
    )
    return RenderedReport(report.page())


def _refuse_texts(files: Sequence[str]) -> None:
    """Say what to pass instead of texts."""
    for file in files:
        if file.lower().endswith(".txt"):
            raise UsageError(
                f"{file} holds texts; report systems needs rows of scores: score the texts first (rubrica evaluate "
                f"-m rouge {file} -r REFERENCES.txt --rows-output scores.jsonl), or compare systems "
                "directly (rubrica compare A.txt B.txt -r REFERENCES.txt --html page.html)"
            )


def _plan(arguments: argparse.Namespace) -> TestPlan:
    usual = ROUNDS[arguments.test]
    rounds = usual if arguments.rounds is None or not usual else arguments.rounds
    return TestPlan(
        methods={arguments.test: rounds} if arguments.interval_rounds else {},
        baseline=arguments.baseline,
        correction=arguments.correction,
        seed=arguments.seed,
    )
