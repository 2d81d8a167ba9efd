"""Prediction-powered inference: a mean from few labels by people and many predictions by a judge.

The judge's mean over unlabelled items is corrected by its mean error on labelled ones. PPI
(Angelopoulos et al., Science 2023) takes the predictions at face value; PPI++ (Angelopoulos, Duchi
and Zrnic, 2023) weights them by `power`, estimated so that the variance is smallest: a useless judge
gets no weight. Whatever the judge is worth, the estimate is that of people's mean.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rubrica.errors import DataError, ParameterError

Method: TypeAlias = Literal["ppi++", "ppi", "classical"]
Reference: TypeAlias = Literal["t", "normal"]
Floats: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class MeanEstimate:
    """An estimated mean; bounds and error are None where fewer than two labels exist.

    `power` is the weight of the judge, 0 (not used) to 1. `degrees` are those of Student's t, None
    for the normal distribution.
    """

    value: float
    error: float | None
    lower: float | None
    upper: float | None
    power: float
    labels: int
    predictions: int
    degrees: float | None

    def p_value(self, null: float = 0.0) -> float | None:
        """Return the two-sided p-value of the mean being `null`."""
        if self.error is None:
            return None
        if self.error == 0.0:
            return float(self.value == null)
        return 2 * _lower_tail(self.degrees, -abs(self.value - null) / self.error)


def prediction_powered_mean(
    labels: ArrayLike,
    predictions: ArrayLike,
    unlabelled: ArrayLike,
    *,
    method: Method = "ppi++",
    confidence: float = 95.0,
    reference: Reference = "t",
    clusters: Sequence[Any] | None = None,
    prior_variance: float | None = None,
) -> MeanEstimate:
    """Estimate the mean of people's labels over all items.

    Args:
        labels: People's labels.
        predictions: The judge's values for the same items.
        unlabelled: The judge's values for items without a label.
        method: "ppi++", "ppi", or "classical", which ignores the judge.
        confidence: Of the interval, in percent.
        reference: "t" uses unbiased variances and Student's t, which covers for few labels;
            "normal" is the large-sample interval of the papers (and of ppi-python).
        clusters: Cluster of each labelled, then of each unlabelled item; items of a cluster may
            depend on each other. None: every item is independent.
        prior_variance: Variance of residuals (label minus weighted prediction) in similar data,
            such as the mean over all systems. It is averaged with their own variance, which is
            too small where few labels at the end of a scale are all equal.
    """
    y, f, g = (_vector(values) for values in (labels, predictions, unlabelled))
    if method not in get_args(Method):
        raise ParameterError(
            f"method must be one of {', '.join(get_args(Method))}; found {method!r}"
        )
    if len(y) != len(f):
        raise DataError(f"{len(y)} labels, but {len(f)} predictions for them")
    if not len(y):
        raise DataError("no labels: an estimate needs some people's judgments")
    power = _power(y, f, g, method)
    value = float((power * g).mean() + (y - power * f).mean()) if power else float(y.mean())
    if len(y) < 2:
        return MeanEstimate(value, None, None, None, power, len(y), len(g), None)
    degrees: float | None
    if clusters is not None:
        variance, degrees = _clustered(y - power * f, power * g, clusters)
    else:
        variance, degrees = _independent(y - power * f, power * g, reference, prior_variance)
    return _estimate(value, variance, degrees, power, len(y), len(g), confidence, reference)


def stratified_mean(estimates: Sequence[MeanEstimate], confidence: float = 95.0) -> MeanEstimate:
    """Combine estimates of strata, each weighted by its share of all items."""
    sizes = [estimate.labels + estimate.predictions for estimate in estimates]
    weights = [size / sum(sizes) for size in sizes]
    value = math.fsum(w * estimate.value for w, estimate in zip(weights, estimates, strict=True))
    power = math.fsum(w * estimate.power for w, estimate in zip(weights, estimates, strict=True))
    labels = sum(estimate.labels for estimate in estimates)
    predictions = sum(estimate.predictions for estimate in estimates)
    if any(estimate.error is None for estimate in estimates):
        return MeanEstimate(value, None, None, None, power, labels, predictions, None)
    parts = [
        ((w * (estimate.error or 0.0)) ** 2, estimate.degrees)
        for w, estimate in zip(weights, estimates, strict=True)
    ]
    normal = any(estimate.degrees is None for estimate in estimates)
    variance = math.fsum(part for part, _ in parts)
    below = math.fsum(part**2 / degrees for part, degrees in parts if degrees)
    degrees = None if normal else (variance**2 / below if below else math.inf)
    reference: Reference = "normal" if normal else "t"
    return _estimate(value, variance, degrees, power, labels, predictions, confidence, reference)


def _power(y: Floats, f: Floats, g: Floats, method: str) -> float:
    """The judge's weight: the estimated optimum of PPI++, between 0 and 1."""
    if method == "classical" or not len(g):
        return 0.0
    if method == "ppi":
        return 1.0
    everything = np.concatenate([f, g])
    variance = float(everything.var(ddof=1)) if len(everything) > 1 else 0.0
    if len(y) < 2 or variance <= 0.0:
        return 0.0
    covariance = float(((y - y.mean()) * (f - f.mean())).mean())
    return min(1.0, max(0.0, covariance / ((1 + len(y) / len(g)) * variance)))


