"""How an embedding metric compares a pair: tokens, their closeness, and the links between them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from rubrica.data.instance import ReferenceType, SummaryType


@dataclass(frozen=True, slots=True)
class Link:
    """`summary` token and `reference` token by number; `amount` of weight, 0 to 1; `kind` says what of."""

    summary: int
    reference: int
    amount: float
    kind: str


@dataclass(frozen=True, slots=True)
class TokenAlignment:
    """Tokens of both sides; `closeness[s][r]` is a `measure` ("cosine" or "distance").

    Links of one kind have amounts that sum to 1; `values` are the scores that they lead to.
    """

    summary: Sequence[str]
    reference: Sequence[str]
    measure: str
    closeness: Sequence[Sequence[float]]
    links: Sequence[Link]
    values: Mapping[str, float]


@runtime_checkable
class AligningMetric(Protocol):
    """A metric that can show how it compares a pair."""

    def align(self, summary: SummaryType, reference: ReferenceType) -> TokenAlignment:
        """Return the alignment of one pair, as scored."""


def shares(alignment: TokenAlignment) -> list[float]:
    """Return each link's share of the distance between the score of its kind and the best score.

    For distances: weight times distance, over the sum. For cosines: weight times (1 - cosine).
    """
    costs = [link.amount * _shortfall(alignment, link) for link in alignment.links]
    totals: dict[str, float] = {}
    for link, cost in zip(alignment.links, costs, strict=True):
        totals[link.kind] = totals.get(link.kind, 0.0) + cost
    return [
        cost / totals[link.kind] if totals[link.kind] > 0 else 0.0
        for link, cost in zip(alignment.links, costs, strict=True)
    ]


def _shortfall(alignment: TokenAlignment, link: Link) -> float:
    value = alignment.closeness[link.summary][link.reference]
    return value if alignment.measure == "distance" else max(0.0, 1.0 - value)
