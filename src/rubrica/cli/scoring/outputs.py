"""Output of runs: the files that options and words name, and how system scores are printed."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence

from rubrica.cli.console import has_style
from rubrica.data.jsonl import encoded_json
from rubrica.errors import UsageError, printable
from rubrica.metrics.base.metric import Metric
from rubrica.scoring.evaluation import Evaluation


def macro_and_micro(
    arguments: argparse.Namespace,
    words: Sequence[str] = (),
    configured: Mapping[str, str] | None = None,
) -> tuple[str | None, str | None]:
    """Return the files for system scores and for rows; None for one that is not named."""
    if len(words) > 2:
        raise UsageError(f"at most two output files, MACRO and MICRO: {' '.join(words)}")
    configured = configured or {}
    first, second = [*words, None, None][:2]
    macro = _same("MACRO", first, "-o", arguments.output)
    micro = _same("MICRO", second, "--rows-output", arguments.rows_output)
    macro = macro or configured.get("macro_output_json")
    micro = micro or configured.get("micro_output_jsonl")
    if macro is not None and macro == micro:
        raise UsageError(f"system scores and rows cannot both go to {macro!r}")
    return macro, micro


def rows_output(
    arguments: argparse.Namespace,
    words: Sequence[str] = (),
    configured: Mapping[str, str] | None = None,
) -> str:
    """Return the file for rows, which `score` must have."""
    if len(words) > 1:
        raise UsageError(f"at most one output file, OUT: {' '.join(words)}")
    output = _same("OUT", words[0] if words else None, "-o", arguments.output)
    output = output or (configured or {}).get("output_jsonl")
    if output is None and arguments.dry_run:
        return "-"
    if output is None:
        raise UsageError("score needs a file for its rows: -o FILE (- for stdout)")
    return output


def evaluation_text(evaluation: Evaluation, layout: str, metrics: Sequence[Metric]) -> str:
    """Return system scores as text: `json`, `rouge155`, or a table."""
    if layout == "json":
        return encoded_json(evaluation.to_dict()).decode().rstrip()
    if layout == "rouge155":
        from rubrica.cli.rouge155.layout import rouge155_layout

        return printable(rouge155_layout(evaluation, list(metrics)))
    return evaluation.to_table().to_text(bold=has_style(sys.stdout))


def _same(word: str, positional: str | None, option: str, value: str | None) -> str | None:
    if positional is not None and value is not None and positional != value:
        raise UsageError(f"{word} ({positional}) and {option} ({value}) say different things")
    return positional if positional is not None else value
