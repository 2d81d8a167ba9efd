"""Parse JSON answers about units strictly: a list of units, or a label for every unit; or nothing."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from rubrica.metrics.base.units import Unit
from rubrica.metrics.judge.unit_rules import UnitRules

MAX_UNITS = 100
_LONGEST_UNIT = 2000
_FENCE = re.compile(r"^```(?:json)?\s*\n(.*)\n\s*```$", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Label:
    """The label of a unit, and the sentences of the summary that express it, counted from 1."""

    name: str
    lines: frozenset[int] = frozenset()


def parse_units(answer: str, rules: UnitRules) -> list[Unit] | None:
    """Return the units of `{"units": [{"text": ..., "importance": ...}]}`; None for any other answer."""
    items = _list(answer, "units")
    if items is None or len(items) > MAX_UNITS:
        return None
    units = []
    for item in items:
        if not isinstance(item, dict) or not isinstance(item.get("text"), str):
            return None
        text, importance = " ".join(item["text"].split()), str(item.get("importance"))
        if not text or len(text) > _LONGEST_UNIT:
            return None
        if rules.weights and importance not in rules.weights:
            return None
        units.append(Unit(text, rules.weights[importance] if rules.weights else 1.0))
    return units


def parse_labels(
    answer: str, rules: UnitRules, units: int, sentences: int
) -> list[Label | None] | None:
    """Return a label for each unit of `{"labels": [{"unit": 1, "label": ...}]}`; None for any other answer.

    A unit with no label, an unknown one or two different ones has none.
    """
    items = _list(answer, "labels")
    if items is None:
        return None
    labels: dict[int, Label | None] = {}
    for item in items:
        label = _label(item, rules, sentences)
        number: Any = item.get("unit") if isinstance(item, dict) else None
        if not _whole(number) or not 1 <= number <= units:
            return None
        same = number not in labels or labels[number] == label
        labels[number] = label if same else None
    return [labels.get(number) for number in range(1, units + 1)]


def _label(item: Any, rules: UnitRules, sentences: int) -> Label | None:
    if not isinstance(item, dict) or not isinstance(item.get("label"), str):
        return None
    name = item["label"].strip().lower()
    if name not in rules.labels:
        return None
    lines = item.get("lines") if rules.cites_lines else []
    if not isinstance(lines, list) or not all(
        _whole(line) and 1 <= line <= sentences for line in lines
    ):
        return None
    return Label(name, frozenset(lines))


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _list(answer: str, name: str) -> list[Any] | None:
    """Return the list under a name of an answer that is a JSON object, perhaps in a code fence."""
    text = answer.strip()
    fenced = _FENCE.match(text)
    try:
        content = json.loads(fenced[1] if fenced else text)
    except (ValueError, RecursionError):
        return None
    items = content.get(name) if isinstance(content, dict) else None
    return items if isinstance(items, list) else None
