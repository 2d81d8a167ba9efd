"""How runs grow: rows per second and peak memory from ten thousand rows to a million, on this machine and on Ray.

Every way of running must write the same bytes (asserted first). Then: the time of starting (ten rows), the
time per million rows, what Ray costs beyond the local engine, what a second worker brings, for a cheap
metric (ROUGE-1 and 2 of 50 words: nearly all is reading and writing) and for a dear one (ROUGE-1 to 4, L, W and
SU of 400 words), and what a row costs in memory. `score` unless the name says `evaluate`; `parts` are
`score OUT/` from files of 50,000 rows. Run: python benchmarks/bench_scale.py [--rows 10000 100000 1000000]
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from bench_house import CODE
from texts import make_pairs

CHEAP = ["--max_ngram", "2"]
DEAR = ["--max_ngram", "4", "--compute_rouge_l", "true", "--wlcs_weight", "1.2"]
DEAR += ["--skip_bigram_gap_length", "4"]
RAY = ["--engine", "ray"]
# name -> task, where the rows go, more words.
WAYS: dict[str, tuple[str, str, list[str]]] = {
    "local-1": ("score", "out.jsonl", ["--workers", "1"]),
    "local-2": ("score", "out.jsonl", ["--workers", "2"]),
    "evaluate-local-1": ("evaluate", "out.jsonl", ["--workers", "1"]),
    "evaluate-local-2": ("evaluate", "out.jsonl", ["--workers", "2"]),
    "store-fill": ("score", "out.jsonl", ["--workers", "2", "--store", "store"]),
    "store-reuse": ("score", "out.jsonl", ["--workers", "2", "--store", "store"]),
    "ray-1": ("score", "out.jsonl", [*RAY, "--workers", "1"]),
    "ray-2": ("score", "out.jsonl", [*RAY, "--workers", "2"]),
    "evaluate-ray-2": ("evaluate", "out.jsonl", [*RAY, "--workers", "2"]),
    "parts-local-2": ("score", "parts/", ["--workers", "2"]),
    "parts-ray-2": ("score", "parts/", [*RAY, "--workers", "2"]),
}
DEAR_WAYS = ("local-1", "local-2", "ray-1", "ray-2")
ROWS_PER_FILE = 50_000
DEAR_ROWS = 60_000
# What is allowed per row: a hash of its ids; of `evaluate` its six values, and their digits as drawn from.
BYTES_PER_ROW = 250
LINEAR = 1.25

Row = dict[str, Any]


class Watch(threading.Thread):
    """The largest sum of resident memory over worker processes that were not there before."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.peak, self.stopped = 0, threading.Event()
        self.before = set(self.workers())

    @staticmethod
    def workers() -> dict[int, int]:
        found = {}
        for one in Path("/proc").glob("[0-9]*"):
            try:
                words = (one / "cmdline").read_bytes()
                if words.startswith(b"ray::") or b"multiprocessing.spawn" in words:
                    pages = int((one / "statm").read_text().split()[1])
                    found[int(one.name)] = pages * os.sysconf("SC_PAGE_SIZE")
            except (OSError, ValueError):
                continue
        return found

    def run(self) -> None:
        while not self.stopped.wait(0.25):
            now = self.workers()
            self.peak = max(
                self.peak, sum(size for pid, size in now.items() if pid not in self.before)
            )


def write_rows(folder: Path, count: int, tokens: int) -> None:
    """`rows.jsonl`, and the same in files of `in/`. No two summaries are equal."""
    references, summaries = make_pairs(tokens, 1000)
    (folder / "in").mkdir()
    with open(folder / "rows.jsonl", "w", encoding="utf-8") as whole:
        for first in range(0, count, ROWS_PER_FILE):
            lines = []
            for number in range(first, min(first + ROWS_PER_FILE, count)):
                at = number % len(summaries)
                row = {
                    "instance_id": str(number // 5),
                    "summarizer_id": f"system{number % 5}",
                    "summarizer_type": "peer",
                    "summary": {"text": f"{summaries[at]} {number}"},
                    "references": [{"text": references[at]}],
                }
                lines.append(json.dumps(row) + "\n")
            whole.writelines(lines)
            name = f"{first // ROWS_PER_FILE:05d}.jsonl"
            (folder / "in" / name).write_text("".join(lines), encoding="utf-8")


def run(folder: Path, way: str, options: list[str]) -> Row:
    task, output, more = WAYS[way]
    inputs = ["rows.jsonl"]
    if output.endswith("/"):
        inputs = sorted(f"in/{one.name}" for one in (folder / "in").iterdir())
    words = ["rouge", task, *options, "--silent", "--input-files", *inputs]
    words += ["--output-jsonl" if task == "score" else "--micro-output-jsonl", output]
    watch = Watch()
    watch.start()
    started = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", CODE, *words, *more],
        check=True,
        capture_output=True,
        text=True,
        cwd=folder,
    )
    wall = time.perf_counter() - started
    watch.stopped.set()
    watch.join()
    memory, cpu = done.stderr.split()[-2:]
    return {
        "wall_s": wall,
        "driver_cpu_s": float(cpu),
        "driver_peak_mb": round(int(memory) / 1024, 1),
        "workers_peak_mb": watch.peak >> 20,
        "digest": _digest(folder, output),
    }


