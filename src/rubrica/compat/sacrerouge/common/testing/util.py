"""Helpers of SacreROUGE's tests: which commands exist, texts and scores of files."""

from __future__ import annotations

import argparse
import os
from typing import Any

from rubrica.compat.sacrerouge import build_argument_parser
from rubrica.compat.sacrerouge.data import Metrics, MetricsDict
from rubrica.compat.sacrerouge.io import JsonlReader


def load_summaries(file_path: str) -> list[Any]:
    """Return the summary of each row."""
    return [row["summary"] for row in JsonlReader(file_path).read()]


def load_references(file_path: str) -> list[list[Any]]:
    """Return the references of each row, under whichever key it has them."""
    references = []
    for row in JsonlReader(file_path).read():
        for key in ("summary", "summaries", "reference", "references"):
            if key in row:
                several = row[key] if isinstance(row[key], list) else [row[key]]
                references.append([reference["text"] for reference in several])
                break
    return references


def load_metrics_dicts(file_path: str) -> dict[str, dict[str, MetricsDict]]:
    """Return scores by input and system."""
    scores: dict[str, dict[str, MetricsDict]] = {}
    for row in JsonlReader(file_path, Metrics).read():
        scores.setdefault(row.instance_id, {})[row.summarizer_id] = row.metrics
    return scores


def command_exists(parser: argparse.ArgumentParser, command: list[str]) -> bool:
    """Return whether a parser has a command, given by its words."""
    if parser._subparsers is None:
        return False
    for action in parser._subparsers._group_actions:
        choices: Any = action.choices or {}
        if command[0] in choices:
            return len(command) == 1 or command_exists(choices[command[0]], command[1:])
    return False


def sacrerouge_command_exists(command: list[str]) -> bool:
    """Return whether the command line has a command."""
    return command_exists(build_argument_parser(), command)


def get_gpu_device() -> int:
    """Return the number in CUDA_VISIBLE_DEVICES, or -1."""
    return int(os.environ.get("CUDA_VISIBLE_DEVICES") or -1)
