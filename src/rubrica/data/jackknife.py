"""Jackknifing: scoring a summary against all references but one, in turn.

A human reference can only be scored against the others, one fewer than a peer sees. To compare the
two fairly a peer is scored against every leave-one-out set, and the mean of these is its `_jk` value.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from rubrica.data.instance import Fields, flatten
from rubrica.data.pyramid import Pyramid


class Jackknifer(ABC):
    """Builds the leave-one-out contexts of one context field."""

    field: str

    @abstractmethod
    def leave_one_out(self, value: Any) -> list[Any]:
        """Return the value without each of its parts in turn; empty if it has fewer than two."""

    def parts(self, value: Any) -> int:
        """Return the number of parts of the value."""
        return len(value)

    def get_jackknifing_fields_list(self, fields: Fields) -> list[Fields] | None:
        """Return the fields once per left-out part, or None if nothing can be left out."""
        reduced = self.leave_one_out(fields[self.field])
        return [Fields({**fields, self.field: value}) for value in reduced] or None

    def without_self(self, fields: Fields) -> Fields:
        """Return the fields of a reference summary without its own copy in the context.

        Returns the same object if the context does not contain the summary.
        """
        return fields


class ReferencesJackknifer(Jackknifer):
    """Leaves out one reference at a time."""

    field = "references"

    def leave_one_out(self, value: Sequence[Any]) -> list[list[Any]]:
        """Return n lists of n - 1 references."""
        references = list(value)
        if len(references) < 2:
            return []
        return [references[:i] + references[i + 1 :] for i in range(len(references))]

    def without_self(self, fields: Fields) -> Fields:
        """Return the fields without references that equal the summary (as lists or joined)."""
        summary = flatten(fields["summary"])
        other_references = [
            reference for reference in fields[self.field] if flatten(reference) != summary
        ]
        if len(other_references) == len(fields[self.field]):
            return fields
        return Fields({**fields, self.field: other_references})


class PyramidJackknifer(Jackknifer):
    """Leaves one reference out of the pyramid at a time."""

    field = "pyramid"

    def parts(self, value: Pyramid) -> int:
        """Return the number of references."""
        return len(value.summaries)

    def leave_one_out(self, value: Pyramid) -> list[Pyramid]:
        """Return n pyramids of n - 1 references."""
        if len(value.summaries) < 2:
            return []
        return [value.remove_summary(i) for i in range(len(value.summaries))]

    def without_self(self, fields: Fields) -> Fields:
        """Return the fields without the annotated summary's own contribution to the pyramid."""
        pyramid, summarizer_id = fields[self.field], fields["annotation"].summarizer_id
        if summarizer_id not in pyramid.summarizer_ids:
            return fields
        reduced = pyramid.remove_summary(pyramid.summarizer_ids.index(summarizer_id))
        return Fields({**fields, self.field: reduced})
