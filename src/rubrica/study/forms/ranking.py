"""Ranking: put several summaries of one input in order."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar

from rubrica.study.forms.base import (
    SAVED,
    UNSURE,
    Item,
    Option,
    Question,
    Scale,
    SystemScores,
    measure_name,
)
from rubrica.study.forms.compared import LETTERS, Compared


class Ranking(Compared, frozen=True, kw_only=True, tag="ranking"):
    """Rank up to `size` summaries of an input, 1 for the best."""

    name: str = "rank_score"
    size: int = 5
    ties: bool = False

    pooled: ClassVar[str] = "ranks"
    default_heading: ClassVar[str] = "Rank the summaries, 1 for the best"
    scale: ClassVar[Scale] = "ordinal"
    guide: ClassVar[tuple[str, ...]] = (
        "You will see several summaries of the same text. Rank them: 1 for the best. Their order is "
        "random and means nothing.",
        SAVED,
    )
    keys: ClassVar[tuple[tuple[str, str], ...]] = (
        ("1 to 8", "give the summary this rank and go on"),
    )

    def problem(self) -> str:
        """Return what is inconsistent, or ""."""
        if not 2 <= self.size <= len(LETTERS):
            return f"size is {self.size}; rank 2 to {len(LETTERS)} summaries at once"
        if not measure_name(self.name):
            return f"name: {self.name!r} cannot name a measure; use letters, digits, _ and -"
        return ""

    def groups(self, systems: Sequence[str], chance: random.Random) -> Iterable[tuple[str, ...]]:
        """Return sets of about equal size that hold every system once."""
        order = list(systems)
        chance.shuffle(order)
        count = -(-len(order) // self.size)
        groups = [tuple(sorted(order[number::count])) for number in range(count)]
        return [group for group in groups if len(group) > 1]

    def ask(self, item: Item) -> tuple[Question, ...]:
        """Return a choice of ranks for each summary."""
        ranks = tuple(
            Option(str(rank), str(rank), str(rank)) for rank in range(1, len(item.statements) + 1)
        )
        return tuple(
            Question(statement["id"], f"Summary {letter}", options=ranks)
            for letter, statement in zip(LETTERS, item.statements, strict=False)
        )

    def missing(self, item: Item, answers: Mapping[int, str]) -> str:
        """Return why a ranking cannot be submitted: no rank, or the same rank twice."""
        if message := super().missing(item, answers):
            return message
        ranks = [rank for rank in answers.values() if rank != UNSURE]
        twice = sorted({rank for rank in ranks if ranks.count(rank) > 1})
        if twice and not self.ties:
            return f"Two summaries have rank {twice[0]}; give each its own."
        return ""

    def reordered(self, answers: Mapping[int, str], places: Sequence[int]) -> dict[int, str]:
        """Return the ranks if the summaries were in another order."""
        return {places[place]: rank for place, rank in answers.items()}

    def labels(self, item: Item, answers: Mapping[int, str]) -> dict[str, Any]:
        """Return the rank of each system."""
        ranks = {place: value for place, value in answers.items() if value != UNSURE}
        return {item.statements[place]["id"]: float(rank) for place, rank in sorted(ranks.items())}

    def scores(self, item: Item, answers: Mapping[int, str]) -> SystemScores:
        """Return the share of the other summaries that each beats, a tie counting one half."""
        ranks = self.labels(item, answers)
        return {
            system: {
                self.name: sum(
                    (rank < other) + 0.5 * (rank == other)
                    for name, other in ranks.items()
                    if name != system
                )
                / (len(ranks) - 1)
            }
            for system, rank in ranks.items()
            if len(ranks) > 1
        }
