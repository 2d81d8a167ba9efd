"""Jackknifers: which contexts, each with one part left out, a peer is scored against."""

from __future__ import annotations

from typing import Any

from rubrica import data
from rubrica.compat.sacrerouge.data.fields import Field, Fields, PyramidField, ReferencesField


class Jackknifer:
    """Makes the contexts of a peer's `_jk` value; a subclass defines `get_jackknifing_fields_list`."""

    def get_jackknifing_fields_list(self, fields: Fields) -> list[Fields] | None:
        """Return the context fields once per part that is left out; None where nothing can be."""
        raise NotImplementedError


class ReferencesJackknifer(Jackknifer):
    """Leaves out one reference at a time."""

    def get_jackknifing_fields_list(self, fields: Fields) -> list[Fields] | None:
        """Return n contexts of n - 1 references."""
        return _without_each(fields, data.ReferencesJackknifer(), ReferencesField)


class PyramidJackknifer(Jackknifer):
    """Leaves out one reference of the pyramid at a time."""

    def get_jackknifing_fields_list(self, fields: Fields) -> list[Fields] | None:
        """Return n pyramids of n - 1 references."""
        return _without_each(fields, data.PyramidJackknifer(), PyramidField)


def _without_each(
    fields: Fields, jackknifer: data.Jackknifer, kind: type[Field]
) -> list[Fields] | None:
    make: Any = kind
    parts = jackknifer.leave_one_out(fields[jackknifer.field].to_input())
    return [Fields({**fields, jackknifer.field: make(part)}) for part in parts] or None
