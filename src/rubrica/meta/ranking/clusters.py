"""Rank clusters of metrics, from the tests between every two of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

ClusterRule: TypeAlias = Literal["wmt", "layers"]


def rank_clusters(beats: Sequence[Sequence[bool]], rule: ClusterRule = "wmt") -> list[int]:
    """The cluster of each metric, from 1; metrics stand in order, the best first.

    `beats[a][b]`: a is significantly better than b, and stands before it. With `wmt` one goes down
    the list, and the first metric that any metric of the current cluster beats begins the next one
    (WMT metrics task 2022), so clusters are stretches of the list. With `layers` the first cluster
    holds every metric that none beats, the second those that none but the first cluster beats, ...
    """
    number = len(beats)
    if rule == "layers":
        out: list[int] = []
        for b in range(number):
            out.append(1 + max((out[a] for a in range(b) if beats[a][b]), default=0))
        return out
    out, first = [], 0
    for b in range(number):
        if any(beats[a][b] for a in range(first, b)):
            first = b
            out.append(out[-1] + 1)
        else:
            out.append(out[-1] if out else 1)
    return out
