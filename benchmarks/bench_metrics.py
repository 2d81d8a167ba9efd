"""What metrics cost: the peak memory of a process that scores 1,000 summaries, for docs/which-metric.md.

Every metric of the leaderboard scores summaries of about 60 words against one reference each, in a process of its own
with one worker. Memory includes Python and the metric's data (word vectors, synonyms).
Run: python benchmarks/bench_metrics.py [--rows 1000] [-o docs/reproductions/memory.json]
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

OUT = Path(__file__).resolve().parents[1] / "docs" / "reproductions" / "memory.json"
WORDS = 60


def write_rows(path: Path, count: int) -> None:
    """Write summaries of five systems, with a reference per input."""
    references, summaries = make_pairs(WORDS, count)
    with open(path, "w", encoding="utf-8") as stream:
        for number, (summary, reference) in enumerate(zip(summaries, references, strict=True)):
            row = {
                "instance_id": str(number),
                "summarizer_id": f"system{number % 5}",
                "summarizer_type": "peer",
                "summary": {"text": summary},
                "references": [{"text": reference}],
            }
            stream.write(json.dumps(row) + "\n")


def peak_mb(config: dict[str, Any], rows: Path) -> int:
    """Return the peak memory of scoring the rows with a metric."""
    options = {name: value for name, value in config.items() if name != "type"}
    words = [config["type"], "score", "--silent", "--workers", "1", "--input-files", str(rows)]
    for name, value in options.items():
        words += [f"--{name}", str(value).lower()]
    words += ["--output-jsonl", str(rows.with_name("out.jsonl"))]
    done = subprocess.run(
        [sys.executable, "-c", CODE, *words], check=True, capture_output=True, text=True
    )
    return round(int(done.stderr.split()[-2]) / 1024)


def main() -> None:
    """Measure every metric of the leaderboard and write the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1000)
    parser.add_argument("-o", "--output", type=Path, default=OUT)
    arguments = parser.parse_args()
    peaks = {}
    with tempfile.TemporaryDirectory() as folder:
        rows = Path(folder) / "rows.jsonl"
        write_rows(rows, arguments.rows)
        for metric in load_board().metrics:
            peaks[metric.config["type"]] = peak_mb(metric.config, rows)
            print(metric.config["type"], peaks[metric.config["type"]], flush=True)
    results = {
        "unit": "peak MB of resident memory of the scoring process, one worker",
        "data": f"{arguments.rows:,} generated summaries of about {WORDS} words, one reference each",
        "machine": f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}",
        "version": rubrica.__version__,
        "peaks": dict(sorted(peaks.items(), key=lambda item: item[1])),
    }
    arguments.output.write_text(json.dumps(results, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
