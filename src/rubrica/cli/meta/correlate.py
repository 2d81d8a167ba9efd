"""Correlate a metric with human scores, or any two measures, at three levels, with intervals."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from typing import Any

import msgspec

from rubrica.cli.console import console_for
from rubrica.cli.meta.inputs import (
    add_measures,
    add_output_arguments,
    add_score_arguments,
    alpha_of,
    check_numbers,
    input_clusters,
    levels_of,
    lower_measures,
    read_scores,
    say_direction,
    write_result,
)
from rubrica.cli.meta.options import add_interval_arguments, add_plot_style
from rubrica.cli.options import add_cluster, add_seed
from rubrica.cli.parser import Parser
from rubrica.data.table import ScoreTable
from rubrica.errors import UsageError
from rubrica.formatting.jsonable import to_jsonable
from rubrica.formatting.text_table import format_p, format_value, text_table
from rubrica.meta.correlation.bootstrap import ROUNDS
from rubrica.meta.correlation.coefficients import Coefficient
from rubrica.meta.correlation.correlation import Correlation, correlate
from rubrica.meta.correlation.intervals import CorrelationInterval, interval
from rubrica.meta.correlation.levels import Level
from rubrica.meta.correlation.significant_inputs import SignificantInputs, significant_inputs
from rubrica.neural.progress import steps
from rubrica.signature import merge_signatures


def add_arguments(parser: Parser, words: list[str]) -> None:
    """The options of `rubrica correlate`."""
    parser.example = "rubrica correlate --measures rouge-1.f1 relevance --scores scores.jsonl human.jsonl --summarizer-type peer"
    add_measures(parser, parser, "two", nargs=2, metavar=("A", "B"), required=True)
    parser.plain_words_hint = (
        "--measures takes two; for several metrics or human scores: rubrica meta-evaluate"
    )
    add_score_arguments(parser)
    add_interval_arguments(parser)
    add_cluster(parser)
    parser.add_argument(
        "--confidence-interval-kwargs",
        default="{}",
        metavar="JSON",
        help='for example {"num_samples": 1000}, also by level and coefficient',
    )
    parser.add_argument(
        "--max-input-p",
        type=float,
        metavar="P",
        help="add the summary level over inputs whose own p-value is at most this, as in REALSumm's tables (0.05); such means are too high",
    )
    add_seed(parser)
    add_output_arguments(parser)
    for level in (Level.SYSTEM, Level.GLOBAL):
        parser.add_argument(
            f"--{level.key.replace('_', '-')}-output-plot",
            metavar="FILE",
            help=f"scatter plot of the {level} level (.svg, .png or .pdf)",
        )
    add_plot_style(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run it."""
    check_numbers(arguments)
    if arguments.max_input_p is not None:
        if not 0 < arguments.max_input_p <= 1:
            raise UsageError(
                f"--max-input-p must lie above 0 and up to 1: {arguments.max_input_p:g}"
            )
        if arguments.skip_summary_level:
            raise UsageError("--max-input-p needs the summary level; drop --skip-summary-level")
    rounds = _Rounds(arguments)
    plots = _plots(arguments)
    with console_for(arguments) as console:
        table, report = read_scores(arguments, arguments.measures, console)
        result: dict[str, Any] = {
            "metric1": arguments.measures[0],
            "metric2": arguments.measures[1],
            "summarizer_type": arguments.summarizer_type,
        }
        clusters = input_clusters(arguments, table)
        rows, signatures = [], []
        asked = [Coefficient(name) for name in arguments.coefficients]
        done = steps("correlations", [(x, c) for x in levels_of(arguments) for c in asked])
        computed = [
            (
                level,
                c,
                _correlation(arguments, table, level, c),
                _interval(arguments, table, rounds, level, c, clusters),
            )
            for level, c in done
        ]
        for level in levels_of(arguments):
            results = [(c, value, bounds) for own, c, value, bounds in computed if own is level]
            result[level.key] = _object(arguments, table, level, results)
            for coefficient, correlation, bounds in results:
                rows.append(_row(level, coefficient, correlation, bounds))
                signatures.append(bounds.signature)
                if level is Level.SUMMARY and arguments.max_input_p is not None:
                    some = _significant(arguments, table, coefficient)
                    result[level.key][coefficient.value]["significant_inputs"] = to_jsonable(some)
                    counts = f"{some.used:,} inputs ({some.ignored:,} ignored)"
                    only = f"{level.value}, p <= {arguments.max_input_p:g}"
                    rows.append(
                        [only, coefficient.value, format_value(some.value), "-", "-", counts]
                    )
        lower = lower_measures(arguments, table)
        result |= {"lower_is_better": lower, "join": asdict(report)}
        say_direction(console, lower)
        for path, level in plots.items():
            from rubrica.reports.plots.plots import scatter

            scatter(path, table, level, arguments.plot_style)
        header = ["level", "coefficient", "value", f"{arguments.confidence:g} % interval", "p", "n"]
        write_result(
            arguments,
            console,
            result,
            "\n".join([text_table(header, rows, right=2), "", str(merge_signatures(signatures))]),
        )
    return 0


