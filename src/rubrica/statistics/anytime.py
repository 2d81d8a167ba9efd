"""Anytime-valid tests of a mean: look after every value, stop when you like, and keep the error rate.

A gambler bets that the mean is above 0. If it is not, no strategy multiplies the stake by 1 / alpha
with a probability above alpha, however often one looks (Ville's inequality; Waudby-Smith and
Ramdas, 2024). The e-value is the gambler's wealth: the mean over a grid of constant stakes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from rubrica.errors import ParameterError

# Shares of the largest stake that cannot lose everything.
_STAKES = np.linspace(0.05, 0.95, 19)


@dataclass(frozen=True, slots=True)
class AnytimeTest:
    """The state after some values: evidence for a mean above 0 and below 0, and the decision.

    `e_above` and `e_below` are the e-values as of now. `p` bounds the two-sided p-value at any
    time. `decision` is 1 (above 0), -1 (below 0) or 0 (go on); it was reached after `stopped` values.
    """

    values: int
    mean: float
    e_above: float
    e_below: float
    p: float
    decision: int
    stopped: int | None


class EProcess:
    """A two-sided test that may be looked at after every value.

    Each value has conditional mean equal to the mean in question, and lies within plus and minus
    a bound that is known before it is seen. The test stops for good at its first decision; its
    error rate is at most alpha, one half for each direction.
    """

    def __init__(self, alpha: float = 0.05) -> None:
        if not 0 < alpha < 1:
            raise ParameterError(f"alpha must lie between 0 and 1: {alpha}")
        self._threshold = np.log(2 / alpha)
        # Rows: bets on a mean above 0 and below 0; columns: stakes. Logarithms do not overflow.
        self._wealth = np.zeros((2, len(_STAKES)))
        self._count, self._sum, self._best = 0, 0.0, 0.0
        self._decision = 0
        self._stopped: int | None = None

    def update(self, value: float, bound: float = 1.0) -> int:
        """Take a value and return the decision: 1, -1, or 0 to go on."""
        if not abs(value) <= bound * (1 + 1e-12) or not bound > 0:
            raise ParameterError(f"a value of {value} exceeds its bound, {bound}")
        self._count += 1
        self._sum += value
        share = min(1.0, max(-1.0, value / bound))
        self._wealth += np.log1p(np.outer((share, -share), _STAKES))
        logs = self._logs()
        self._best = max(self._best, float(logs.max()))
        if not self._decision and logs.max() >= self._threshold:
            self._decision = 1 if logs[0] >= logs[1] else -1
            self._stopped = self._count
        return self._decision

    def _logs(self) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        highest = self._wealth.max(axis=1)
        means = np.exp(self._wealth - highest[:, None]).mean(axis=1)
        return np.asarray(highest + np.log(means))

    def state(self) -> AnytimeTest:
        """Return the evidence so far."""
        above, below = (float(np.exp(min(700.0, log))) for log in self._logs())
        mean = self._sum / self._count if self._count else 0.0
        p = min(1.0, 2 * float(np.exp(-self._best)))
        return AnytimeTest(self._count, mean, above, below, p, self._decision, self._stopped)


def anytime_test(
    values: Iterable[float], *, alpha: float = 0.05, bounds: Iterable[float] | None = None
) -> AnytimeTest:
    """Return the test after all values, each at most 1 (or its bound) in size."""
    process = EProcess(alpha)
    rows = list(values)
    for value, bound in zip(rows, bounds if bounds is not None else [1.0] * len(rows), strict=True):
        process.update(value, bound)
    return process.state()
