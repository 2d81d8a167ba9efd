"""`correlate`: the correlation of two measures at three levels, with intervals."""

from __future__ import annotations

import argparse
import functools
import json
import logging
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from rubrica.compat.sacrerouge.commands import RootSubcommand
from rubrica.compat.sacrerouge.commands.options import (
    add_result_arguments,
    add_score_file_arguments,
    save_result,
    start,
)
from rubrica.compat.sacrerouge.data import Metrics, MetricsDict
from rubrica.compat.sacrerouge.data.metrics import average
from rubrica.compat.sacrerouge.io import JsonlReader
from rubrica.compat.sacrerouge.stats import (
    convert_to_matrices,
    corr_ci,
    global_corr,
    summary_level_corr,
    system_level_corr,
)
from rubrica.data.table import ScoreTable
from rubrica.errors import MismatchError, UsageError
from rubrica.meta.correlation.coefficients import Coefficient
from rubrica.meta.correlation.levels import Level

logger = logging.getLogger(__name__)

COEFFICIENTS = (Coefficient.PEARSON, Coefficient.SPEARMAN, Coefficient.KENDALL)
LEVEL_FUNCTIONS: dict[Level, Callable[..., Any]] = {
    Level.SUMMARY: summary_level_corr,
    Level.SYSTEM: system_level_corr,
    Level.GLOBAL: global_corr,
}


def load_metrics(metrics_files: Sequence[str]) -> list[Metrics]:
    """Return the rows of all files."""
    return [row for file in metrics_files for row in JsonlReader(file, Metrics).read()]


def merge_metrics(metrics_list: list[Metrics]) -> list[Metrics]:
    """Return one row per summary; of two values of a measure the last counts."""
    merged: dict[tuple[str, str], Metrics] = {}
    for row in metrics_list:
        key = row.instance_id, row.summarizer_id
        if key in merged:
            merged[key].merge(row)
        else:
            merged[key] = row
    return list(merged.values())


def filter_metrics(
    metrics_list: list[Metrics], summarizer_type: str, *metric_names: str
) -> list[Metrics]:
    """Return the rows of a type that have all of the measures."""
    typed = [row for row in metrics_list if summarizer_type in ("all", row.summarizer_type)]
    rows = [row for row in typed if all(name in row.metrics for name in metric_names)]
    logger.info(
        f"{len(rows)} of {len(metrics_list)} instances are of type {summarizer_type!r} and have "
        f"{', '.join(metric_names)}"
    )
    if typed and not rows:
        missing = [n for n in metric_names if not any(n in row.metrics for row in typed)]
        raise MismatchError(f"no row has {' and '.join(missing or metric_names)}")
    return rows


def aggregate_metrics(metrics_list: list[Metrics]) -> dict[str, MetricsDict]:
    """Return the mean scores of each system."""
    systems: dict[str, list[MetricsDict]] = {}
    for row in sorted(metrics_list, key=lambda row: row.summarizer_id):
        systems.setdefault(row.summarizer_id, []).append(row.metrics)
    return {system: average(rows) for system, rows in systems.items()}


def prepare_metrics(
    files_or_rows: str | list[Any], summarizer_type: str, *names: str
) -> list[Metrics]:
    """Return the rows to correlate: merged, flat, of one type, with only these measures."""
    parts: list[Any] = [files_or_rows] if isinstance(files_or_rows, str) else files_or_rows
    from_files = all(isinstance(part, str) for part in parts)
    rows = merge_metrics(load_metrics(parts) if from_files else parts)
    for row in rows:
        row.flatten_keys()
    rows = filter_metrics(rows, summarizer_type, *names)
    for row in rows:
        row.select_metrics(names)
        row.average_values()
    return rows


def level_correlations(level: Level) -> dict[Coefficient, Callable[..., Any]]:
    """Return the functions that correlate two matrices at a level."""
    from scipy import stats  # slow to import

    functions = (stats.pearsonr, stats.spearmanr, stats.kendalltau)
    return {
        coefficient: functools.partial(LEVEL_FUNCTIONS[level], function)
        for coefficient, function in zip(COEFFICIENTS, functions, strict=True)
    }


