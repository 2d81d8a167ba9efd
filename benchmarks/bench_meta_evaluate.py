"""How long a full meta-evaluation takes: many metrics, three levels, three coefficients, all tests.

Goal: 20 metrics on 25 systems x 100 inputs, 9,999 rounds, intervals and all 190 pairs tested by
permutation-both (cells), under a minute on 2 cores.

The scores are random: metrics of falling quality, people with whole grades (ties). Processor time is
told beside the time on the clock, since a busy machine stretches the latter.
Run: python benchmarks/bench_meta_evaluate.py [--quick]
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from rubrica.core import kernels
from rubrica.data.table import ScoreTable
from rubrica.meta import Coefficient, Level, meta_evaluate
from rubrica.meta.evaluation import THREE

RESULTS = Path(__file__).parent / "results"
METRICS, SYSTEMS, INPUTS, ROUNDS = 20, 25, 100, 9_999


def scores() -> ScoreTable:
    """Metrics m01, m02, ..., each with more noise than the one before, and `human` grades."""
    rng = np.random.default_rng(1)
    truth = rng.normal(size=(SYSTEMS, 1)) + rng.normal(size=(SYSTEMS, INPUTS))
    made = [truth + (0.5 + k / 10) * rng.normal(size=truth.shape) for k in range(METRICS)]
    names = [f"m{k + 1:02}" for k in range(METRICS)]
    values = np.stack([*made, np.round(truth)], axis=2)
    return ScoreTable.from_array(values, measures=[*names, "human"])


def measure(table: ScoreTable, level: Level, coefficient: Coefficient, rounds: int) -> Any:
    wall, processor = time.perf_counter(), time.process_time()
    made = meta_evaluate(
        table, humans=["human"], levels=[level], coefficients=[coefficient], rounds=rounds
    )
    taken = time.perf_counter() - wall, time.process_time() - processor
    clusters = made.rankings[0].standings[-1].cluster
    return {"seconds": taken[0], "processor_seconds": taken[1], "clusters": clusters}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a tenth of the rounds")
    parser.add_argument("--output", type=Path, default=RESULTS / "meta-evaluate.json")
    arguments = parser.parse_args()
    rounds = ROUNDS // 10 if arguments.quick else ROUNDS
    table = scores()
    result: dict[str, Any] = {
        "metrics": METRICS,
        "systems": SYSTEMS,
        "inputs": INPUTS,
        "rounds": rounds,
        "core": kernels.IMPLEMENTATION,
        "machine": {
            "processor": platform.machine(),
            "cores": os.cpu_count(),
            "load_before": os.getloadavg()[0],
        },
        "versions": {name: version(name) for name in ("rubrica", "numpy")},
        "results": {},
    }
    for level in Level:
        for coefficient in THREE:
            found = measure(table, level, coefficient, rounds)
            result["results"][f"{level} {coefficient}"] = found
            print(
                f"{level:8} {coefficient:9} {found['seconds']:6.1f} s "
                f"({found['processor_seconds']:.1f} s of processors)",
                flush=True,
            )
    for key in ("seconds", "processor_seconds"):
        result[key] = sum(one[key] for one in result["results"].values())
    print(
        f"all: {result['seconds']:.1f} s on {os.cpu_count()} cores "
        f"({result['processor_seconds']:.1f} s of processors), load before: "
        f"{result['machine']['load_before']:.1f}"
    )
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    arguments.output.write_text(json.dumps(result, indent=2) + "\n")
    print(f"written: {arguments.output.name}")


if __name__ == "__main__":
    main()
