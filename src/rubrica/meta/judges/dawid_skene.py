"""Dawid and Skene's model of tables of judges' labels; see `rubrica.statistics.dawid_skene`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rubrica.errors import DataError
from rubrica.meta.scores import Matrix
from rubrica.statistics.dawid_skene import fit_labels

# A judge with more distinct scores than this is cut into bins.
_MAX_LABELS = 10
_BINS = 5
# Added to every count, so that what was never seen is unlikely and not impossible.
_PRIOR = 0.01


@dataclass(frozen=True, slots=True)
class DawidSkene:
    """`probabilities` of the labels of each item; `confusion` of each judge: true label by given label."""

    labels: NDArray[np.float64]
    probabilities: NDArray[np.float64]
    confusion: NDArray[np.float64]
    shares: NDArray[np.float64]

    def expected(self) -> Matrix:
        """Return the expected label of each item."""
        return np.asarray(self.probabilities @ self.labels, dtype=np.float64)

    def accuracies(self) -> Matrix:
        """Return the estimated probability that each judge gives the true label."""
        diagonals = np.diagonal(self.confusion, axis1=1, axis2=2)
        return np.asarray(diagonals @ self.shares, dtype=np.float64)


def dawid_skene(scores: ArrayLike) -> DawidSkene:
    """Estimate the true labels of items and the errors of judges, without people's labels (Dawid and Skene 1979).

    Args:
        scores: Labels, judges x items (NaN where missing). If a judge has more than ten distinct scores, each judge's
            scores are cut into five bins at its own quantiles, and the labels are numbers of bins.

    Returns:
        The probabilities of each item's labels and the confusion matrix of each judge.

    Raises:
        DataError: The labels are not a matrix, or there are none.

    Example:
        >>> from rubrica.meta import dawid_skene
        >>> model = dawid_skene([[1, 2, 1, 2, 1], [1, 2, 1, 2, 2], [2, 1, 1, 2, 1]])
        >>> model.expected().round(1).tolist()
        [1.0, 2.0, 1.0, 2.0, 1.0]
    """
    table = np.asarray(scores, dtype=np.float64)
    if table.ndim != 2 or not len(table) or np.isnan(table).all():
        raise DataError("labels must be a matrix, judges by items, with at least one label")
    if max(len(np.unique(row[~np.isnan(row)])) for row in table) > _MAX_LABELS:
        table = np.array([_binned(row) for row in table])
    labels = np.unique(table[~np.isnan(table)])
    judges, items = np.nonzero(~np.isnan(table))
    given = np.searchsorted(labels, table[judges, items])
    shape = table.shape[1], len(table), len(labels)
    model = fit_labels(items, judges, given, shape, prior=_PRIOR)
    return DawidSkene(labels, model.probabilities, model.confusion, model.shares)


def _binned(row: Matrix) -> Matrix:
    """Return the numbers of the bins of a judge's scores; NaN stays."""
    known = row[~np.isnan(row)]
    cuts = np.unique(np.quantile(known, np.arange(1, _BINS) / _BINS)) if len(known) else known
    return np.where(np.isnan(row), np.nan, np.searchsorted(cuts, row, side="right"))