def compute_correlation(
    metrics_jsonl_files_or_metrics_list: str | list[Any],
    metric1: str,
    metric2: str,
    summarizer_type: str,
    skip_summary_level: bool = False,
    skip_system_level: bool = False,
    skip_global: bool = False,
    system_level_output_plot: str | None = None,
    global_output_plot: str | None = None,
    ci_method: str | None = None,
    alpha: float = 0.05,
    two_tailed: bool = True,
    ci_kwargs: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Return the correlations of two measures as SacreROUGE writes them."""
    skipped = dict(zip(Level, (skip_summary_level, skip_system_level, skip_global), strict=True))
    plots = {Level.SYSTEM: system_level_output_plot, Level.GLOBAL: global_output_plot}
    for level, path in plots.items():
        if path is not None and skipped[level]:
            raise UsageError(f"a plot of the {level} level needs that level, which is skipped")
    rows = prepare_metrics(metrics_jsonl_files_or_metrics_list, summarizer_type, metric1, metric2)
    matrices = convert_to_matrices(rows, metric1, metric2)
    result: dict[str, Any] = {
        "metric1": metric1,
        "metric2": metric2,
        "summarizer_type": summarizer_type,
    }
    interval = {"ci_method": ci_method, "alpha": alpha, "two_tailed": two_tailed}
    for level in (level for level in Level if not skipped[level]):
        options = _specific(ci_kwargs or {}, level.key, [other.key for other in Level])
        result[level.key] = _correlations(level, matrices, interval, options)
        path = plots.get(level)
        if path is not None:
            _plot(path, rows, matrices, (metric1, metric2), level)
    return result


def _correlations(
    level: Level, matrices: list[Any], interval: dict[str, Any], options: dict[str, Any]
) -> dict[str, Any]:
    x, y = matrices
    values: dict[str, Any] = {}
    groups = 0
    for coefficient, correlate in level_correlations(level).items():
        own = _specific(options, coefficient.value, [other.value for other in COEFFICIENTS])
        if level is Level.SUMMARY:
            value, groups = correlate(x, y, return_num_instances=True)
            result = {coefficient.symbol: value}
        else:
            value, p = correlate(x, y, return_pvalue=True)
            result = {coefficient.symbol: value, "p_value": p}
        method, alpha, two_tailed = interval.values()
        # Intervals warn of undefined inputs a thousand times over.
        lower, upper = corr_ci(correlate, x, y, method, alpha, two_tailed, kwargs=own)
        values[coefficient.value] = {**result, "lower": lower, "upper": upper}
    counts = {
        Level.SUMMARY: {"num_summary_groups": groups},
        Level.SYSTEM: {"num_summarizers": x.shape[0], "num_instances": x.shape[1]},
        Level.GLOBAL: {"num_summaries": int((~np.isnan(x)).sum())},
    }[level]
    return {**counts, **interval, **values}


def _specific(options: dict[str, Any], key: str, keys: list[str]) -> dict[str, Any]:
    """Options for all, and those below `key`; none of those below the other keys."""
    return {**{k: v for k, v in options.items() if k not in keys}, **options.get(key, {})}


def _plot(
    path: str, rows: list[Metrics], matrices: list[Any], names: tuple[str, str], level: Level
) -> None:
    from rubrica.reports.plots.plots import check_path, scatter

    check_path(path)
    systems = sorted({row.summarizer_id for row in rows})
    inputs = sorted({row.instance_id for row in rows})
    values = np.stack(matrices, axis=2)
    scatter(path, ScoreTable(tuple(systems), tuple(inputs), names, values), level)


@RootSubcommand.register("correlate")
class CorrelateSubcommand(RootSubcommand):
    """The command."""

    def add_subparser(self, parser: Any) -> None:
        """Add its parser."""
        about = "Calculate the correlation between two different metrics"
        self.parser = parser.add_parser("correlate", description=about, help=about)
        add_score_file_arguments(self.parser)
        self.parser.add_argument("--metrics", nargs=2, required=True, help="two flattened measures")
        self.parser.add_argument(
            "--confidence-interval-method",
            default="bootstrap-both",
            choices=["none", "bootstrap-system", "bootstrap-input", "bootstrap-both", "fisher"],
            help="method of the intervals (default: bootstrap-both)",
        )
        self.parser.add_argument("--confidence", type=float, default=95, help="in percent (95)")
        self.parser.add_argument("--num-tails", type=int, default=2, choices=[1, 2], help="(2)")
        self.parser.add_argument(
            "--confidence-interval-kwargs", default="{}", help='JSON, such as {"num_samples": 1000}'
        )
        for level in ("system-level", "global"):
            self.parser.add_argument(
                f"--{level}-output-plot", help="scatter plot as .pdf, .png or .svg"
            )
        add_result_arguments(self.parser)
        self.parser.set_defaults(func=self.run)

    def run(self, args: argparse.Namespace) -> None:
        """Run it."""
        start(args)
        try:
            options = json.loads(args.confidence_interval_kwargs)
        except json.JSONDecodeError as error:
            raise UsageError(f"--confidence-interval-kwargs: not valid JSON: {error}") from error
        result = compute_correlation(
            args.metrics_jsonl_files,
            args.metrics[0],
            args.metrics[1],
            args.summarizer_type,
            skip_summary_level=args.skip_summary_level,
            skip_system_level=args.skip_system_level,
            skip_global=args.skip_global,
            system_level_output_plot=args.system_level_output_plot,
            global_output_plot=args.global_output_plot,
            ci_method=args.confidence_interval_method,
            alpha=1.0 - args.confidence / 100,
            two_tailed=args.num_tails == 2,
            ci_kwargs=options,
        )
        save_result(args, result)
