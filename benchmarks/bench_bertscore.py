"""How fast BERTScore and MoverScore are here, against bert-score and the public MoverScore package.

One model (all-MiniLM-L6-v2), one thread, CPU time of scoring (models loaded before), 25 systems x 100
documents with a reference per document that all systems share; scores equal within 1e-6. Goals:
  bert-score, one call per system   >= 2.5 x
  bert-score, one call for all      >= 1.6 x
  a second run, from the cache      >= 20 x the first one's
  MoverScore                        >= 5 x the package, on the first systems only (it is slow)
The same on ONNX Runtime, in float32 (equal within 1e-6) and int8 (how far off is told), has no goal.
Every contender runs in a process of its own, which also tells its peak memory; contenders take turns.
Run: python benchmarks/bench_bertscore.py [--quick] [--rounds N]
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

os.environ["OMP_NUM_THREADS"] = "1"  # read by torch and numpy when they are imported

from texts import make_pairs

from rubrica.neural.checkpoint import MINILM

RESULTS = Path(__file__).parent / "results"
PACKAGES = (
    "rubrica",
    "torch",
    "transformers",
    "tokenizers",
    "onnxruntime",
    "bert-score",
    "moverscore",
    "pyemd",
    "POT",
)
LAYER = 5
ONNX = {"rubrica, onnx": "onnx", "rubrica, onnx-int8": "onnx-int8"}
GOALS = {
    "bert-score per system": 2.5,
    "bert-score at once": 1.6,
    "rubrica again, from the cache": 20.0,
    "moverscore package": 5.0,
}


def shape(systems: int, documents: int) -> list[tuple[list[str], list[str]]]:
    """Summaries and references of each system, in lengths as news summaries have them.

    A summary takes half the words of its reference. As in REALSumm's files, systems come with their
    own spelling of the shared references: as written, in small letters, with blanks before marks,
    around marks, or doubled (REALSumm has 882 spellings of 100 references).
    """
    rng = random.Random(3)
    made_in = {n: make_pairs(n, documents)[0] for n in (25, 40, 55, 70, 90)}
    references = [
        _one_line(made_in[rng.choice(list(made_in))][at].replace("\n", " "))
        for at in range(documents)
    ]
    made = []
    for system in range(systems):
        words = {n: make_pairs(n, documents, seed=100 + system)[1] for n in (10, 25, 45, 75)}
        summaries = []
        for at, reference in enumerate(references):
            kept = [word for word in reference.split() if rng.random() < 0.5]
            rest = words[rng.choice(list(words))][at].split()
            summaries.append(" ".join([*kept, *rest]))
        made.append((summaries, [_spelled(one, system % 8) for one in references]))
    return made


def _spelled(text: str, way: int) -> str:
    if way >= 4:
        text = text.lower()
    if way % 4 == 1:
        return re.sub(r"([.,?])", r" \1", text)
    if way % 4 == 2:
        return re.sub(r"([.,?])", r" \1 ", text)
    return text.replace(". ", ".  ") if way % 4 == 3 else text


def _one_line(text: str) -> str:
    return " ".join(text.split())


# ---------------------------------------------------------------- contenders

Scores = list[list[float]]


def rubrica_bertscore(systems: Any, cache: str, *, backend: str = "torch") -> Callable[[], Scores]:
    from rubrica.metrics import Metric

    metric: Any = Metric.from_config(
        {
            "type": "bertscore",
            "num_layers": LAYER,
            "backend": backend,
            "cache_dir": cache,
            "threads": 1,
            "device": "cpu",
        }
    )
    encoder = metric.encoder()
    _ = encoder.network, encoder.tokenizer

    def run() -> Scores:
        rows = []
        # One call per system, as users do.
        for summaries, references in systems:
            rows += metric.score_all(summaries, [[one] for one in references])
        encoder.flush()
        return [[row["bertscore"][key] for key in ("precision", "recall", "f1")] for row in rows]

    return run


def bert_score_package(systems: Any, *, at_once: bool) -> Callable[[], Scores]:
    from bert_score import BERTScorer

    scorer = BERTScorer(str(MINILM.folder()), num_layers=LAYER, device="cpu", batch_size=64)

    def run() -> Scores:
        calls = systems
        if at_once:
            calls = [
                ([s for one, _ in systems for s in one], [r for _, one in systems for r in one])
            ]
        rows: Scores = []
        for summaries, references in calls:
            values = scorer.score(summaries, references)
            rows += [list(row) for row in zip(*(one.tolist() for one in values), strict=True)]
        return rows

    return run


def rubrica_moverscore(systems: Any) -> Callable[[], Scores]:
    from rubrica.metrics import Metric

    metric: Any = Metric.from_config(
        {
            "type": "moverscore",
            "idf": "none",
            "stop_words": "none",
            "cache_dir": "off",
            "threads": 1,
            "device": "cpu",
        }
    )
    _ = metric._encoder().network, metric._encoder().tokenizer

    def run() -> Scores:
        rows = []
        for summaries, references in systems:
            rows += metric.score_all(summaries, [[one] for one in references])
        return [[row["MoverScore"]] for row in rows]

    return run


def moverscore_package(systems: Any) -> Callable[[], Scores]:
    """The package's module, with what keeps it from being imported today replaced."""
    spec = find_spec("moverscore_v2")
    assert spec is not None
    assert spec.origin is not None
    source = Path(spec.origin).read_text("utf-8").partition("import matplotlib")[0]
    for old, new in (
        (
            "from transformers import *",
            "from transformers import AutoConfig, AutoModel, AutoTokenizer",
        ),
        ("'distilbert-base-uncased'", repr(str(MINILM.folder()))),
        ("cuda:0", "cpu"),
        ("DistilBertConfig", "AutoConfig"),
        ("DistilBertTokenizer", "AutoTokenizer"),
        ("DistilBertModel", "AutoModel"),
        (", output_attentions=True", ", output_attentions=True, attn_implementation='eager'"),
        ("output, x_encoded_layers, _ = model(", "x_encoded_layers = model("),
        ("attention_mask = attention_mask)\n", "attention_mask = attention_mask).hidden_states\n"),
        ("tokenizer.max_len ", "tokenizer.model_max_length "),
        ("dtype=np.float)", "dtype=float)"),
    ):
        assert old in source, old
        source = source.replace(old, new)
    module: dict[str, Any] = {}
    exec(compile(source, spec.origin, "exec"), module)

    def run() -> Scores:
        rows: Scores = []
        for summaries, references in systems:
            ones: Any = defaultdict(lambda: 1.0)
            rows += [
                [float(value)]
                for value in module["word_mover_score"](
                    references, summaries, ones, ones, batch_size=48, device="cpu"
                )
            ]
        return rows

    return run


