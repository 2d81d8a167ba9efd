"""METEOR's score from the counts of an alignment, of one pair or summed over many."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rubrica.core.meteor_texts import MODULES


@dataclass(frozen=True, slots=True)
class Weights:
    """The parameters of a task: how recall, fragmentation, content words and modules weigh."""

    alpha: float
    beta: float
    gamma: float
    delta: float
    modules: tuple[float, ...]


# As tuned by METEOR's authors: on rankings of translations (its default), on adequacy, on edits, and
# one for languages without resources.
TASKS: Mapping[str, Weights] = {
    "rank": Weights(0.85, 0.20, 0.60, 0.75, (1.0, 0.6, 0.8, 0.6)),
    "adq": Weights(0.75, 1.40, 0.45, 0.70, (1.0, 1.0, 0.6, 0.8)),
    "hter": Weights(0.40, 1.50, 0.35, 0.55, (1.0, 0.2, 0.6, 0.8)),
    "li": Weights(0.75, 1.40, 0.70, 0.50, (1.0, 0.5, 0.5, 0.5)),
}


@dataclass(frozen=True, slots=True)
class Score:
    """METEOR and what it is made of; without a match the penalty is None and METEOR 0."""

    precision: float
    recall: float
    penalty: float | None
    meteor: float


def score(totals: Sequence[float], weights: Weights) -> Score:
    """Return the score of (summed) statistics; see `rubrica.core.meteor_texts` for their order."""

    def weighted(at: int) -> float:
        return weights.delta * totals[at] + (1 - weights.delta) * totals[at + 1]

    sides, matched = [], 0.0
    for side in (0, 2):
        hits = sum(
            weight * weighted(4 * module + side) for module, weight in enumerate(weights.modules)
        )
        length = weighted(4 * MODULES + side)
        sides.append(hits / length if length else 0.0)
        matched += sum(totals[4 * m + side] + totals[4 * m + side + 1] for m in range(MODULES))
    precision, recall = sides
    if not precision or not recall:
        return Score(precision, recall, None, 0.0)
    mean = 1 / ((1 - weights.alpha) / precision + weights.alpha / recall)
    penalty = weights.gamma * (totals[-1] / (matched / 2)) ** weights.beta
    return Score(precision, recall, penalty, max(0.0, mean * (1 - penalty)))
