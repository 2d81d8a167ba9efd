"""How intervals of a correlation are computed, checked once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from rubrica.errors import ParameterError
from rubrica.meta.correlation.bootstrap import ROUNDS, cluster_facts
from rubrica.meta.correlation.correlation import check_rule
from rubrica.meta.correlation.levels import Level, Undefined
from rubrica.parameters import SEED
from rubrica.statistics.intervals import check_rounds

Method: TypeAlias = Literal[
    "auto", "jackknife", "fisher", "bootstrap-system", "bootstrap-input", "bootstrap-both", "none"
]
Bounds: TypeAlias = Literal["percentile", "bca"]


@dataclass(frozen=True, slots=True)
class IntervalOptions:
    """How intervals are computed; `interval` explains the options. `clusters` has the cluster of each input."""

    method: Method = "auto"
    bounds: Bounds = "percentile"
    confidence: float = 95.0
    tails: int = 2
    rounds: int = ROUNDS
    seed: int = SEED
    undefined: Undefined = "drop"
    threads: int | None = None
    clusters: NDArray[np.int64] | None = None

    def __post_init__(self) -> None:
        check_interval(self.method, self.bounds, self.confidence, self.tails, self.rounds)
        check_rule(self.undefined)

    def method_at(self, level: Level) -> str:
        """The method itself: `auto` is Fisher's interval at the system level, and the jackknife elsewhere.

        BCa bounds are those of a bootstrap over systems and inputs.
        """
        if self.method != "auto":
            return self.method
        if self.bounds == "bca":
            return "bootstrap-both"
        return "fisher" if level is Level.SYSTEM else "jackknife"

    @property
    def tail(self) -> float:
        """The probability beyond each bound."""
        return (1 - self.confidence / 100) / self.tails

    def facts(self, level: Level) -> dict[str, Any]:
        """Return what a signature says of the interval."""
        method = self.method_at(level)
        facts = {"interval": method, "confidence": f"{self.confidence:g}", "tails": self.tails}
        if level is Level.SUMMARY:
            facts["undefined"] = self.undefined
        if method.startswith("bootstrap"):
            facts |= {"bounds": self.bounds, "bs": self.rounds, "seed": self.seed}
        if method not in ("fisher", "none"):
            facts |= cluster_facts(self.clusters)
        return facts


def check_interval(method: str, bounds: str, confidence: float, tails: int, rounds: int) -> None:
    """Refuse what no interval has."""
    if method not in get_args(Method):
        raise ParameterError(f"no interval {method!r}; there are: {', '.join(get_args(Method))}")
    if bounds not in get_args(Bounds):
        raise ParameterError(f"bounds are percentile or bca, not {bounds!r}")
    if not 0 < confidence < 100:
        raise ParameterError(f"confidence is a percentage between 0 and 100, not {confidence:g}")
    if tails not in (1, 2):
        raise ParameterError(f"an interval has 1 or 2 tails, not {tails}")
    if tails == 1 and confidence <= 50:
        raise ParameterError("a bound with one tail needs a confidence above 50")
    if rounds < 1:
        raise ParameterError(f"at least one round of resampling is needed, not {rounds}")
    check_rounds(rounds)
