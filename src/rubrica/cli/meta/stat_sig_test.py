"""Test whether one metric correlates better with human scores than another."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from typing import Any, Literal

from rubrica.cli.console import console_for
from rubrica.cli.meta.inputs import (
    add_measures,
    add_output_arguments,
    add_score_arguments,
    alpha_of,
    check_numbers,
    levels_of,
    lower_measures,
    read_scores,
    say_direction,
    write_result,
)
from rubrica.cli.meta.options import add_test_arguments, add_test_tails
from rubrica.cli.options import add_alpha, add_correction, add_seed
from rubrica.cli.parser import Parser
from rubrica.errors import UsageError
from rubrica.formatting.text_table import format_p, format_value, text_table
from rubrica.meta.correlation.bootstrap import ROUNDS
from rubrica.meta.correlation.coefficients import Coefficient
from rubrica.meta.correlation.compare import compare_metrics
from rubrica.meta.correlation.levels import Level
from rubrica.meta.correlation.significance import Significance
from rubrica.neural.progress import steps
from rubrica.signature import merge_signatures
from rubrica.statistics.corrections import CORRECTIONS

SIDES: tuple[Literal["a", "b", "human"], ...] = ("a", "b", "human")


def add_arguments(parser: Parser, words: list[str]) -> None:
    """The options of `rubrica stat-sig-test`."""
    parser.example = "rubrica stat-sig-test --measures rouge-1.f1 chrf --human relevance --scores scores.jsonl human.jsonl --summarizer-type peer"
    parser.expand = _measure_a_first
    parser.old_spellings |= {
        "--metric-A": "--measures",
        "--metric-B": "--measures",
        "--dependent-metric": "--human",
        "--num-tails": "--test-tails",
        "--random-seed": "--seed",
    }
    add_score_arguments(parser)
    group = parser.add_argument_group("test")
    detail = "A and B: does A correlate better than B?"
    add_measures(parser, group, detail, required=True)
    group.add_argument(
        "--human", metavar="M", required=True, help="human scores (a measure such as relevance)"
    )
    add_test_arguments(parser)
    add_alpha(group)
    group.add_argument("--confidence", type=float, help=argparse.SUPPRESS)
    add_test_tails(group)
    add_correction(group, "the tests of all levels and coefficients", "none")
    add_seed(parser)
    add_output_arguments(parser)


def _measure_a_first(words: list[str]) -> list[str]:
    """Put SacreROUGE's `--metric-A A` before `--metric-B B`, whatever their order: both are `--measures`."""
    first: list[str] = []
    last: list[str] = []
    option = ""
    for word in words:
        option = word.partition("=")[0] if word.startswith("--") else option
        (last if option == "--metric-B" else first).append(word)
    return first + last


def run(arguments: argparse.Namespace) -> int:
    """Run it."""
    if len(arguments.measures) != 2:
        raise UsageError(f"--measures takes two measures, A and B, not {len(arguments.measures)}")
    names = [*arguments.measures, arguments.human]
    with console_for(arguments) as console:
        if arguments.confidence is not None:
            arguments.alpha = (100 - arguments.confidence) / 100
            console.say(
                f"warning: old spelling: --confidence {arguments.confidence:g} is now --alpha {arguments.alpha:g}"
            )
        check_numbers(arguments)
        table, report = read_scores(arguments, names, console)
        lower = lower_measures(arguments, table)
        say_direction(console, lower)
        a, b, z = (table.values[:, :, at] for at in range(3))
        sides = [side for side, name in zip(SIDES, table.measures, strict=True) if name in lower]
        coefficients = [Coefficient(name) for name in arguments.coefficients]
        asked = [(level, c) for level in levels_of(arguments) for c in coefficients]
        tests = [
            compare_metrics(
                a,
                b,
                z,
                level,
                coefficient,
                method=arguments.hypothesis_test,
                scheme=arguments.scheme,
                p_rule=arguments.p_value,
                signed=arguments.signed,
                tails=arguments.test_tails,
                rounds=arguments.rounds or ROUNDS,
                seed=arguments.seed,
                undefined=arguments.undefined,
                threads=arguments.workers,
                lower_is_better=sides,
            )
            for level, coefficient in steps("tests", asked)
        ]
        result = _result(arguments, names, tests) | {
            "lower_is_better": lower,
            "join": asdict(report),
        }
        write_result(arguments, console, result, _table(arguments, result, tests))
    return 0


def _result(
    arguments: argparse.Namespace, names: list[str], tests: list[Significance]
) -> dict[str, Any]:
    """SacreROUGE's keys, and ours behind them."""
    alpha, two = alpha_of(arguments), arguments.test_tails == 2
    left, right = (
        f"{'' if sign == 1 else '-'}r({name}, {names[2]})"
        for sign, name in zip(tests[0].signs, names, strict=False)
    )
    result: dict[str, Any] = {
        "dependent_metric": names[2],
        "metric_A": names[0],
        "metric_B": names[1],
        "summarizer_type": arguments.summarizer_type,
        "test_method": arguments.hypothesis_test,
        "alpha": alpha,
        "two_tailed": two,
        "H0": f"{left} {'==' if two else '<='} {right}",
        "H1": f"{left} {'!=' if two else '>'} {right}",
        "correction": arguments.correction,
    }
    adjusted = CORRECTIONS[arguments.correction]([test.p_value for test in tests])
    for test, p in zip(tests, adjusted, strict=True):
        corrected = {} if arguments.correction == "none" else {"adjusted_pvalue": p}
        result.setdefault(test.level.key, {})[test.coefficient.value] = {
            "pvalue": test.p_value,
            **corrected,
            "is_significant": p is not None and p <= alpha,
            "metric_A": test.value_a,
            "metric_B": test.value_b,
            "undefined_samples": test.undefined_rounds,
            "signature": str(test.signature),
        }
    return result


def _table(arguments: argparse.Namespace, result: dict[str, Any], tests: list[Significance]) -> str:
    headers = ["level", "coefficient", "A", "B", "A - B", "p", "significant"]
    if arguments.correction != "none":
        headers.insert(6, f"p ({arguments.correction})")
    rows = []
    for test in tests:
        entry = result[Level(test.level).key][test.coefficient.value]
        row = [test.level.value, test.coefficient.value]
        row += [format_value(v) for v in (test.value_a, test.value_b, test.difference)]
        row.append(format_p(test.p_value))
        if arguments.correction != "none":
            row.append(format_p(entry["adjusted_pvalue"]))
        rows.append([*row, "yes" if entry["is_significant"] else "no"])
    cells = [
        f"A = {arguments.measures[0]}, B = {arguments.measures[1]}, Z = {arguments.human}",
        f"H1: {result['H1']}   alpha {result['alpha']:g}",
        "",
    ]
    signature = str(merge_signatures([test.signature for test in tests]))
    return "\n".join([*cells, text_table(headers, rows, right=2), "", signature])
