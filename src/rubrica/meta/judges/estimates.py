"""The result of `estimate_systems`: systems, their differences, a plan of labels, and the verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from rubrica.formatting.charts import Panel, Point
from rubrica.formatting.jsonable import to_jsonable
from rubrica.formatting.result import Result
from rubrica.formatting.table import Cell, Table
from rubrica.formatting.text_table import format_value
from rubrica.formatting.words import word_list
from rubrica.signature import Signature
from rubrica.statistics.prediction_powered import MeanEstimate, Method


@dataclass(frozen=True, slots=True)
class SystemEstimate:
    """A system's mean human score: with the judge, and from people's labels alone.

    `best_rank` and `worst_rank` bound its rank by the significant differences. `labels_saved`: how
    many more labels people alone would need for the same error; 0 if the judge is of no use.
    """

    system: str
    estimate: MeanEstimate
    people_only: MeanEstimate
    labels_saved: float
    best_rank: int = 1
    worst_rank: int = 1


@dataclass(frozen=True, slots=True)
class SystemDifference:
    """Difference of two systems' means, estimated on the inputs that both have."""

    first: str
    second: str
    estimate: MeanEstimate
    people_only: MeanEstimate
    p_value: float | None
    adjusted_p_value: float | None


@dataclass(frozen=True, slots=True)
class LabelPlan:
    """Labels per system for an interval of +- `half_width`, with the judge and without.

    `with_judge` is None where even labels for all items do not suffice.
    """

    half_width: float
    people_only: int
    with_judge: int | None


@dataclass(frozen=True, slots=True, repr=False)
class Estimates(Result):
    """All systems, the highest estimate first, their differences, and what the judge is worth.

    `correlation` is that of labels and judge within systems; `error_ratio` the mean ratio of the
    errors with the judge and without: below 1 it helps.
    """

    human: str
    judge: str
    systems: tuple[SystemEstimate, ...]
    differences: tuple[SystemDifference, ...]
    correlation: float | None
    error_ratio: float | None
    labels: int
    items: int
    plan: tuple[LabelPlan, ...]
    signature: Signature = field(repr=False)
    method: Method = "ppi++"

    def to_table(self) -> Table:
        """Return a row per system: with the judge, from people alone, labels saved, possible ranks."""
        rows = [
            [
                Cell(row.system),
                Cell(f"{row.estimate.labels:,}"),
                Cell(_interval(row.estimate)),
                Cell(_interval(row.people_only)),
                Cell(f"{row.labels_saved:.0f}"),
                Cell(f"{row.best_rank}-{row.worst_rank}"),
            ]
            for row in self.systems
        ]
        headers = ["system", "labels", self.human, "people only", "labels saved", "ranks"]
        caption = f"{self.human}, estimated with {self.judge}."
        return Table(headers, rows, caption, [self.verdict()], [str(self.signature)])

    def records(self) -> list[dict[str, Any]]:
        """Return a row per system."""
        return [
            {
                "system": row.system,
                "labels": row.estimate.labels,
                "value": row.estimate.value,
                **_bounds("", row.estimate),
                "people_only": row.people_only.value,
                **_bounds("people_only_", row.people_only),
                "labels_saved": row.labels_saved,
                "best_rank": row.best_rank,
                "worst_rank": row.worst_rank,
            }
            for row in self.systems
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return {**to_jsonable(self), "verdict": self.verdict()}

    def panels(self) -> list[Panel]:
        """Return the estimates with the judge, and those from people alone."""
        return [
            Panel(title, [Point(row.system, e.value, e.lower, e.upper) for row, e in estimates])
            for title, estimates in (
                (self.human, [(row, row.estimate) for row in self.systems]),
                (f"{self.human}, people only", [(row, row.people_only) for row in self.systems]),
            )
        ]

    def verdict(self) -> str:
        """Say in a sentence or two what the judge is worth and who leads."""
        leader = self.systems[0]
        open_ranks = [row.system for row in self.systems[1:] if row.best_rank == 1]
        text = (
            f"{leader.system} has the highest estimated {self.human}, {leader.estimate.value:.3f}"
        )
        if open_ranks:
            text += f"; {_listed(open_ranks)} may be as good"
        text += ". "
        saved = sum(row.labels_saved for row in self.systems)
        if self.error_ratio is None:
            return text + "Too few labels to say what the judge is worth."
        if self.error_ratio > 0.98 or saved < 1:
            return f"{text}The judge {self.judge} saves no labels: {self._why_none_saved()}."
        return text + (
            f"With {self.judge}, {self.labels:,} labels are worth {self.labels + round(saved):,}: "
            f"errors are {100 * (1 - self.error_ratio):.0f} % smaller "
            f"(correlation with people {format_value(self.correlation, 2)})."
        )

    def _why_none_saved(self) -> str:
        if self.method == "classical":
            return "method classical ignores it"
        if self.labels == self.items:
            return "people labelled every summary that it scored"
        correlation = f"correlation {format_value(self.correlation, 2)}"
        if self.method == "ppi":
            return (
                f"method ppi gives its scores the fixed weight 1, which is too much for this judge "
                f"({correlation}). Use --method ppi++, which fits the weight to the judge"
            )
        return f"its scores say too little about people's ({correlation})"


def _interval(estimate: MeanEstimate) -> str:
    if estimate.lower is None:
        return f"{estimate.value:.3f}"
    return f"{estimate.value:.3f} [{estimate.lower:.3f}, {estimate.upper:.3f}]"


def _bounds(prefix: str, estimate: MeanEstimate) -> dict[str, float | None]:
    return {f"{prefix}lower": estimate.lower, f"{prefix}upper": estimate.upper}


def _listed(names: Sequence[str]) -> str:
    return word_list([*names[:3], f"{len(names) - 3} more"] if len(names) > 3 else names)
