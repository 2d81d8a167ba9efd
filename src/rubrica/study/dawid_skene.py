"""Dawid and Skene's model: estimate the true answers and each worker's reliability together.

Each worker has a rate of finding what is present and a rate of rejecting what is absent; answers
are independent given the truth. EM from the votes (Dawid and Skene, 1979), two classes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rubrica.errors import DataError

# One answer of each kind is added to every worker's counts, so that nobody is held infallible.
SMOOTHING = 1.0


@dataclass(frozen=True, slots=True)
class Reliability:
    """A worker's estimated rates: present called present, absent called absent."""

    worker: str
    finds: float
    rejects: float
    answers: int


@dataclass(frozen=True, slots=True)
class Truth:
    """The probability that each statement is present, and each worker's reliability."""

    present: NDArray[np.float64]
    prevalence: float
    workers: tuple[Reliability, ...]
    iterations: int


def dawid_skene(
    statements: Sequence[int],
    workers: Sequence[str],
    answers: Sequence[bool],
    *,
    iterations: int = 200,
    tolerance: float = 1e-9,
) -> Truth:
    """Fit the model to triples (statement number, worker, answer); statements count from 0, no gaps.

    Without worker names the model would be a plain vote, so they are required.
    """
    if not len(statements) == len(workers) == len(answers) or not len(answers):
        raise DataError("Dawid and Skene's model needs answers, each with its statement and worker")
    if not all(workers):
        raise DataError("the answers have no worker ids, which Dawid and Skene's model needs")
    names = sorted(set(workers))
    index = {name: number for number, name in enumerate(names)}
    item = np.asarray(statements, dtype=np.int64)
    who = np.array([index[name] for name in workers], dtype=np.int64)
    marks = np.asarray(answers, dtype=np.float64)
    count = int(item.max()) + 1
    votes = np.bincount(item, minlength=count)
    if (votes == 0).any():
        raise DataError("a statement has no answer")
    present = np.bincount(item, weights=marks, minlength=count) / votes
    answer_counts = np.bincount(who, minlength=len(names))
    step = 0
    for step in range(1, iterations + 1):  # noqa: B007 (its last value is returned)
        prevalence = float((present.sum() + SMOOTHING) / (count + 2 * SMOOTHING))
        true, false = present[item], 1.0 - present[item]
        finds = _rate(who, true * marks, true, len(names))
        rejects = _rate(who, false * (1 - marks), false, len(names))
        log_present = np.log(np.where(marks > 0, finds[who], 1 - finds[who]))
        log_absent = np.log(np.where(marks > 0, 1 - rejects[who], rejects[who]))
        margin = (
            np.log(prevalence)
            - np.log1p(-prevalence)
            + np.bincount(item, weights=log_present - log_absent, minlength=count)
        )
        updated = 1.0 / (1.0 + np.exp(-np.clip(margin, -700, 700)))
        change = float(np.abs(updated - present).max())
        present = updated
        if change < tolerance:
            break
    reliabilities = tuple(
        Reliability(name, float(finds[n]), float(rejects[n]), int(answer_counts[n]))
        for n, name in enumerate(names)
    )
    return Truth(present, prevalence, reliabilities, step)


def _rate(
    who: NDArray[np.int64], right: NDArray[np.float64], all_: NDArray[np.float64], count: int
) -> NDArray[np.float64]:
    hits = np.bincount(who, weights=right, minlength=count) + SMOOTHING
    return np.asarray(hits / (np.bincount(who, weights=all_, minlength=count) + 2 * SMOOTHING))
