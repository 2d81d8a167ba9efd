"""Significance tests of two systems. A new test is a function and a line in `PAIRED_TESTS`."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rubrica.statistics.paired import (
    Floats,
    PairedSample,
    Pairs,
    bootstrap_scores,
    exchanged_differences,
    observed_differences,
)

# Which differences count as extreme: large ones in either direction, low ones, or high ones.
Tail: TypeAlias = Literal["two-sided", "lower", "higher"]
# Scores are sums of rounded numbers: differences this close to each other count as equal.
_TIE = 1e-9


@dataclass(frozen=True, slots=True)
class PairedResult:
    """p-values [pair, measure], NaN where undefined; of a bootstrap also scores [system, round, measure]."""

    p_values: Floats
    resampled: Floats | None = None


@dataclass(frozen=True, slots=True)
class PairedTestMethod:
    """A significance test: how to compute it, its name, its usual rounds, and what its p-value means.

    The function takes a sample, pairs of systems (first, second), rounds, a seed and the tail; a difference is
    second - first. A test without rounds draws nothing. `abbreviation` appears in signatures.
    """

    function: Callable[[PairedSample, Pairs, int, int, Tail], PairedResult]
    label: str
    rounds: int
    meaning: str
    abbreviation: str
    one_sided: bool = True


def randomization_test(
    sample: PairedSample, pairs: Pairs, rounds: int, seed: int, tail: Tail = "two-sided"
) -> PairedResult:
    """Paired approximate randomization: p is the share of rounds that differ as much as was observed.

    The observed outcome counts as a round: p = (c + 1) / (R + 1).
    """
    observed = observed_differences(sample, pairs)
    drawn = exchanged_differences(sample, pairs, rounds, seed)
    p_values = [tail_p(null, own, tail) for null, own in zip(drawn, observed, strict=True)]
    return PairedResult(np.stack(p_values))


def bootstrap_test(
    sample: PairedSample, pairs: Pairs, rounds: int, seed: int, tail: Tail = "two-sided"
) -> PairedResult:
    """Paired bootstrap: p is the share of rounds that move the difference by its own size, and more for few inputs.

    With few inputs resampled differences vary too little: p is read as that of a normal variable and becomes
    that of Student's t, the counterpart of expanded percentiles.
    """
    scores = bootstrap_scores(sample, rounds, seed)
    observed = observed_differences(sample, pairs)
    p_values = [
        tail_p(scores[second] - scores[first] - own, own, tail)
        for (first, second), own in zip(pairs, observed, strict=True)
    ]
    return PairedResult(_widened(np.stack(p_values), sample.rows.shape[1], tail), scores)


def jackknife_test(
    sample: PairedSample, pairs: Pairs, rounds: int, seed: int, tail: Tail = "two-sided"
) -> PairedResult:
    """Student's t-test of the difference; for means the paired t-test, otherwise with the jackknife's variance."""
    from scipy import special  # slow to import

    inputs = sample.rows.shape[1]
    without = np.stack([sample.scores(rows.sum(axis=0) - rows) for rows in sample.rows])
    observed = observed_differences(sample, pairs)
    p_values = []
    for (first, second), own in zip(pairs, observed, strict=True):
        left_out = without[second] - without[first]
        spread = np.sum((left_out - left_out.mean(axis=0)) ** 2, axis=0)
        error = np.sqrt(spread * (inputs - 1) / inputs)
        # Equal systems differ by 0 without any error.
        error = np.maximum(error, _TIE * np.abs(own))
        t = np.divide(own, error, out=np.zeros_like(own), where=error > 0)
        t = np.where(np.isnan(own) | np.isnan(error), np.nan, t)
        signed = {"two-sided": -np.abs(t), "lower": t, "higher": -t}[tail]
        p_values.append(special.stdtr(inputs - 1, signed) * (2 if tail == "two-sided" else 1))
    return PairedResult(np.stack(p_values))


def sacrebleu_randomization(
    sample: PairedSample, pairs: Pairs, rounds: int, seed: int, tail: Tail = "two-sided"
) -> PairedResult:
    """Count as sacrebleu does: only rounds that differ *more* than was observed.

    Two systems that differ in two summaries, or in none, come out as significantly different.
    """
    observed = np.abs(observed_differences(sample, pairs))
    drawn = exchanged_differences(sample, pairs, rounds, seed)
    shares = [
        _share(np.abs(null) > own, null, own) for null, own in zip(drawn, observed, strict=True)
    ]
    return PairedResult(np.stack(shares))


def sacrebleu_bootstrap(
    sample: PairedSample, pairs: Pairs, rounds: int, seed: int, tail: Tail = "two-sided"
) -> PairedResult:
    """Count as sacrebleu does: absolute differences, less their mean, above the observed absolute difference.

    This is nearly one-sided and rejects equal systems two to four times as often as alpha promises.
    """
    scores = bootstrap_scores(sample, rounds, seed)
    p_values = []
    for (first, second), own in zip(pairs, observed_differences(sample, pairs), strict=True):
        apart = np.abs(scores[second] - scores[first])
        p_values.append(_share(apart - apart.mean(axis=0) > np.abs(own), apart, own))
    return PairedResult(np.stack(p_values), scores)


def sign_test_p(successes: int, failures: int) -> float | None:
    """Return the exact two-sided p-value of a fair coin; None without a throw."""
    count = successes + failures
    if not count:
        return None
    tail = sum(math.comb(count, k) for k in range(min(successes, failures) + 1))
    return min(1.0, float(2 * tail / 2**count))


def tail_p(null: Floats, observed: Floats, tail: Tail) -> Floats:
    """Return p of each measure: the share of `null` [round, measure] at least as extreme as the observed value.

    The observed value counts as a round; ties count, up to rounding.
    """
    slack = _TIE * np.maximum(1.0, np.abs(observed))
    if tail == "two-sided":
        extreme = np.abs(null) >= np.abs(observed) - slack
    elif tail == "lower":
        extreme = null <= observed + slack
    else:
        extreme = null >= observed - slack
    return _share(extreme, null, observed)


def _share(extreme: NDArray[np.bool_], drawn: Floats, observed: Floats) -> Floats:
    """(c + 1) / (R + 1), where c of R rounds are extreme; NaN where it is undefined."""
    p = (extreme.sum(axis=0) + 1) / (len(drawn) + 1)
    return np.where(np.isnan(observed) | np.isnan(drawn).any(axis=0), np.nan, p)


def _widened(p_values: Floats, inputs: int, tail: Tail) -> Floats:
    """Return p-values of the bootstrap as Student's t has them with so many inputs."""
    from scipy import special  # slow to import

    sides = 2 if tail == "two-sided" else 1
    z = special.ndtri(p_values / sides) * math.sqrt((inputs - 1) / inputs)
    widened: Floats = special.stdtr(inputs - 1, z) * sides
    return np.where(p_values >= 1, 1.0, np.minimum(widened, 1.0))


PAIRED_TESTS: Mapping[str, PairedTestMethod] = {
    "ar": PairedTestMethod(
        randomization_test,
        "paired approximate randomization",
        10_000,
        "the share of random swaps of the two systems' outputs with a difference at least as large",
        "ar",
    ),
    "bs": PairedTestMethod(
        bootstrap_test,
        "paired bootstrap",
        1_000,
        "the share of resamples of the inputs that move the difference by its own size, corrected for few inputs",
        "pbs",
    ),
    "t": PairedTestMethod(
        jackknife_test,
        "paired t-test",
        0,
        "the probability of so large a t by chance, with the jackknife's standard error",
        "pt",
    ),
    "ar-sacrebleu": PairedTestMethod(
        sacrebleu_randomization,
        "paired approximate randomization, sacrebleu's count",
        10_000,
        "the share of random swaps with a larger difference; ties do not count",
        "ar-sacrebleu",
        one_sided=False,
    ),
    "bs-sacrebleu": PairedTestMethod(
        sacrebleu_bootstrap,
        "paired bootstrap, sacrebleu's count",
        1_000,
        "the share of resamples whose absolute difference exceeds their mean by the observed one; too liberal",
        "pbs-sacrebleu",
        one_sided=False,
    ),
}
