"""Cohen's kappa (two judges, weighted too) and Fleiss' kappa (many judges): agreement beyond chance.

kappa = (p_o - p_e) / (1 - p_e): 1 is perfect, 0 is chance, below 0 is worse. Cohen's chance uses
each judge's own habits (1960; weights 1968), Fleiss' the habits of all together (1971).
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from rubrica.errors import MismatchError
from rubrica.meta.judges.agreement import label_codes, labels_of, unit_tallies
from rubrica.meta.scores import choice
from rubrica.meta.signatures import method_signature
from rubrica.signature import Signature


@dataclass(frozen=True, slots=True)
class Kappa:
    """kappa, at most 1; None without units or where chance alone agrees always (one label used).

    `observed` and `expected` are shares of agreement, 0 to 1, weighted where weights were asked.
    Units with fewer than two labels are `left_out`.
    """

    value: float | None
    observed: float | None
    expected: float | None
    units: int
    left_out: int
    signature: Signature = field(repr=False)


def cohen_kappa(
    first: Sequence[Any] | NDArray[Any],
    second: Sequence[Any] | NDArray[Any],
    *,
    weights: Literal["none", "linear", "quadratic"] = "none",
    order: Sequence[Hashable] | None = None,
) -> Kappa:
    """Return Cohen's kappa of two annotators over the units that both labelled.

    Args:
        first: Labels of the first annotator; None and NaN are gaps.
        second: Labels of the second annotator, for the same units.
        weights: `none`, `linear` or `quadratic`. Weights grow with the distance between the places of two labels.
        order: All labels, lowest first. Weights need it for labels that are not numbers.

    Returns:
        Kappa with the observed and the expected agreement; None without common units.

    Raises:
        MismatchError: The annotators have different numbers of units.
        ParameterError: `weights` is unknown.

    Example:
        >>> from rubrica.meta import cohen_kappa
        >>> round(cohen_kappa(["yes", "no", "yes", "no", "yes"], ["yes", "no", "no", "no", "yes"]).value, 3)
        0.615
    """
    choice(weights, ("none", "linear", "quadratic"), "weights")
    if len(first) != len(second):
        raise MismatchError(f"the judges labelled {len(first)} and {len(second)} units")
    codes, points = label_codes(
        [list(first), list(second)], "nominal" if weights == "none" else "ordinal", order
    )
    signature = method_signature(
        "cohen-kappa", labels_of([list(first), list(second)]), weights=weights, absent="left-out"
    )
    complete = (codes >= 0).all(axis=0)
    a, b = codes[:, complete]
    left_out, units, places = int((~complete).sum()), len(a), len(points)
    if not units:
        return Kappa(None, None, None, 0, left_out, signature)
    joint = np.bincount(a * places + b, minlength=places**2).reshape(places, places) / units
    chance = np.outer(joint.sum(axis=1), joint.sum(axis=0))
    far = np.abs(np.subtract.outer(np.arange(places), np.arange(places)))
    if weights == "none":
        wrong = (far > 0).astype(np.float64)
    else:
        wrong = (far / max(1, places - 1)) ** (1 if weights == "linear" else 2)
    observed, expected = 1.0 - float((wrong * joint).sum()), 1.0 - float((wrong * chance).sum())
    return _kappa(observed, expected, units, left_out, signature)


def fleiss_kappa(
    judgments: Sequence[Sequence[Any]] | NDArray[Any],
) -> Kappa:
    """Return Fleiss' kappa of several annotators.

    Units may have different numbers of labels: each unit's agreement counts once, and each label once in the agreement
    by chance. With equally many labels this is Fleiss' own definition.

    Args:
        judgments: Labels, annotators x units; None and NaN are gaps.

    Returns:
        Kappa with the observed and the expected agreement; None without a unit that has two labels.

    Example:
        >>> from rubrica.meta import fleiss_kappa
        >>> round(fleiss_kappa([["a", "b", "a", "b"], ["a", "b", "b", "b"], ["a", "b", "a", "a"]]).value, 3)
        0.333
    """
    signature = method_signature("fleiss-kappa", labels_of(judgments), absent="gaps")
    codes, points = label_codes(judgments, "nominal", None)
    pairable = (codes >= 0).sum(axis=0) >= 2
    tallies = unit_tallies(codes[:, pairable], len(points))
    sizes = tallies.sum(axis=1)
    left_out, units = int((~pairable).sum()), len(sizes)
    if not units:
        return Kappa(None, None, None, 0, left_out, signature)
    observed = (((tallies**2).sum(axis=1) - sizes) / (sizes * (sizes - 1))).mean()
    expected = ((tallies.sum(axis=0) / sizes.sum()) ** 2).sum()
    return _kappa(float(observed), float(expected), units, left_out, signature)


def _kappa(
    observed: float, expected: float, units: int, left_out: int, signature: Signature
) -> Kappa:
    # A chance of 1 is found up to rounding: shares such as 1/3 do not add up exactly.
    value = (observed - expected) / (1.0 - expected) if 1.0 - expected > 1e-12 else None
    return Kappa(value, observed, expected, units, left_out, signature)
