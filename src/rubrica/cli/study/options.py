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


def add_ids(parser: argparse._ActionsContainer, detail: str = "") -> None:
    """Add `--ids`, the inputs of lines."""
    parser.add_argument("--ids", metavar="FILE", help=f"file of input ids, one per line{detail}")


def add_pseudonymize(parser: argparse._ActionsContainer) -> None:
    """Add `--pseudonymize`."""
    parser.add_argument(
        "--pseudonymize",
        action="store_true",
        help="replace worker ids with irreversible pseudonyms",
    )


def add_standardize(parser: argparse._ActionsContainer) -> None:
    """Add `--standardize`."""
    parser.add_argument(
        "--standardize",
        action="store_true",
        help="scale each rater's scores to mean 0 and standard deviation 1",
    )
