"""Human preferences between two summaries (as in TL;DR comparisons): does the metric prefer the same?

Also Bradley-Terry scores: one strength per system from many comparisons, so that preferences can
be correlated with system scores.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csgraph

from rubrica.errors import DataError, MismatchError, ParameterError
from rubrica.meta.correlation.draws import (
    STANDARD,
    count_blocks,
    defined_interval,
    facts_of,
    rounds_of,
)
from rubrica.meta.signatures import method_signature
from rubrica.signature import Signature
from rubrica.statistics.intervals import Resampling


@dataclass(frozen=True, slots=True)
class PreferenceAgreement:
    """Agreement of a metric's preferences with people's; shares from 0 to 1, None without pairs.

    `accuracy` counts a tie as right where both tie (acc_eq). `decided` looks only at pairs that
    people decided, a metric tie counting one half; `lower` and `upper` bound it, by a bootstrap
    over pairs. Pairs with anything absent are `left_out`.
    """

    accuracy: float | None
    decided: float | None
    lower: float | None
    upper: float | None
    pairs: int
    human_ties: int
    metric_ties: int
    left_out: int
    signature: Signature = field(repr=False)


@dataclass(frozen=True, slots=True)
class BradleyTerry:
    """Log strengths with mean 0, in the order of `systems`; None where no finite ones exist.

    They exist when the systems cannot be split in two so that one side never won or tied against
    the other. exp(a - b) are the odds that a is preferred to b.
    """

    systems: tuple[str, ...]
    strengths: tuple[float, ...] | None
    comparisons: int
    signature: Signature = field(repr=False)


def preference_agreement(
    first: ArrayLike,
    second: ArrayLike,
    preferred: ArrayLike,
    *,
    epsilon: float = 0.0,
    resampling: Resampling = STANDARD,
) -> PreferenceAgreement:
    """Compare a metric's scores of the two summaries of each pair with people's choice.

    Args:
        first: Score of the first summary of each pair.
        second: Score of the second summary of each pair.
        preferred: People's choice: 1 for the first, -1 for the second, 0 for a tie, NaN where missing.
        epsilon: Scores that differ by at most this are a tie of the metric.
        resampling: Rounds, confidence and seed of the interval.

    Returns:
        `accuracy` over all pairs, and `decided`, with an interval, over the pairs that people did not tie. A tie of the
        metric is half right there.

    Raises:
        ParameterError: `epsilon` is negative.
        MismatchError: The three differ in length.
        DataError: A preference is not 1, -1 or 0.

    Example:
        >>> from rubrica.meta import preference_agreement
        >>> result = preference_agreement([0.4, 0.2, 0.5, 0.3], [0.1, 0.6, 0.5, 0.2], [1, -1, 1, 0])
        >>> result.accuracy, round(result.decided, 3), result.human_ties
        (0.5, 0.833, 1)
    """
    if not epsilon >= 0.0:
        raise ParameterError(f"epsilon must not be negative, found {epsilon}")
    a, b, h = (
        np.asarray(values, dtype=np.float64).ravel() for values in (first, second, preferred)
    )
    if not len(a) == len(b) == len(h):
        raise MismatchError(f"{len(a)} first and {len(b)} second scores, {len(h)} preferences")
    complete = ~(np.isnan(a) | np.isnan(b) | np.isnan(h))
    human = h
    gap, h = (a - b)[complete], h[complete]
    if not np.isin(h, (-1.0, 0.0, 1.0)).all():
        raise DataError("preferences must be 1, -1 or 0 (NaN where absent)")
    m = np.where(np.abs(gap) <= epsilon, 0.0, np.sign(gap))
    right = np.where(m == 0, 0.5, m == h)[h != 0]
    lower = upper = None
    if len(right):
        samples = np.empty(rounds_of(resampling))
        for part, counts in count_blocks(resampling, len(right), len(right)):
            samples[part] = counts @ right / len(right)
        lower, upper = defined_interval(samples, resampling)
    return PreferenceAgreement(
        accuracy=float((m == h).mean()) if len(h) else None,
        decided=float(right.mean()) if len(right) else None,
        lower=lower,
        upper=upper,
        pairs=len(h),
        human_ties=int((h == 0).sum()),
        metric_ties=int((m == 0).sum()),
        left_out=int((~complete).sum()),
        signature=method_signature(
            "preferences",
            *(a, b, human),
            epsilon=f"{epsilon:g}",
            over="pairs",
            **facts_of(resampling),
            absent="left-out",
        ),
    )


def bradley_terry(
    comparisons: Sequence[tuple[str, str, float]], *, tolerance: float = 1e-12
) -> BradleyTerry:
    """Estimate the strength of systems from preferences between two of them.

    A tie is half a win for each. The strengths have maximum likelihood (Hunter's MM algorithm, 2004).

    Args:
        comparisons: Triples (first system, second system, preferred), where preferred is 1 for the first, -1 for the
            second, 0 for a tie, and NaN to leave the comparison out.
        tolerance: Stop when no log-strength changes by more.

    Returns:
        The systems and their log-strengths, which sum to 0. The strengths are None where they are not identified, such
        as for a system that always won.

    Raises:
        DataError: A system is compared with itself, or a preference is not 1, -1 or 0.

    Example:
        >>> from rubrica.meta import bradley_terry
        >>> games = [("a", "b", 1), ("a", "b", 1), ("a", "b", -1), ("b", "c", 1), ("b", "c", 0)]
        >>> result = bradley_terry(games)
        >>> result.systems, [round(strength, 2) for strength in result.strengths]
        (('a', 'b', 'c'), [0.83, 0.14, -0.96])
    """
    names = {name: None for a, b, _ in comparisons for name in (a, b)}
    place = {name: number for number, name in enumerate(names)}
    wins = np.zeros((len(names), len(names)))
    used = 0
    for a, b, preferred in comparisons:
        if a == b:
            raise DataError(f"a comparison of {a!r} with itself")
        if preferred != preferred:
            continue
        if preferred not in (-1, 0, 1):
            raise DataError(f"preferences must be 1, -1 or 0, found {preferred!r}")
        used += 1
        wins[place[a], place[b]] += (1 + preferred) / 2
        wins[place[b], place[a]] += (1 - preferred) / 2
    systems = tuple(names)
    votes = np.array([(a, b, float(h)) for a, b, h in comparisons], dtype=object)
    signature = method_signature("bradley-terry", votes, ties="half", absent="left-out")
    if not names or csgraph.connected_components(wins > 0, connection="strong")[0] > 1:
        return BradleyTerry(systems, None, used, signature)
    games, won = wins + wins.T, wins.sum(axis=1)
    log = np.zeros(len(names))
    for _ in range(100_000):
        strength = np.exp(log)
        new = np.log(won / (games / np.add.outer(strength, strength)).sum(axis=1))
        new = new - new.mean()
        moved = float(np.abs(new - log).max())
        log = new
        if moved <= tolerance:
            break
    return BradleyTerry(systems, tuple(log.tolist()), used, signature)
