"""Options that several commands share."""

from __future__ import annotations

import argparse
import os

from rubrica.cli.parser import Parser
from rubrica.errors import UsageError
from rubrica.parameters import SEED

_ENDINGS = {".md": "markdown", ".tex": "latex", ".csv": "csv", ".txt": "text"}


def format_of(path: str) -> str:
    """Return the format of an output file by its ending; JSON if that says nothing."""
    return _ENDINGS.get(os.path.splitext(path)[1].lower(), "json")


def add_general_options(parser: Parser) -> None:
    """Add the options that every command has."""
    group = parser.add_argument_group("general")
    group.add_argument(
        "-q",
        "--quiet",
        "--silent",
        action="store_true",
        help="print errors only, and the result if no file is named for it",
    )
    group.add_argument(
        "-v", "--verbose", action="store_true", help="also print how long each step took"
    )
    group.add_argument("--log-file", metavar="FILE", help="append messages to this file")
    group.add_argument(
        "--include-packages",
        nargs="+",
        metavar="P",
        help="import these packages first, such as your own metrics and readers",
    )


def add_seed(parser: argparse._ActionsContainer, *more: str) -> None:
    """Add `--seed`, under other names too."""
    parser.add_argument(
        "--seed",
        *more,
        dest="seed",
        type=int,
        default=SEED,
        metavar="N",
        help=f"seed of the random numbers (default: {SEED})",
    )


def add_cluster(parser: argparse._ActionsContainer) -> None:
    """Add `--cluster`, which inputs are resampled together."""
    parser.add_argument(
        "--cluster",
        metavar="FIELD",
        help="treat inputs as one unit if they share this field of their rows (such as topic), or the part of their id that matches id:REGEX",
    )


def add_alpha(parser: argparse._ActionsContainer, default: float | None = 0.05) -> None:
    """Add `--alpha`."""
    shown = "1 - confidence / 100" if default is None else f"{default:g}"
    parser.add_argument(
        "--alpha",
        type=float,
        default=default,
        metavar="X",
        help=f"significance level (default: {shown})",
    )


def check_alpha(alpha: float) -> None:
    """Refuse what is no significance level."""
    if not 0 < alpha < 1:
        raise UsageError(f"--alpha must lie between 0 and 1, not {alpha:g}")


def add_interval_rounds(parser: argparse._ActionsContainer) -> None:
    """Add `--interval-rounds`, for commands whose `--rounds` are those of tests."""
    parser.add_argument(
        "--interval-rounds",
        type=int,
        default=1000,
        metavar="N",
        help="resampling rounds of the intervals; 0 for no intervals (default: 1,000)",
    )


def add_confidence(parser: argparse._ActionsContainer) -> None:
    """Add `--confidence`."""
    parser.add_argument(
        "--confidence",
        type=float,
        default=95.0,
        metavar="X",
        help="confidence level of the intervals, in percent (default: 95)",
    )


def check_confidence(percent: float) -> None:
    """Refuse what is no percentage, and 0.95, which would give an interval of almost no width."""
    if not 0 < percent < 100:
        raise UsageError(f"--confidence must lie between 0 and 100, not {percent:g}")
    if percent <= 1:
        raise UsageError(
            f"--confidence is in percent: {100 * percent:g} for {percent:g}"
            if percent < 1
            else "--confidence is in percent, such as 95; not 1"
        )


def add_text_or_json(parser: argparse._ActionsContainer) -> None:
    """Add the format of a result that is printed as text or JSON."""
    parser.add_argument(
        "-f",
        "--format",
        choices=("text", "json"),
        default="text",
        help="output format (default: text)",
    )
