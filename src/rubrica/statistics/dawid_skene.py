"""Dawid and Skene's model: the true label of every item and the errors of every judge, from the judges' labels alone.

Each judge has a confusion matrix, which says how often it gives label j to items whose true label is k; given the
truth, answers are independent. Expectation maximization estimates the matrices and the items' labels together, from
the votes, so that a judge who agrees with the others counts more than one who answers at random (Dawid and Skene 1979).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rubrica.statistics.intervals import FloatMatrix

_ROUNDS = 200
_TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True)
class LabelModel:
    """Probabilities [item, label], confusion [judge, true label, given label], shares of the labels, rounds of EM."""

    probabilities: FloatMatrix
    confusion: FloatMatrix
    shares: FloatMatrix
    rounds: int


def fit_labels(
    items: NDArray[np.int64],
    judges: NDArray[np.int64],
    labels: NDArray[np.int64],
    shape: tuple[int, int, int],
    *,
    prior: float,
    rounds: int = _ROUNDS,
) -> LabelModel:
    """Fit the model to answers: the numbers of their item, judge and label; `shape` counts these.

    `prior` is added to every count, so that what was never seen is unlikely and not impossible.
    """
    item_count, judge_count, label_count = shape
    kinds = range(label_count)
    cells = items * label_count + labels
    votes = np.bincount(cells, minlength=item_count * label_count).reshape(item_count, label_count)
    voted = votes.sum(axis=1, keepdims=True)
    posterior = np.where(voted > 0, votes / np.maximum(voted, 1), 1 / label_count)
    given, length = judges * label_count + labels, judge_count * label_count

    def maximized() -> tuple[FloatMatrix, FloatMatrix]:
        """Return the shares of the labels and the judges' confusion, given the items' labels."""
        shares = posterior.sum(axis=0) + prior
        counts = [np.bincount(given, posterior[items, kind], minlength=length) for kind in kinds]
        confusion = np.stack(counts).reshape(label_count, judge_count, label_count) + prior
        confusion = confusion / confusion.sum(axis=2, keepdims=True)
        return shares / shares.sum(), np.asarray(confusion.transpose(1, 0, 2))

    def expected() -> FloatMatrix:
        """Return the probabilities of the items' labels, given shares and confusion."""
        logs = np.log(confusion)[judges, :, labels]
        sums = [np.bincount(items, logs[:, kind], minlength=item_count) for kind in kinds]
        odds = np.log(shares) + np.stack(sums, axis=1)
        weights = np.exp(odds - odds.max(axis=1, keepdims=True))
        return np.asarray(weights / weights.sum(axis=1, keepdims=True))

    done = 0
    for done in range(1, rounds + 1):  # noqa: B007 (its last value is returned)
        shares, confusion = maximized()
        updated = expected()
        change = float(np.abs(updated - posterior).max())
        posterior = updated
        if change < _TOLERANCE:
            break
    shares, confusion = maximized()
    return LabelModel(posterior, confusion, shares, done)