def contender(name: str, systems: Any, cache: str) -> Callable[[], Scores]:
    if name in ("rubrica", "rubrica again, from the cache"):
        return rubrica_bertscore(systems, cache)
    if name in ONNX:
        return rubrica_bertscore(systems, cache, backend=ONNX[name])
    if name == "bert-score per system":
        return bert_score_package(systems, at_once=False)
    if name == "bert-score at once":
        return bert_score_package(systems, at_once=True)
    return (
        rubrica_moverscore(systems) if name == "rubrica moverscore" else moverscore_package(systems)
    )


# ---------------------------------------------------------------- measuring


def work(name: str, systems: int, documents: int, cache: str) -> None:
    """In a process of its own: score, and print seconds, memory and scores."""
    run = contender(name, shape(systems, documents), cache)
    start = time.process_time()
    scores = run()
    seconds = time.process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(json.dumps({"seconds": seconds, "peak_mb": peak / 1024, "scores": scores}))


def measured(name: str, systems: int, documents: int, cache: str) -> dict[str, Any]:
    command = [sys.executable, __file__, "--work", name, cache, str(systems), str(documents)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{name} failed:\n{done.stderr[-2000:]}")
    made: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    print(f"  {name:32} {made['seconds']:8.2f} s   peak {made['peak_mb']:7.0f} MB", flush=True)
    return made


def largest_difference(one: Scores, two: Scores) -> float:
    return max(abs(a - b) for x, y in zip(one, two, strict=True) for a, b in zip(x, y, strict=True))


def _far_off(plain: Scores, int8: Scores) -> dict[str, float]:
    """Of F1: the mean difference, and Pearson's correlation over summaries."""
    left, right = [row[2] for row in plain], [row[2] for row in int8]
    apart = [abs(a - b) for a, b in zip(left, right, strict=True)]
    return {
        "mean_difference": statistics.fmean(apart),
        "pearson": statistics.correlation(left, right),
    }


def one_round(systems: int, documents: int, mover_systems: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as cache:
        made = {
            name: measured(name, systems, documents, cache)
            for name in (
                "bert-score per system",
                "rubrica",
                "rubrica again, from the cache",
                *ONNX,
                "bert-score at once",
            )
        }
        for name in ("moverscore package", "rubrica moverscore"):
            made[name] = measured(name, mover_systems, documents, "off")
    ours = made["rubrica"]["scores"]
    differences = {
        name: largest_difference(ours, made[name]["scores"])
        for name in ("bert-score per system", "bert-score at once", "rubrica again, from the cache")
    }
    differences["moverscore package"] = largest_difference(
        made["rubrica moverscore"]["scores"], made["moverscore package"]["scores"]
    )
    differences["rubrica, onnx"] = largest_difference(ours, made["rubrica, onnx"]["scores"])
    for name, difference in differences.items():
        assert difference < 1e-6, f"{name}: scores differ by {difference}"
    int8 = made["rubrica, onnx-int8"]["scores"]
    differences["rubrica, onnx-int8"] = largest_difference(ours, int8)
    seconds = {name: one["seconds"] for name, one in made.items()}
    return {
        "seconds": seconds,
        "peak_mb": {name: one["peak_mb"] for name, one in made.items()},
        "largest_difference": differences,
        "ratios": {
            "bert-score per system": seconds["bert-score per system"] / seconds["rubrica"],
            "bert-score at once": seconds["bert-score at once"] / seconds["rubrica"],
            "rubrica again, from the cache": seconds["rubrica"]
            / seconds["rubrica again, from the cache"],
            "moverscore package": seconds["moverscore package"] / seconds["rubrica moverscore"],
        },
        # How many times as fast as bert-score called per system, and as our own on torch.
        "onnx": {
            name: {
                "bert-score per system": seconds["bert-score per system"] / seconds[name],
                "bert-score at once": seconds["bert-score at once"] / seconds[name],
                "rubrica on torch": seconds["rubrica"] / seconds[name],
            }
            for name in ONNX
        },
        "int8_f1": _far_off(ours, int8),
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true", help="5 systems x 10 documents")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--out", type=Path, default=RESULTS / "bertscore.json")
    parser.add_argument("--work", nargs=4, help=argparse.SUPPRESS)
    a = parser.parse_args()
    if a.work:
        name, cache, systems, documents = a.work
        work(name, int(systems), int(documents), cache)
        return
    systems, documents, mover_systems = (5, 10, 2) if a.quick else (25, 100, 10)
    print(f"{systems} systems x {documents} documents, layer {LAYER} of {MINILM.name}, one thread")
    rounds = [one_round(systems, documents, mover_systems) for _ in range(a.rounds)]
    ratios = {}
    for name, goal in GOALS.items():
        values = sorted(one["ratios"][name] for one in rounds)
        ratios[name] = {"median": statistics.median(values), "least": values[0], "goal": goal}
        told = "reached" if values[0] >= goal else "MISSED"
        print(f"{name:32} {ratios[name]['median']:6.1f} x   goal {goal:g} x: {told}")
    for name in ONNX:
        told = ", ".join(
            f"{statistics.median(one['onnx'][name][rival] for one in rounds):.1f} x {rival}"
            for rival in rounds[0]["onnx"][name]
        )
        print(f"{name:32} {told}")
    report = {
        "shape": {"systems": systems, "documents": documents, "moverscore_systems": mover_systems},
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}",
        "versions": {name: version(name) for name in PACKAGES},
        "ratios": ratios,
        "rounds": rounds,
    }
    a.out.parent.mkdir(parents=True, exist_ok=True)
    a.out.write_text(json.dumps(report, indent=2) + "\n", "utf-8")
    print(f"written to {a.out}")


if __name__ == "__main__":
    main()
