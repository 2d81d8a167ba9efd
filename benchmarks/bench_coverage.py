"""How often intervals cover the truth, and how often tests cry wolf: a seeded simulation.

Population: a system has a latent quality for people and one for the metric, bivariate normal with
correlation rho; a score is its quality, plus the input's difficulty, plus noise. Systems and inputs
are new in every trial. The truth is the correlation in that population (at the system level, of
means over as many inputs).

Tests: two metrics made alike (independent noise of equal size about the human scores) compared with
people: every rejection is false. With --system-errors each metric also has an error of its own for
every system, as metrics do that like one kind of system better.
Run: python benchmarks/bench_coverage.py [--quick] [--system-errors]
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from rubrica.meta import Level, compare_metrics, interval

RESULTS = Path(__file__).parent / "results"
SIZES = ((12, 25), (25, 100))
RHO, NOISE = 0.7, 1.0
Floats = np.ndarray[Any, np.dtype[np.float64]]


def population(rng: np.random.Generator, systems: int, inputs: int) -> tuple[Floats, Floats]:
    quality = rng.multivariate_normal([0, 0], [[1, RHO], [RHO, 1]], size=systems)
    hard = rng.normal(size=inputs)
    x, z = (
        quality[:, k : k + 1] + hard + NOISE * rng.normal(size=(systems, inputs)) for k in range(2)
    )
    return x, z


def truth(level: str, coefficient: str, inputs: int) -> float:
    """Two scores are bivariate normal at every level, so the model gives the correlation itself."""
    r = {
        "summary": RHO / (1 + NOISE**2),
        "system": RHO / (1 + NOISE**2 / inputs),
        "global": (RHO + 1) / (2 + NOISE**2),
    }[level]
    return r if coefficient == "pearson" else 2 / math.pi * math.asin(r)


def coverage(trials: int, rounds: int) -> list[dict[str, Any]]:
    methods: list[tuple[str, dict[str, Any]]] = [
        (name, {"method": name})
        for name in ("bootstrap-system", "bootstrap-input", "bootstrap-both", "fisher")
    ]
    methods.append(("bootstrap-both, BCa", {"method": "bootstrap-both", "bounds": "bca"}))
    rows = []
    for systems, inputs in SIZES:
        for level in Level:
            for coefficient in ("pearson", "kendall"):
                true = truth(level.value, coefficient, inputs)
                hits = dict.fromkeys((name for name, _ in methods), 0)
                for trial in range(trials):
                    x, z = population(np.random.default_rng([1, trial]), systems, inputs)
                    for name, options in methods:
                        found = interval(
                            x, z, level, coefficient, rounds=rounds, seed=trial, **options
                        )
                        if found.lower is not None and found.upper is not None:
                            hits[name] += found.lower <= true <= found.upper
                row: dict[str, Any] = {"systems": systems, "inputs": inputs, "level": level.value}
                row |= {"coefficient": coefficient, "truth": true}
                row |= {"coverage": {name: count / trials for name, count in hits.items()}}
                rows.append(row)
                told = "  ".join(f"{name} {count / trials:.3f}" for name, count in hits.items())
                print(f"{systems} x {inputs} {level:7} {coefficient:8} true {true:.3f}  {told}")
    return rows


def false_positives(
    trials: int, rounds: int, sizes: Sequence[tuple[int, int]], system_error: float
) -> list[dict[str, Any]]:
    tests: list[tuple[str, dict[str, Any]]] = [
        (name, {"method": name})
        for name in (
            "permutation-system",
            "permutation-input",
            "permutation-both",
            "bootstrap-both",
            "williams",
        )
    ]
    rows_columns = {"method": "permutation-both", "scheme": "rows-columns"}
    tests.insert(3, ("permutation-both, rows-columns", rows_columns))
    rows = []
    for systems, inputs in sizes:
        for level in Level:
            for coefficient in ("pearson", "kendall"):
                found = dict.fromkeys((name for name, _ in tests), 0)
                for trial in range(trials):
                    rng = np.random.default_rng([2, trial])
                    human = rng.normal(size=(systems, 1)) + rng.normal(size=(systems, inputs))
                    x, y = (
                        human
                        + system_error * rng.normal(size=(systems, 1))
                        + rng.normal(size=human.shape)
                        for _ in range(2)
                    )
                    for name, options in tests:
                        made = compare_metrics(
                            x, y, human, level, coefficient, rounds=rounds, seed=trial, **options
                        )
                        found[name] += made.is_significant(0.05)
                row: dict[str, Any] = {"systems": systems, "inputs": inputs, "level": level.value}
                row |= {"coefficient": coefficient}
                row |= {"rejected": {name: count / trials for name, count in found.items()}}
                rows.append(row)
                told = "  ".join(f"{name} {count / trials:.3f}" for name, count in found.items())
                print(f"{systems} x {inputs} {level:7} {coefficient:8} {told}")
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="100 trials instead of 1,000")
    parser.add_argument("--system-errors", action="store_true", help="only that simulation")
    arguments = parser.parse_args()
    trials, rounds = (100, 199) if arguments.quick else (1_000, 499)
    result: dict[str, Any] = {"trials": trials, "rounds": rounds, "rho": RHO, "noise": NOISE}
    if not arguments.system_errors:
        print("share of 95 % intervals that cover the truth")
        result["coverage"] = coverage(trials, rounds)
    print("share of tests with p <= 0.05 though both metrics are equally good (one tail)")
    sizes, error = (SIZES[:1], 0.5) if arguments.system_errors else (SIZES, 0.0)
    result["false_positives"] = false_positives(trials, rounds, sizes, error)
    output = RESULTS / ("system_errors.json" if arguments.system_errors else "coverage.json")
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text(json.dumps(result, indent=2) + "\n")
    print(f"written: {output.name}")


if __name__ == "__main__":
    main()
