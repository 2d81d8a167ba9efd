"""Binary judgments: balanced accuracy with a threshold chosen on other data, and ROC AUC.

The protocol of SummaC, AggreFact and LLM-AggreFact: on validation data try a threshold at every
fifth of a percentile of the scores, keep the best, and apply it to the test data.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rubrica.core.python.common import uniforms
from rubrica.errors import DataError, MismatchError
from rubrica.meta.correlation.draws import STANDARD, defined_interval, facts_of, rounds_of
from rubrica.meta.scores import Matrix, choice
from rubrica.meta.signatures import method_signature
from rubrica.signature import Signature
from rubrica.statistics.intervals import Resampling
from rubrica.statistics.undefined import none_if_nan

# Percentiles 0, .2, ..., 99.8; at 100 nothing would be called consistent.
_PERCENTILES = np.arange(0, 1000, 2) / 10.0


@dataclass(frozen=True, slots=True)
class Threshold:
    """A score is called positive where it is above `value`; None without both kinds of judgment.

    `accuracy` is the balanced accuracy, 0 to 1, on the data it was chosen on.
    """

    value: float | None
    accuracy: float | None
    signature: Signature = field(repr=False)


@dataclass(frozen=True, slots=True)
class BinaryAgreement:
    """Balanced accuracy at a threshold, 0 to 1 with .5 by chance, and its interval.

    None without both kinds of judgment. Summaries without a score or a judgment are `left_out`;
    `undefined` rounds drew one kind alone and do not count.
    """

    accuracy: float | None
    lower: float | None
    upper: float | None
    positives: int
    negatives: int
    left_out: int
    undefined: int
    signature: Signature = field(repr=False)


@dataclass(frozen=True, slots=True)
class RocArea:
    """The area under the ROC curve, 0 to 1 with .5 by chance; without resampling there are no bounds."""

    value: float
    lower: float | None
    upper: float | None
    signature: Signature = field(repr=False)


def choose_threshold(scores: ArrayLike, labels: ArrayLike) -> Threshold:
    """Choose the threshold with the best balanced accuracy among the percentiles 0, 0.2, ..., 99.8 of the scores.

    Args:
        scores: Scores of validation summaries, of any shape; NaN is left out.
        labels: People's labels, 1 or 0 (NaN where missing), in the shape of `scores`.

    Returns:
        The threshold and its accuracy. The highest of equally good ones is chosen, as in AggreFact's code. Both are
        None without both labels.

    Raises:
        MismatchError: Scores and labels differ in shape.
        DataError: A label is neither 0 nor 1.

    Example:
        >>> from rubrica.meta import choose_threshold
        >>> chosen = choose_threshold([0.1, 0.3, 0.4, 0.8, 0.9], [0, 0, 1, 1, 1])
        >>> round(chosen.value, 3), chosen.accuracy
        (0.399, 1.0)
    """
    x, y, _ = _binary(scores, labels)
    signature = method_signature(
        "threshold", x, y * 1.0, tried="percentiles-0.2", best="highest", absent="left-out"
    )
    if not (y.any() and (~y).any()):
        return Threshold(None, None, signature)
    candidates = np.percentile(x, _PERCENTILES)
    positives, negatives = int(y.sum()), int((~y).sum())
    hits = positives - np.searchsorted(np.sort(x[y]), candidates, side="right")
    passes = np.searchsorted(np.sort(x[~y]), candidates, side="right")
    # Twice the accuracy over a common denominator, in whole numbers: equally good ones are equal.
    right = hits * negatives + passes * positives
    best = len(right) - 1 - int(np.argmax(right[::-1]))
    accuracy = right / (2.0 * positives * negatives)
    return Threshold(float(candidates[best]), float(accuracy[best]), signature)


def balanced_accuracy(
    scores: ArrayLike,
    labels: ArrayLike,
    threshold: float,
    *,
    interval: Literal["subsample", "bootstrap"] = "subsample",
    resampling: Resampling = STANDARD,
) -> BinaryAgreement:
    """Return the balanced accuracy of a threshold: the mean of the true positive and the true negative rate.

    Args:
        scores: Scores of summaries, of any shape; NaN is left out.
        labels: People's labels, 1 or 0 (NaN where missing), in the shape of `scores`.
        threshold: Scores above it are positive. Choose it on other data with `choose_threshold`.
        interval: `subsample` takes 80 percent of the data without replacement in each round, as AggreFact does. That is
            narrower than `bootstrap`, which estimates the spread of the data at hand.
        resampling: Rounds, confidence and seed of the interval.

    Returns:
        The accuracy with its interval and the number of positives and negatives; None without both labels.

    Raises:
        MismatchError: Scores and labels differ in shape.
        DataError: A label is neither 0 nor 1.
        ParameterError: `interval` is unknown.

    Example:
        >>> from rubrica.meta import balanced_accuracy
        >>> result = balanced_accuracy([0.1, 0.4, 0.3, 0.8, 0.9], [0, 0, 1, 1, 1], threshold=0.35)
        >>> round(result.accuracy, 3), result.positives, result.negatives
        (0.583, 3, 2)
    """
    choice(interval, ("subsample", "bootstrap"), "interval")
    x, y, left_out = _binary(scores, labels)
    right = (x > threshold) == y
    samples = np.full(rounds_of(resampling), np.nan)
    size = len(x) * 4 // 5
    for number in range(len(samples) if len(x) else 0):
        draws = uniforms(resampling.seed, number, len(x))
        if interval == "subsample":
            rows = np.argpartition(draws, size - 1)[:size] if size else np.empty(0, np.int64)
        else:
            rows = (draws * len(x)).astype(np.int64)
        samples[number] = _balanced(right[rows], y[rows])
    lower, upper = defined_interval(samples, resampling)
    value = _balanced(right, y)
    return BinaryAgreement(
        accuracy=none_if_nan(value),
        lower=None if np.isnan(value) else lower,
        upper=None if np.isnan(value) else upper,
        positives=int(y.sum()),
        negatives=int((~y).sum()),
        left_out=left_out,
        undefined=int(np.isnan(samples).sum()),
        signature=method_signature(
            "balanced-accuracy",
            *(x, y * 1.0),
            threshold=f"{threshold:.12g}",
            interval=interval,
            **facts_of(resampling),
            absent="left-out",
        ),
    )


def roc_auc(
    scores: ArrayLike, labels: ArrayLike, *, resampling: Resampling | None = None
) -> RocArea | None:
    """Return the area under the ROC curve: the chance that a positive has a higher score than a negative.

    Args:
        scores: Scores of summaries, of any shape; NaN is left out.
        labels: People's labels, 1 or 0 (NaN where missing), in the shape of `scores`.
        resampling: Rounds, confidence and seed of a percentile bootstrap over summaries (default: no interval). Rounds
            with one label only are left out.

    Returns:
        The area, ties counted one half; None without both labels.

    Raises:
        MismatchError: Scores and labels differ in shape.
        DataError: A label is neither 0 nor 1.

    Example:
        >>> from rubrica.meta import roc_auc
        >>> round(roc_auc([0.1, 0.4, 0.3, 0.8, 0.9], [0, 0, 1, 1, 1]).value, 3)
        0.833
    """
    x, y, _ = _binary(scores, labels)
    places = np.unique(x, return_inverse=True)[1].ravel()
    value = _auc(places[y], places[~y])
    if np.isnan(value):
        return None
    facts = {} if resampling is None else facts_of(resampling)
    signature = method_signature("roc-auc", x, y * 1.0, ties="half", **facts, absent="left-out")
    if resampling is None:
        return RocArea(value, None, None, signature)
    samples = np.empty(rounds_of(resampling))
    for number in range(len(samples)):
        rows = (uniforms(resampling.seed, number, len(x)) * len(x)).astype(np.int64)
        drawn, kind = places[rows], y[rows]
        samples[number] = _auc(drawn[kind], drawn[~kind])
    return RocArea(value, *defined_interval(samples, resampling), signature)


def _binary(scores: ArrayLike, labels: ArrayLike) -> tuple[Matrix, NDArray[np.bool_], int]:
    x, y = (np.asarray(values, dtype=np.float64).ravel() for values in (scores, labels))
    if x.shape != y.shape:
        raise MismatchError(f"{len(x)} scores, but {len(y)} judgments")
    complete = ~(np.isnan(x) | np.isnan(y))
    x, y = x[complete], y[complete]
    others = y[~np.isin(y, (0.0, 1.0))]
    if len(others):
        raise DataError(f"binary judgments must be 0 or 1 (NaN where absent), found {others[0]:g}")
    return x, y == 1.0, int((~complete).sum())


def _balanced(right: NDArray[np.bool_], positive: NDArray[np.bool_]) -> float:
    positives = int(positive.sum())
    negatives = len(positive) - positives
    if not positives or not negatives:
        return np.nan
    hits = int((right & positive).sum())
    return (hits / positives + (int(right.sum()) - hits) / negatives) / 2.0


def _auc(positive: NDArray[np.int64], negative: NDArray[np.int64]) -> float:
    """From the scores' places in their rising list, by counting: no sort in each round."""
    if not len(positive) or not len(negative):
        return np.nan
    width = int(max(positive.max(), negative.max())) + 1
    up, down = np.bincount(positive, minlength=width), np.bincount(negative, minlength=width)
    below = np.cumsum(down) - down / 2.0
    return float((up * below).sum() / (len(positive) * len(negative)))
