"""Williams' test of two dependent correlations that share one variable (Williams 1959)."""

from __future__ import annotations

import math


def williams_p_value(
    metric_a: float,
    metric_b: float,
    between: float,
    n: int,
    *,
    tails: int = 1,
    signed: bool = False,
) -> float | None:
    """Return the p-value of Williams' test between two correlations that share a variable.

    The test is derived for Pearson's r. Using it for rank coefficients is common but unproven.

    Args:
        metric_a: Correlation of metric A with people.
        metric_b: Correlation of metric B with people.
        between: Correlation of the two metrics.
        n: Number of independent points.
        tails: 1: A correlates better than B, and a negative difference gives p > 0.5; 2: they differ.
        signed: Use signed correlations; by default their absolute values, as in SacreROUGE and nlpstats.

    Returns:
        The p-value; None where the test is undefined: n <= 3, an undefined correlation, two metrics that agree
        perfectly, or coefficients that no three variables can have.

    Example:
        >>> from rubrica.meta import williams_p_value
        >>> round(williams_p_value(0.9, 0.6, 0.7, n=20), 4)
        0.0012
    """
    if n <= 3 or any(map(math.isnan, (metric_a, metric_b, between))):
        return None
    r12, r13, r23 = metric_a, metric_b, between
    if not signed:
        r12, r13, r23 = abs(r12), abs(r13), abs(r23)
    determinant = 1 - r12**2 - r23**2 - r13**2 + 2 * r12 * r23 * r13
    mean = (r12 + r13) / 2
    below = 2 * (n - 1) / (n - 3) * determinant + mean**2 * (1 - r23) ** 3
    # Perfect agreement is 0 / 0; rounding would make a number of it.
    if not below > 0 or (r23 > 1 - 1e-12 and abs(r12 - r13) < 1e-12):
        return None
    t = (r12 - r13) * math.sqrt((n - 1) * (1 + r23) / below)
    from scipy import stats  # slow to import, and seldom needed

    return float(2 * stats.t.sf(abs(t), n - 3) if tails == 2 else stats.t.sf(t, n - 3))
