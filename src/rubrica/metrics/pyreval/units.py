"""Content units from references: groups of segments, one of each of several references, that are alike."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from rubrica.errors import MetricFailedError

Floats = NDArray[np.float64]

# Percentage of segment pairs that are too dissimilar for one unit.
PERCENTILE = 83.0
# A layer of units of weight n has room for (segments + EXTRA) * n ** -DECAY of them.
EXTRA, DECAY = 10, 2.5
# Decimals for comparing similarities, so that the order of references does not matter.
DECIMALS = 12
# Only nearly identical texts form more groups than this.
MAX_GROUPS = 1_000_000


@dataclass(frozen=True, slots=True)
class Segments:
    """The segments of all references: texts, unit vectors (zeros where unknown), whose they are."""

    texts: list[str]
    vectors: Floats
    owners: list[int]


@dataclass(frozen=True, slots=True)
class Unit:
    """A content unit by the places of its segments; its weight is their number."""

    members: tuple[int, ...]

    @property
    def weight(self) -> int:
        """How many references express it."""
        return len(self.members)


def least_likeness(segments: Segments) -> float:
    """Return the smallest cosine of two similar segments, relative to these references.

    The percentile of all pairs of segments of different references; of all pairs where there is one
    reference, and a half where there is one segment. Never 0 or less: that is no likeness.
    """
    all_pairs = list(combinations(range(len(segments.texts)), 2))
    pairs = [(a, b) for a, b in all_pairs if segments.owners[a] != segments.owners[b]] or all_pairs
    if not pairs:
        return 0.5
    similar = segments.vectors @ segments.vectors.T
    cut = np.percentile(np.round([similar[a, b] for a, b in pairs], DECIMALS), PERCENTILE)
    return max(float(cut), 10.0**-DECIMALS)


def content_units(segments: Segments) -> list[Unit]:
    """Return the pyramid of the references, heaviest units first; every segment is in exactly one unit.

    From the top layer down the most similar groups are taken, each segment once, while the layer has
    room; segments left over are units of weight 1.
    """
    similar = np.round(segments.vectors @ segments.vectors.T, DECIMALS)
    linked = _links(similar, segments.owners, least_likeness(segments))
    free = set(range(len(segments.texts)))
    units: list[Unit] = []
    for size in range(len(set(segments.owners)), 1, -1):
        room = int((len(segments.texts) + EXTRA) * size**-DECAY)
        groups = sorted(
            _groups(linked, free, size), key=lambda group: _rank(group, similar, segments)
        )
        for group in groups:
            if room and free.issuperset(group):
                units.append(Unit(group))
                free.difference_update(group)
                room -= 1
    return units + [Unit((segment,)) for segment in sorted(free)]


def _links(similar: Floats, owners: list[int], least: float) -> list[set[int]]:
    """Return for each segment the later segments of other references that may share a unit with it."""
    return [
        {b for b in range(a + 1, len(owners)) if owners[a] != owners[b] and similar[a, b] >= least}
        for a in range(len(owners))
    ]


def _groups(linked: list[set[int]], free: set[int], size: int) -> Iterator[tuple[int, ...]]:
    """Yield all groups of that size in which every pair of segments is linked."""
    count = 0
    stack: list[tuple[tuple[int, ...], set[int]]] = [
        ((segment,), linked[segment] & free) for segment in sorted(free)
    ]
    while stack:
        group, candidates = stack.pop()
        if len(group) == size:
            count += 1
            if count > MAX_GROUPS:
                raise MetricFailedError(
                    f"pyreval-style: more than {MAX_GROUPS:,} groups of {size} similar segments; "
                    "the references are too many or too similar"
                )
            yield group
        elif len(group) + len(candidates) >= size:
            stack += [
                ((*group, member), candidates & linked[member]) for member in sorted(candidates)
            ]


def _rank(
    group: tuple[int, ...], similar: Floats, segments: Segments
) -> tuple[float, list[str], tuple[int, ...]]:
    """Return a sort key: most similar first, then by text, which does not depend on the order of references."""
    mean = float(np.mean([similar[a, b] for a, b in combinations(group, 2)]))
    return -round(mean, DECIMALS), sorted(segments.texts[member] for member in group), group
