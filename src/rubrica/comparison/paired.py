"""Paired bootstrap and paired approximate randomization, draw for draw as sacrebleu makes them.

Both draw from numpy's default generator, in sacrebleu's order, so that with the same seed and rounds
the p-values of BLEU, chrF and TER can be checked against sacrebleu's own. What is drawn is turned
into counts, and one matrix product sums the statistics of all systems.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rubrica.comparison.samples import Floats, Sample

PRule: TypeAlias = Literal["two-sided", "sacrebleu"]

# Rounds are drawn in blocks of about this many numbers. A block's rounds are a multiple of 32:
# numpy draws 32 coins at a time and would throw away what is left of them.
_BLOCK = 2_000_000
# Scores are sums of roundings: differences this near to each other count as equal.
_TIE = 1e-9


def bootstrap_scores(sample: Sample, rounds: int, seed: int) -> Floats:
    """Scores of every system on the inputs drawn in each round: array [system, round, measure]."""
    systems, inputs, columns = sample.rows.shape
    random = np.random.default_rng(seed)
    # All systems side by side: one product sums them all.
    wide = sample.rows.transpose(1, 0, 2).reshape(inputs, systems * columns)
    sums = np.empty((rounds, systems, columns))
    for start, stop in _blocks(rounds, inputs):
        drawn = random.choice(inputs, size=(stop - start, inputs), replace=True)
        counts = np.stack([np.bincount(row, minlength=inputs) for row in drawn])
        sums[start:stop] = (counts.astype(float) @ wide).reshape(-1, systems, columns)
    return np.stack([sample.scores(sums[:, s]) for s in range(systems)])


def exchanged_scores(
    sample: Sample, pairs: Sequence[tuple[int, int]], trials: int, seed: int
) -> tuple[Floats, Floats]:
    """Scores of both systems of each pair after exchanging outputs by coin: [pair, trial, measure].

    In a trial each input's two outputs change places or not; all pairs see the same coins.
    """
    inputs, columns = sample.rows.shape[1:]
    random = np.random.default_rng(seed)
    totals = sample.rows.sum(axis=1)
    # What the first system of a pair has more; its kept part moves the second one's total.
    more = [sample.rows[one] - sample.rows[other] for one, other in pairs]
    wide = np.concatenate(more, axis=1)
    moved = np.empty((trials, len(pairs), columns))
    for start, stop in _blocks(trials, inputs):
        kept: NDArray[np.bool_] = random.integers(2, size=(stop - start, inputs), dtype=bool)
        moved[start:stop] = (kept.astype(float) @ wide).reshape(-1, len(pairs), columns)
    first = np.stack([sample.scores(totals[b] + moved[:, p]) for p, (_, b) in enumerate(pairs)])
    second = np.stack([sample.scores(totals[a] - moved[:, p]) for p, (a, _) in enumerate(pairs)])
    return first, second


def _blocks(rounds: int, inputs: int) -> Iterator[tuple[int, int]]:
    step = max(32, _BLOCK // max(1, inputs) // 32 * 32)
    for start in range(0, rounds, step):
        yield start, min(rounds, start + step)


def randomization_p(differences: Floats, observed: Floats, rule: PRule = "two-sided") -> Floats:
    """p of each measure: the share of trials [trial, measure] that differ as much as was observed.

    The observed outcome counts as a trial. sacrebleu counts only trials that differ *more*, so that
    two systems which differ in two summaries, or in none, come out as significantly different.
    """
    return _share(np.abs(differences), np.abs(observed), rule)


def bootstrap_p(differences: Floats, observed: Floats, rule: PRule = "sacrebleu") -> Floats:
    """p of each measure from the differences in each round [round, measure].

    "sacrebleu": the absolute differences, less their mean, above the observed absolute difference.
    "two-sided": the differences, less the observed one, at least as far from 0 as it is.
    """
    if rule == "two-sided":
        return _share(np.abs(differences - observed), np.abs(observed), rule)
    apart = np.abs(differences)
    return _share(apart - apart.mean(axis=0), np.abs(observed), rule)


def worse_p(differences: Floats, observed: Floats) -> Floats:
    """One-sided p of each measure: the share of trials as low as the observed difference."""
    return _share(-differences, -observed, "two-sided")


def _share(drawn: Floats, observed: Floats, rule: PRule) -> Floats:
    """(c + 1) / (R + 1), where c of R values are beyond the observed; NaN where it is undefined."""
    slack = _TIE * np.maximum(1.0, np.abs(observed))
    beyond = drawn > observed if rule == "sacrebleu" else drawn >= observed - slack
    p = (beyond.sum(axis=0) + 1) / (len(drawn) + 1)
    undefined = np.isnan(observed) | np.isnan(drawn).any(axis=0)
    return np.where(undefined, np.nan, p)
