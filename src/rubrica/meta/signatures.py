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

_BITS = 40


def digest(*scores: NDArray[Any]) -> str:
    """What identifies scores: 12 hexadecimal digits of a hash of shapes and values."""
    state = hashlib.sha256()
    for matrix in _without_gaps(scores):
        if matrix.dtype.kind == "O":
            # Labels: texts, numbers and gaps as they print.
            state.update(repr((matrix.shape, matrix.tolist())).encode())
            continue
        # One NaN for all, and no negative zero: equal scores give equal digests. 40 of 53 bits are kept, for
        # another order of additions, in another version of numpy, changes the last ones.
        fractions, exponents = np.frexp(np.where(np.isnan(matrix), np.nan, matrix))
        plain = np.ldexp(np.rint(np.ldexp(fractions, _BITS)), exponents - _BITS) + 0.0
        state.update(
            repr(plain.shape).encode() + np.ascontiguousarray(plain, dtype="<f8").tobytes()
        )
    return state.hexdigest()[:12]


def _without_gaps(scores: tuple[NDArray[Any], ...]) -> tuple[NDArray[Any], ...]:
    """Matrices (or stacks) of systems x inputs without the systems and inputs that have no score at all."""
    shapes = {matrix.shape[-2:] for matrix in scores}
    if len(shapes) != 1 or any(m.ndim < 2 or m.dtype.kind != "f" for m in scores):
        return scores
    present = np.logical_or.reduce(
        [(~np.isnan(matrix)).any(axis=tuple(range(matrix.ndim - 2))) for matrix in scores]
    )
    systems, inputs = present.any(axis=1), present.any(axis=0)
    return tuple(matrix[..., systems, :][..., inputs] for matrix in scores)


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
