"""The options of a meta-evaluation, and what its signature says of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rubrica.meta.correlation.bootstrap import cluster_facts
from rubrica.meta.correlation.interval_options import IntervalOptions
from rubrica.meta.correlation.levels import Level
from rubrica.meta.correlation.significance import TestOptions
from rubrica.meta.ranking.clusters import ClusterRule


@dataclass(frozen=True, slots=True)
class MetaOptions:
    """The options of a meta-evaluation."""

    interval: IntervalOptions
    test: TestOptions
    correction: str
    clusters: ClusterRule
    alpha: float

    def clustered(self, groups: NDArray[np.int64] | None) -> MetaOptions:
        """Return the options with the cluster of each input."""
        return replace(
            self,
            interval=replace(self.interval, clusters=groups),
            test=replace(self.test, clusters=groups),
        )

    def facts(self, level: Level) -> dict[str, Any]:
        """Return what a signature says of the options."""
        interval, test = self.interval, self.test
        return {
            "interval": interval.method_at(level),
            "bounds": interval.bounds,
            "confidence": f"{interval.confidence:g}",
            "tails": interval.tails,
            "test": test.method,
            "test-scheme": test.scheme,
            "test-p-rule": test.p_rule,
            "test-signed": test.signed,
            "test-tails": test.tails,
            "correction": self.correction,
            "clusters": self.clusters,
            "bs": test.rounds,
            "seed": test.seed,
            "undefined": test.undefined,
            **cluster_facts(test.clusters, "input-clusters"),
        }
