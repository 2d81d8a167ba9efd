"""Unique names for summaries and documents: a second one of the same name gets a number."""

from __future__ import annotations

from rubrica.datasets.judgments import Judgments


def free_summarizer(judgments: Judgments, topic: str, name: str, text: object) -> str:
    """Return `name`, or `name-2`, `name-3`, ... if another text of the input has that name."""
    summaries, free_name, number = judgments.summaries.get(topic, {}), name, 1
    while free_name in summaries and summaries[free_name].text != text:
        number += 1
        free_name = f"{name}-{number}"
    return free_name


class DocumentIds:
    """Ids by document: the same text has the same id; another text with that id gets a number."""

    def __init__(self) -> None:
        self._ids: dict[tuple[str, str], str] = {}
        self._used: dict[str, int] = {}

    def of(self, base: str, text: str) -> str:
        """Return the id of a document whose own id is `base`."""
        if (base, text) not in self._ids:
            number = self._used[base] = self._used.get(base, 0) + 1
            self._ids[base, text] = base if number == 1 else f"{base}-{number}"
        return self._ids[base, text]
