"""Dawid and Skene's model of answers to statements, present or not; see `rubrica.statistics.dawid_skene`.

Each worker has a rate of finding what is present and a rate of rejecting what is absent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rubrica.errors import DataError
from rubrica.statistics.dawid_skene import fit_labels

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
) -> Truth:
    """Fit the model to triples (statement number, worker, answer); statements count from 0, no gaps.

    Without worker names the model would be a plain vote, so they are required.
    """
    if not len(statements) == len(workers) == len(answers) or not len(answers):
        raise DataError("Dawid and Skene's model needs answers, each with its statement and worker")
    if not all(workers):
        raise DataError("the answers have no worker ids, which Dawid and Skene's model needs")
    names, who = np.unique(workers, return_inverse=True)
    items, marks = np.asarray(statements, dtype=np.int64), np.asarray(answers, dtype=np.int64)
    count = int(items.max()) + 1
    if (np.bincount(items, minlength=count) == 0).any():
        raise DataError("a statement has no answer")
    shape = count, len(names), 2
    model = fit_labels(items, who, marks, shape, prior=SMOOTHING, rounds=iterations)
    reliabilities = tuple(
        Reliability(str(name), float(errors[1, 1]), float(errors[0, 0]), int(number))
        for name, errors, number in zip(names, model.confusion, np.bincount(who), strict=True)
    )
    return Truth(model.probabilities[:, 1], float(model.shares[1]), reliabilities, model.rounds)
