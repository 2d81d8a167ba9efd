"""Rank clusters of metrics, from the tests between every two of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

ClusterRule: TypeAlias = Literal["wmt", "layers"]


def rank_clusters(beats: Sequence[Sequence[bool]], rule: ClusterRule = "wmt") -> list[int]:
    """Divide a ranking into clusters of metrics that tests do not separate.

    Args:
        beats: A square of booleans, the best metric first: `beats[a][b]` is true where a is significantly better than
            b.
        rule: `wmt`: go down the ranking; the first metric that any metric of the current cluster beats begins the next
            one (WMT metrics task 2022). `layers`: the first cluster has every metric that none beats, the second those
            that only the first cluster beats, and so on.

    Returns:
        The cluster of each metric, from 1.

    Example:
        >>> from rubrica.meta import rank_clusters
        >>> rank_clusters([[False, False, True], [False, False, True], [False, False, False]])
        [1, 1, 2]
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
