"""Earth mover's distance: the least work that turns one set of weighted points into another.

POT solves it exactly where it is installed, scipy's linear programming elsewhere (equal to about
1e-9, ten to thirty times slower).
"""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rubrica.errors import MetricFailedError, ParameterError

Floats = NDArray[np.float64]

# Pivots of the network simplex; texts of thousands of words need some ten thousand.
_MAX_PIVOTS = 10_000_000
_BACKENDS = ("JAX", "PYTORCH", "TENSORFLOW", "CUPY")


def earth_movers_distance(left: ArrayLike, right: ArrayLike, cost: ArrayLike) -> float:
    """Return the exact distance between two sets of weights, given the cost of each path [left, right].

    Weights are not negative; each side is scaled to sum to 1. Places without weight may be left in.
    """
    a, b, ways = _validated(left, right, cost)
    if len(a) == 1 or len(b) == 1:
        # There is only one possible plan.
        return float(a @ ways @ b)
    return _by_pot(a, b, ways) if _pot() is not None else _by_linear_programming(a, b, ways)


def earth_movers_plan(left: ArrayLike, right: ArrayLike, cost: ArrayLike) -> Floats:
    """Return the optimal transport plan [left, right], which sums to 1. Every point needs weight."""
    a, b, ways = _validated(left, right, cost)
    if ways.shape != np.shape(cost):
        raise ParameterError("a plan needs weight at every place")
    if _pot() is None:
        return _linear_program(a, b, ways)[1]
    plan: Floats = _pot().emd(a, b, np.ascontiguousarray(ways), numItermax=_MAX_PIVOTS)
    return plan


def relaxed_movers_distance(left: ArrayLike, right: ArrayLike, cost: ArrayLike) -> float:
    """Return a lower bound of the distance: each point takes its cheapest path; the larger of both directions.

    Kusner et al. (2015) call it the relaxed word mover's distance.
    """
    a, b, ways = _validated(left, right, cost)
    return float(max(a @ ways.min(axis=1), ways.min(axis=0) @ b))


def solver() -> str:
    """Return the solver in use: `POT` or `scipy`; both are exact."""
    return "scipy" if _pot() is None else "POT"


def _validated(left: ArrayLike, right: ArrayLike, cost: ArrayLike) -> tuple[Floats, Floats, Floats]:
    """Return both sides without zero weights, scaled to sum 1, and their costs."""
    a, b = np.asarray(left, dtype=np.float64), np.asarray(right, dtype=np.float64)
    ways = np.asarray(cost, dtype=np.float64)
    if ways.shape != (len(a), len(b)):
        raise ParameterError(
            f"costs of shape {ways.shape} do not fit {len(a)} and {len(b)} weights"
        )
    if not (np.isfinite(a).all() and np.isfinite(b).all() and np.isfinite(ways).all()):
        raise ParameterError("weights and costs must be finite numbers")
    if (a < 0).any() or (b < 0).any() or not a.any() or not b.any():
        raise ParameterError("weights must not be negative, and each side needs one above 0")
    rows, columns = a > 0, b > 0
    return a[rows] / a.sum(), b[columns] / b.sum(), ways[np.ix_(rows, columns)]


def _by_pot(a: Floats, b: Floats, ways: Floats) -> float:
    distance, log = _pot().emd2(a, b, np.ascontiguousarray(ways), numItermax=_MAX_PIVOTS, log=True)
    if log["warning"] is not None:
        raise MetricFailedError(f"POT found no earth mover's distance: {log['warning']}")
    return max(0.0, float(distance))


def _by_linear_programming(a: Floats, b: Floats, ways: Floats) -> float:
    return _linear_program(a, b, ways)[0]


def _linear_program(a: Floats, b: Floats, ways: Floats) -> tuple[float, Floats]:
    """Return the distance and its plan."""
    from scipy.optimize import linprog
    from scipy.sparse import eye_array, kron, vstack

    ones_left, ones_right = np.ones((1, len(a))), np.ones((1, len(b)))
    # What leaves each place on the left, then what arrives at each on the right.
    sums = vstack([kron(eye_array(len(a)), ones_right), kron(ones_left, eye_array(len(b)))])
    # Drop one constraint: it follows from the others, and rounding could make them inconsistent.
    solved = linprog(
        ways.ravel(),
        A_eq=sums.tocsr()[:-1],
        b_eq=np.concatenate([a, b])[:-1],
        method="highs",
    )
    if not solved.success:
        raise MetricFailedError(f"scipy found no earth mover's distance: {solved.message}")
    return max(0.0, float(solved.fun)), solved.x.reshape(ways.shape)


@cache
def _pot() -> Any:
    """Return the module `ot`, or None where it is not installed."""
    if importlib.util.find_spec("ot") is None:
        return None
    with _numpy_only():
        import ot
    return ot


@contextmanager
def _numpy_only() -> Iterator[None]:
    """Keep POT from importing torch and its like, which takes seconds and is not needed here."""
    names = [f"POT_BACKEND_DISABLE_{backend}" for backend in _BACKENDS]
    before = {name: os.environ.get(name) for name in names}
    os.environ.update(dict.fromkeys(names, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
