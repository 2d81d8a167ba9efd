"""Tasks that show several summaries of one input side by side, under letters."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterable, Sequence

from rubrica.data.instance import EvalInstance, flatten
from rubrica.errors import DataError
from rubrica.study.forms.base import Form, Item

LETTERS = "ABCDEFGH"


class Compared(Form, frozen=True, kw_only=True):
    """A form whose statements are summaries, each annotator seeing them in an order of their own."""

    shuffles = True

    def panels(self, item: Item) -> list[tuple[str, str]]:
        """Return every summary under its letter, then the context."""
        texts = [
            (f"Summary {letter}", s["text"])
            for letter, s in zip(LETTERS, item.statements, strict=False)
        ]
        return [*texts, *item.context]

    def groups(self, systems: Sequence[str], chance: random.Random) -> Iterable[tuple[str, ...]]:
        """Return the sets of systems to compare on one input."""
        raise NotImplementedError

    def items(self, summaries: Sequence[EvalInstance], seed: int) -> list[Item]:
        """Return a task for each set of systems on each input."""
        by_input: dict[str, dict[str, EvalInstance]] = {}
        for instance in summaries:
            by_input.setdefault(instance.instance_id, {})[instance.summarizer_id] = instance
        items = []
        for event, instances in by_input.items():
            chance = random.Random(f"groups:{seed}:{event}")
            for systems in self.groups(sorted(instances), chance):
                texts = tuple(
                    {"id": s, "text": flatten(instances[s].fields["summary"]), "known": ""}
                    for s in systems
                )
                context = self.context(instances[systems[0]])
                source = " | ".join(systems)
                items.append(Item(self.kind, event, source, "", texts, False, context))
        if not items:
            raise DataError(
                "no input has two summaries to compare; pass the outputs of several systems"
            )
        return items


def pairs_of(
    systems: Sequence[str], baseline: str, per_input: int | None, chance: random.Random
) -> list[tuple[str, ...]]:
    """Return all pairs, or those with `baseline`; `per_input` of them at random."""
    pairs: list[tuple[str, ...]] = [
        pair for pair in itertools.combinations(systems, 2) if not baseline or baseline in pair
    ]
    if per_input is not None and per_input < len(pairs):
        pairs = chance.sample(pairs, per_input)
    return pairs
