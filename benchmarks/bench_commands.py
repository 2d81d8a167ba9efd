"""Whole commands against fair scripts around rouge-score-rs and rouge-score: what people wait for, not kernels.

A script reads the same file, scores it in one call where the package has one, and writes the same numbers. Processor
time of the whole process is compared, the start of Python included, with one thread. Numbers must agree before
anything is timed; contenders take turns, and ratios are medians.

CSV, Parquet and calls from Python, `evaluate(frame)` with its bootstrap included, are reported beside them, without a goal.

Goals with 200,000 pairs of 50 words, against rouge-score-rs: `rouge score` 3.5 x, `rouge evaluate` with 1,000 rounds
2.8 x, `rouge --p --r` 4 x; against rouge-score 60 x. A goal that is missed is reported, and is the exit code.
Run: python benchmarks/bench_commands.py [--rows N] [--turns N]
"""

from __future__ import annotations

import argparse
import json
import math
import os
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path
from typing import Any

from texts import make_pairs

RESULTS = Path(__file__).parent / "results"
TYPES = ["rouge1", "rouge2", "rougeL"]
JSON_SCRIPT = """
import json, sys
from {package} import rouge_scorer
scorer = rouge_scorer.RougeScorer({types}, use_stemmer=False)
with open(sys.argv[1]) as stream:
    rows = [json.loads(line) for line in stream]
references, summaries = [row["references"][0] for row in rows], [row["summary"] for row in rows]
{score}
with open(sys.argv[2], "w") as stream:
    for row, own in zip(rows, scores):
        values = {{name: [s.recall, s.precision, s.fmeasure] for name, s in own.items()}}
        stream.write(json.dumps({{"instance_id": row["instance_id"], "metrics": values}}) + "\\n")
"""
TEXT_SCRIPT = """
import sys
from {package} import rouge_scorer
scorer = rouge_scorer.RougeScorer({types}, use_stemmer=False)
summaries, references = (open(name).read().splitlines() for name in sys.argv[1:3])
{score}
for name in {types}:
    print(name + ": ", sum(own[name].fmeasure for own in scores) / len(scores))
"""
PYTHON_SCRIPT = """
import sys
from rubrica.metrics import Rouge
summaries, references = (open(name).read().splitlines() for name in sys.argv[1:3])
rouge = Rouge(profile="rouge-score", max_ngram=2, compute_rouge_l=True)
{call}
"""
FRAME_SCRIPT = """
import sys
import pandas
import rubrica
from rubrica.metrics import Rouge
rouge = Rouge(profile="rouge-score", max_ngram=2, compute_rouge_l=True)
print(rubrica.evaluate(pandas.read_parquet(sys.argv[1]), rouge, workers=1)[0])
"""
LISTS = "print(rouge.evaluate(summaries, [[text] for text in references])[0])"
BATCH = "scores = scorer.score_batch(references, summaries)"
ONE_BY_ONE = "scores = [scorer.score(r, s) for r, s in zip(references, summaries)]"
OPTIONS = "--profile rouge-score --max_ngram 2 --compute_rouge_l true --workers 1 --silent".split()


def script(text: str, package: str, score: str) -> list[str]:
    return [sys.executable, "-c", text.format(package=package, types=TYPES, score=score)]


def command(*words: str) -> list[str]:
    return [sys.executable, "-m", "rubrica", *words]


