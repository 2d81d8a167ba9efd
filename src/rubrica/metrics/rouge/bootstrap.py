"""A system's ROUGE from that of its summaries: ROUGE-1.5.5's seeded resampling, and rouge-score's."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from rubrica.core import kernels
from rubrica.core.cores import available_cores

Floats: TypeAlias = NDArray[np.float64]
Whole: TypeAlias = NDArray[np.int32]

_BLOCK = 65_536


def official_order(count: int) -> NDArray[np.int64]:
    """Return the order in which ROUGE-1.5.5 holds evaluations 1 to `count`: by their names as strings."""
    # "1." before "10." before "2.": by the digits, filled up with zeros; of equal ones the shorter.
    keys = np.arange(1, count + 1)
    longest = len(str(count))
    for digits in range(1, longest + 1):
        same = keys[10 ** (digits - 1) - 1 : 10**digits - 1]
        same *= 32 * 10 ** (longest - digits)
        same += digits
    return np.argsort(keys)


def printed_units(
    values: Floats, scale: float = 1.0, order: NDArray[np.int64] | None = None
) -> Whole:
    """Return scores (0 to `scale`) in units of 1e-5: ROUGE-1.5.5 prints five digits and computes with those.

    Rows are in `order`, if given.
    """
    units = np.empty(values.shape, dtype=np.int32)
    # In blocks, so that a million evaluations need memory for the units only.
    for start in range(0, len(values), _BLOCK):
        rows = slice(start, start + _BLOCK)
        block = values[rows] if order is None else values[order[rows]]
        if not np.isfinite(block).all():
            raise ValueError("a score is undefined; ROUGE-1.5.5 has a number for every evaluation")
        units[rows] = np.rint(kernels.round5(block / scale) * 1e5)
    return units


def official_scores(
    units: Whole, rounds: int = 1000, confidence: float = 95.0
) -> tuple[Floats, Floats, Floats]:
    """Return ROUGE-1.5.5's average, lower and upper bound of each column; a row per evaluation, in its order.

    The program adds floating-point numbers in the order drawn. Whole numbers are added exactly and much
    faster. If the last printed digit could depend on the order, the program's order is used.
    """
    count = len(units)
    # The seeds make every round the same on any thread; threads cost more than a small table.
    threads = available_cores() if count * rounds > 1_000_000 else 1
    exact = kernels.rouge155_whole_sums(units, rounds, threads) / (1e5 * count)
    intervals = _intervals(exact, confidence)
    # Each addition, the program's and ours, has an error of at most 2^-53 of the sum.
    slack = (count + 2 * rounds + 16) * 2.0**-52 * max(1.0, float(np.max(intervals, initial=0.0)))
    digits = intervals * 1e5
    if np.any(np.abs(digits - np.floor(digits) - 0.5) <= slack * 1e5):
        sums = kernels.rouge155_bootstrap_sums(units / 1e5, rounds, threads)
        intervals = _intervals(sums / count, confidence)
    average, lower, upper = kernels.round5(intervals)
    return average, lower, upper


def official_intervals(
    resampled: Floats, confidence: float = 95.0
) -> tuple[Floats, Floats, Floats]:
    """Return ROUGE-1.5.5's average, lower and upper bound of each column of resampled values, with 5 digits."""
    average, lower, upper = kernels.round5(_intervals(resampled, confidence))
    return average, lower, upper


def _intervals(resampled: Floats, confidence: float) -> Floats:
    """Return average, lower and upper bound before rounding: array [3, column].

    The average is the mean of the resamples, not of the values. The bounds are interpolated between
    neighbours in sorted order with *one* weight for both; beyond the last neighbour stands 0, so few
    resamples give nonsense. So the official program.
    """
    rounds = len(resampled)
    ordered = np.vstack([np.sort(resampled, axis=0), np.zeros_like(resampled[:1])])
    total = np.cumsum(ordered, axis=0)[-1]  # one after the other, the smallest first, as Perl does
    delta = rounds * (100 - confidence) / 200
    above, below = int(rounds - delta - 1), int(delta)
    weight = rounds - delta - 1 - above

    def at(index: int) -> Floats:
        # Perl counts -1 from the end; a place that does not exist holds 0.
        index = index if index >= 0 else rounds + index
        row: Floats = ordered[min(index, rounds)]
        return row

    upper = at(above) + (at(above + 1) - at(above)) * weight
    lower = at(below) + (at(below + 1) - at(below)) * weight
    return np.stack([total / rounds, lower, upper])


def rouge_score_intervals(
    scores: Floats,
    *,
    random: np.random.RandomState,
    confidence: float = 0.95,
    rounds: int = 1000,
) -> Floats:
    """Return low, mid and high like rouge-score's BootstrapAggregator: array [3, column].

    Equal to the last bit when `random` is in the state of numpy's global generator. The columns are
    one measure's precision, recall and F; mid is the *median* of the resampled means. rouge-score
    itself never seeds, so its own numbers change from run to run.
    """
    rows = np.arange(len(scores))
    means = np.zeros((rounds, scores.shape[1]))
    for i in range(rounds):
        means[i] = np.mean(scores[random.choice(rows, size=len(scores))], axis=0)
    tail = (1 - confidence) / 2
    levels = 100 * np.array([tail, 0.5, 1 - tail])
    bounds: Floats = np.percentile(means, levels, axis=0)
    return bounds
