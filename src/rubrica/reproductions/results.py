"""The result of a recipe: each cell's published and recomputed value, difference and verdict."""

from __future__ import annotations

import math
from collections import Counter
from enum import StrEnum

import msgspec

from rubrica.reproductions.recipe import digits_of


class Verdict(StrEnum):
    """What the comparison of a cell says."""

    EQUAL = "equal"
    EXPLAINED = "differs: explained"
    UNEXPLAINED = "differs: unexplained"
    UNAVAILABLE = "cannot be computed"


class Cell(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, omit_defaults=True
):
    """One published value beside the recomputed one; `reason` says why they differ, or why there is none."""

    table: str
    row: str
    column: str
    published: str
    recomputed: float | None
    verdict: Verdict
    reason: str = ""

    @property
    def difference(self) -> float | None:
        """Return recomputed minus published."""
        return None if self.recomputed is None else self.recomputed - float(self.published)

    @property
    def shown(self) -> str:
        """Return the recomputed value with the published number of digits."""
        if self.recomputed is None:
            return "-"
        return f"{self.recomputed:.{digits_of(self.published)}f}"


class Reproduction(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """All cells of a recipe, and what they were computed with.

    `key` identifies the recipe, the data and the version: a result with the same key is not computed again.
    """

    recipe: str
    paper: str
    title: str
    key: str
    version: str
    date: str
    cells: list[Cell]

    def count(self, verdict: Verdict) -> int:
        """Return the number of cells with this verdict."""
        return Counter(cell.verdict for cell in self.cells)[verdict]


def is_equal(recomputed: float, published: str) -> bool:
    """Return whether a value rounds to the published digits; a value halfway rounds to either side."""
    half = 0.5 * 10.0 ** -digits_of(published)
    slack = 1e-9 * max(1.0, abs(recomputed))
    return math.isfinite(recomputed) and abs(recomputed - float(published)) <= half + slack
