"""Agreement of raters by batch, and how well a second rating of the same text repeats the first."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rubrica.meta.judges.agreement import krippendorff_alpha
from rubrica.study.ratings import Rating, aligned_answers, by_summary


@dataclass(frozen=True, slots=True)
class BatchAgreement:
    """Krippendorff's alpha (nominal) over the statements of a batch; None where undefined.

    Raters are exchangeable: the first row of each summary counts as the first rater, and so on.
    """

    batch: str
    rows: int
    summaries: int
    statements: int
    alpha: float | None


@dataclass(frozen=True, slots=True)
class Retest:
    """Pairs of summaries that show the same text under different names, and their scores.

    `difference` is the mean absolute difference of the two human scores; `correlation` is Pearson's
    over the pairs in both orders, None with fewer than three pairs or without variation.
    """

    pairs: int
    difference: float | None
    correlation: float | None


def agreement_by_batch(ratings: Sequence[Rating]) -> list[BatchAgreement]:
    """Return the agreement in each file, then that of all files together."""
    batches: dict[str, list[Rating]] = {}
    for rating in ratings:
        batches.setdefault(rating.batch, []).append(rating)
    named = [*batches.items()]
    if len(named) > 1:
        named.append(("(all)", list(ratings)))
    return [_batch(name, rows) for name, rows in named]


def _batch(name: str, rows: Sequence[Rating]) -> BatchAgreement:
    groups = by_summary(rows)
    width = max(map(len, groups.values()), default=0)
    columns: list[list[bool | None]] = []
    for group in groups.values():
        for column in zip(*aligned_answers(group, "none"), strict=True):
            columns.append([*column, *([None] * (width - len(column)))])
    alpha = None
    if columns and width > 1:
        alpha = krippendorff_alpha(
            list(map(list, zip(*columns, strict=True))), resampling=None
        ).value
    return BatchAgreement(name, len(rows), len(groups), len(columns), alpha)


def retest(ratings: Sequence[Rating], scores: dict[tuple[str, str], float]) -> Retest:
    """Compare the scores of texts rated twice: same input, same shown text, different systems."""
    seen: dict[tuple[str, str], list[float]] = {}
    for key, group in by_summary(ratings).items():
        if key in scores:
            text = " ".join(group[0].shown.lower().split())
            seen.setdefault((key[0], text), []).append(scores[key])
    pairs = [
        (values[i], values[j])
        for values in seen.values()
        for i in range(len(values))
        for j in range(i + 1, len(values))
    ]
    if not pairs:
        return Retest(0, None, None)
    first = np.array([a for a, b in pairs] + [b for a, b in pairs])
    second = np.array([b for a, b in pairs] + [a for a, b in pairs])
    r = None
    if len(pairs) > 2 and first.std() > 0:
        r = float(np.corrcoef(first, second)[0, 1])
    difference = math.fsum(abs(a - b) for a, b in pairs) / len(pairs)
    return Retest(len(pairs), difference, r)
