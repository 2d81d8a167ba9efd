"""Which of two systems is better: does the metric decide as people do, or abstain when they do?

For each pair of systems the inputs are resampled; a system that wins at least 95 percent of the
rounds is better, and otherwise the data cannot say (Bhandari et al., EMNLP 2020, experiment III).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rubrica.errors import ParameterError
from rubrica.meta.correlation.draws import STANDARD, count_blocks, facts_of, rounds_of
from rubrica.meta.scores import Matrix, blocks, choice, joined, score_matrix
from rubrica.meta.signatures import method_signature
from rubrica.signature import Signature
from rubrica.statistics.intervals import Resampling

# What a tied round counts for: one half for each system, or, as in the published code, nothing for
# the first, so that of two equal systems the second is called better.
TiedRounds: TypeAlias = Literal["half", "second"]

# A difference this small, relative to the scores that made it, is rounding.
_ROUNDING = 1e-12
_CLASSES = (1, -1, 0)


@dataclass(frozen=True, slots=True)
class Decisions:
    """One decision per pair (i, j), i < j: 1 the first is better, -1 the second, 0 cannot say.

    `wins` is the share of rounds the first won; NaN for a pair without a common input, which is
    decided 0.
    """

    pairs: NDArray[np.int64]
    wins: Matrix
    labels: NDArray[np.int64]
    signature: Signature = field(repr=False)


@dataclass(frozen=True, slots=True)
class DecisionAgreement:
    """How often the metric's decisions are people's; shares from 0 to 1, None without pairs.

    `confusion[h][m]` counts pairs that people put in class h and the metric in m, classes in the
    order first better, second better, cannot say. `weighted_f1` weighs the classes by people's
    counts, as published; it hangs a little on which system of a pair comes first. `symmetric_f1`
    counts every pair both ways round and does not.
    """

    pairs: int
    left_out: int
    confusion: tuple[tuple[int, int, int], ...]
    accuracy: float | None
    weighted_f1: float | None
    symmetric_f1: float | None
    signature: Signature = field(repr=False)


def decide_pairs(
    scores: ArrayLike, *, tied: TiedRounds = "half", resampling: Resampling = STANDARD
) -> Decisions:
    """Decide for each two systems which is better, by a paired bootstrap of the inputs that both have.

    All pairs, and all metrics with the same inputs, see the same draws.

    Args:
        scores: Scores, systems x inputs (NaN where missing).
        tied: A tied round is `half` a win, or a win of the `second` system, as in the published code.
        resampling: Rounds and seed; `confidence` is the percentage of rounds that a system must win, at least 50.

    Returns:
        The pairs with a label: 1 if the first system is better, -1 if the second is, 0 if undecided.

    Raises:
        ParameterError: An option has an unknown value.

    Example:
        >>> from rubrica.meta import decide_pairs
        >>> result = decide_pairs([[1, 2, 2, 1], [2, 2, 3, 1], [4, 3, 5, 4]])
        >>> result.pairs.tolist(), result.labels.tolist()
        ([[0, 1], [0, 2], [1, 2]], [-1, -1, -1])
    """
    choice(tied, ("half", "second"), "tied")
    matrix = score_matrix(scores)
    systems, inputs = matrix.shape
    if not 50.0 <= resampling.confidence < 100.0:
        raise ParameterError(f"confidence must be from 50 to 100, found {resampling.confidence}")
    first, second = np.triu_indices(systems, 1)
    common = np.zeros(len(first), dtype=np.bool_)
    won = np.zeros(len(first))
    for _, counts in count_blocks(resampling, inputs, inputs):
        for part in blocks(len(first), inputs + len(counts)):
            differences = matrix[first[part]] - matrix[second[part]]
            common[part] = (~np.isnan(differences)).any(axis=1)
            differences = np.where(np.isnan(differences), 0.0, differences)
            sums = counts @ differences.T
            sums[np.abs(sums) <= _ROUNDING * (counts @ np.abs(differences).T)] = 0.0
            won[part] += (sums > 0).sum(axis=0)
            if tied == "half":
                won[part] += 0.5 * (sums == 0).sum(axis=0)
    wins = np.where(common, won / rounds_of(resampling), np.nan)
    # Half a round of slack would change nothing; this much only forgives 1 - .95 != .05.
    share, slack = resampling.confidence / 100.0, 1e-9
    labels = np.where(wins >= share - slack, 1, np.where(wins <= 1.0 - share + slack, -1, 0))
    signature = _signature("decisions", (matrix,), tied, resampling)
    return Decisions(np.stack([first, second], axis=1), wins, labels, signature)


def decision_agreement(
    metric: ArrayLike,
    human: ArrayLike,
    *,
    tied: TiedRounds = "half",
    resampling: Resampling = STANDARD,
) -> DecisionAgreement:
    """Compare the metric's decisions about pairs of systems with people's; see `decide_pairs`.

    Only cells with both scores count. A pair without a common input is left out.

    Args:
        metric: Scores, systems x inputs (NaN where missing).
        human: Human scores, in the same shape.
        tied: A tied round is `half` a win, or a win of the `second` system.
        resampling: Rounds and seed; `confidence` is the percentage of rounds that a system must win.

    Returns:
        The confusion matrix of first, second and undecided; accuracy and F1.

    Raises:
        MismatchError: The matrices differ in shape.

    Example:
        >>> from rubrica.meta import decision_agreement
        >>> human = [[1, 2, 2], [2, 2, 3], [4, 3, 5], [5, 4, 4]]
        >>> metric = [[0.2, 0.3, 0.2], [0.3, 0.2, 0.4], [0.4, 0.4, 0.5], [0.5, 0.3, 0.6]]
        >>> result = decision_agreement(metric, human)
        >>> result.pairs, round(result.accuracy, 2)
        (6, 0.83)
    """
    x, z = joined(metric, human)
    by_metric = decide_pairs(x, tied=tied, resampling=resampling)
    by_people = decide_pairs(z, tied=tied, resampling=resampling)
    signature = _signature("decision-agreement", (x, z), tied, resampling)
    used = ~np.isnan(by_people.wins)
    h, m = by_people.labels[used], by_metric.labels[used]
    confusion = np.array([[((h == a) & (m == b)).sum() for b in _CLASSES] for a in _CLASSES])
    total = int(confusion.sum())
    rows = tuple((int(a), int(b), int(c)) for a, b, c in confusion.tolist())
    if not total:
        return DecisionAgreement(0, int((~used).sum()), rows, None, None, None, signature)
    # Turned round, a pair's first and second classes change places and "cannot say" stays.
    turned = confusion[[1, 0, 2]][:, [1, 0, 2]]
    return DecisionAgreement(
        pairs=total,
        left_out=int((~used).sum()),
        confusion=rows,
        accuracy=float(np.trace(confusion) / total),
        weighted_f1=_weighted_f1(confusion),
        symmetric_f1=_weighted_f1(confusion + turned),
        signature=signature,
    )


def _signature(
    name: str, scores: tuple[Matrix, ...], tied: str, resampling: Resampling
) -> Signature:
    facts = {"level": "system", "over": "inputs", "ties": tied, **facts_of(resampling)}
    return method_signature(name, *scores, **facts, absent="left-out")


def _weighted_f1(confusion: NDArray[np.int64]) -> float:
    support, predicted = confusion.sum(axis=1), confusion.sum(axis=0)
    f1 = 2.0 * np.diag(confusion) / np.maximum(support + predicted, 1)
    return float((f1 * support).sum() / confusion.sum())
