"""The summary level over significant inputs only: the rule of REALSumm's published tables.

An input counts only if the p-value of its own correlation is small (Bhandari et al., EMNLP 2020,
experiment IV: Kendall's tau, p <= .05). Inputs on which metric and people disagree drop out, so the
mean is too high; it is here so that published numbers can be understood and reproduced.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from rubrica.errors import ParameterError
from rubrica.meta.correlation.coefficients import Coefficient, coefficient_of, p_value
from rubrica.meta.correlation.correlation import aligned
from rubrica.meta.correlation.levels import Level
from rubrica.meta.signatures import signature_of
from rubrica.signature import Signature


@dataclass(frozen=True, slots=True)
class SignificantInputs:
    """The mean correlation of the inputs whose p-value is small enough; None without any.

    `used` inputs count; `ignored` ones have a larger p-value, or no correlation at all.
    """

    value: float | None
    used: int
    ignored: int
    signature: Signature = field(repr=False)


def significant_inputs(
    metric: ArrayLike,
    human: ArrayLike,
    coefficient: Coefficient | str = Coefficient.KENDALL,
    *,
    max_p: float = 0.05,
) -> SignificantInputs:
    """Return the mean correlation over the inputs whose own correlation is significant.

    This reproduces published tables. Do not evaluate metrics with it: it drops the inputs on which a metric fails.

    Args:
        metric: Scores, systems x inputs (NaN where missing).
        human: Human scores, in the same shape.
        coefficient: `pearson`, `spearman` or `kendall`.
        max_p: Largest p-value of an input that counts; see `p_value`.

    Returns:
        The mean, with the number of inputs used and ignored; None if no input is significant.

    Raises:
        MismatchError: The matrices differ in shape.
        ParameterError: `max_p` is not a p-value.

    Example:
        >>> from rubrica.meta import significant_inputs
        >>> human = [[1, 2], [2, 3], [4, 1], [5, 4]]
        >>> metric = [[0.2, 0.3], [0.3, 0.2], [0.4, 0.5], [0.5, 0.6]]
        >>> result = significant_inputs(metric, human, "pearson")
        >>> round(result.value, 3), result.used, result.ignored
        (0.99, 1, 1)
    """
    if not 0.0 < max_p <= 1.0:
        raise ParameterError(f"max_p is a p-value above 0 and up to 1, found {max_p}")
    coefficient = Coefficient(coefficient)
    (x, z), _ = aligned(metric, human)
    present = (~np.isnan(z)).any(axis=0)
    selected = [
        coefficient_of(x[:, j], z[:, j], coefficient)
        for j in np.flatnonzero(present)
        if p_value(x[:, j], z[:, j], coefficient) <= max_p
    ]
    signature = signature_of(
        "significant-inputs", (x, z), Level.SUMMARY, coefficient, max_p=f"{max_p:g}"
    )
    value = float(np.mean(selected)) if selected else None
    return SignificantInputs(value, len(selected), int(present.sum()) - len(selected), signature)
