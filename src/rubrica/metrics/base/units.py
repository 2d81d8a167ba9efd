"""Content units (SCUs, ACUs, claims, nuggets, key facts): one record and one arithmetic."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Literal, Protocol, TypeAlias, runtime_checkable

import msgspec

from rubrica.data.instance import DocumentType, ReferenceType, SummaryType, flatten
from rubrica.data.jsonl import read_jsonl
from rubrica.errors import DataError
from rubrica.statistics.intervals import wilson_bounds


class Unit(msgspec.Struct, frozen=True):
    """A unit, its importance, and how far a text supports it: 1 fully, 0 not at all; None if nobody decided."""

    text: str = ""
    weight: float = 1.0
    support: float | None = None


# The units are the summary's sentences, or were taken from a text.
UnitSource: TypeAlias = Literal["summary", "sentences", "reference", "document"]


class CheckedUnit(Unit, frozen=True):
    """A unit after the check; `label` is the word for its support, empty if the metric has numbers only."""

    label: str = ""


@runtime_checkable
class UnitCheckingMetric(Protocol):
    """A metric that can show what it decides about each unit of a summary and its context."""

    @property
    def unit_source(self) -> UnitSource | None:
        """Whose units it checks; None if this one, with its parameters, checks none."""

    def check_units(
        self,
        summary: SummaryType,
        *,
        documents: Sequence[DocumentType],
        references: Sequence[ReferenceType],
    ) -> list[CheckedUnit]:
        """Return the units as scored; those without a decision have no support."""


def total_weight(units: Iterable[Unit]) -> float:
    """Return the weight of all units that have a label."""
    return math.fsum(unit.weight for unit in units if unit.support is not None)


def supported_weight(units: Iterable[Unit]) -> float:
    """Return the weight of the supported units; a unit that is supported in part counts in part."""
    return math.fsum(unit.weight * unit.support for unit in units if unit.support is not None)


def supported_share(units: Sequence[Unit]) -> float | None:
    """Return the share of the weight that is supported; None without a unit that has a label.

    It is a recall if the units are those of a reference or document, a precision if they are those of the summary.
    """
    total = total_weight(units)
    return supported_weight(units) / total if total else None


def heaviest_weight(units: Iterable[Unit], size: int) -> float:
    """Return the weight of the `size` most important units: that of an ideal summary with so many units."""
    return math.fsum(sorted((unit.weight for unit in units), reverse=True)[:size])


def f_score(precision: float | None, recall: float | None, beta: float = 1.0) -> float | None:
    """Return the F-score; 0 if precision and recall are 0, None if one of them is undefined."""
    if precision is None or recall is None:
        return None
    below = beta * beta * precision + recall
    return (1 + beta * beta) * precision * recall / below if below else 0.0


def share_interval(units: Sequence[Unit], confidence: float = 0.95) -> tuple[float, float] | None:
    """Return the Wilson interval of the supported share, as if the units were a sample.

    Units of unequal weight count as Kish's effective number of units, which is smaller. None without a
    unit that has a label.
    """
    share = supported_share(units)
    if share is None:
        return None
    weights = [unit.weight for unit in units if unit.support is not None]
    count = math.fsum(weights) ** 2 / math.fsum(weight * weight for weight in weights)
    return wilson_bounds(share, count, 100 * confidence)


def read_units(file: str) -> dict[str, list[Unit]]:
    """Return the units of every reference of a JSON lines file, by the reference's `unit_key`.

    A line has "reference" (its text) and "units" (texts, or objects with "unit" and "weight").
    """
    units_by_reference: dict[str, list[Unit]] = {}
    for number, row in read_jsonl(file):
        reference, units = row.get("reference"), row.get("units")
        if not isinstance(reference, (str, list)) or not isinstance(units, list):
            raise DataError(
                "needs 'reference', a text, and 'units', a list", file=file, line=number
            )
        units_by_reference[unit_key(flatten(reference))] = [
            _unit(unit, file, number) for unit in units
        ]
    return units_by_reference


def find_units(units: dict[str, list[Unit]], reference: str, file: str) -> list[Unit]:
    """Return the units of a reference; raise `DataError` if the file has none."""
    key = unit_key(reference)
    if key not in units:
        raise DataError(
            f"no units for the reference {key[:80]!r}; every reference needs a line", file=file
        )
    return units[key]


def unit_key(reference: str) -> str:
    """Return the text of a reference with single blanks."""
    return " ".join(reference.split())


def _unit(unit: object, file: str, line: int) -> Unit:
    text, weight = (
        (unit.get("unit"), unit.get("weight", 1)) if isinstance(unit, dict) else (unit, 1)
    )
    valid = isinstance(text, str) and text.strip()
    if not valid or not isinstance(weight, (int, float)) or not 0 < weight < math.inf:
        raise DataError(
            f"a unit is a text, or an object with 'unit' and a 'weight' above 0, not {unit!r}",
            file=file,
            line=line,
        )
    return Unit(str(text), float(weight))
