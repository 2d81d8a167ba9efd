"""What metrics cost, for docs/which-metric.md: summaries per second of CPU time, and the peak memory.

Every metric of the leaderboard scores summaries of about 60 words against one reference and a document of about 600
words, in a process of its own with one worker and one thread. The time of a short run is subtracted: starting Python,
reading word vectors or a model. Memory is that of 1,000 summaries, Python and the metric's data included.
Run: python benchmarks/bench_metrics.py [--rows 1000] [-o docs/reproductions]
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from bench_house import CODE
from texts import make_pairs

import rubrica
from rubrica.reproductions.leaderboard import load_board

OUT = Path(__file__).resolve().parents[1] / "docs" / "reproductions"
WORDS = 60
SHORT = 20


def write_rows(path: Path, count: int) -> None:
    """Write summaries of five systems, with a reference and a document per input."""
    references, summaries = make_pairs(WORDS, count)
    with open(path, "w", encoding="utf-8") as stream:
        for number, (summary, reference) in enumerate(zip(summaries, references, strict=True)):
            row = {
                "instance_id": str(number),
                "summarizer_id": f"system{number % 5}",
                "summarizer_type": "peer",
                "summary": {"text": summary},
                "references": [{"text": reference}],
                "documents": [{"text": "\n".join(references[number : number + 10])}],
            }
            stream.write(json.dumps(row) + "\n")


def cost(config: dict[str, Any], rows: Path) -> tuple[float, int]:
    """Return the seconds of CPU time and the peak memory in MB of scoring the rows with a metric."""
    options = {name: value for name, value in config.items() if name != "type"}
    words = [config["type"], "score", "--silent", "--workers", "1", "--input-files", str(rows)]
    for name, value in options.items():
        words += [f"--{name}", str(value).lower()]
    words += ["--output-jsonl", str(rows.with_name("out.jsonl")), "--overwrite"]
    done = subprocess.run(
        [sys.executable, "-c", CODE, *words],
        env=os.environ | {"OMP_NUM_THREADS": "1"}, check=True, capture_output=True, text=True,
    )  # fmt: skip
    peak, seconds = done.stderr.split()[-2:]
    return float(seconds), round(int(peak) / 1024)


def main() -> None:
    """Measure every metric of the leaderboard and write the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1000)
    parser.add_argument("-o", "--output", type=Path, default=OUT)
    arguments = parser.parse_args()
    rates, peaks = {}, {}
    with tempfile.TemporaryDirectory() as folder:
        few, rows = Path(folder) / "few.jsonl", Path(folder) / "rows.jsonl"
        write_rows(few, SHORT)
        write_rows(rows, arguments.rows)
        for metric in load_board().metrics:
            name = metric.config["type"]
            # What an earlier run computed must not count.
            uncached = {"cache_dir": "off"} if metric.cost == "neural" else {}
            start, _ = cost(metric.config | uncached, few)
            seconds, peaks[name] = cost(metric.config | uncached, rows)
            rates[name] = round((arguments.rows - SHORT) / (seconds - start))
            print(f"{name}: {rates[name]:,} summaries/s, {peaks[name]} MB", flush=True)
    facts = {
        "data": f"{arguments.rows:,} generated summaries of about {WORDS} words, one reference and document each",
        "machine": f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}",
        "version": rubrica.__version__,
    }
    speed = {"unit": "summaries per second of CPU time, one thread, without the start"}
    memory = {"unit": "peak MB of resident memory of the scoring process, one worker"}
    _write(arguments.output / "speed.json", speed | facts, "rates", rates, fastest=True)
    _write(arguments.output / "memory.json", memory | facts, "peaks", peaks, fastest=False)


def _write(
    path: Path, facts: dict[str, Any], key: str, values: dict[str, int], *, fastest: bool
) -> None:
    ordered = dict(sorted(values.items(), key=lambda item: item[1], reverse=fastest))
    path.write_text(json.dumps(facts | {key: ordered}, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
