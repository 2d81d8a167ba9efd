"""Options of intervals and of tests, which several commands of meta-evaluation share."""

from __future__ import annotations

from typing import Any, get_args

from rubrica.cli.options import add_confidence
from rubrica.cli.parser import Parser
from rubrica.meta.correlation.interval_options import Method
from rubrica.meta.correlation.significance import DEFAULT_TEST, PRule, Scheme, Test

METHODS = get_args(Method)


def add_interval_arguments(parser: Parser) -> None:
    """How intervals are made."""
    group = parser.add_argument_group("intervals")
    group.add_argument(
        "--confidence-interval-method",
        choices=METHODS,
        default="auto",
        metavar="METHOD",
        help=f"one of {', '.join(METHODS)}; auto is fisher at the system level, jackknife elsewhere (default: auto)",
    )
    add_confidence(group)
    group.add_argument(
        "--num-tails",
        type=int,
        choices=(1, 2),
        default=2,
        help="tails of the intervals (with 1, each bound alone has the confidence; default: 2)",
    )
    group.add_argument(
        "--bounds",
        choices=("percentile", "bca"),
        default="percentile",
        help="how bounds are taken from bootstrap samples (default: percentile)",
    )


def add_plot_style(parser: Parser) -> None:
    """Add `--plot-style`."""
    parser.add_argument(
        "--plot-style",
        choices=("acl",),
        help="style of the plots: the widths and the font of a paper's template, without titles "
        "(default: for screens)",
    )


def add_test_tails(group: Any) -> None:
    """Add `--test-tails`."""
    group.add_argument(
        "--test-tails",
        type=int,
        choices=(1, 2),
        default=1,
        help="tails of the tests (1: A correlates better than B; 2: A and B differ; default: 1)",
    )


def add_test_arguments(parser: Parser) -> None:
    """How two metrics are tested against each other."""
    group = parser.add_argument_group("tests")
    group.add_argument(
        "--hypothesis-test",
        choices=get_args(Test),
        default=DEFAULT_TEST,
        metavar="TEST",
        help=f"one of {', '.join(get_args(Test))}; permutation-max is the larger p-value of permutation-system and "
        f"permutation-input, permutation-two-way the same for errors of both at once (default: {DEFAULT_TEST})",
    )
    group.add_argument(
        "--scheme",
        choices=get_args(Scheme),
        default="cells",
        help="what permutation-both swaps: single cells, as SacreROUGE and MTME do, or rows "
        "and columns, as nlpstats does (default: cells)",
    )
    group.add_argument(
        "--p-value",
        choices=get_args(PRule),
        default="plus-one",
        help="rule of the p-values; of permutation tests: (c + 1) / (K + 1), or c / K (default: plus-one)",
    )
    group.add_argument(
        "--signed", action="store_true", help="Williams' test with signed correlations, not |r|"
    )
