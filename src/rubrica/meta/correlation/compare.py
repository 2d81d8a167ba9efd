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
from rubrica.meta.correlation.metric_tests import METRIC_TESTS
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


def compare_metrics(
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
    """Test whether metric `a` agrees better with people than metric `b` does.

    Only cells that all three have are used. The default test, `permutation-two-way`, exchanges whole systems in one
    test and whole inputs in another, scales the wider distribution to the variance of both exchanges together, and
    takes the larger p-value.

    Args:
        a: Scores of the first metric, systems x inputs (NaN where missing).
        b: Scores of the second metric, in the same shape.
        human: Human scores, in the same shape.
        level: `summary`, `system` or `global`.
        coefficient: `pearson`, `spearman` or `kendall`.
        method: `permutation-two-way`, `-max`, `-both`, `-system` or `-input`; `bootstrap-both`, `-system` or `-input`; or
            `williams`.
        scheme: What `permutation-both` exchanges: single `cells`, or `rows-columns` as nlpstats does.
        p_rule: p of permutations: `plus-one` is (c + 1) / (rounds + 1), `ratio` is c / rounds.
        signed: Williams' test uses signed correlations; by default |r|, as in SacreROUGE.
        tails: 1: `a` correlates better than `b`; 2: they differ.
        rounds: Number of permutations or resampled tables.
        seed: Seed of the random numbers.
        undefined: Inputs without a correlation: `drop` them, count them as `zero`, or raise an `error`.
        threads: Threads to use (default: all cores).
        clusters: A label per input; inputs with one label are exchanged or resampled together.
        lower_is_better: Which of `a`, `b` and `human` are better when lower.

    Returns:
        The p-value, both correlations and their difference.

    Raises:
        MismatchError: The matrices differ in shape.
        ParameterError: An option has an unknown value.

    Example:
        >>> from rubrica.meta import compare_metrics
        >>> human = [[1, 2, 2], [2, 2, 3], [4, 3, 5], [5, 4, 4]]
        >>> good = [[0.2, 0.3, 0.2], [0.3, 0.2, 0.4], [0.4, 0.4, 0.5], [0.5, 0.3, 0.6]]
        >>> poor = [[0.5, 0.1, 0.2], [0.3, 0.4, 0.1], [0.2, 0.2, 0.4], [0.5, 0.3, 0.2]]
        >>> result = compare_metrics(good, poor, human, rounds=99)
        >>> round(result.difference, 2), result.p_value
        (0.51, 0.17)
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
    facts = METRIC_TESTS[method].facts(options, level)
    signature = signature_of("comparison", (x, y, z), level, coefficient, **facts)
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
