"""Compare metrics with yes/no judgments: balanced accuracy at a threshold, and area under the ROC curve."""

from __future__ import annotations

import argparse
import copy
from dataclasses import replace
from typing import Any

import numpy as np

from rubrica.cli.console import console_for
from rubrica.cli.meta.inputs import write_result
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
from rubrica.errors import DataError, UsageError
from rubrica.formatting.text_table import format_value
from rubrica.meta.ranking.thresholds import balanced_accuracy, choose_threshold, roc_auc


def add_arguments(parser: Parser, words: list[str]) -> None:
    """The options of `rubrica threshold`."""
    parser.example = "rubrica threshold --human faithful --scores scores.jsonl human.jsonl --summarizer-type peer"
    add_metric_arguments(parser, "0 or 1, or see --positive-from")
    group = parser.add_argument_group("thresholds")
    group.add_argument(
        "--validation-jsonl-files",
        nargs="+",
        metavar="FILE",
        help="files of scores on which to choose thresholds (default: the test files)",
    )
    group.add_argument(
        "--threshold",
        type=float,
        metavar="X",
        help="use this threshold; a score above it is positive (below it, if lower is better)",
    )
    group.add_argument(
        "--positive-from",
        type=float,
        metavar="X",
        help="judgments of at least this are positive (at most this, if lower is better; default: they must be 0 or 1)",
    )
    group.add_argument(
        "--interval",
        choices=("subsample", "bootstrap"),
        default="subsample",
        help="how intervals resample: 80 percent of the data without replacement, as published, or the bootstrap "
        "(default: subsample)",
    )
    add_resampling_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run it."""
    resampling = resampling_of(arguments, required=True)
    if arguments.threshold is not None and arguments.validation_jsonl_files:
        raise UsageError(
            "--validation-jsonl-files choose a threshold, and --threshold sets one; pass only one of them"
        )
    with console_for(arguments) as console:
        scores = load_scores(arguments, console).oriented()
        labels = _labels(arguments, scores)
        chosen_on: MetricHumanScores | None = None
        if arguments.validation_jsonl_files:
            other = copy.copy(arguments)
            other.scores = arguments.validation_jsonl_files
            other.metrics = list(scores.metrics)
            chosen_on = load_scores(other, console).oriented()
        elif arguments.threshold is None:
            console.say(
                "warning: thresholds are chosen on the data they are measured on, so accuracies are "
                "too high; give --validation-jsonl-files or --threshold"
            )
        metrics: dict[str, Any] = {}
        for name, x in scores.metrics.items():
            statistics: dict[str, Any] = {}
            # Scores of which lower ones are better come turned round; thresholds are told as they are.
            sign = -1.0 if name in scores.facts["lower_is_better"] else 1.0
            value = arguments.threshold
            if value is None:
                from_ = scores if chosen_on is None else chosen_on
                best = choose_threshold(from_.metrics[name], _labels(arguments, from_))
                value = None if best.value is None else sign * best.value
                statistics["threshold"] = replace(best, value=value)
            if value is not None:
                statistics["accuracy"] = balanced_accuracy(
                    x, labels, sign * value, interval=arguments.interval, resampling=resampling
                )
            statistics["roc_auc"] = roc_auc(x, labels, resampling=resampling)
            metrics[name] = statistics | {"value": value}
        if not any("accuracy" in statistics for statistics in metrics.values()):
            console.say("all judgments are equal, so there is no threshold, accuracy or area")
        chosen = "test" if chosen_on is None else "validation"
        result = scores.facts | {
            "chosen_on": chosen if arguments.threshold is None else "given",
            "positive_from": arguments.positive_from,
            "metrics": metrics,
        }
        write_result(arguments, console, result, _table(arguments, scores, metrics))
    return 0


def _labels(arguments: argparse.Namespace, scores: MetricHumanScores) -> Any:
    """1 where the judgment is positive: of judgments that are better lower, the low ones."""
    lower = scores.human_name in scores.facts["lower_is_better"]
    least = arguments.positive_from
    if least is None:
        judgments = -scores.human if lower else scores.human
        others = judgments[~(np.isnan(judgments) | np.isin(judgments, (0.0, 1.0)))]
        if len(others):
            raise DataError(
                f"{scores.human_name}: judgments must be 0 or 1, found {others[0]:g}; pass --positive-from X "
                "if judgments of at least X mean yes"
            )
        return 1.0 - judgments if lower else judgments
    least = -least if lower else least
    return np.where(np.isnan(scores.human), np.nan, (scores.human >= least).astype(np.float64))


def _table(
    arguments: argparse.Namespace, scores: MetricHumanScores, metrics: dict[str, Any]
) -> str:
    rows, signatures = [], []
    for name, statistics in metrics.items():
        accuracy, area = statistics.get("accuracy"), statistics["roc_auc"]
        row = [name, "-" if statistics["value"] is None else f"{statistics['value']:.4g}"]
        if accuracy is None:
            row += ["undefined", "-"]
        else:
            row += [format_value(accuracy.accuracy), span(accuracy.lower, accuracy.upper)]
            signatures.append(accuracy.signature)
        if area is None:
            row += ["undefined", "-"]
        else:
            row += [format_value(area.value), span(area.lower, area.upper)]
            signatures.append(area.signature)
        rows.append(row)
        if "threshold" in statistics:
            signatures.append(statistics["threshold"].signature)
    interval = f"{arguments.confidence:g} % interval"
    headers = ["metric", "threshold", "balanced accuracy", interval, "ROC AUC", interval]
    labels = _labels(arguments, scores)
    judged = int((~np.isnan(labels)).sum())
    counts = f"{int(np.nansum(labels)):,} of {judged:,} positive"
    title = f"{scores.human_name}: {counts}"
    return f"{section(title, headers, rows)}\n\n{signature_lines(signatures)}"
