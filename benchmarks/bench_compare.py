"""How fast `compare` is on sacrebleu's own metrics, against sacrebleu's own paired tests.

Goal: at least as fast as sacrebleu, in CPU time, for BLEU, chrF and TER with both paired tests, and as whole
commands, with the start of Python and the reading of files. Both read the same texts and must give the same
p-values before anything is timed. Contenders take turns, so that a noisy machine is noisy for both; ratios are
told as median [least-greatest].
Run: python benchmarks/bench_compare.py [--quick]
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

from sacrebleu.metrics import BLEU, CHRF, TER
from sacrebleu.significance import PairedTest
from texts import make_pairs

from rubrica.comparison import TestPlan, compare
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
    results: Any = test()[1][key]
    return [one.p_value for one in results][1:]


def ours(name: str, method: str, texts: dict[str, list[str]], references: list[str]) -> list[Any]:
    plan = TestPlan(methods={f"{method}-sacrebleu": ROUNDS[method]})
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


def commands(count: int, turns: int) -> dict[str, Any]:
    """`rubrica compare` against `sacrebleu`, as one types them: BLEU, chrF and TER by randomization."""
    texts, references = systems(count, 20)
    with tempfile.TemporaryDirectory() as folder:
        files = {}
        for name, lines in {**texts, "ref": references}.items():
            files[name] = str(Path(folder) / f"{name}.txt")
            Path(files[name]).write_text("".join(f"{line}\n" for line in lines))
        names = [files[name] for name in texts]
        sacrebleu = [sys.executable, "-m", "sacrebleu", files["ref"], "-i", *names]
        sacrebleu += ["-m", "bleu", "chrf", "ter", "--paired-ar", "-f", "json"]
        start = "import sys; from rubrica.cli.app import main; sys.exit(main())"
        rubrica = [sys.executable, "-c", start, "compare", "-r", files["ref"], *names, "-q"]
        rubrica += ["-m", "bleu", "chrf", "ter", "--p-value", "sacrebleu", "-f", "json"]
        rubrica += ["--interval-rounds", "0", "--workers", "1"]
        slow, fast = [], []
        for _ in range(turns):
            told, seconds = command_cpu(sacrebleu)
            slow.append(seconds)
            made, seconds = command_cpu(rubrica)
            fast.append(seconds)
        found = sorted(test["p_value"] for test in json.loads(made)["tests"])
        expected = sorted(float(p) for p in re.findall(r'"p_value": ([0-9.e-]+)', told))
        assert len(found) == 6, "two systems, three metrics"
        assert all(abs(a - b) < 1e-4 for a, b in zip(found, expected, strict=True)), (
            "other p-values"
        )
    ratios = [a / b for a, b in zip(slow, fast, strict=True)]
    return {
        "metric": "commands",
        "test": "ar",
        "systems": 3,
        "inputs": count,
        "tokens": 20,
        "ratio": [statistics.median(ratios), min(ratios), max(ratios)],
        "sacrebleu_cpu_seconds": statistics.median(slow),
        "rubrica_cpu_seconds": statistics.median(fast),
    }


def command_cpu(words: list[str]) -> tuple[str, float]:
    """What a command prints, and the CPU time it and its children took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    told = subprocess.run(words, check=True, capture_output=True, text=True).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return told, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def show(row: dict[str, Any]) -> None:
    middle, least, most = row["ratio"]
    print(
        f"{row['metric']:8} {row['test']}  {middle:5.2f} x [{least:.2f}-{most:.2f}]  sacrebleu "
        f"{row['sacrebleu_cpu_seconds']:.2f} s, here {row['rubrica_cpu_seconds']:.2f} s",
        flush=True,
    )


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
            show(row)
    results.append(commands(50 if arguments.quick else 500, 2 if arguments.quick else 5))
    show(results[-1])
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
