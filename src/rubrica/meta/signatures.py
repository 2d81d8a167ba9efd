"""How a result was made: its choices, the code, and a digest of the scores it rests on."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

import rubrica
from rubrica.core import kernels
from rubrica.meta.correlation.coefficients import Coefficient
from rubrica.meta.correlation.levels import Level
from rubrica.signature import Signature, value_text


def digest(*scores: NDArray[Any]) -> str:
    """What identifies scores: 12 hexadecimal digits of a hash of shapes and values."""
    state = hashlib.sha256()
    for matrix in scores:
        if matrix.dtype.kind == "O":
            # Labels: texts, numbers and gaps as they print.
            state.update(repr((matrix.shape, matrix.tolist())).encode())
            continue
        # One NaN for all, and no negative zero: equal scores give equal digests.
        plain = np.where(np.isnan(matrix), np.nan, matrix) + 0.0
        state.update(
            repr(plain.shape).encode() + np.ascontiguousarray(plain, dtype="<f8").tobytes()
        )
    return state.hexdigest()[:12]


def method_signature(name: str, *scores: NDArray[Any], **facts: Any) -> Signature:
    """How a result was made: the rules it followed, in the order given, and the scores' digest."""
    return Signature(
        name,
        {key.replace("_", "-"): value_text(value) for key, value in facts.items()},
        core=kernels.IMPLEMENTATION,
        version=rubrica.__version__,
        data=digest(*scores),
    )


def signature_of(
    name: str,
    scores: tuple[NDArray[Any], ...],
    level: Level,
    coefficient: Coefficient,
    **facts: Any,
) -> Signature:
    """As `method_signature`, of a correlation: level, coefficient and its rule for ties come first.

    What is absent on one side is left out of both, unless the facts say otherwise.
    """
    absent = facts.pop("absent", "left-out")
    rules = {"level": level.value, "coef": coefficient.value, "ties": coefficient.tie_rule}
    return method_signature(name, *scores, **rules, **facts, absent=absent)
