"""Options that several stages of a study have."""

from __future__ import annotations

import argparse


def add_tags(parser: argparse._ActionsContainer) -> None:
    """Add how faulty tags are read."""
    parser.add_argument(
        "--tags",
        choices=("strict", "repair", "realsumm"),
        default="strict",
        help="how to read faulty tags (default: strict, an error)",
    )


def add_unglue(parser: argparse._ActionsContainer) -> None:
    """Add the option that separates glued words."""
    parser.add_argument("--unglue", action="store_true", help="change `left .she` to `left . she`")


def add_running_text(parser: argparse._ActionsContainer) -> None:
    """Add the options that turn tokens into text as people write it."""
    parser.add_argument("--detokenize", action="store_true", help="turn tokens into running text")
    parser.add_argument(
        "--truecase-from",
        nargs="+",
        metavar="FILE",
        help="restore capitals, learnt from these texts",
    )
