"""Likert scales: a few labelled steps for each of several dimensions."""

from __future__ import annotations

from typing import ClassVar

from rubrica.study.forms.base import (
    SAVED,
    Dimension,
    Form,
    Item,
    Option,
    Question,
    Scale,
    names_problem,
)

MAX_STEPS = 11


class LikertDimension(Dimension, frozen=True, forbid_unknown_fields=True):
    """A dimension with its scale from `low` to `high`, and a label for each step if you like."""

    low: int = 1
    high: int = 5
    labels: tuple[str, ...] = ()

    def problem(self) -> str:
        """Return what is inconsistent, or ""."""
        steps = self.high - self.low + 1
        if not 2 <= steps <= MAX_STEPS:
            return f"{self.name}: low {self.low} to high {self.high}; a scale has 2 to {MAX_STEPS} steps"
        if self.labels and len(self.labels) != steps:
            return (
                f"{self.name}: {len(self.labels)} labels for {steps} steps; give one each or none"
            )
        return ""


class Likert(Form, frozen=True, kw_only=True, tag="likert"):
    """Rate each summary on several scales."""

    dimensions: tuple[LikertDimension, ...]

    scale: ClassVar[Scale] = "ordinal"
    guide: ClassVar[tuple[str, ...]] = (
        "Read each summary and rate it on every scale. Use the whole scale, and judge each quality by "
        "itself: a text can be well written and wrong.",
        SAVED,
    )
    keys: ClassVar[tuple[tuple[str, str], ...]] = (("1 to 9", "choose a step and go on"),)

    def problem(self) -> str:
        """Return what is inconsistent, or ""."""
        names = names_problem("dimensions", [dimension.name for dimension in self.dimensions])
        return names or next(filter(None, (d.problem() for d in self.dimensions)), "")

    def width(self, measure: str) -> float | None:
        """Return the difference of the highest and the lowest step."""
        widths = {d.name: float(d.high - d.low) for d in self.dimensions}
        return widths.get(measure)

    def ask(self, item: Item) -> tuple[Question, ...]:
        """Return a choice of steps for each dimension."""
        return tuple(
            Question(dimension.name, dimension.name, dimension.text, options=_steps(dimension))
            for dimension in self.dimensions
        )


def _steps(dimension: LikertDimension) -> tuple[Option, ...]:
    values = range(dimension.low, dimension.high + 1)
    labels = dimension.labels or [str(value) for value in values]
    return tuple(
        Option(str(value), label if label == str(value) else f"{value} {label}", str(value)[-1])
        for value, label in zip(values, labels, strict=True)
    )
