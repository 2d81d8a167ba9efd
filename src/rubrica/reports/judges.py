"""The page of a judge's test, audit or estimate: a verdict in a sentence, tables, intervals, examples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from rubrica import __version__
from rubrica.reports.page import page

Cell: TypeAlias = str | float | int | bool | None


@dataclass(frozen=True, slots=True)
class IntervalMark:
    """A value with its interval, drawn as a dot on a line."""

    label: str
    value: float | None
    lower: float | None = None
    upper: float | None = None


@dataclass(frozen=True, slots=True)
class Example:
    """A case to look at: a title, why it is shown, and texts under their headings."""

    title: str
    reason: str
    texts: Sequence[tuple[str, str]] = ()


@dataclass(frozen=True, slots=True)
class ReportSection:
    """A part of the page; what is empty is not drawn.

    `verdict` is the section's result in a sentence. `reference` is the value that intervals are
    compared with, drawn as a line.
    """

    title: str
    note: str = ""
    verdict: str = ""
    headers: Sequence[str] = ()
    rows: Sequence[Sequence[Cell]] = ()
    digits: int = 3
    intervals: Sequence[IntervalMark] = ()
    reference: float | None = None
    examples: Sequence[Example] = ()


@dataclass(frozen=True, slots=True)
class JudgeReport:
    """Everything the page shows."""

    title: str
    verdict: str
    facts: str
    sections: Sequence[ReportSection]
    signatures: Sequence[str] = ()
    version: str = field(default=__version__)

    def page(self) -> bytes:
        """Return the report as one HTML file."""
        return page(self.title, self, script="judges", styles=("judges",))
