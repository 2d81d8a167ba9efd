"""The result of the alternative annotator test for one judge."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from rubrica.formatting.charts import Panel, Point
from rubrica.formatting.jsonable import to_jsonable
from rubrica.formatting.result import Result
from rubrica.formatting.table import Cell, Table
from rubrica.formatting.text_table import format_p
from rubrica.signature import Signature


@dataclass(frozen=True, slots=True)
class AnnotatorComparison:
    """The judge against one left-out annotator, on the items of that annotator.

    `advantage`: share of items where the judge scores at least as high as the annotator;
    `human_advantage`: the reverse. `p_value` is None where all differences equal epsilon.
    """

    annotator: str
    items: int
    advantage: float
    human_advantage: float
    p_value: float | None
    adjusted_p_value: float
    judge_wins: bool


@dataclass(frozen=True, slots=True, repr=False)
class AltTest(Result):
    """Result of the test for one judge.

    `winning_rate` is the share of annotators the judge wins against; it passes from 0.5.
    `advantage_probability`, the mean advantage over annotators, compares judges; its interval
    resamples items. `dropped_items` have too few annotators or no label by the judge;
    `skipped_annotators` have too few items.
    """

    judge: str
    epsilon: float
    winning_rate: float
    passed: bool
    advantage_probability: float
    lower: float | None
    upper: float | None
    annotators: tuple[AnnotatorComparison, ...]
    skipped_annotators: tuple[str, ...]
    dropped_items: int
    signature: Signature = field(repr=False)

    def to_table(self) -> Table:
        """Return a row per annotator left out; the notes say whether the judge passes."""
        rows = [
            [
                Cell(a.annotator),
                Cell(f"{a.items:,}"),
                Cell(f"{a.advantage:.3f}"),
                Cell(f"{a.human_advantage:.3f}"),
                Cell(format_p(a.adjusted_p_value)),
                Cell("yes" if a.judge_wins else "no"),
            ]
            for a in self.annotators
        ]
        interval = "" if self.lower is None else f" [{self.lower:.3f}, {self.upper:.3f}]"
        wins = sum(a.judge_wins for a in self.annotators)
        notes = [
            f"at epsilon {self.epsilon:g}, {self.judge} {'passes' if self.passed else 'does not pass'}: "
            f"it wins against {wins} of {len(self.annotators)} annotators",
            f"advantage probability: {self.advantage_probability:.3f}{interval}",
        ]
        headers = ["annotator", "items", "judge as good", "annotator as good", "adjusted p", "wins"]
        caption = f"{self.judge} against each annotator."
        return Table(headers, rows, caption, notes, [str(self.signature)])

    def records(self) -> list[dict[str, Any]]:
        """Return a row per annotator left out."""
        return [
            {"judge": self.judge, "epsilon": self.epsilon, **asdict(a)} for a in self.annotators
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return dict(to_jsonable(self))

    def panels(self) -> list[Panel]:
        """Return the advantage probability with its interval."""
        point = Point(self.judge, self.advantage_probability, self.lower, self.upper)
        return [Panel("advantage probability", [point])]
