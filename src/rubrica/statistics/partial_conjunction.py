"""On how many data sets is a metric better? Partial conjunction tests (Dror et al. 2017)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rubrica.errors import ParameterError


@dataclass(frozen=True, slots=True)
class PartialConjunction:
    """At least `k` of the hypotheses are false; `significant` are the places of the k smallest p."""

    k: int
    significant: tuple[int, ...]


def partial_conjunction(
    p_values: Sequence[float], alpha: float = 0.05, *, method: str = "bonferroni"
) -> PartialConjunction:
    """Return how many of N null hypotheses can be rejected together, under any dependence of the tests.

    With the p-values in ascending order, p_u = (N - u + 1) p_(u), made non-decreasing. The number is that of the p_u
    that are at most `alpha`; the rejected hypotheses are those of Holm's method.

    Args:
        p_values: A p-value per hypothesis, such as one per data set.
        alpha: Level of the test.
        method: `bonferroni`.

    Returns:
        The number of rejected hypotheses and their places in `p_values`.

    Raises:
        ParameterError: A p-value or `alpha` is out of range, or the method is unknown.

    Example:
        >>> from rubrica.meta import partial_conjunction
        >>> partial_conjunction([0.04, 0.001, 0.3, 0.01])
        PartialConjunction(k=2, significant=(1, 3))
    """
    if method != "bonferroni":
        raise ParameterError(f"no method {method!r} for partial conjunction; there is: bonferroni")
    if not 0 < alpha < 1:
        raise ParameterError(f"alpha must lie between 0 and 1, not {alpha:g}")
    if any(not 0 <= p <= 1 for p in p_values):
        raise ParameterError("a p-value must lie between 0 and 1")
    order = sorted(range(len(p_values)), key=lambda at: p_values[at])
    k = 0
    for rank, at in enumerate(order):
        # The running maximum exceeds alpha from the first p_u that does.
        if (len(order) - rank) * p_values[at] > alpha:
            break
        k += 1
    return PartialConjunction(k, tuple(order[:k]))
