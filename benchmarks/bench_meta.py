"""How fast meta-evaluation is here, against the public definitions written plainly with SciPy.

Goal, on 25 systems x 100 inputs, 9,999 rounds, summary-level Kendall, all cores:
  PERM-BOTH (cells) and BOOT-BOTH  >= 1,000 x the SciPy loop

The loops are those of SacreROUGE and nlpstats: resample or exchange, then one SciPy call for each
input. They run a few rounds and are told per round; on those rounds both must give equal results.
Contenders take turns, so that a noisy machine is noisy for all; ratios are told as median
[least-greatest]. Run: python benchmarks/bench_meta.py [--quick]
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import time
import warnings
from collections.abc import Callable
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats

from rubrica.core import kernels
from rubrica.meta import Coefficient, Level, bootstrap_correlations, swap_correlations
from rubrica.meta.correlation.significance import standardised

RESULTS = Path(__file__).parent / "results"
SYSTEMS, INPUTS, ROUNDS, SEED = 25, 100, 9_999, 12345
SCIPY = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}
Floats = np.ndarray[Any, np.dtype[np.float64]]


def scores() -> tuple[Floats, Floats, Floats]:
    """Two metrics with real-valued scores, and people with ties: whole grades."""
    rng = np.random.default_rng(1)
    quality = rng.normal(size=(SYSTEMS, 1))
    x, y = (quality + rng.normal(size=(SYSTEMS, INPUTS)) for _ in range(2))
    return x, y, np.round(3 + quality + rng.normal(size=(SYSTEMS, INPUTS)))


# ---------------------------------------------------------------- the public definitions


def level_value(x: Floats, z: Floats, level: str, name: str) -> float:
    call = SCIPY[name]
    if level == "system":
        return float(call(x.mean(axis=1), z.mean(axis=1))[0])
    if level == "global":
        return float(call(x.ravel(), z.ravel())[0])
    values = [call(x[:, j], z[:, j])[0] for j in range(x.shape[1])]
    return float(np.nanmean(values))


def boot_both(x: Floats, z: Floats, level: str, name: str, rounds: int) -> list[float]:
    rows = kernels.bootstrap_counts(SYSTEMS, rounds, SEED)
    columns = kernels.bootstrap_counts(INPUTS, rounds, SEED, start=SYSTEMS)
    out = []
    for r in range(rounds):
        at = np.ix_(
            np.repeat(np.arange(SYSTEMS), rows[r]), np.repeat(np.arange(INPUTS), columns[r])
        )
        out.append(level_value(x[at], z[at], level, name))
    return out


def perm_both(x: Floats, y: Floats, z: Floats, level: str, name: str, rounds: int) -> list[Any]:
    swaps = kernels.swap_masks(SYSTEMS, INPUTS, "cells", rounds, SEED)
    x, y = standardised(x), standardised(y)
    out = []
    for swap in swaps:
        a, b = np.where(swap, y, x), np.where(swap, x, y)
        out.append([level_value(m, z, level, name) for m in (a, b)])
    return out


# ---------------------------------------------------------------- measuring


def seconds(work: Callable[[], Any]) -> tuple[float, Any]:
    start = time.perf_counter()
    made = work()
    return time.perf_counter() - start, made


def ratio_of(plain: list[float], fast: list[float]) -> dict[str, Any]:
    ratios = [p / f for p, f in zip(plain, fast, strict=True)]
    return {
        "ratio": [statistics.median(ratios), min(ratios), max(ratios)],
        "scipy_seconds_per_round": statistics.median(plain),
        "rubrica_seconds_per_round": statistics.median(fast),
        "rubrica_seconds": statistics.median(fast) * ROUNDS,
    }


def measure(level: str, name: str, turns: int, plain_rounds: int) -> dict[str, Any]:
    x, y, z = scores()
    both = np.stack([x, y])
    times: dict[str, list[float]] = {key: [] for key in ("bp", "bf", "pp", "pf")}
    for _ in range(turns):
        took, plain = seconds(lambda: boot_both(x, z, level, name, plain_rounds))
        times["bp"].append(took / plain_rounds)
        took, fast = seconds(
            lambda: bootstrap_correlations(x[None], z, level, name, rounds=ROUNDS, seed=SEED)
        )
        times["bf"].append(took / ROUNDS)
        assert np.allclose(fast[:plain_rounds, 0], plain, atol=1e-12, rtol=0)
        took, plain = seconds(lambda: perm_both(x, y, z, level, name, plain_rounds))
        times["pp"].append(took / plain_rounds)
        took, fast = seconds(
            lambda: swap_correlations(both, z, level, name, rounds=ROUNDS, seed=SEED)
        )
        times["pf"].append(took / ROUNDS)
        assert np.allclose(fast[:plain_rounds, 0], plain, atol=1e-12, rtol=0)
    return {
        "BOOT-BOTH": ratio_of(times["bp"], times["bf"]),
        "PERM-BOTH": ratio_of(times["pp"], times["pf"]),
    }


def large(rounds: int) -> dict[str, float]:
    """1,000 systems x 2,000 inputs: seconds per round, BOOT-BOTH and PERM-BOTH, Kendall."""
    rng = np.random.default_rng(2)
    quality = rng.normal(size=(1000, 1))
    x, y, z = (quality + rng.normal(size=(1000, 2000)) for _ in range(3))
    out = {}
    for level in Level:
        took, _ = seconds(
            partial(
                lambda at: bootstrap_correlations(
                    x[None], z, at, Coefficient.KENDALL, rounds=rounds
                ),
                level,
            )
        )
        out[f"BOOT-BOTH {level}"] = took / rounds
        took, _ = seconds(
            partial(
                lambda at: swap_correlations(
                    np.stack([x, y]), z, at, Coefficient.KENDALL, rounds=rounds
                ),
                level,
            )
        )
        out[f"PERM-BOTH {level}"] = took / rounds
    return out


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer turns, no large matrices")
    parser.add_argument("--output", type=Path, default=RESULTS / "meta.json")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    turns = 3 if arguments.quick else 7
    result: dict[str, Any] = {
        "systems": SYSTEMS,
        "inputs": INPUTS,
        "rounds": ROUNDS,
        "turns": turns,
        "core": kernels.IMPLEMENTATION,
        "machine": {"processor": platform.machine(), "cores": os.cpu_count()},
        "versions": {name: version(name) for name in ("rubrica", "numpy", "scipy")},
        "results": {},
    }
    for level in Level:
        for name in SCIPY:
            plain_rounds = 3 if level is Level.SUMMARY else 20
            found = measure(level.value, name, turns, plain_rounds)
            result["results"][f"{level} {name}"] = found
            for test, row in found.items():
                middle, least, most = row["ratio"]
                print(
                    f"{level:8} {name:9} {test}  {middle:8,.0f} x [{least:,.0f}-{most:,.0f}]  "
                    f"SciPy {row['scipy_seconds_per_round'] * 1e3:8.2f} ms a round, "
                    f"here {row['rubrica_seconds'] * 1e3:6.0f} ms for {ROUNDS:,}"
                )
    if not arguments.quick:
        result["large_seconds_per_round"] = large(4)
        for name, took in result["large_seconds_per_round"].items():
            print(f"1,000 x 2,000, Kendall, {name}: {took:.2f} s a round")
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    arguments.output.write_text(json.dumps(result, indent=2) + "\n")
    print(f"written: {arguments.output.name}")


if __name__ == "__main__":
    main()
