"""How much faster meta-evaluate is than an older version, with the same numbers.

Ten metrics and two human scores on 25 systems x 100 inputs, three levels, three coefficients. Both versions run the
same tests and intervals in turn, each in a process of its own, and their numbers must be equal before times count:

- tests: exchanges of whole systems and of whole inputs, the larger p-value counts (permutation-max);
- all: permutation-both with bootstrap-both intervals (the default of the older version).

The default test of this version is timed alone, because the older version does not have it.

Metrics are of falling quality. People give whole grades, or continuous scores; with `ties` some metrics have equal
scores, too. Processor time counts, since a busy machine stretches the time on the clock.
Run: python benchmarks/bench_meta_evaluate.py [--rounds N] [--before FOLDER]
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).resolve().parent
SOURCE = HERE.parent / "src"
# The last commit before permutation tests shared their sums.
OLDER = "3a837a1"
METRICS, SYSTEMS, INPUTS, ROUNDS = 10, 25, 100, 9_999
DATA = ("grades", "continuous", "ties")
BOTH: dict[str, Any] = {"test": "permutation-both", "interval_method": "bootstrap-both"}
WHOLE: tuple[dict[str, Any], ...] = (
    {"test": "permutation-system", "interval_method": "none"},
    {"test": "permutation-input", "interval_method": "none"},
)
LARGER: dict[str, Any] = {"test": "permutation-max", "interval_method": "none"}
DEFAULT: dict[str, Any] = {"interval_method": "none"}
# What each version computes for one case.
CASES: dict[str, dict[str, tuple[dict[str, Any], ...]]] = {
    "tests": {"before": WHOLE, "now": (LARGER,)},
    "all": {"before": (BOTH,), "now": (BOTH,)},
}


def table(data: str) -> Any:
    """Metrics m01, m02, ..., each with more noise than the one before, and two human scores."""
    from rubrica.data.table import ScoreTable

    rng = np.random.default_rng(1)
    truth = rng.normal(size=(SYSTEMS, 1)) + rng.normal(size=(SYSTEMS, INPUTS))
    metrics = [truth + (0.5 + k / 5) * rng.normal(size=truth.shape) for k in range(METRICS)]
    people = [truth + 0.3 * rng.normal(size=truth.shape) for _ in range(2)]
    if data != "continuous":
        people = [np.round(scores) for scores in people]
    if data == "ties":
        metrics[::3] = [np.round(scores, 2) for scores in metrics[::3]]
    names = [f"m{k + 1:02}" for k in range(METRICS)]
    return ScoreTable.from_array(
        np.stack([*metrics, *people], axis=2), measures=[*names, "h1", "h2"]
    )


def measure(source: str, data: str, runs: Any, rounds: int) -> dict[str, Any]:
    """Times and numbers of the version whose package is in a folder."""
    if source != str(SOURCE):
        # An editable install is found before any folder of the path.
        sys.meta_path[:] = [
            finder for finder in sys.meta_path if "editable" not in type(finder).__module__
        ]
        sys.path.insert(0, source)
    import rubrica
    from rubrica.meta import meta_evaluate

    if not Path(str(rubrica.__file__)).is_relative_to(source):
        raise SystemExit(f"measured {rubrica.__file__}, not the package in {source}")
    scores = table(data)
    options: dict[str, Any] = {"humans": ["h1", "h2"]}
    meta_evaluate(scores, **options, rounds=9)  # imports, memory
    wall, processor = time.perf_counter(), time.process_time()
    results = [meta_evaluate(scores, **options, rounds=rounds, **run) for run in runs]
    taken = time.perf_counter() - wall, time.process_time() - processor
    numbers = [
        [
            [standing.value, standing.lower, standing.upper]
            for ranking in result.rankings
            for standing in ranking.standings
        ]
        for result in results
    ]
    p_values = np.array(
        [[ranking.p_values for ranking in result.rankings] for result in results], dtype=float
    )
    largest = np.where(np.isnan(p_values), None, p_values.max(axis=0))[0].tolist()
    return {
        "seconds": taken[0],
        "processor_seconds": taken[1],
        "numbers": numbers[0],
        "p_values": largest,
    }


def run(source: Path, data: str, runs: Any, rounds: int) -> dict[str, Any]:
    """Measure the version whose package is in a folder."""
    words = json.dumps({"source": str(source), "data": data, "runs": runs, "rounds": rounds})
    done = subprocess.run(
        [sys.executable, __file__, "--child", words],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def compared(before: Path, data: str, case: str, rounds: int) -> dict[str, Any]:
    """Times of both versions; an error if their numbers differ."""
    older = run(before, data, CASES[case]["before"], rounds)
    newer = run(SOURCE, data, CASES[case]["now"], rounds)
    if older["p_values"] != newer["p_values"]:
        raise SystemExit(f"{data}, {case}: p-values differ")
    left, right = (np.array(one["numbers"], dtype=float) for one in (older, newer))
    np.testing.assert_allclose(right, left, rtol=0, atol=1e-12, err_msg=f"{data}, {case}")
    times = {
        key: {"before": older[key], "now": newer[key], "ratio": older[key] / newer[key]}
        for key in ("seconds", "processor_seconds")
    }
    cpu = times["processor_seconds"]
    print(
        f"{data:10} {case:5} {cpu['before']:6.1f} s of processors before, {cpu['now']:5.1f} s now: "
        f"{cpu['ratio']:.1f} x; equal numbers",
        flush=True,
    )
    return times


def default_times(data: str, rounds: int) -> dict[str, float]:
    """Times of the default test."""
    found = run(SOURCE, data, (DEFAULT,), rounds)
    print(f"{data:10} default test: {found['processor_seconds']:.1f} s of processors", flush=True)
    return {key: found[key] for key in ("seconds", "processor_seconds")}


def installed(folder: Path) -> Path:
    """Build the older version into a folder."""
    tree, target = folder / "tree", folder / "packages"
    git = ["git", "-C", str(HERE.parent), "worktree"]
    subprocess.run([*git, "add", "--detach", str(tree), OLDER], check=True)
    try:
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target"]
        subprocess.run([*pip, str(target), str(tree)], check=True)
    finally:
        subprocess.run([*git, "remove", "--force", str(tree)], check=True)
    return target


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--before", type=Path, help=f"folder with the package of {OLDER}")
    parser.add_argument("--output", type=Path, default=HERE / "results" / "meta-evaluate.json")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child is not None:
        print(json.dumps(measure(**json.loads(options.child))))
        return
    with tempfile.TemporaryDirectory() as name:
        before = options.before or installed(Path(name))
        results = {
            data: {case: compared(before, data, case, options.rounds) for case in CASES}
            | {"default": default_times(data, options.rounds)}
            for data in DATA
        }
    facts = {
        "metrics": METRICS,
        "human_scores": 2,
        "systems": SYSTEMS,
        "inputs": INPUTS,
        "rounds": options.rounds,
        "before": OLDER,
        "machine": {"processor": platform.machine(), "cores": os.cpu_count()},
        "versions": {"python": platform.python_version(), "numpy": version("numpy")},
        "results": results,
    }
    options.output.write_text(json.dumps(facts, indent=2) + "\n")
    print(f"written: {options.output.name}")


if __name__ == "__main__":
    main()
