"""Does one metric agree better with people than another?"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from rubrica.meta.correlation.bootstrap import ROUNDS, cluster_numbers
from rubrica.meta.correlation.coefficients import Coefficient
from rubrica.meta.correlation.correlation import aligned, correlation_value, without_empty
from rubrica.meta.correlation.levels import Level, Undefined
from rubrica.meta.correlation.matrix_tests import p_value_matrix
from rubrica.meta.correlation.significance import (
    DEFAULT_TEST,
    PRule,
    Scheme,
    Significance,
    Test,
    TestOptions,
)
from rubrica.meta.signatures import signature_of
from rubrica.parameters import SEED


def compare(
    a: ArrayLike,
    b: ArrayLike,
    human: ArrayLike,
    level: Level | str = Level.SUMMARY,
    coefficient: Coefficient | str = Coefficient.PEARSON,
    *,
    method: Test = DEFAULT_TEST,
    scheme: Scheme = "cells",
    p_rule: PRule = "plus-one",
    signed: bool = False,
    tails: int = 1,
    rounds: int = ROUNDS,
    seed: int = SEED,
    undefined: Undefined = "drop",
    threads: int | None = None,
    clusters: Sequence[object] | None = None,
    lower_is_better: Collection[Literal["a", "b", "human"]] = (),
) -> Significance:
    """Test whether metric `a` agrees better with `human` than metric `b` does.

    Only cells that all three have are used. The default, `permutation-max`, exchanges whole systems in one test
    and whole inputs in another, and takes the larger p-value. `scheme` and `p_rule` concern permutation tests;
    `signed` concerns Williams' test, which by default takes |r| as SacreROUGE does. `clusters` labels the inputs:
    those of one cluster are exchanged or resampled together. `lower_is_better` names the sides whose lower values
    are better.
    """
    level, coefficient = Level(level), Coefficient(coefficient)
    (x, y, z), _ = aligned(a, b, human)
    groups = cluster_numbers(clusters, z)
    x, y, z = without_empty(x, y, z)
    options = TestOptions(
        method, scheme, p_rule, signed, tails, rounds, seed, undefined, threads, groups
    )
    values = [correlation_value(metric, z, level, coefficient, undefined) for metric in (x, y)]
    signs = tuple(
        -1 if (side in lower_is_better) != ("human" in lower_is_better) else 1 for side in "ab"
    )
    oriented = np.stack([sign * metric for sign, metric in zip(signs, (x, y), strict=True)])
    tests = p_value_matrix(oriented, z, level, coefficient, options)
    signature = signature_of("comparison", (x, y, z), level, coefficient, **options.facts(level))
    return Significance(
        level,
        coefficient,
        tests.p_values[0][1],
        values[0],
        values[1],
        method,
        tails,
        0 if method == "williams" else rounds,
        tests.undefined_rounds[0][1],
        signature,
        (signs[0], signs[1]),
    )
