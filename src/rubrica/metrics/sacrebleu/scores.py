"""BLEU, chrF and TER of many rows of summed statistics at once, by sacrebleu's formulas.

sacrebleu scores one row at a time, which makes tests of ten thousand rounds slow. Equal to its own
scores within rounding (a few units in the last place).
"""

from __future__ import annotations

import numpy as np

from rubrica.statistics.intervals import FloatMatrix

# sacrebleu's value for the logarithm of 0, and the default smoothing values.
_LOG_OF_ZERO = -9999999999.0
_SMOOTH_DEFAULTS = {"floor": 0.1, "add-k": 1.0}


def bleu_scores(
    totals: FloatMatrix,
    *,
    order: int,
    smooth_method: str,
    smooth_value: float | None,
    effective_order: bool,
) -> FloatMatrix:
    """Return BLEU of rows of: summary length, reference length, correct n-grams, all n-grams (1 to order)."""
    length, reference_length = totals[:, 0], totals[:, 1]
    correct, total = totals[:, 2 : 2 + order].copy(), totals[:, 2 + order :].copy()
    nothing = ~correct.any(axis=1)
    value = _SMOOTH_DEFAULTS.get(smooth_method, 0.0) if smooth_value is None else smooth_value
    if smooth_method == "add-k":
        correct[:, 1:] += value
        total[:, 1:] += value
    # The first order without any n-gram ends the text's precisions.
    reached = np.logical_and.accumulate(total > 0, axis=1)
    below = np.where(reached, total, 1.0)
    smoothed = np.zeros_like(total)
    zero = reached & (correct == 0)
    if smooth_method == "exp":
        smoothed = 100.0 / (2.0 ** np.cumsum(zero, axis=1) * below)
    elif smooth_method == "floor":
        smoothed = 100.0 * value / below
    precision = np.where(zero, smoothed, np.where(reached, 100.0 * correct / below, 0.0))
    logs = np.where(precision > 0, np.log(np.where(precision > 0, precision, 1.0)), _LOG_OF_ZERO)
    used = np.full(len(totals), order)
    if effective_order:
        used = np.maximum(reached.sum(axis=1), 1)
    logs[np.arange(order) >= used[:, None]] = 0.0
    short = length < reference_length
    penalty = np.exp(
        np.where(short, 1.0 - reference_length / np.where(length > 0, length, 1.0), 0.0)
    )
    penalty[short & (length <= 0)] = 0.0
    scores: FloatMatrix = penalty * np.exp(logs.sum(axis=1) / used)
    scores[nothing] = 0.0
    return scores


def chrf_scores(totals: FloatMatrix, *, beta: float, eps_smoothing: bool) -> FloatMatrix:
    """Return chrF of rows of triples, one for each order: the summary's, the reference's, matching n-grams."""
    summary, reference, matching = (totals[:, part::3] for part in range(3))
    factor, epsilon = beta**2, 1e-16
    precision = np.where(summary > 0, matching / np.where(summary > 0, summary, 1.0), epsilon)
    recall = np.where(reference > 0, matching / np.where(reference > 0, reference, 1.0), epsilon)
    if eps_smoothing:
        scores = _f(precision, recall, factor, empty=epsilon)
        means: FloatMatrix = 100.0 * scores.sum(axis=1) / scores.shape[1]
        return means
    counted = (summary > 0) & (reference > 0)
    orders = np.maximum(counted.sum(axis=1), 1)
    both = [np.where(counted, part, 0.0).sum(axis=1) / orders for part in (precision, recall)]
    return 100.0 * _f(both[0], both[1], factor, empty=0.0)


def _f(precision: FloatMatrix, recall: FloatMatrix, factor: float, *, empty: float) -> FloatMatrix:
    below = factor * precision + recall
    above = (1 + factor) * precision * recall
    return np.where(below > 0, above / np.where(below > 0, below, 1.0), empty)


def ter_scores(totals: FloatMatrix) -> FloatMatrix:
    """Return TER of rows of edits and reference lengths; without reference words 100, or 0 without edits."""
    edits, length = totals[:, 0], totals[:, 1]
    without = np.where(edits > 0, 1.0, 0.0)
    return 100.0 * np.where(length > 0, edits / np.where(length > 0, length, 1.0), without)
