"""Test how well a metric ranks systems: close pairs, the best systems, and how stable the ranking is."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rubrica.cli.console import console_for
from rubrica.cli.meta.inputs import add_coefficient, write_result
from rubrica.cli.meta.method_inputs import (
    MetricHumanScores,
    add_metric_arguments,
    add_resampling_arguments,
    load_scores,
    section,
    signature_lines,
    span,
)
from rubrica.cli.options import resampling_of
from rubrica.cli.parser import Parser
from rubrica.formatting.text_table import format_value
from rubrica.meta.correlation.unpaired import unpaired_correlation, unpaired_interval
from rubrica.meta.ranking.pairs import close_pairs, top_systems
from rubrica.meta.ranking.stability import ranking_stability


def add_arguments(parser: Parser, words: list[str]) -> None:
    """The options of `rubrica system-ranking`."""
    parser.example = "rubrica system-ranking --human relevance --scores scores.jsonl human.jsonl --summarizer-type peer"
    add_metric_arguments(parser)
    group = parser.add_argument_group("rankings")
    group.add_argument(
        "--inputs",
        choices=("all", "judged"),
        default="all",
        help="inputs over which a metric is averaged: all, or only the judged ones (default: all)",
    )
    add_coefficient(group, "for whole rankings, close pairs always use tau; ")
    group.add_argument(
        "--step",
        type=int,
        default=10,
        metavar="PERCENT",
        help="how many pairs of systems, sorted by the metric's difference, to add at a time (default: 10)",
    )
    group.add_argument(
        "--top-sizes",
        nargs="+",
        type=int,
        metavar="K",
        help="numbers of best systems to rank (default: all, ..., 4)",
    )
    group.add_argument(
        "--sizes",
        nargs="+",
        type=int,
        metavar="N",
        help="sizes to try (of the samples of inputs that measure stability; default: ten steps to all)",
    )
    add_resampling_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run it."""
    resampling = resampling_of(arguments, required=True)
    with console_for(arguments) as console:
        scores = load_scores(arguments, console, gaps=arguments.inputs == "all")
        metrics = {
            name: _metric(arguments, scores, x, resampling) for name, x in scores.metrics.items()
        }
        people = ranking_stability(
            scores.human,
            sizes=arguments.sizes,
            coefficient=arguments.coefficient,
            resampling=resampling,
        )
        result = scores.facts | {"metrics": metrics, "human_stability": people}
        write_result(arguments, console, result, _tables(arguments, scores, metrics, people))
    return 0


def _metric(
    arguments: argparse.Namespace, scores: MetricHumanScores, x: Any, resampling: Any
) -> dict[str, Any]:
    coefficient, z = arguments.coefficient, scores.human
    return {
        "system_level": unpaired_correlation(x, z, coefficient=coefficient),
        "interval": unpaired_interval(x, z, coefficient=coefficient, resampling=resampling),
        "close_pairs": close_pairs(x, z, step=arguments.step),
        "top_systems": top_systems(
            x,
            z,
            sizes=_sizes(arguments.top_sizes, x, z),
            coefficient=coefficient,
            lower_is_better=scores.is_lower_better(scores.human_name),
        ),
        "stability": ranking_stability(
            x, sizes=arguments.sizes, coefficient=coefficient, resampling=resampling
        ),
    }


def _sizes(asked: Sequence[int] | None, x: Any, z: Any) -> list[int] | None:
    """Sizes above the number of systems are left out, as published lists of sizes have them."""
    if asked is None:
        return None
    systems = int(((~np.isnan(x)).any(axis=1) & (~np.isnan(z)).any(axis=1)).sum())
    return [size for size in dict.fromkeys(asked) if size <= systems] or [systems]


def _tables(
    arguments: argparse.Namespace,
    scores: MetricHumanScores,
    metrics: Mapping[str, dict[str, Any]],
    people: Sequence[Any],
) -> str:
    rows = []
    for name, statistics in metrics.items():
        whole, bounds = statistics["system_level"], statistics["interval"]
        inputs = f"{whole.metric_inputs:,}", f"{whole.judged_inputs:,}"
        row = [
            name,
            format_value(whole.value),
            span(bounds.lower, bounds.upper),
            f"{whole.systems:,}",
        ]
        rows.append([*row, *inputs])
    interval = f"{arguments.confidence:g} % interval"
    headers = ["metric", arguments.coefficient, interval, "systems", "inputs", "judged"]
    parts = [section(f"systems by {scores.human_name}", headers, rows)]
    names = list(metrics)
    close = {name: statistics["close_pairs"] for name, statistics in metrics.items()}
    # Metrics that score other systems have other numbers of pairs; a share is one for all.
    steps = max((len(points) for points in close.values()), default=0)
    rows = [
        [
            f"{min(1.0, (at + 1) / steps):.0%}",
            *(
                format_value(close[name][at].tau) if at < len(close[name]) else "-"
                for name in names
            ),
        ]
        for at in range(steps)
    ]
    parts.append(section("tau over the closest pairs of systems", ["pairs", *names], rows))
    top = {
        name: {point.size: point for point in statistics["top_systems"]}
        for name, statistics in metrics.items()
    }
    sizes = dict.fromkeys(size for points in top.values() for size in points)
    rows = [
        [
            f"best {size}",
            *(format_value(top[n][size].value) if size in top[n] else "-" for n in names),
        ]
        for size in sizes
    ]
    title = f"{arguments.coefficient} among the best systems by {scores.human_name}"
    parts.append(section(title, ["systems", *names], rows))
    steady = {name: statistics["stability"] for name, statistics in metrics.items()}
    steady[scores.human_name] = people
    by_size = {name: {point.size: point for point in points} for name, points in steady.items()}
    sizes = dict.fromkeys(sorted(size for points in by_size.values() for size in points))
    rows = [
        [f"{size:,}", *(format_value(p[size].mean) if size in p else "-" for p in by_size.values())]
        for size in sizes
    ]
    title = "stability: rankings from two samples of inputs"
    parts.append(section(title, ["inputs", *by_size], rows))
    signatures = [
        statistics[key].signature for statistics in metrics.values() for key in ("interval",)
    ]
    for key in ("close_pairs", "top_systems", "stability"):
        signatures += [
            point.signature for statistics in metrics.values() for point in statistics[key][:1]
        ]
    return "\n\n".join([*parts, signature_lines(signatures)])
