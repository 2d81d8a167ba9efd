"""Configuration files of runs: TOML or JSON, checked key by key, with overrides."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from rubrica.data.files import open_binary
from rubrica.data.jsonl import read_json
from rubrica.errors import DataError, ParameterError, UnknownNameError

KEYS = (
    "dataset_reader",
    "input_files",
    "metrics",
    "include_packages",
    "like",
    "macro_output_json",
    "micro_output_jsonl",
    "output_jsonl",
)


@dataclass(frozen=True, slots=True)
class RunConfig:
    """What a configuration file says."""

    metrics: Sequence[Mapping[str, Any] | str]
    input_files: Sequence[str]
    dataset_reader: Mapping[str, Any] | str | None
    outputs: Mapping[str, str]
    like: str | None = None


def read_config(path: str, overrides: Sequence[str], *, trust: bool = False) -> RunConfig:
    """Return the configuration of `path` with overrides applied; unknown keys are errors.

    Only a trusted file may name packages to import.
    """
    values = load(path)
    for text in overrides:
        for key, value in _override(text).items():
            _set(values, key.split("."), value, key)
    for key in values:
        if key not in KEYS:
            raise UnknownNameError("key", key, KEYS, owner=path)
    packages = _texts(values, "include_packages", path)
    if packages and not trust:
        raise ParameterError(
            f"{path}: 'include_packages' imports code; pass --trust-config if you trust this file, "
            "or name the packages with --include-packages"
        )
    if packages:
        from rubrica.cli.packages import import_packages

        import_packages(packages)
    files = _texts(values, "input_files", path)
    if not files:
        raise ParameterError(f"{path}: 'input_files' must name at least one file")
    metrics = values.get("metrics")
    if not isinstance(metrics, list) or not metrics:
        raise ParameterError(
            f"{path}: 'metrics' must be a list with at least one metric, such as "
            '[[metrics]] type = "rouge"'
        )
    like = _text(values, "like", path) if "like" in values else None
    outputs = {key: _text(values, key, path) for key in KEYS if "output" in key and key in values}
    return RunConfig(metrics, files, values.get("dataset_reader"), outputs, like)


def load(path: str) -> dict[str, Any]:
    """What a TOML or JSON file holds."""
    if path.endswith(".jsonnet"):
        raise ParameterError(
            f"{path}: Jsonnet is not read; convert it once: jsonnet {path} > config.json"
        )
    if os.path.splitext(path)[1].lower() == ".toml":
        import tomllib

        with open_binary(path) as stream:
            try:
                return tomllib.loads(stream.read().decode("utf-8"))
            except (ValueError, RecursionError) as error:
                raise DataError(f"not valid TOML: {error}", file=path) from error
    try:
        content = read_json(path)
    except DataError as error:
        raise DataError(f"{error}; a configuration is TOML (.toml) or JSON") from error
    if not isinstance(content, dict):
        raise DataError("must hold an object with the keys of a run", file=path)
    return content


def _override(text: str) -> dict[str, Any]:
    """One override: a JSON object with dotted keys, or `dotted.key=value`."""
    if text.lstrip().startswith("{"):
        try:
            overrides = msgspec.json.decode(text.encode())
        except msgspec.DecodeError as error:
            raise ParameterError(f"--overrides: not valid JSON: {text} ({error})") from error
        return dict(overrides)
    key, equals, value = text.partition("=")
    if not equals:
        raise ParameterError(f"--overrides: expected key=value or a JSON object, found {text!r}")
    try:
        return {key: msgspec.json.decode(value.encode())}
    except msgspec.DecodeError:
        return {key: value}


def _set(node: Any, path: list[str], value: Any, key: str) -> None:
    """Put a value at a dotted path; numbers address places in lists."""
    *parents, last = path
    try:
        for step in parents:
            node = node[int(step)] if isinstance(node, list) else node.setdefault(step, {})
        if isinstance(node, list):
            node[int(last)] = value
        else:
            node[last] = value
    except (IndexError, ValueError, AttributeError, TypeError) as error:
        raise ParameterError(f"--overrides: nothing at {key!r} to override") from error


def _texts(values: Mapping[str, Any], key: str, path: str) -> list[str]:
    texts = values.get(key, [])
    texts = [texts] if isinstance(texts, str) else texts
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise ParameterError(f"{path}: {key!r} must be a text or a list of texts")
    return texts


def _text(values: Mapping[str, Any], key: str, path: str) -> str:
    if not isinstance(values[key], str):
        raise ParameterError(f"{path}: {key!r} must be a text")
    return str(values[key])
