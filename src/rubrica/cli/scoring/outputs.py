"""Output files, given as positional words or as options; both spellings are kept from SacreROUGE."""

from __future__ import annotations

import argparse
from collections.abc import Mapping

from rubrica.errors import UsageError


def macro_and_micro(
    arguments: argparse.Namespace, configured: Mapping[str, str] | None = None
) -> tuple[str | None, str | None]:
    """Files for system scores and for rows; None where none was asked for."""
    configured = configured or {}
    macro = _one("MACRO", arguments.macro, "--macro-output-json", arguments.macro_output_json)
    micro = _one("MICRO", arguments.micro, "--micro-output-jsonl", arguments.micro_output_jsonl)
    macro = macro or configured.get("macro_output_json")
    micro = micro or configured.get("micro_output_jsonl")
    if macro is not None and macro == micro:
        raise UsageError(f"system scores and rows cannot both go to {macro!r}")
    return macro, micro


def rows_output(arguments: argparse.Namespace, configured: Mapping[str, str] | None = None) -> str:
    """The file for rows, which `score` must have."""
    output = _one("OUT", arguments.output, "--output-jsonl", arguments.output_jsonl)
    output = output or (configured or {}).get("output_jsonl")
    if output is None:
        raise UsageError("score needs a file for its rows: OUT or --output-jsonl (- for stdout)")
    return output


def _one(word: str, positional: str | None, option: str, value: str | None) -> str | None:
    if positional is not None and value is not None and positional != value:
        raise UsageError(f"{word} ({positional}) and {option} ({value}) say different things")
    return positional if positional is not None else value
