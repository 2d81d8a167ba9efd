"""Test on how many data sets a metric is better, from the JSON files of several `stat-sig-test` runs."""

from __future__ import annotations

import argparse
from typing import Any

from rubrica.cli.console import Console, console_for
from rubrica.cli.meta.inputs import add_output_arguments, write_result
from rubrica.cli.options import add_alpha, check_alpha
from rubrica.cli.parser import Parser
from rubrica.data.jsonl import read_json
from rubrica.errors import DataError, MismatchError, UsageError
from rubrica.formatting.text_table import text_table
from rubrica.meta.correlation.coefficients import Coefficient
from rubrica.meta.correlation.levels import Level
from rubrica.statistics.partial_conjunction import partial_conjunction


def add_arguments(parser: Parser, words: list[str]) -> None:
    """The options of `rubrica partial-conjunction-test`."""
    parser.example = (
        "rubrica partial-conjunction-test --pvalue-json-files news.json mail.json --names news mail"
    )
    parser.add_argument(
        "--pvalue-json-files",
        nargs="+",
        metavar="FILE",
        required=True,
        help="results of stat-sig-test, one per data set",
    )
    parser.add_argument(
        "--names",
        nargs="+",
        metavar="NAME",
        required=True,
        help="names of the data sets, in the same order",
    )
    parser.add_argument(
        "--method",
        choices=("bonferroni",),
        default="bonferroni",
        help="method (how p-values are combined; default: bonferroni)",
    )
    add_alpha(parser)
    add_output_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run it."""
    files, names = arguments.pvalue_json_files, arguments.names
    if len(files) != len(names):
        raise UsageError(f"{len(files)} files but {len(names)} names; each file needs one")
    check_alpha(arguments.alpha)
    with console_for(arguments) as console:
        tests = [_read(file) for file in files]
        result: dict[str, Any] = {
            "method": arguments.method,
            "names": names,
            "alpha": arguments.alpha,
        }
        rows = []
        for level in (level for level in Level if level.key in tests[0]):
            result[level.key] = {}
            for coefficient in (c for c in Coefficient if c in tests[0][level.key]):
                p_values = [
                    _p_value(test, file, level, coefficient, console)
                    for test, file in zip(tests, files, strict=True)
                ]
                conjunction = partial_conjunction(
                    p_values, arguments.alpha, method=arguments.method
                )
                significant = [names[at] for at in conjunction.significant]
                result[level.key][coefficient.value] = {
                    "k": conjunction.k,
                    "significant": significant,
                }
                share = f"{conjunction.k} of {len(names)}"
                rows.append([level.value, coefficient.value, share, ", ".join(significant) or "-"])
        table = text_table(["level", "coefficient", "better on", "data sets"], rows, right=4)
        method = f"partial conjunction, {arguments.method}, alpha {arguments.alpha:g}"
        write_result(arguments, console, result, f"{table}\n\n{method}")
    return 0


def _read(file: str) -> dict[str, Any]:
    content = read_json(file)
    if not isinstance(content, dict) or not any(
        isinstance(content.get(level.key), dict) for level in Level
    ):
        raise DataError("not a result of stat-sig-test: it holds no level", file=file)
    return content


def _p_value(
    test: dict[str, Any], file: str, level: Level, coefficient: Coefficient, console: Console
) -> float:
    entry = (test.get(level.key) or {}).get(coefficient.value)
    if not isinstance(entry, dict) or "pvalue" not in entry:
        raise MismatchError(
            f"no p-value of {coefficient} at {level.key}, which the first file has", file=file
        )
    p = entry["pvalue"]
    if p is None:
        # What was not tested cannot be rejected.
        console.say(f"{file}: {level.key} {coefficient} has no p-value; it counts as 1")
        return 1.0
    if not isinstance(p, (int, float)) or not 0 <= p <= 1:
        raise DataError(f"{level.key} {coefficient}: not a p-value: {p!r}", file=file)
    return float(p)
