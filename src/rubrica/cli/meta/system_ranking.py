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
    human, coefficient = scores.human_name, arguments.coefficient
    stability = {name: statistics["stability"] for name, statistics in metrics.items()}
    stability[human] = people
    parts = [
        section(
            f"systems by {human}",
            [
                "metric",
                coefficient,
                f"{arguments.confidence:g} % interval",
                "systems",
                "inputs",
                "judged",
            ],
            [_system_row(name, statistics) for name, statistics in metrics.items()],
        ),
        section(
            "tau over the closest pairs of systems",
            ["pairs", *metrics],
            _pair_rows([statistics["close_pairs"] for statistics in metrics.values()]),
        ),
        section(
            f"{coefficient} among the best systems by {human}",
            ["systems", *metrics],
            _top_rows([statistics["top_systems"] for statistics in metrics.values()]),
        ),
        section(
            "stability: rankings from two samples of inputs",
            ["inputs", *stability],
            _stability_rows(list(stability.values())),
        ),
    ]
    signatures = [statistics["interval"].signature for statistics in metrics.values()]
    for key in ("close_pairs", "top_systems", "stability"):
        signatures += [
            point.signature for statistics in metrics.values() for point in statistics[key][:1]
        ]
    return "\n\n".join([*parts, signature_lines(signatures)])


def _system_row(name: str, statistics: Mapping[str, Any]) -> list[str]:
    whole, bounds = statistics["system_level"], statistics["interval"]
    counts = (whole.systems, whole.metric_inputs, whole.judged_inputs)
    row = [name, format_value(whole.value), span(bounds.lower, bounds.upper)]
    return [*row, *(f"{count:,}" for count in counts)]


def _pair_rows(curves: Sequence[Sequence[Any]]) -> list[list[str]]:
    """Return a row per share of pairs: metrics that score other systems have other numbers of pairs."""
    steps = max(map(len, curves), default=0)
    return [
        [
            f"{min(1.0, (at + 1) / steps):.0%}",
            *(format_value(points[at].tau) if at < len(points) else "-" for points in curves),
        ]
        for at in range(steps)
    ]


def _top_rows(curves: Sequence[Sequence[Any]]) -> list[list[str]]:
    """Return a row per number of best systems."""
    by_size = [{point.size: point.value for point in points} for points in curves]
    sizes = dict.fromkeys(size for points in by_size for size in points)
    return [
        [f"best {size}", *(format_value(p[size]) if size in p else "-" for p in by_size)]
        for size in sizes
    ]


def _stability_rows(curves: Sequence[Sequence[Any]]) -> list[list[str]]:
    """Return a row per size of the samples."""
    by_size = [{point.size: point.mean for point in points} for points in curves]
    sizes = sorted({size for points in by_size for size in points})
    return [
        [f"{size:,}", *(format_value(p[size]) if size in p else "-" for p in by_size)]
        for size in sizes
    ]
