"""Aligning reference files of the size of CNN/Daily Mail's test set: the index against a plain scan.

Both sides have the same 11,490 references in another order and another spelling: small letters,
brackets as -lrb-, some words lost to [unk]. The plain scan is REALSumm's: random pieces of 30
letters, each looked for in every anchor, until one is in exactly one. The right mapping is known
and asserted first. Times are of the processor; the two methods take turns on small sizes, and the
largest is run once each.
Run: python benchmarks/bench_align.py [--sizes 500 2000 11490] [--no-scan]
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import time
from pathlib import Path
from typing import Any

from texts import make_pairs

from rubrica.study.align import align, random_probes
from rubrica.study.preprocess import letters

RESULTS = Path(__file__).parent / "results"


def files(size: int) -> tuple[list[str], list[str], list[int]]:
    """Anchors, the same texts shuffled and respelled, and where each belongs."""
    anchors, _ = make_pairs(50, size)
    order = list(range(size))
    chance = random.Random(5)
    chance.shuffle(order)
    respelled = []
    for at in order:
        words = anchors[at].lower().split()
        for _ in range(len(words) // 25):
            words[chance.randrange(len(words))] = "[unk]"
        words.insert(chance.randrange(len(words)), "-lrb-")
        respelled.append(" ".join(words))
    return [letters(one) for one in anchors], [letters(one) for one in respelled], order


def plain_scan(
    texts: list[str], anchors: list[str], length: int = 30, attempts: int = 10
) -> list[int]:
    """REALSumm's procedure as it is written: every piece is looked for in every anchor."""
    chance = random.Random(0)
    found = []
    for text in texts:
        match = -1
        for _ in range(attempts + 1):
            start = chance.randint(0, len(text))
            piece = text[start : start + length]
            hits = []
            for number, anchor in enumerate(anchors):
                if piece in anchor:
                    hits.append(number)
                    if len(hits) > 1:
                        break
            if len(hits) == 1:
                match = hits[0]
                break
        found.append(match)
    return found


def timed(work: Any) -> tuple[float, list[int]]:
    start = time.process_time()
    made = work()
    return time.process_time() - start, made


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", nargs="+", type=int, default=[500, 2_000, 11_490])
    parser.add_argument("--no-scan", action="store_true", help="without the plain scan")
    arguments = parser.parse_args()
    rows = []
    for size in arguments.sizes:
        anchors, texts, order = files(size)
        methods: dict[str, Any] = {
            "index": lambda a=anchors, t=texts: [m.anchor for m in align(t, a).matches],
            "random probes (ours)": lambda a=anchors, t=texts: [
                m.anchor for m in random_probes(t, a).matches
            ],
        }
        if not arguments.no_scan:
            methods["plain scan"] = lambda a=anchors, t=texts: plain_scan(t, a)
        best: dict[str, float] = {}
        right: dict[str, int] = {}
        for _ in range(3 if size <= 1_000 else 1):
            for name, work in methods.items():
                seconds, made = timed(work)
                right[name] = sum(a == b for a, b in zip(made, order, strict=True))
                best[name] = min(best.get(name, seconds), seconds)
        assert right["index"] == size, f"the index is wrong on {size - right['index']} texts"
        for name, seconds in best.items():
            row = {
                "texts": size,
                "method": name,
                "cpu_seconds": round(seconds, 3),
                "right": right[name],
            }
            if "plain scan" in best:
                row["plain scan takes"] = f"{best['plain scan'] / seconds:.1f} x"
            rows.append(row)
            print(row)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    result = {"peak_memory_mb": memory, "results": rows}
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "align.json").write_text(json.dumps(result, indent=2) + "\n")
    print(f"peak memory {memory} MB; written: align.json")


if __name__ == "__main__":
    main()
