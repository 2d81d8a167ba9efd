"""Annotations by people and judges: annotator -> item -> label, read from JSON, CSV or JSON lines."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from rubrica.errors import DataError, UnknownNameError
from rubrica.meta.judges.ratings import NoLabelsError, read_ratings

Item: TypeAlias = tuple[str, ...]
Labels: TypeAlias = Mapping[Item, Any]


@dataclass(frozen=True, slots=True)
class Annotations:
    """Labels of items by people and by judges; an item is a tuple of its identifying fields."""

    humans: Mapping[str, Labels]
    judges: Mapping[str, Labels]

    def select(self, position: int, value: str) -> Annotations:
        """Return the annotations of items whose field at `position` has this value."""

        def chosen(people: Mapping[str, Labels]) -> dict[str, Labels]:
            selected = {
                name: {item: label for item, label in labels.items() if item[position] == value}
                for name, labels in people.items()
            }
            return {name: labels for name, labels in selected.items() if labels}

        return Annotations(chosen(self.humans), chosen(self.judges))


def read_annotations(
    files: Sequence[str | os.PathLike[str]],
    judge_files: Sequence[str | os.PathLike[str]] = (),
    *,
    judges: Sequence[str] | None = None,
    annotator: str | None = None,
    annotators: Sequence[str] | None = None,
    label: str | None = None,
    item: Sequence[str] | None = None,
    separator: str | None = None,
) -> Annotations:
    """Read which annotator and which judge gave which label to which item.

    Args:
        files: Labels. A `.json` file holds one object: annotator -> item -> label. Other files are tables.
        judge_files: Files in which everybody is a judge.
        judges: Names of the judges among the annotators of `files`; with `judge_files`, the judges to use.
        annotator: Column with the annotator's name, in tables with a row per label.
        annotators: Columns of annotators, in tables with a row per item.
        label: Column with the label.
        item: Columns that identify an item.
        separator: Splits the item names of `.json` files into fields.

    Returns:
        The labels of people and of judges.

    Raises:
        DataError: A file cannot be read, or has two labels for one item and annotator.
        UnknownNameError: Nobody has the name of a judge.

    Example:
        >>> from pathlib import Path
        >>> from rubrica.meta import read_annotations
        >>> _ = Path("labels.json").write_text('{"ann": {"1": "a", "2": "b"}, "gpt": {"1": "a", "2": "a"}}')
        >>> labels = read_annotations(["labels.json"], judges=["gpt"])
        >>> list(labels.humans), list(labels.judges)
        (['ann'], ['gpt'])
    """

    def read(paths: Sequence[str | os.PathLike[str]]) -> dict[str, dict[Item, Any]]:
        merged: dict[str, dict[Item, Any]] = {}
        for path in paths:
            file = os.fspath(path)
            if file.endswith(".json"):
                part = _read_object(file, separator)
            else:
                part = _read_table(file, annotator, annotators, label, item)
            for name, labels in part.items():
                _merge(merged.setdefault(name, {}), labels, name, file)
        return merged

    people, machines = read(files), read(judge_files)
    for name in judges or ():
        if name in people:
            machines[name] = people.pop(name)
        elif name not in machines:
            raise UnknownNameError("judge", name, [*people, *machines])
    if judge_files and judges:
        machines = {name: machines[name] for name in judges}
    if not machines:
        raise DataError("no judge: name one with `judges=...`, or its file with `judge_files=...`")
    if not people:
        raise DataError("no annotations by people: every annotator is a judge")
    return Annotations(people, machines)


def as_items(labels: Mapping[Any, Any]) -> dict[Item, Any]:
    """Return labels keyed by tuples; a plain key becomes a tuple of one. Gaps are left out."""
    return {
        key if isinstance(key, tuple) else (str(key),): label
        for key, label in labels.items()
        if not (label is None or (isinstance(label, float) and math.isnan(label)))
    }


def are_numbers(labels: Iterable[Any]) -> bool:
    """Return whether every label is a finite number."""
    return all(
        isinstance(label, (int, float)) and not isinstance(label, bool) and math.isfinite(label)
        for label in labels
    )


def _read_object(file: str, separator: str | None) -> dict[str, dict[Item, Any]]:
    try:
        with open(file, "rb") as stream:
            values = json.loads(stream.read())
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror}", file=file) from error
    except (ValueError, RecursionError) as error:
        raise DataError(f"not valid JSON: {error}", file=file) from error
    shape = "expected one object, annotator -> item -> label"
    if not isinstance(values, dict) or not values:
        raise DataError(shape, file=file)
    annotations: dict[str, dict[Item, Any]] = {}
    for name, labels in values.items():
        if not isinstance(labels, dict):
            raise DataError(f"{shape}; {name!r} has {type(labels).__name__}", file=file)
        for key, label in labels.items():
            if label is not None and not isinstance(label, (str, int, float)):
                raise DataError(f"{name!r}, {key!r}: not a label: {label!r}", file=file)
        split = {
            tuple(key.split(separator)) if separator else (key,): labels[key] for key in labels
        }
        annotations[name] = as_items(split)
    return annotations


def _read_table(
    file: str,
    annotator: str | None,
    annotators: Sequence[str] | None,
    label: str | None,
    item: Sequence[str] | None,
) -> dict[str, dict[Item, Any]]:
    questions = None if label is None else [label]
    try:
        ratings = read_ratings([file], questions, judge=annotator, judges=annotators, unit=item)
    except NoLabelsError as error:
        raise DataError(
            "no labels by two annotators; name the column of their names with `annotator=...`, or their own "
            "columns with `annotators=...`",
            file=file,
        ) from error
    if len(ratings) > 1:
        names = ", ".join(rating.question for rating in ratings)
        raise DataError(f"several labels ({names}); choose one with `label=...`", file=file)
    [table] = ratings
    return {
        name: {
            unit: value
            for unit, value in zip(table.units, labels, strict=True)
            if value is not None
        }
        for name, labels in zip(table.judges, table.labels, strict=True)
    }


def _merge(known: dict[Item, Any], labels: Mapping[Item, Any], name: str, file: str) -> None:
    for unit, label in labels.items():
        if unit in known and known[unit] != label:
            raise DataError(
                f"{name!r} labels {' '.join(unit)!r} {label!r} here, but {known[unit]!r} before",
                file=file,
            )
        known[unit] = label
