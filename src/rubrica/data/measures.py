"""What measures are: whose they are, which values are better, their range and their level."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

import msgspec

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


def plain_path(path: Sequence[str]) -> tuple[str, ...]:
    """Return the keys of a measure without the mark of a jackknifed value."""
    return tuple([key.removesuffix(JACKKNIFE_SUFFIX) for key in path])


def shown_measures(names: Sequence[str]) -> list[str]:
    """Return the measures without precision and recall where F exists, to keep the table readable."""
    groups = {name.removesuffix(".f1") for name in names if name.endswith(".f1")}
    parts = {f"{group}.{part}" for group in groups for part in ("precision", "recall")}
    return [name for name in names if name not in parts]


def main_measures(names: Sequence[str]) -> list[str]:
    """Return the measures to compare by default: one of each metric's values that say nearly the same.

    Precision and recall go where F exists, a jackknifed value where the plain one exists.
    """
    plain = {name: ".".join(plain_path(name.split("."))) for name in names}
    twins = {name for name in names if plain[name] != name and plain[name] in plain}
    return shown_measures([name for name in names if name not in twins])
