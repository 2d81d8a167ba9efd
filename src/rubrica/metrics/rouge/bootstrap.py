"""A system's ROUGE from that of its summaries: ROUGE-1.5.5's seeded resampling, and rouge-score's."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from rubrica.core import kernels
from rubrica.core.cores import available_cores

Floats: TypeAlias = NDArray[np.float64]


def official_order(count: int) -> list[int]:
    """The order in which ROUGE-1.5.5 holds evaluations 1 to `count`: by their names as strings."""
    return sorted(range(count), key=lambda i: f"{i + 1}.")


def official_intervals(
    resampled: Floats, confidence: float = 95.0
) -> tuple[Floats, Floats, Floats]:
    """ROUGE-1.5.5's average, lower and upper bound of each column of resampled values.

    The average is the mean of the resamples, not of the values. The bounds are interpolated between
    neighbours in sorted order with *one* weight for both; beyond the last neighbour stands 0, so few
    resamples give nonsense. So the official program; all three are rounded to 5 digits.
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
    average, lower, upper = kernels.round5(np.stack([total / rounds, lower, upper]))
    return average, lower, upper


def official_resamples(values: Floats, rounds: int) -> Floats:
    """Means of the columns of `values` (0 to 1, a row per evaluation) in each seeded round."""
    # The seeds make every round the same on any thread; threads cost more than a small table.
    threads = available_cores() if values.shape[0] * rounds > 1_000_000 else 1
    return kernels.rouge155_bootstrap(np.ascontiguousarray(values), rounds, threads)


def rouge_score_intervals(
    scores: Floats,
    *,
    random: np.random.RandomState,
    confidence: float = 0.95,
    rounds: int = 1000,
) -> Floats:
    """Low, mid and high as rouge-score's BootstrapAggregator gives them: array [3, column].

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
