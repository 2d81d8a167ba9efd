"""Estimate systems' mean human scores from a few human labels and a judge's scores of all summaries."""

from __future__ import annotations

import argparse
import re

from rubrica.cli.console import Console, console_for
from rubrica.cli.meta.inputs import (
    add_file_arguments,
    add_output_arguments,
    input_clusters,
    read_scores,
    write_result,
)
from rubrica.cli.meta.judge_inputs import add_html, write_page
from rubrica.cli.meta.method_inputs import section, signature_lines, span
from rubrica.cli.options import add_cluster, add_confidence, check_confidence
from rubrica.cli.parser import Parser
from rubrica.data.clusters import Clusters
from rubrica.data.table import ScoreTable
from rubrica.errors import UsageError
from rubrica.formatting.text_table import format_p, format_value
from rubrica.meta.judges.estimate import estimate_systems
from rubrica.meta.judges.estimates import Estimates


def add_arguments(parser: Parser, words: list[str]) -> None:
    """Add the options of `rubrica estimate`."""
    parser.example = (
        "rubrica estimate --human relevance --judge judge-relevance.score "
        "--scores judge.jsonl human.jsonl --summarizer-type peer"
    )
    parser.add_argument("--human", metavar="M", required=True, help="human scores (of some inputs)")
    parser.add_argument(
        "--judge", metavar="M", required=True, help="the judge (its scores of all inputs)"
    )
    add_file_arguments(parser)
    group = parser.add_argument_group("estimate")
    group.add_argument(
        "--method",
        choices=("ppi++", "ppi", "classical"),
        default="ppi++",
        help="method (weight of the judge: tuned, full, or none; default: ppi++)",
    )
    group.add_argument(
        "--distribution",
        choices=("t", "normal"),
        default="t",
        help="distribution of the intervals (normal: as in the papers; default: t)",
    )
    add_confidence(group)
    parser.old_spellings["--reference"] = "--distribution"
    add_cluster(group)
    group.add_argument(
        "--strata",
        metavar="REGEX",
        help="estimate each stratum separately: inputs with the same match of REGEX in their ids",
    )
    group.add_argument(
        "--half-width",
        nargs="+",
        type=float,
        default=[],
        metavar="X",
        help="also estimate how many labels give intervals of ±X",
    )
    add_html(parser)
    add_output_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    check_confidence(arguments.confidence)
    if any(not width > 0 for width in arguments.half_width):
        raise UsageError("--half-width must be positive")
    with console_for(arguments) as console:
        names = [arguments.judge, arguments.human]
        table, _ = read_scores(arguments, names, console, required=[arguments.judge])
        judge, human = table.measures
        estimates = estimate_systems(
            table.matrix(human),
            table.matrix(judge),
            table.systems,
            method=arguments.method,
            confidence=arguments.confidence,
            reference=arguments.distribution,
            clusters=_clusters(arguments, table, console),
            strata=_strata(arguments.strata, table.inputs),
            half_widths=arguments.half_width,
            human_name=human,
            judge_name=judge,
        )
        if arguments.html:
            from rubrica.reports.estimate import estimate_report

            write_page(arguments, estimate_report(estimates))
        result = {"files": arguments.scores, "verdict": estimates.verdict()}
        result |= estimates.to_dict()
        write_result(arguments, console, result, _text(estimates, arguments.confidence))
    return 0


def _clusters(
    arguments: argparse.Namespace, table: ScoreTable, console: Console
) -> list[str] | None:
    rule = arguments.cluster
    if rule is not None and not rule.startswith("id:") and not re.fullmatch(r"[\w.-]+", rule):
        console.say(f"warning: old spelling: --cluster {rule} is now --cluster id:{rule}")
        arguments.cluster = f"id:{rule}"
    return input_clusters(arguments, table)


def _strata(pattern: str | None, inputs: tuple[str, ...]) -> list[str] | None:
    return None if pattern is None else list(map(Clusters.by_id(pattern).label, inputs))


def _text(estimates: Estimates, confidence: float) -> str:
    interval = f"{confidence:g} % interval"
    rows = [
        [
            item.system,
            f"{item.estimate.labels:,}",
            format_value(item.estimate.value),
            span(item.estimate.lower, item.estimate.upper),
            format_value(item.people_only.value),
            span(item.people_only.lower, item.people_only.upper),
            f"{item.labels_saved:.1f}",
            f"{item.best_rank}-{item.worst_rank}"
            if item.best_rank < item.worst_rank
            else f"{item.best_rank}",
        ]
        for item in estimates.systems
    ]
    headers = ["system", "labels", "estimate", interval, "people only", interval, "saved", "rank"]
    title = f"mean {estimates.human} with {estimates.judge}"
    parts = [estimates.verdict(), section(title, headers, rows)]
    if len(estimates.differences) == 1:
        [item] = estimates.differences
        cells = [f"{item.first} - {item.second}", format_value(item.estimate.value)]
        cells += [span(item.estimate.lower, item.estimate.upper), format_p(item.adjusted_p_value)]
        parts.append(section("difference", ["systems", "estimate", interval, "p"], [cells]))
    if estimates.plan:
        plan = [
            [
                f"±{item.half_width:g}",
                f"{item.people_only:,}",
                "more than there are" if item.with_judge is None else f"{item.with_judge:,}",
            ]
            for item in estimates.plan
        ]
        headers = ["interval", "people only", "with the judge"]
        parts.append(section("labels needed for each system", headers, plan))
    return "\n\n".join([*parts, signature_lines([estimates.signature])])
