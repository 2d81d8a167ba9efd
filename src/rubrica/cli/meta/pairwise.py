"""Test whether a metric orders pairs of summaries (with ties) and pairs of systems as people do."""

from __future__ import annotations

import argparse
from typing import Any, get_args

from rubrica.cli.console import console_for
from rubrica.cli.meta.inputs import write_result
from rubrica.cli.meta.method_inputs import (
    MetricHumanScores,
    add_metric_arguments,
    add_resampling_arguments,
    load_scores,
    section,
    signature_lines,
)
from rubrica.cli.options import resampling_of
from rubrica.cli.parser import Parser
from rubrica.errors import UsageError
from rubrica.formatting.jsonable import to_jsonable
from rubrica.formatting.text_table import format_value
from rubrica.meta.correlation.differences import difference_pearson
from rubrica.meta.ranking.calibration import calibrate_ties
from rubrica.meta.ranking.decisions import TiedRounds, decision_agreement
from rubrica.meta.ranking.soft_pairwise import soft_pairwise_accuracy
from rubrica.meta.ranking.ties import Grouping, Variant, kendall_like, tau_with_ties

SHOWN = ("acc_eq", "b")
CURVE = ("thresholds", "values")


def add_arguments(parser: Parser, words: list[str]) -> None:
    """The options of `rubrica pairwise`."""
    parser.example = "rubrica pairwise --human relevance --scores scores.jsonl human.jsonl --summarizer-type peer"
    add_metric_arguments(parser)
    group = parser.add_argument_group("pairs of summaries")
    group.add_argument(
        "--by",
        choices=get_args(Grouping),
        default="input",
        help="which summaries to pair: those of one input, those of one system, or all (default: input)",
    )
    group.add_argument(
        "--variants",
        nargs="+",
        choices=get_args(Variant),
        default=list(SHOWN),
        metavar="V",
        help=f"variants of tau: {', '.join(get_args(Variant))} (default: {' '.join(SHOWN)})",
    )
    group.add_argument(
        "--epsilon",
        type=float,
        default=0.0,
        metavar="X",
        help="largest difference in scores that counts as a tie (of the metric; default: 0)",
    )
    group.add_argument(
        "--gap",
        type=float,
        metavar="X",
        help="add WMT 2020's tau over pairs whose human scores differ by at least this much",
    )
    group.add_argument(
        "--no-calibration", action="store_true", help="do not search for the best epsilon"
    )
    systems = parser.add_argument_group("pairs of systems")
    systems.add_argument(
        "--tied-rounds",
        choices=get_args(TiedRounds),
        default="half",
        help="what a tied bootstrap round counts as: half a win, or a win of the second system, as in REALSumm's code (default: half)",
    )
    add_resampling_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run it."""
    resampling = resampling_of(arguments, required=True)
    if arguments.confidence < 50:
        raise UsageError(
            "--confidence must be at least 50: the share of rounds that decides a pair"
        )
    for name in ("epsilon", "gap"):
        if (getattr(arguments, name) or 0) < 0:
            raise UsageError(f"--{name} must not be negative")
    with console_for(arguments) as console:
        scores = load_scores(arguments, console)
        metrics = {name: _metric(arguments, scores, name, resampling) for name in scores.metrics}
        result = scores.facts | {"metrics": to_jsonable(metrics, without=CURVE)}
        write_result(arguments, console, result, _tables(arguments, scores, metrics))
    return 0


def _metric(
    arguments: argparse.Namespace, scores: MetricHumanScores, name: str, resampling: Any
) -> dict[str, Any]:
    oriented = scores.oriented()
    x, z, by = oriented.metrics[name], oriented.human, arguments.by
    # Coefficients are plain; shares of pairs, and taus that treat ties of one side only, say who orders as people do.
    plain_scores = scores.metrics[name], scores.human
    statistics: dict[str, Any] = {
        f"tau-{variant}" if len(variant) < 3 else variant: tau_with_ties(
            *(plain_scores if variant in ("a", "b") else (x, z)),
            variant=variant,
            by=by,
            epsilon=arguments.epsilon,
        )
        for variant in dict.fromkeys(arguments.variants)
    }
    if not arguments.no_calibration:
        statistics["calibrated"] = calibrate_ties(x, z, by=by)
    if arguments.gap is not None:
        statistics["kendall-like"] = kendall_like(x, z, gap=arguments.gap, by=by)
    statistics["difference-pearson"] = difference_pearson(*plain_scores, by=by)
    statistics["soft-pairwise-accuracy"] = soft_pairwise_accuracy(x, z, resampling=resampling)
    statistics["decisions"] = decision_agreement(
        x, z, tied=arguments.tied_rounds, resampling=resampling
    )
    return statistics


def _tables(
    arguments: argparse.Namespace, scores: MetricHumanScores, metrics: dict[str, dict[str, Any]]
) -> str:
    first = next(iter(metrics.values()))
    of_summaries = [
        key for key in first if key not in ("calibrated", "soft-pairwise-accuracy", "decisions")
    ]
    calibrated = "calibrated" in first
    headers = ["metric", *of_summaries, *(["acc_eq, calibrated", "epsilon"] if calibrated else [])]
    rows = []
    for name, statistics in metrics.items():
        row = [name, *(format_value(statistics[key].value) for key in of_summaries)]
        if calibrated:
            best = statistics["calibrated"]
            row += [
                format_value(best.value),
                "-" if best.epsilon is None else f"{best.epsilon:.4g}",
            ]
        rows.append(row)
    groups = {"input": "within inputs", "system": "within systems", "none": "all"}[arguments.by]
    parts = [section(f"pairs of summaries ({groups}), {scores.human_name}", headers, rows)]
    rows = [
        [
            name,
            format_value(statistics["soft-pairwise-accuracy"].value),
            format_value(statistics["decisions"].accuracy),
            format_value(statistics["decisions"].weighted_f1),
            format_value(statistics["decisions"].symmetric_f1),
            f"{statistics['decisions'].pairs:,}",
        ]
        for name, statistics in metrics.items()
    ]
    headers = ["metric", "soft accuracy", "decisions right", "weighted F1", "symmetric F1", "pairs"]
    parts.append(section(f"pairs of systems, {scores.human_name}", headers, rows))
    signatures = [
        statistic.signature for statistics in metrics.values() for statistic in statistics.values()
    ]
    return "\n\n".join([*parts, signature_lines(signatures)])
