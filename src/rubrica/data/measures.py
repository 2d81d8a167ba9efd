"""What measures are: whose they are, which values are better, their range and their level."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, TypeAlias

import msgspec

from rubrica.errors import MismatchError

JACKKNIFE_SUFFIX = "_jk"
Direction: TypeAlias = Literal["higher", "lower", "none"]


class MeasureGroup(msgspec.Struct, frozen=True, omit_defaults=True, repr_omit_defaults=True):
    """Measures of one metric that are alike.

    A name is a top-level key of a row's `metrics` and stands for all measures below it, or it is the dotted
    name of a single measure; with it the jackknifed values (`_jk`) are named, too. A bound of the range is
    None where there is none. `sentence_level`: the metric scores whole corpora, and the mean of these values
    is not a system's score.
    """

    metric: str
    names: tuple[str, ...]
    direction: Direction = "higher"
    range: tuple[float | None, float | None] = (None, None)
    sentence_level: bool = False

    @property
    def kind(self) -> tuple[object, ...]:
        """What the measures of a group share."""
        return self.metric, self.direction, self.range, self.sentence_level


def plain_path(path: Sequence[str]) -> tuple[str, ...]:
    """Return the keys of a measure without the mark of a jackknifed value."""
    return tuple([key.removesuffix(JACKKNIFE_SUFFIX) for key in path])


class MeasureIndex:
    """Finds the group of a measure among the groups of many rows."""

    def __init__(self, groups: Iterable[MeasureGroup] = ()) -> None:
        self._by_name: dict[str, MeasureGroup] = {}
        self._last: Sequence[MeasureGroup] = ()
        self.add(tuple(groups))

    def add(self, groups: Sequence[MeasureGroup]) -> None:
        """Add the groups of a row. Two opposite directions of one name are an error."""
        if groups is self._last or groups == self._last:
            return
        self._last = groups
        for group in groups:
            for name in group.names:
                known = self._by_name.setdefault(name, group)
                if {known.direction, group.direction} == {"higher", "lower"}:
                    raise MismatchError(
                        f"{name!r}: {known.direction} is better by metric {known.metric!r}, "
                        f"{group.direction} by {group.metric!r}; put one under another name"
                    )

    def find(self, path: Sequence[str]) -> MeasureGroup | None:
        """Return the group of the measure at a path of keys; None where no row names it."""
        known, plain = self._by_name, plain_path(path)
        return known.get(".".join(plain)) or known.get(plain[0])

    def groups(self) -> tuple[MeasureGroup, ...]:
        """Return all groups, those that are alike as one."""
        names: dict[tuple[object, ...], list[str]] = {}
        first: dict[tuple[object, ...], MeasureGroup] = {}
        for name, group in self._by_name.items():
            names.setdefault(group.kind, []).append(name)
            first.setdefault(group.kind, group)
        return tuple(
            msgspec.structs.replace(first[kind], names=tuple(own)) for kind, own in names.items()
        )
