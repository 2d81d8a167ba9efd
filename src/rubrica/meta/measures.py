"""Which measures files of scores hold."""

from __future__ import annotations

import os
from collections.abc import Sequence

from rubrica.data.score_rows import read_metrics
from rubrica.meta.join import SummarizerType


def shared_measures(
    files: Sequence[str | os.PathLike[str]],
    humans: Sequence[str],
    summarizer_type: SummarizerType = "all",
) -> tuple[list[str], list[str]]:
    """The measures, but for the human scores, that all judged summaries have, and those some lack.

    Judged are summaries of the type that have every human score. Values that are not numbers (or
    lists of them) are no measures.
    """
    found: dict[tuple[str, str], dict[str, None]] = {}
    for file in files:
        for row in read_metrics(file):
            if summarizer_type not in ("all", row.summarizer_type):
                continue
            found.setdefault(row.key, {}).update(dict.fromkeys(row.values()))

    def is_human(name: str) -> bool:
        return name in humans or name.replace(".", "_") in humans

    judged = [
        names for names in found.values() if sum(map(is_human, names)) >= len(dict.fromkeys(humans))
    ]
    every = dict.fromkeys(name for names in judged for name in names if not is_human(name))
    shared = [name for name in every if all(name in names for names in judged)]
    return shared, [name for name in every if name not in set(shared)]
