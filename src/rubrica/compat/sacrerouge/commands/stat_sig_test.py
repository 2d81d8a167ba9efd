"""`stat-sig-test`: does one measure correlate better with the truth than another?"""

from __future__ import annotations

import argparse
import random
from typing import Any

import numpy as np

from rubrica.compat.sacrerouge.commands import RootSubcommand
from rubrica.compat.sacrerouge.commands.correlate import level_correlations, prepare_metrics
from rubrica.compat.sacrerouge.commands.options import (
    add_result_arguments,
    add_score_file_arguments,
    save_result,
    start,
)
from rubrica.compat.sacrerouge.stats import convert_to_matrices, corr_diff_test
from rubrica.meta.correlation.levels import Level

TESTS = [
    *(
        f"{kind}-{over}"
        for kind in ("bootstrap", "permutation")
        for over in ("system", "input", "both")
    ),
    "williams",
]


def run_hypothesis_tests(
    metrics_jsonl_files_or_metrics_list: str | list[Any],
    dependent_metric: str,
    metric_A: str,  # noqa: N803 (SacreROUGE's name)
    metric_B: str,  # noqa: N803
    summarizer_type: str,
    test_method: str = "permutation-both",
    alpha: float = 0.05,
    two_tailed: bool = True,
    skip_summary_level: bool = False,
    skip_system_level: bool = False,
    skip_global: bool = False,
) -> dict[str, Any]:
    """Return the p-values of all levels and coefficients as SacreROUGE writes them."""
    names = (dependent_metric, metric_A, metric_B)
    rows = prepare_metrics(metrics_jsonl_files_or_metrics_list, summarizer_type, *names)
    human, a, b = convert_to_matrices(rows, *names)
    sides = f"r({metric_A}, {dependent_metric})", f"r({metric_B}, {dependent_metric})"
    signs = ("==", "!=") if two_tailed else ("<=", ">")
    result: dict[str, Any] = {
        "dependent_metric": dependent_metric,
        "metric_A": metric_A,
        "metric_B": metric_B,
        "summarizer_type": summarizer_type,
        "test_method": test_method,
        "alpha": alpha,
        "two_tailed": two_tailed,
        "H0": f" {signs[0]} ".join(sides),
        "H1": f" {signs[1]} ".join(sides),
    }
    skipped = dict(zip(Level, (skip_summary_level, skip_system_level, skip_global), strict=True))
    for level in (level for level in Level if not skipped[level]):
        tests = {}
        for coefficient, correlate in level_correlations(level).items():
            p = corr_diff_test(correlate, a, b, human, test_method, two_tailed)
            tests[coefficient.value] = {"pvalue": p, "is_significant": bool(p <= alpha)}
        result[level.key] = tests
    return result


@RootSubcommand.register("stat-sig-test")
class StatisticalSignificanceTestSubcommand(RootSubcommand):
    """The command."""

    def add_subparser(self, parser: Any) -> None:
        """Add its parser."""
        about = "Run a statistical significance test on two different metrics"
        self.parser = parser.add_parser("stat-sig-test", description=about, help=about)
        add_score_file_arguments(self.parser)
        for name in ("--dependent-metric", "--metric-A", "--metric-B"):
            self.parser.add_argument(name, required=True, help="a flattened measure")
        self.parser.add_argument(
            "--hypothesis-test",
            choices=TESTS,
            default="permutation-both",
            help="(permutation-both)",
        )
        self.parser.add_argument("--confidence", type=float, default=95, help="in percent (95)")
        self.parser.add_argument("--num-tails", type=int, default=1, choices=[1, 2], help="(1)")
        self.parser.add_argument("--random-seed", type=int, help="seed of numpy's generator")
        add_result_arguments(self.parser)
        self.parser.set_defaults(func=self.run)

    def run(self, args: argparse.Namespace) -> None:
        """Run it."""
        start(args)
        if args.random_seed is not None:
            np.random.seed(args.random_seed)
            random.seed(args.random_seed + 1)
        result = run_hypothesis_tests(
            args.metrics_jsonl_files,
            args.dependent_metric,
            args.metric_A,
            args.metric_B,
            args.summarizer_type,
            test_method=args.hypothesis_test,
            alpha=1.0 - args.confidence / 100,
            two_tailed=args.num_tails == 2,
            skip_summary_level=args.skip_summary_level,
            skip_system_level=args.skip_system_level,
            skip_global=args.skip_global,
        )
        save_result(args, result)