def _independent(
    residuals: Floats, predicted: Floats, reference: str, prior_variance: float | None
) -> tuple[float, float | None]:
    """Variance of the sum of two independent means, with Welch's degrees of freedom."""
    if reference == "normal":
        second = float(predicted.var()) / len(predicted) if len(predicted) else 0.0
        return float(residuals.var()) / len(residuals) + second, None
    own = float(residuals.var(ddof=1))
    if prior_variance is not None:
        own = (own + prior_variance) / 2
    first = own / len(residuals)
    few = len(residuals) - 1
    if len(predicted) < 2:
        return first, few
    second = float(predicted.var(ddof=1)) / len(predicted)
    below = first**2 / few + second**2 / (len(predicted) - 1)
    return first + second, (first + second) ** 2 / below if below > 0 else few


def _clustered(
    residuals: Floats, predicted: Floats, clusters: Sequence[Any]
) -> tuple[float, float]:
    """Cluster-robust variance; a cluster may have labelled and unlabelled items."""
    if len(clusters) != len(residuals) + len(predicted):
        raise DataError("every labelled and unlabelled item needs a cluster")
    influence = (residuals - residuals.mean()) / len(residuals)
    if len(predicted):
        rest = (predicted - predicted.mean()) / len(predicted)
        influence = np.concatenate([influence, rest])
    codes = np.unique(np.array([str(cluster) for cluster in clusters]), return_inverse=True)[1]
    count = int(codes.max()) + 1
    with_labels = len(np.unique(codes[: len(residuals)]))
    if with_labels < 2:
        raise DataError("labels of at least two clusters are needed")
    totals = np.bincount(codes, weights=influence, minlength=count)
    return float((totals**2).sum()) * with_labels / (with_labels - 1), with_labels - 1


def _estimate(
    value: float,
    variance: float,
    degrees: float | None,
    power: float,
    labels: int,
    predictions: int,
    confidence: float,
    reference: str,
) -> MeanEstimate:
    if not 0 < confidence < 100:
        raise ParameterError(f"confidence must lie between 0 and 100, not {confidence:g}")
    degrees = None if reference == "normal" else degrees
    error = math.sqrt(variance)
    reach = _quantile(degrees, 0.5 + confidence / 200) * error
    return MeanEstimate(
        value, error, value - reach, value + reach, power, labels, predictions, degrees
    )


def _quantile(degrees: float | None, share: float) -> float:
    from scipy import special  # slow to import

    if degrees is None or math.isinf(degrees):
        return float(special.ndtri(share))
    return float(special.stdtrit(degrees, share))


def _lower_tail(degrees: float | None, value: float) -> float:
    from scipy import special  # slow to import

    if degrees is None or math.isinf(degrees):
        return float(special.ndtr(value))
    return float(special.stdtr(degrees, value))


def _vector(values: ArrayLike) -> Floats:
    vector = np.asarray(values, dtype=np.float64)
    if vector.ndim != 1:
        raise DataError(f"expected one value per item, found {vector.ndim} dimensions")
    if not np.isfinite(vector).all():
        raise DataError("labels and predictions must be finite numbers")
    return vector
