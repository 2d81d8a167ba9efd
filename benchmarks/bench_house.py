"""How the command line holds up: rows per second and memory, from thousands of rows to a million.

Goals: memory bounded by batches, not by the corpus (a few hundred bytes per row for ids and scores,
never texts), and no more than linear time. Rows are news-like, with one reference of about 50 words.
Run: python benchmarks/bench_house.py [--rows 10000 100000 1000000]
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from texts import make_pairs

# The peak is asked of /proc: ru_maxrss begins with what the parent had when it forked.
CODE = """
import resource, sys
from rubrica.cli.app import main
code = main(sys.argv[1:])
used = resource.getrusage(resource.RUSAGE_SELF)
with open("/proc/self/status") as status:
    peak = next(line.split()[1] for line in status if line.startswith("VmHWM"))
print(peak, used.ru_utime + used.ru_stime, file=sys.stderr)
sys.exit(code)
"""


def write_rows(path: Path, count: int) -> None:
    references, summaries = make_pairs(50, 1000)
    with open(path, "w", encoding="utf-8") as stream:
        for number in range(count):
            at = number % len(summaries)
            row = {
                "instance_id": str(number // 5),
                "summarizer_id": f"system{number % 5}",
                "summarizer_type": "peer",
                "summary": {"text": summaries[at]},
                "references": [{"text": references[at]}],
            }
            stream.write(json.dumps(row) + "\n")


def run(folder: Path, count: int, task: str) -> dict[str, float | int | str]:
    rows, out = folder / "rows.jsonl", folder / "out.jsonl"
    words = ["rouge", task, "--max_ngram", "2", "--silent", "--input-files", str(rows)]
    outputs = (
        ["--output-jsonl", str(out)] if task == "score" else ["--micro-output-jsonl", str(out)]
    )
    started = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", CODE, *words, *outputs], check=True, capture_output=True, text=True
    )
    memory, cpu = done.stderr.split()[-2:]
    assert out.read_bytes().count(b"\n") == count
    return {
        "task": task,
        "rows": count,
        "peak_memory_mb": round(int(memory) / 1024, 1),
        "cpu_seconds": round(float(cpu), 2),
        "rows_per_cpu_second": round(count / float(cpu)),
        "wall_seconds": round(time.perf_counter() - started, 2),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    results = []
    with tempfile.TemporaryDirectory() as folder:
        for count in parser.parse_args().rows:
            write_rows(Path(folder) / "rows.jsonl", count)
            for task in ("evaluate", "score"):
                results.append(run(Path(folder), count, task))
                print(results[-1], flush=True)
    target = Path(__file__).parent / "results" / "house.json"
    target.parent.mkdir(exist_ok=True)
    target.write_text(json.dumps({"cores": os.cpu_count(), "results": results}, indent=2) + "\n")


if __name__ == "__main__":
    main()
