"""Direct assessment: a number from 0 to 100 for each dimension."""

from __future__ import annotations

from typing import ClassVar

from rubrica.study.forms.base import SAVED, Dimension, Form, Item, Question, Scale, names_problem


class DirectDimension(Dimension, frozen=True, forbid_unknown_fields=True):
    """A dimension; `ends` are the labels of 0 and 100."""

    ends: tuple[str, str] = ("worst", "best")


class Direct(Form, frozen=True, kw_only=True, tag="direct"):
    """Rate each summary from 0 to 100."""

    dimensions: tuple[DirectDimension, ...] = (DirectDimension("quality"),)

    scale: ClassVar[Scale] = "interval"
    guide: ClassVar[tuple[str, ...]] = (
        "Read each summary and rate it from 0 (worst) to 100 (best). Move the slider, or type a number.",
        SAVED,
    )
    keys: ClassVar[tuple[tuple[str, str], ...]] = (("← →", "move the slider"),)

    def problem(self) -> str:
        """Return what is inconsistent, or ""."""
        return names_problem("dimensions", [dimension.name for dimension in self.dimensions])

    def width(self, measure: str) -> float | None:
        """Return 100."""
        return 100.0

    def ask(self, item: Item) -> tuple[Question, ...]:
        """Return a slider for each dimension."""
        return tuple(
            Question(d.name, d.name, d.text, "slider", ends=d.ends) for d in self.dimensions
        )
