"""How runs grow: rows per second and peak memory from ten thousand rows to a million, on this machine and on Ray.

Goals: memory that does not grow with the input but for a few hundred bytes per row (ids and scores), time
no more than linear, the same bytes from every engine (asserted first), and a store that makes the second run cheap. CPU is
that of the driving process; wall time includes the start of Ray (`start`, measured on ten rows).
Run: python benchmarks/bench_scale.py [--rows 10000 100000 1000000]
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from bench_house import CODE, write_rows

WAYS = {
    "local-1": ["--workers", "1"],
    "local-2": ["--workers", "2"],
    "store-fill": ["--workers", "2", "--store", "store"],
    "store-reuse": ["--workers", "2", "--store", "store"],
    "ray-1": ["--engine", "ray", "--workers", "1"],
    "ray-2": ["--engine", "ray", "--workers", "2"],
}


class Watch(threading.Thread):
    """The largest sum of resident memory over Ray's worker processes that are ours."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.peak, self.stopped = 0, threading.Event()
        self.before = set(self.workers())

    @staticmethod
    def workers() -> dict[int, int]:
        found = {}
        for one in Path("/proc").glob("[0-9]*"):
            try:
                if (one / "cmdline").read_bytes().startswith(b"ray::"):
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


def run(folder: Path, way: str) -> dict[str, float | int | str]:
    out = folder / "out.jsonl"
    words = ["rouge", "evaluate", "--max_ngram", "2", "--silent", "--num-samples", "0"]
    files = ["--input-files", "rows.jsonl", "--micro-output-jsonl", out.name]
    watch = Watch()
    watch.start()
    started = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", CODE, *words, *files, *WAYS[way]],
        check=True,
        capture_output=True,
        text=True,
        cwd=folder,
    )
    wall = time.perf_counter() - started
    watch.stopped.set()
    watch.join()
    memory, cpu = done.stderr.split()[-2:]
    with open(out, "rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
    return {
        "way": way,
        "wall_s": round(wall, 2),
        "driver_cpu_s": round(float(cpu), 2),
        "driver_peak_mb": int(memory) // 1024,
        "workers_peak_mb": watch.peak >> 20,
        "digest": digest,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--ways", nargs="+", default=list(WAYS), choices=list(WAYS))
    parser.add_argument("--output", default="benchmarks/results/scale.json")
    arguments = parser.parse_args()
    results: list[dict[str, float | int | str]] = []
    for count in (10, *arguments.rows):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            write_rows(folder / "rows.jsonl", count)
            rows = [{"rows": count, **run(folder, way)} for way in arguments.ways]
        assert len({row.pop("digest") for row in rows}) == 1, "engines differ"
        for row in rows:
            row["rows_per_s"] = round(count / float(row["wall_s"]))
            print(json.dumps(row), flush=True)
        results += rows
        made = {"load": os.getloadavg()[0], "cores": os.cpu_count(), "runs": results}
        Path(arguments.output).parent.mkdir(parents=True, exist_ok=True)
        Path(arguments.output).write_text(json.dumps(made, indent=1) + "\n")


if __name__ == "__main__":
    main()
