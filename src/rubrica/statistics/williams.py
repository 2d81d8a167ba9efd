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
    """p-value of r(A, Z) against r(B, Z), from these and r(A, B), over n independent points.

    One tail: the alternative is r(A, Z) > r(B, Z), and a negative difference gives p > 1/2. The
    absolute values of the correlations are used (as SacreROUGE and nlpstats do) unless `signed`.
    The test knows Pearson's r; for rank coefficients it is a common but unproven habit. None where
    t is undefined: n <= 3, an undefined correlation, two metrics that agree perfectly, or
    coefficients that no three variables can have (rank coefficients, means over inputs).
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
