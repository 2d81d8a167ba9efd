"""How fast `compare` is on sacrebleu's own metrics, against sacrebleu's own paired tests.

Goal: at least as fast as sacrebleu, in CPU time, for BLEU, chrF and TER with both paired tests. Both
read the same texts and must give the same p-values before anything is timed. Contenders take turns, so
that a noisy machine is noisy for both; ratios are told as median [least-greatest].
Run: python benchmarks/bench_compare.py [--quick]
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

from sacrebleu.metrics import BLEU, CHRF, TER
from sacrebleu.significance import PairedTest
from texts import make_pairs

from rubrica.comparison import Plan, compare
from rubrica.core import kernels
from rubrica.metrics import Bleu, ChrF, Ter

RESULTS = Path(__file__).parent / "results"
ROUNDS = {"ar": 10_000, "bs": 1_000}
METRICS = {
    "bleu": (BLEU, Bleu, "BLEU"),
    "chrf": (CHRF, ChrF, "chrF2"),
    "ter": (TER, Ter, "TER"),
}


def systems(count: int, tokens: int, number: int = 3) -> tuple[dict[str, list[str]], list[str]]:
    """Systems of like quality: each takes its outputs from one of two drafts of every text."""
    references, drafts = make_pairs(tokens, count)
    _, others = make_pairs(tokens, count, seed=8)
    flat = [" ".join(text.split("\n")) for text in references]
    made = {
        f"s{s}": [
            " ".join((drafts[i] if (i * 7 + s) % 5 else others[i]).split("\n"))
            for i in range(count)
        ]
        for s in range(number)
    }
    return made, flat


def theirs(name: str, method: str, texts: dict[str, list[str]], references: list[str]) -> list[Any]:
    metric, _, key = METRICS[name]
    test = PairedTest([*texts.items()], {name: metric()}, [references], test_type=method)
    return [one.p_value for one in test()[1][key]][1:]


def ours(name: str, method: str, texts: dict[str, list[str]], references: list[str]) -> list[Any]:
    plan = Plan(methods={method: ROUNDS[method]}, p_rule="sacrebleu")  # type: ignore[dict-item]
    made = compare(texts, references, [METRICS[name][1]()], plan=plan, workers=1)
    return [one.p_value for one in made.tests]


def cpu(work: Callable[[], Any]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def measure(name: str, method: str, count: int, tokens: int, turns: int) -> dict[str, Any]:
    texts, references = systems(count, tokens)
    words = (name, method, texts, references)
    assert ours(*words) == theirs(*words), f"{name} {method}: other p-values than sacrebleu's"
    slow, fast = [], []
    for _ in range(turns):
        slow.append(cpu(lambda: theirs(*words)))
        fast.append(cpu(lambda: ours(*words)))
    ratios = [a / b for a, b in zip(slow, fast, strict=True)]
    return {
        "metric": name,
        "test": method,
        "systems": 3,
        "inputs": count,
        "tokens": tokens,
        "ratio": [statistics.median(ratios), min(ratios), max(ratios)],
        "sacrebleu_cpu_seconds": statistics.median(slow),
        "rubrica_cpu_seconds": statistics.median(fast),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer inputs and turns")
    parser.add_argument("--output", type=Path, default=RESULTS / "compare.json")
    arguments = parser.parse_args()
    # TER takes sacrebleu a second for six hundred summaries of this length.
    sizes = {"bleu": 2000, "chrf": 1000, "ter": 200}
    results = []
    for name, count in sizes.items():
        for method in ROUNDS:
            inputs = count // 10 if arguments.quick else count
            tokens = 50 if name != "ter" else 20
            row = measure(name, method, inputs, tokens, 2 if arguments.quick else 5)
            results.append(row)
            middle, least, most = row["ratio"]
            print(
                f"{name:5} {method}  {middle:5.2f} x [{least:.2f}-{most:.2f}]  sacrebleu "
                f"{row['sacrebleu_cpu_seconds']:.2f} s, here {row['rubrica_cpu_seconds']:.2f} s",
                flush=True,
            )
    made = {
        "core": kernels.IMPLEMENTATION,
        "machine": {"processor": platform.machine(), "cores": os.cpu_count()},
        "versions": {one: version(one) for one in ("rubrica", "sacrebleu", "numpy")},
        "rounds": ROUNDS,
        "results": results,
    }
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    arguments.output.write_text(json.dumps(made, indent=2) + "\n")


if __name__ == "__main__":
    main()
