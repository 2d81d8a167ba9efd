"""What a prompt of the kind `units` says: where its units come from and what its labels are worth."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, get_args

from rubrica.errors import DataError
from rubrica.metrics.base.units import UnitSource

_LABEL = re.compile(r"[\w-]+")
_PLACEHOLDER = re.compile(r"\{\{\s*(\w+)\s*\}\}")


@dataclass(frozen=True, slots=True)
class UnitRules:
    """Units are the summary's sentences, or `extract` asks for those of a summary, reference or document.

    `labels` maps the answers about a unit to support (0 to 1), `weights` importance to weight. Units
    with a label of `ignored` count for recall, not for precision. With `cites_lines` the answer also
    says which sentences of the summary express a unit.
    """

    units_of: UnitSource
    extract: str
    labels: Mapping[str, float]
    weights: Mapping[str, float]
    ignored: tuple[str, ...] = ()
    cites_lines: bool = False

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures: precision of the summary's units, recall of others, or both with their F1."""
        if self.cites_lines or self.ignored:
            return ("precision", "recall", "f1")
        return ("precision",) if self.units_of in ("summary", "sentences") else ("recall",)

    def extract_schema(self) -> str:
        """Return the JSON schema of a list of units."""
        fields: dict[str, Any] = {"text": {"type": "string"}}
        if self.weights:
            fields["importance"] = {"type": "string", "enum": list(self.weights)}
        return _schema("units", fields)

    def label_schema(self) -> str:
        """Return the JSON schema of a label for every unit."""
        fields: dict[str, Any] = {
            "unit": {"type": "integer"},
            "label": {"type": "string", "enum": list(self.labels)},
        }
        if self.cites_lines:
            fields["lines"] = {"type": "array", "items": {"type": "integer"}}
        return _schema("labels", fields)


def _schema(name: str, fields: dict[str, Any]) -> str:
    item = {
        "type": "object",
        "properties": fields,
        "required": list(fields),
        "additionalProperties": False,
    }
    schema = {
        "type": "object",
        "properties": {name: {"type": "array", "items": item}},
        "required": [name],
        "additionalProperties": False,
    }
    return json.dumps(schema, separators=(",", ":"))


def read_unit_rules(values: Mapping[str, Any], file: str) -> UnitRules:
    """Return the rules of a prompt file; raise `DataError` for invalid ones."""
    units_of: Any = values.get("units")
    if units_of not in get_args(UnitSource):
        raise DataError(
            f"'units' says whose units are checked: {', '.join(get_args(UnitSource))}; not {units_of!r}",
            file=file,
        )
    extract = values.get("extract", "")
    if (units_of == "sentences") == bool(extract.strip()):
        raise DataError("a prompt needs 'extract', unless its units are 'sentences'", file=file)
    if extract and set(_PLACEHOLDER.findall(extract)) != {units_of}:
        raise DataError(
            f"'extract' must have the placeholder {{{{{units_of}}}}} and no other", file=file
        )
    labels = _numbers(values, "labels", file)
    if len(labels) < 2 or not all(0 <= value <= 1 for value in labels.values()):
        raise DataError("'labels' needs at least two labels with values from 0 to 1", file=file)
    weights = _numbers(values, "weights", file)
    if not all(0 < value < math.inf for value in weights.values()):
        raise DataError("'weights' must be above 0", file=file)
    ignored = values.get("ignored", [])
    if not isinstance(ignored, list) or not set(ignored) <= set(labels):
        raise DataError("'ignored' must be a list of labels", file=file)
    lines = values.get("lines", False)
    if not isinstance(lines, bool) or (lines and units_of not in ("reference", "document")):
        raise DataError(
            "'lines' is true or false, and only for units of a reference or document", file=file
        )
    return UnitRules(units_of, extract, labels, weights, tuple(ignored), lines)


def _numbers(values: Mapping[str, Any], key: str, file: str) -> dict[str, float]:
    table = values.get(key, {})
    if not isinstance(table, dict) or not all(
        isinstance(value, (int, float)) and not isinstance(value, bool) for value in table.values()
    ):
        raise DataError(f"'{key}' must be a table of numbers", file=file)
    for name in table:
        if not _LABEL.fullmatch(name) or name != name.lower():
            raise DataError(
                f"{name!r} in '{key}' may hold only small letters, digits, _ and -", file=file
            )
    return {name: float(value) for name, value in table.items()}
