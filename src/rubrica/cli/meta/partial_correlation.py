"""Correlate metrics and human scores with the system, or the length, held fixed; with length as a baseline."""

from __future__ import annotations

import argparse
from typing import Any

from rubrica.cli.console import console_for
from rubrica.cli.meta.inputs import add_coefficients, add_output_arguments, write_result
from rubrica.cli.meta.method_inputs import (
    add_metric_arguments,
    load_scores,
    section,
    signature_lines,
)
from rubrica.cli.parser import Parser
from rubrica.formatting.text_table import format_value
from rubrica.meta.correlation.levels import Level
from rubrica.meta.correlation.partial import length_baseline, partial_given_system


def add_arguments(parser: Parser, words: list[str]) -> None:
    """The options of `rubrica partial-correlation`."""
    parser.example = "rubrica partial-correlation --human relevance --scores scores.jsonl human.jsonl --summarizer-type peer"
    add_metric_arguments(parser)
    group = parser.add_argument_group("statistics")
    group.add_argument(
        "--length",
        metavar="M",
        help="measure of length (or another covariate)",
    )
    group.add_argument(
        "--levels",
        nargs="+",
        choices=[level.value for level in Level],
        default=[level.value for level in Level],
        metavar="L",
        help="levels: summary, system, global (default: all; with the system held fixed only global)",
    )
    add_coefficients(group)
    add_output_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run it."""
    with console_for(arguments) as console:
        others = [] if arguments.length is None else [arguments.length]
        scores = load_scores(arguments, console, others=others)
        names = list(scores.metrics)
        length = names.pop() if others else None
        metrics: dict[str, Any] = {}
        for name in names:
            x, z = scores.metrics[name], scores.human
            correlations: dict[str, Any] = {
                "given_system": {
                    c: partial_given_system(x, z, coefficient=c)
                    for c in dict.fromkeys(arguments.coefficients)
                }
            }
            if length is not None:
                correlations["given_length"] = {
                    level: {
                        c: length_baseline(x, z, scores.metrics[length], level=level, coefficient=c)
                        for c in dict.fromkeys(arguments.coefficients)
                    }
                    for level in dict.fromkeys(arguments.levels)
                }
            metrics[name] = correlations
        result = scores.facts | {"length": length, "metrics": metrics}
        write_result(arguments, console, result, _tables(scores.human_name, length, metrics))
    return 0


def _tables(human: str, length: str | None, metrics: dict[str, Any]) -> str:
    rows, signatures = [], []
    for name, correlations in metrics.items():
        for c, partial in correlations["given_system"].items():
            rows.append(
                [
                    name,
                    c,
                    format_value(partial.plain),
                    format_value(partial.value),
                    f"{partial.cells:,}",
                ]
            )
            signatures.append(partial.signature)
    headers = ["metric", "coefficient", "all summaries", "given system", "summaries"]
    parts = [section(f"{human} given the system, global level", headers, rows)]
    if length is not None:
        rows = []
        for name, correlations in metrics.items():
            for level, by_coefficient in correlations["given_length"].items():
                for c, partial in by_coefficient.items():
                    values = (
                        partial.metric,
                        partial.length,
                        partial.metric_with_length,
                        partial.beyond,
                    )
                    rows.append([name, level, c, *(format_value(part.value) for part in values)])
                    signatures.append(partial.beyond.signature)
        headers = ["metric", "level", "coefficient", f"with {human}", f"{length} with {human}"]
        headers += [f"with {length}", f"beyond {length}"]
        parts.append(section(f"{human} given {length}", headers, rows))
    return "\n\n".join([*parts, signature_lines(signatures)])
