"""One file that describes a meta-evaluation: its keys are the options, with `_` for `-`."""

from __future__ import annotations

import argparse
import sys
from typing import Any

import msgspec

from rubrica.cli.parser import Parser
from rubrica.cli.scoring.config import load
from rubrica.errors import ParameterError, UnknownNameError
from rubrica.meta.correlation.bootstrap import ROUNDS

# What decides the numbers, in the order in which it is written.
REPRODUCIBLE_KEYS = (
    "scores",
    "summarizer_type",
    "human",
    "measures",
    "lower_is_better",
    "include_packages",
    "skip_summary_level",
    "skip_system_level",
    "skip_global",
    "coefficients",
    "undefined",
    "cluster",
    "rounds",
    "seed",
    "confidence_interval_method",
    "confidence",
    "alpha",
    "num_tails",
    "bounds",
    "hypothesis_test",
    "scheme",
    "p_value",
    "signed",
    "test_tails",
    "correction",
    "clusters",
)
# Where results go may stand in a file, too, but does not belong to what reproduces them.
OUTPUT_KEYS = (
    "workers",
    "output",
    "format",
    "log_file",
    "quiet",
    "silent",
    "plots",
    "plot_format",
    "plot_style",
    "output_config",
)
# Keys of earlier results; the parser knows them as old spellings.
OLD_KEYS = ("metrics_jsonl_files", "metrics", "num_samples", "output_file")


def config_words(words: list[str], parser: Parser) -> list[str]:
    """The words of the command line that the file after --config stands for; none without."""
    path = _path(words, parser)
    if path is None:
        return []
    values = load(path)
    if isinstance(values.get("config"), dict):
        # A result of an earlier run.
        values = values["config"]
    _refuse_imports(path, values.get("include_packages", []))
    out: list[str] = []
    for key, value in values.items():
        if key not in REPRODUCIBLE_KEYS + OUTPUT_KEYS + OLD_KEYS:
            raise UnknownNameError("key", key, REPRODUCIBLE_KEYS + OUTPUT_KEYS, owner=path)
        out += _option(path, key, value)
    return out


def config_of(arguments: argparse.Namespace) -> dict[str, Any]:
    """The options that reproduce a result; what was not given and is empty is left out."""
    values = vars(arguments) | {"rounds": arguments.rounds or ROUNDS}
    return {
        key: values[key]
        for key in REPRODUCIBLE_KEYS
        if values.get(key) not in (None, False) and values[key] != []
    }


def toml_of(config: dict[str, Any]) -> str:
    """The options as TOML; texts, numbers, truth values and lists of them look as in JSON."""
    return "".join(
        f"{key} = {msgspec.json.encode(value).decode()}\n" for key, value in config.items()
    )


def _path(words: list[str], parser: Parser) -> str | None:
    path = None
    for at, word in enumerate(words):
        if word == "--config":
            if at + 1 == len(words) or words[at + 1].startswith("-"):
                parser.error("argument --config: expected one argument")
            path = words[at + 1]
        elif word.startswith("--config="):
            path = word.partition("=")[2]
    return path


def _refuse_imports(path: str, packages: Any) -> None:
    """Raise for packages that the command line has not imported: a file imports nothing (SECURITY.md)."""
    names = packages if isinstance(packages, list) else [packages]
    missing = [str(name) for name in names if name not in sys.modules]
    if missing:
        raise ParameterError(
            f"{path}: 'include_packages' imports code; if you trust it: --include-packages {' '.join(missing)}"
        )


def _option(path: str, key: str, value: Any) -> list[str]:
    name = f"--{key.replace('_', '-')}"
    flag = key.startswith("skip_") or key in ("signed", "quiet", "silent")
    if flag != isinstance(value, bool):
        expected = "true or false" if flag else "a text, a number or a list"
        raise ParameterError(f"{path}: {key!r} must be {expected}, not {value!r}")
    if flag:
        return [name] if value else []
    values = value if isinstance(value, list) else [value]
    if not all(
        isinstance(item, (str, int, float)) and not isinstance(item, bool) for item in values
    ):
        raise ParameterError(f"{path}: {key!r} must be a text, a number or a list of them")
    if options := [item for item in values if str(item).startswith("--")]:
        raise ParameterError(f"{path}: {key!r} must not hold options: {options[0]!r}")
    if not values:
        return []
    return [name, *map(str, values)] if isinstance(value, list) else [f"{name}={value}"]