class _Rounds:
    """Rounds by level and coefficient, from --rounds and --confidence-interval-kwargs."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        try:
            options = msgspec.json.decode(arguments.confidence_interval_kwargs.encode())
        except msgspec.DecodeError as error:
            raise UsageError(f"--confidence-interval-kwargs: not valid JSON: {error}") from error
        self._default = arguments.rounds
        self._options = options
        self._check(options, [level.key for level in Level] + [c.value for c in Coefficient])

    def of(self, level: Level, coefficient: Coefficient) -> int:
        """The most specific number that was given."""
        inside = self._options.get(level.key, {})
        for place in (
            inside.get(coefficient.value, {}),
            inside,
            self._options.get(coefficient.value, {}),
            self._options,
        ):
            if "num_samples" in place:
                return int(place["num_samples"])
        return self._default or ROUNDS

    def _check(self, options: Any, inner: list[str]) -> None:
        if not isinstance(options, dict):
            raise UsageError("--confidence-interval-kwargs must be a JSON object")
        for key, value in options.items():
            if key == "num_samples":
                if not isinstance(value, int) or value < 1:
                    raise UsageError(f"num_samples must be a whole number from 1 on: {value!r}")
            elif key in inner:
                self._check(value, [c.value for c in Coefficient if key not in (*Coefficient,)])
            else:
                known = ", ".join(["num_samples", *inner])
                raise UsageError(
                    f"--confidence-interval-kwargs: no key {key!r} (there are: {known})"
                )


def _plots(arguments: argparse.Namespace) -> dict[str, Level]:
    plots: dict[str, Level] = {}
    for level in (Level.SYSTEM, Level.GLOBAL):
        path = getattr(arguments, f"{level.key}_output_plot")
        if path is None:
            continue
        if level not in levels_of(arguments):
            raise UsageError(f"--{level.key.replace('_', '-')}-output-plot: that level is skipped")
        from rubrica.reports.plots.plots import check_path

        check_path(path)
        plots[path] = level
    return plots


def _correlation(
    arguments: argparse.Namespace, table: ScoreTable, level: Level, coefficient: Coefficient
) -> Correlation:
    a, b = table.values[:, :, 0], table.values[:, :, 1]
    return correlate(a, b, level, coefficient, undefined=arguments.undefined)


def _significant(
    arguments: argparse.Namespace, table: ScoreTable, coefficient: Coefficient
) -> SignificantInputs:
    a, b = table.values[:, :, 0], table.values[:, :, 1]
    return significant_inputs(a, b, coefficient, max_p=arguments.max_input_p)


def _interval(
    arguments: argparse.Namespace,
    table: ScoreTable,
    rounds: _Rounds,
    level: Level,
    coefficient: Coefficient,
    clusters: list[str] | None,
) -> CorrelationInterval:
    return interval(
        table.values[:, :, 0],
        table.values[:, :, 1],
        level,
        coefficient,
        method=arguments.confidence_interval_method,
        bounds=arguments.bounds,
        confidence=arguments.confidence,
        tails=arguments.num_tails,
        rounds=rounds.of(level, coefficient),
        seed=arguments.seed,
        undefined=arguments.undefined,
        threads=arguments.workers,
        clusters=clusters,
    )


def _object(
    arguments: argparse.Namespace,
    table: ScoreTable,
    level: Level,
    results: list[tuple[Coefficient, Correlation, CorrelationInterval]],
) -> dict[str, Any]:
    """A level in the JSON, with SacreROUGE's keys and ours behind them."""
    systems, inputs, _ = table.values.shape
    first = results[0][1]
    counts: dict[str, Any] = {
        Level.SUMMARY: {
            "num_summary_groups": first.defined,
            "num_undefined_groups": first.undefined,
        },
        Level.SYSTEM: {"num_summarizers": systems, "num_instances": inputs},
        Level.GLOBAL: {"num_summaries": first.n},
    }[level]
    out = counts | {
        "ci_method": results[0][2].method,
        "alpha": alpha_of(arguments),
        "two_tailed": arguments.num_tails == 2,
    }
    for coefficient, correlation, bounds in results:
        p = {} if level is Level.SUMMARY else {"p_value": correlation.p_value}
        out[coefficient.value] = {
            coefficient.symbol: correlation.value,
            **p,
            "lower": bounds.lower,
            "upper": bounds.upper,
            "undefined_samples": bounds.undefined_rounds,
            "signature": str(bounds.signature),
        }
    return out


def _row(
    level: Level, coefficient: Coefficient, correlation: Correlation, bounds: CorrelationInterval
) -> list[str]:
    span = "-" if bounds.lower is None else f"[{bounds.lower:.4f}, {bounds.upper:.4f}]"
    return [
        level.value,
        coefficient.value,
        format_value(correlation.value),
        span,
        format_p(correlation.p_value),
        correlation.points,
    ]
