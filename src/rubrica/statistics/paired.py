"""Resampling of systems on the same inputs: bootstrap of inputs, and exchange of outputs.

Draws come from numpy's default generator in sacrebleu's order, so that with the same seed and rounds the
p-values of BLEU, chrF and TER can be checked against sacrebleu's own. Draws become counts, and one matrix
product sums the statistics of all systems.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Pairs: TypeAlias = Sequence[tuple[int, int]]

# Rounds are drawn in blocks of about this many numbers. A block's rounds are a multiple of 32:
# numpy draws 32 coins at a time and would throw away what is left of them.
_BLOCK = 2_000_000
# Resampled scores of this many numbers are held at a time: all pairs of many systems would not fit.
_HELD = 16_000_000
# Sums of squares of larger numbers could overflow.
_LARGEST = 1e100


def is_excessive(values: Floats) -> NDArray[np.bool_]:
    """Return which values are infinite or too large for any test."""
    excessive: NDArray[np.bool_] = np.abs(values) > _LARGEST
    return excessive


class PairedSample(Protocol):
    """Statistics of systems on the same inputs (or clusters of inputs), `rows[system, input, column]`."""

    @property
    def rows(self) -> Floats:
        """What is resampled."""
        ...

    def scores(self, sums: Floats, /) -> Floats:
        """Return scores [sum, measure] of summed rows."""
        ...


def observed_scores(sample: PairedSample) -> Floats:
    """Return the scores of the systems as they are: array [system, measure]."""
    return sample.scores(sample.rows.sum(axis=1))


def observed_differences(sample: PairedSample, pairs: Pairs) -> Floats:
    """Return second - first of each pair: array [pair, measure]."""
    scores = observed_scores(sample)
    return np.stack([scores[second] - scores[first] for first, second in pairs])


def bootstrap_scores(sample: PairedSample, rounds: int, seed: int) -> Floats:
    """Return the scores of every system on the inputs drawn in each round: array [system, round, measure]."""
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
    sample: PairedSample, pairs: Pairs, rounds: int, seed: int
) -> tuple[Floats, Floats]:
    """Return scores of both systems of each pair after random exchanges of outputs: [pair, round, measure].

    In a round each input's two outputs change places or not; all pairs see the same coins.
    """
    inputs, columns = sample.rows.shape[1:]
    random = np.random.default_rng(seed)
    totals = sample.rows.sum(axis=1)
    # The sum of these differences over the inputs that stay moves from the second system's total to the first's.
    differences = [sample.rows[first] - sample.rows[second] for first, second in pairs]
    wide = np.concatenate(differences, axis=1)
    moved = np.empty((rounds, len(pairs), columns))
    for start, stop in _blocks(rounds, inputs):
        stays: NDArray[np.bool_] = random.integers(2, size=(stop - start, inputs), dtype=bool)
        moved[start:stop] = (stays.astype(float) @ wide).reshape(-1, len(pairs), columns)
    first = np.stack([sample.scores(totals[b] + moved[:, p]) for p, (_, b) in enumerate(pairs)])
    second = np.stack([sample.scores(totals[a] - moved[:, p]) for p, (a, _) in enumerate(pairs)])
    return first, second


def _blocks(rounds: int, inputs: int) -> Iterator[tuple[int, int]]:
    step = max(32, _BLOCK // max(1, inputs) // 32 * 32)
    for start in range(0, rounds, step):
        yield start, min(rounds, start + step)


def exchanged_differences(
    sample: PairedSample, pairs: Pairs, rounds: int, seed: int
) -> Iterator[Floats]:
    """Yield the differences [round, measure] of each pair; a few pairs at a time, which see the same coins."""
    at_once = max(1, _HELD // (rounds * sample.rows.shape[2]))
    for start in range(0, len(pairs), at_once):
        first, second = exchanged_scores(sample, pairs[start : start + at_once], rounds, seed)
        yield from second - first
