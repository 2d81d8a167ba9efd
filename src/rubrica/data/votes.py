"""Votes: annotators' answers, for each content unit, to "does the summary say this?"."""

from __future__ import annotations

import msgspec


class UnitVotes(msgspec.Struct, frozen=True):
    """One unit's answers, in no order: true for present, false for not, null for none given."""

    answers: tuple[bool | None, ...]
    statement: str = ""

    @property
    def blank(self) -> bool:
        """Whether it is a filler that says nothing: tasks of fixed size are padded with them."""
        return self.statement.strip().upper() == "BLANK"
