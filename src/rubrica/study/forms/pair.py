"""Best of a pair: which of two summaries is better, in each of several dimensions."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar

from rubrica.study.forms.base import (
    SAVED,
    UNSURE,
    Dimension,
    Item,
    Option,
    Question,
    SystemScores,
    names_problem,
)
from rubrica.study.forms.compared import Compared, pairs_of

TIE = "tie"


class Pair(Compared, frozen=True, kw_only=True, tag="pair"):
    """Compare two summaries of an input; `baseline` compares one system with all others."""

    dimensions: tuple[Dimension, ...] = (Dimension("preference", "Which summary is better?"),)
    ties: bool = True
    baseline: str = ""
    per_input: int | None = None

    default_heading: ClassVar[str] = "Which summary is better?"
    guide: ClassVar[tuple[str, ...]] = (
        "You will see two summaries of the same text. Decide which is better. Their order is random and "
        "means nothing.",
        SAVED,
    )
    keys: ClassVar[tuple[tuple[str, str], ...]] = (
        ("A", "the first summary is better"),
        ("B", "the second summary is better"),
        ("T", "they are equally good, where ties are allowed"),
    )

    def problem(self) -> str:
        """Return what is inconsistent, or ""."""
        if self.per_input is not None and self.per_input < 1:
            return (
                f"per_input is {self.per_input}; use a number from 1, or leave it out for all pairs"
            )
        return names_problem("dimensions", [dimension.name for dimension in self.dimensions])

    def groups(self, systems: Sequence[str], chance: random.Random) -> Iterable[tuple[str, ...]]:
        """Return the pairs of systems to compare."""
        return pairs_of(systems, self.baseline, self.per_input, chance)

    def ask(self, item: Item) -> tuple[Question, ...]:
        """Return a choice between the two summaries for each dimension."""
        options = [Option("0", "A is better", "a"), Option("1", "B is better", "b")]
        if self.ties:
            options.insert(1, Option(TIE, "Equally good", "t"))
        return tuple(
            Question(d.name, d.name, d.text, options=tuple(options)) for d in self.dimensions
        )

    def reordered(self, answers: Mapping[int, str], places: Sequence[int]) -> dict[int, str]:
        """Return the answers if the summaries were in another order."""
        renamed = {str(old): str(new) for old, new in enumerate(places)}
        return {question: renamed.get(value, value) for question, value in answers.items()}

    def labels(self, item: Item, answers: Mapping[int, str]) -> dict[str, Any]:
        """Return the better system of each dimension, or a tie."""
        return {
            question.name: TIE if value == TIE else item.statements[int(value)]["id"]
            for place, question in enumerate(self.questions(item))
            if (value := answers.get(place, UNSURE)) != UNSURE
        }

    def scores(self, item: Item, answers: Mapping[int, str]) -> SystemScores:
        """Return 1 for the better system, 0 for the other, one half each for a tie."""
        scores: SystemScores = {statement["id"]: {} for statement in item.statements}
        for name, better in self.labels(item, answers).items():
            for system, values in scores.items():
                values[name] = 0.5 if better == TIE else float(system == better)
        return scores