def _digest(folder: Path, output: str) -> str:
    files = [folder / output]
    if output.endswith("/"):
        files = sorted((folder / output).glob("part-*.jsonl"))
    made = hashlib.sha256()
    for file in files:
        with open(file, "rb") as stream:
            while block := stream.read(1 << 20):
                made.update(block)
    return made.hexdigest()


def measured(sizes: list[int], ways: list[str], options: list[str], tokens: int) -> list[Row]:
    """A row per size and way.

    Way by way, from the smallest size to the largest and back: what the machine loses to others in a
    minute is lost by all sizes. Of two runs of a size the mean counts.
    """
    with tempfile.TemporaryDirectory() as name:
        folders = {count: Path(name) / str(count) for count in sizes}
        for count, folder in folders.items():
            folder.mkdir()
            write_rows(folder, count, tokens)
        rows: list[Row] = []
        digests: dict[int, set[str]] = {count: set() for count in sizes}
        for way in ways:
            runs: dict[int, list[Row]] = {count: [] for count in sizes}
            for count in (*sizes, *sizes[-2::-1]):
                if way == "store-fill":
                    shutil.rmtree(folders[count] / "store", ignore_errors=True)
                runs[count].append(run(folders[count], way, options))
                digests[count].add(runs[count][-1].pop("digest"))
            rows += [mean_row(count, way, runs[count]) for count in sizes]
    # With one reference there is nothing to jackknife, so `score` and `evaluate` write the same.
    assert all(len(found) == 1 for found in digests.values()), "ways of running differ"
    return rows


def mean_row(count: int, way: str, runs: list[Row]) -> Row:
    wall = sum(row["wall_s"] for row in runs) / len(runs)
    row = {
        "rows": count,
        "way": way,
        "wall_s": round(wall, 2),
        "driver_cpu_s": round(sum(row["driver_cpu_s"] for row in runs) / len(runs), 2),
        "driver_peak_mb": max(row["driver_peak_mb"] for row in runs),
        "workers_peak_mb": max(row["workers_peak_mb"] for row in runs),
        "rows_per_s": round(count / wall),
    }
    print(json.dumps(row), flush=True)
    return row


def summary(runs: list[Row], dear: list[Row]) -> Row:
    """What the docs quote: constants of a cost model, and whether the goals are met."""
    sizes = sorted({row["rows"] for row in runs})
    start, least, most = sizes[0], sizes[-2], sizes[-1]
    by = {(row["rows"], row["way"]): row for row in runs}
    ways = dict.fromkeys(row["way"] for row in runs)

    def begun(way: str) -> float:
        # Ray is started in the same way whatever is run on it, and that takes now 5 s, now 6.
        same = [one for one in ways if "ray" in one] if "ray" in way else [way]
        return statistics.median(by[start, one]["wall_s"] for one in same)

    def seconds(way: str, rows: int) -> float:
        return float(by[rows, way]["wall_s"] - begun(way))

    per_million = {way: round(seconds(way, most) / most * 1e6, 2) for way in ways}
    growth = {
        way: round(
            (by[most, way]["driver_peak_mb"] - by[least, way]["driver_peak_mb"])
            * 2**20
            / (most - least)
        )
        for way in ways
    }
    linear = {
        way: round(seconds(way, most) / max(seconds(way, least), 1e-9) / (most / least), 2)
        for way in ways
    }
    made: Row = {
        "start_s": {way: round(begun(way), 2) for way in ways},
        "s_per_million_rows": per_million,
        "driver_bytes_per_row": growth,
        "memory_flat": all(one <= BYTES_PER_ROW for one in growth.values()),
        "time_over_linear": linear,
        "time_linear": all(one <= LINEAR for one in linear.values()),
    }
    if {"local-1", "local-2"} <= set(ways):
        made["second_worker_cheap"] = round(seconds("local-1", most) / seconds("local-2", most), 2)
    if {"ray-2", "local-2"} <= set(ways):
        made["ray_overhead_s_per_million_rows"] = round(
            per_million["ray-2"] - per_million["local-2"], 2
        )
    walls = {row["way"]: row["wall_s"] for row in dear}
    for engine in ("local", "ray"):
        if {f"{engine}-1", f"{engine}-2"} <= set(walls):
            one, two = (walls[way] - begun(way) for way in (f"{engine}-1", f"{engine}-2"))
            made[f"second_worker_dear_{engine}"] = round(one / two, 2)
    return made


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--ways", nargs="+", default=list(WAYS), choices=list(WAYS))
    parser.add_argument("--dear-rows", type=int, default=DEAR_ROWS)
    parser.add_argument("--output", default="benchmarks/results/scale.json")
    arguments = parser.parse_args()
    runs = measured([10, *sorted(arguments.rows)], arguments.ways, CHEAP, 50)
    dear_ways = [way for way in arguments.ways if way in DEAR_WAYS]
    dear = measured([arguments.dear_rows], dear_ways, DEAR, 400) if dear_ways else []
    made = {
        "load": os.getloadavg()[0],
        "cores": os.cpu_count(),
        "summary": summary(runs, dear),
        "runs": runs,
        "dear": dear,
    }
    print(json.dumps(made["summary"], indent=1))
    Path(arguments.output).parent.mkdir(parents=True, exist_ok=True)
    Path(arguments.output).write_text(json.dumps(made, indent=1) + "\n")


if __name__ == "__main__":
    main()