def cpu_seconds(words: list[str]) -> float:
    """Run a process to its end; return its processor time, that of its children included."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "RAYON_NUM_THREADS": "1"}
    # Installed packages are compiled; so must be the tree that is measured.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    done = subprocess.run(words, capture_output=True, text=True, check=False, env=environment)
    if done.returncode:
        raise SystemExit(f"{' '.join(words[:4])} failed:\n{done.stderr}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def write_inputs(folder: Path, rows: int) -> None:
    references, summaries = make_pairs(50, rows)
    with (
        open(folder / "in.jsonl", "w") as lines,
        open(folder / "p.txt", "w") as predictions,
        open(folder / "r.txt", "w") as answers,
    ):
        for number, (reference, summary) in enumerate(zip(references, summaries, strict=True)):
            flat = [" ".join(text.split()) for text in (reference, summary)]
            row = {"instance_id": f"d{number}", "summarizer_id": "s", "summarizer_type": "peer"}
            lines.write(json.dumps({**row, "summary": flat[1], "references": [flat[0]]}) + "\n")
            answers.write(flat[0] + "\n")
            predictions.write(flat[1] + "\n")
    write_tables(folder)


def write_tables(folder: Path) -> None:
    """The same rows as CSV and Parquet."""
    import pyarrow as pa
    from pyarrow import csv, parquet

    rows = [json.loads(line) for line in (folder / "in.jsonl").read_text().splitlines()]
    names = ["instance_id", "summarizer_id", "summarizer_type", "summary"]
    columns = {name: [row[name] for row in rows] for name in names}
    table = pa.table({**columns, "reference": [row["references"][0] for row in rows]})
    csv.write_csv(table, folder / "in.csv")
    parquet.write_table(table, folder / "in.parquet")


def check_equal(folder: Path) -> None:
    """Rows of both programs, number by number."""
    ours, theirs = (folder / name for name in ("ours.jsonl", "theirs.jsonl"))
    with open(ours) as first, open(theirs) as second:
        for line, other in zip(first, second, strict=True):
            row, expected = json.loads(line), json.loads(other)
            assert row["instance_id"] == expected["instance_id"]
            for measure, name in (
                ("rouge-1", "rouge1"),
                ("rouge-2", "rouge2"),
                ("rouge-l", "rougeL"),
            ):
                values = row["metrics"][measure]
                found = [values[part] for part in ("recall", "precision", "f1")]
                for value, wanted in zip(found, expected["metrics"][name], strict=True):
                    assert math.isclose(value, wanted, rel_tol=1e-12, abs_tol=1e-12), (
                        row,
                        expected,
                    )


def main() -> int:
    parser = argparse.ArgumentParser(description="whole commands against scripts")
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--turns", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_inputs(folder, options.rows)
        source, ours, theirs = (str(folder / n) for n in ("in.jsonl", "ours.jsonl", "theirs.jsonl"))
        texts = [str(folder / "p.txt"), str(folder / "r.txt")]
        runs = {
            "rouge score": command("rouge", "score", ours, "--input-files", source, *OPTIONS),
            "rouge evaluate": command(
                "rouge", "evaluate", f"{ours}.json", "--input-files", source, *OPTIONS
            ),
            "rouge --p --r": command("rouge", "--p", texts[0], "--r", texts[1]),
            **{
                f"rouge score, {kind}": command(
                    "rouge", "score", ours, "--input-files", str(folder / f"in.{kind}"), *OPTIONS
                )
                for kind in ("csv", "parquet")
            },
            "Rouge().evaluate(lists)": [
                sys.executable, "-c", PYTHON_SCRIPT.format(call=LISTS), *texts
            ],
            "evaluate(frame)": [
                sys.executable, "-c", FRAME_SCRIPT, str(folder / "in.parquet")
            ],
            "rouge-score-rs, JSON lines": [
                *script(JSON_SCRIPT, "rouge_score_rs", BATCH), source, theirs
            ],
            "rouge-score-rs, text": [*script(TEXT_SCRIPT, "rouge_score_rs", BATCH), *texts],
        }  # fmt: skip
        cpu_seconds(runs["rouge score"])
        cpu_seconds(runs["rouge-score-rs, JSON lines"])
        check_equal(folder)
        times: dict[str, list[float]] = {name: [] for name in runs}
        for _ in range(options.turns):
            for name, words in runs.items():
                times[name].append(cpu_seconds(words))
        # rouge-score takes minutes: one turn.
        slow = [*script(JSON_SCRIPT, "rouge_score", ONE_BY_ONE), source, theirs]
        rival = cpu_seconds(slow) / cpu_seconds(runs["rouge score"])
    return report(times, rival, options.rows)


def report(times: dict[str, list[float]], rival: float, rows: int) -> int:
    goals = {
        "rouge score": ("rouge-score-rs, JSON lines", 3.5),
        "rouge evaluate": ("rouge-score-rs, JSON lines", 2.8),
        "rouge --p --r": ("rouge-score-rs, text", 4.0),
    }
    found: dict[str, Any] = {}
    missed = rival < 60
    for name, (other, goal) in goals.items():
        ratios = [b / a for a, b in zip(times[name], times[other], strict=True)]
        ratio = statistics.median(ratios)
        microseconds = 1e6 * statistics.median(times[name]) / rows
        missed |= ratio < goal
        found[name] = {"against": other, "ratio": round(ratio, 2), "goal": goal}
        print(
            f"{name:16} {microseconds:5.1f} us a pair, {ratio:.2f} x {other} "
            f"[{min(ratios):.2f}-{max(ratios):.2f}] (goal {goal}){' MISSED' if ratio < goal else ''}"
        )
    print(f"{'rouge score':16} {rival:.0f} x rouge-score (goal 60)")
    for name, seconds in times.items():
        if name not in goals:
            print(f"{name:28} {1e6 * statistics.median(seconds) / rows:5.1f} us a pair")
    RESULTS.mkdir(exist_ok=True)
    result = {
        "rows": rows,
        "machine": f"{platform.machine()}, Python {platform.python_version()}",
        "versions": {name: version(name) for name in ("rubrica", "rouge-score-rs", "rouge-score")},
        "seconds": {name: [round(value, 2) for value in values] for name, values in times.items()},
        "commands": {**found, "against rouge-score": {"ratio": round(rival, 1), "goal": 60}},
    }
    (RESULTS / "commands.json").write_text(json.dumps(result, indent=2) + "\n")
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
