"""Write docs/benchmarks.md: how fast Rubrica is beside other packages, from benchmarks/results/*.json.

python tools/write_benchmarks.py [--check]
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results"
PAGE = ROOT / "docs" / "benchmarks.md"
HEAD = """\
# Benchmarks

<!-- Written by tools/write_benchmarks.py from benchmarks/results/*.json; do not edit. -->

How fast is Rubrica beside the packages that compute the same numbers? The scripts check that the numbers are equal
before they measure (with models: within 1e-6); for ROUGE-1.5.5.pl, [tests](rouge-exactness.md) do. Times are processor
time unless a section says otherwise. A range of ratios is that of several rounds.
"""
COMMANDS = """
## Whole commands

Each command scores {rows:,} pairs of 50 words in one thread, from starting Python to the written file. The other side
is a script around the package that reads and writes the same (`benchmarks/bench_commands.py`). The one around
rouge-score ran only once.

"""
ROUGE = """
## ROUGE in Python

Microseconds per pair for ROUGE-1, 2, L and Lsum, in one thread. The first row is
`Rouge(profile="rouge-score").score_columns` (`benchmarks/bench_rouge.py`).

"""
METRICS = """
## Other metrics

Pairs per second in one thread, for summaries of {summary} words; `data-stats` reads documents of {document} words
(`benchmarks/bench_lexical.py`). [What it costs](which-metric.md#what-it-costs) lists more metrics, with their memory.

"""
MODELS = """
## Metrics with models

{systems} systems with {documents} documents, all-MiniLM-L6-v2, one thread (`benchmarks/bench_bertscore.py`;
[details](models.md#speed)).

"""
TESTS = """
## Tests of systems

Paired tests with scoring, against sacrebleu's own (`benchmarks/bench_compare.py`). The last row compares the whole
commands, with BLEU, chrF and TER.

"""
META = """
## Tests of metrics

Intervals and tests of correlations with Kendall's tau, on {systems} systems with {inputs} inputs. These are waiting
times with two cores, against loops over SciPy, which use one (`benchmarks/bench_meta.py`; [all
coefficients](meta-evaluation.md#costs)).

"""
MORE = """
## More

- A million rows, several workers, Ray and stores: [costs](scale.md#costs) (`benchmarks/bench_scale.py`)
- The viewer with {viewer:,} summaries: [speed](reports.md#speed) (`benchmarks/bench_viewer.py`)
- `meta-evaluate` with ten metrics: [cost](meta-evaluate.md#cost) (`benchmarks/bench_meta_evaluate.py`)
- How often tests call equal systems different: [error rates](statistics.md#error-rates) (`benchmarks/bench_levels.py`)
- Interrupted runs: of {signals:,} random signals at random moments, {failures} made a run hang, left a process behind
  or lost a row (`benchmarks/faults/signals.py`)

`make bench` runs the scripts `bench_*.py`. The results are in `benchmarks/results/`, with the versions of all packages.
Machine: {machine}.
"""


def read(name: str) -> Any:
    """Return a file of results."""
    return json.loads((RESULTS / f"{name}.json").read_text("utf-8"))


def table(header: str, numbers: int, rows: Iterable[Iterable[str]]) -> Iterator[str]:
    """Yield a table whose last columns are numbers."""
    columns = header.count("|") + 1
    yield f"| {header} |\n"
    yield f"|{' --- |' * (columns - numbers)}{' ---: |' * numbers}\n"
    yield from (f"| {' | '.join(row)} |\n" for row in rows)


def times(ratio: float) -> str:
    """Return a factor with two or three digits."""
    return f"{ratio:,.1f}" if ratio < 10 else f"{ratio:,.0f}"


def spread(ratios: list[float]) -> str:
    """Return a median, and the range of all rounds."""
    return f"{times(ratios[0])} ({times(ratios[1])} to {times(ratios[2])})"


def commands(results: Any) -> Iterator[list[str]]:
    """Yield a row for each command."""
    for name, result in results["commands"].items():
        ours = name if name in results["seconds"] else "rouge score"
        theirs = result.get("against", "rouge-score")
        seconds, own = results["seconds"].get(theirs), median(results["seconds"][ours])
        yield [
            f"`rubrica {ours}`",
            theirs,
            f"{own:.2f}",
            f"{median(seconds):.2f}" if seconds else f"about {own * result['ratio']:.0f}",
            times(result["ratio"]),
        ]


def rouge(results: Any) -> Iterator[list[str]]:
    """Yield a row for each package."""
    lengths = [results[f"{words} words with Lsum"] for words in (50, 500, 5000)]
    for name, label in {
        "rubrica score_columns": "Rubrica",
        "rouge-score-rs": "rouge-score-rs",
        "rouge-score": "rouge-score",
        "rubrica rouge-1.5.5 columns": "Rubrica, profile `rouge-1.5.5`",
        "ROUGE-1.5.5.pl": "ROUGE-1.5.5.pl",
    }.items():
        microseconds = [length[name]["microseconds_per_pair"] for length in lengths]
        yield [label, *(times(value) for value in microseconds)]


def metrics(results: Any) -> Iterator[list[str]]:
    """Yield a row for each metric with a public program that computes the same."""
    for name, result in results.items():
        if "peer" in result:
            yield [
                f"[`{name}`](metrics/{name}.md)",
                result["peer"],
                f"{result['pairs_per_second']:,.0f}",
                f"{result['peer_pairs_per_second']:,.0f}",
                spread(result["faster_than_peer"]),
            ]


def models(results: Any) -> Iterator[list[str]]:
    """Yield a row for each comparison of a metric with a model."""
    for name, (metric, theirs) in {
        "bert-score per system": ("bertscore", "bert-score, one call per system"),
        "bert-score at once": ("bertscore", "bert-score, one call for all"),
        "moverscore package": ("moverscore", "moverscore, patched so that it runs"),
    }.items():
        yield [f"[`{metric}`](metrics/{metric}.md)", theirs, times(results[name]["median"])]


def tests(results: Any) -> Iterator[list[str]]:
    """Yield a row for each metric and test of systems."""
    metrics = {"bleu": "BLEU", "chrf": "chrF", "ter": "TER", "commands": "`rubrica compare`"}
    methods = {"ar": "approximate randomization", "bs": "bootstrap"}
    for result in results:
        yield [metrics[result["metric"]], methods[result["test"]], spread(result["ratio"])]


def meta(results: Any) -> Iterator[list[str]]:
    """Yield a row for each level."""
    for level in ("summary", "system", "global"):
        cells = results[f"{level} kendall"]
        yield [level, *(spread(cells[name]["ratio"]) for name in ("BOOT-BOTH", "PERM-BOTH"))]


def page() -> str:
    """Return the page."""
    whole, lexical, bertscore, signals = map(read, ("commands", "lexical", "bertscore", "signals"))
    header = "Rubrica | Instead of | Seconds | Seconds there | Times as fast"
    parts = [HEAD, COMMANDS.format(rows=whole["rows"]), *table(header, 3, commands(whole))]
    header = "Package | 50 words | 500 words | 5,000 words"
    parts += [ROUGE, *table(header, 3, rouge(read("rouge")["results"]))]
    header = "Metric | Instead of | Pairs/s | Pairs/s there | Times as fast"
    parts += [METRICS.format(**lexical["words"]), *table(header, 3, metrics(lexical["results"]))]
    header = "Metric | Instead of | Times as fast"
    parts += [MODELS.format(**bertscore["shape"]), *table(header, 1, models(bertscore["ratios"]))]
    header = "Metric | Test | Times as fast"
    parts += [TESTS, *table(header, 1, tests(read("compare")["results"]))]
    header = "Level | Interval, times as fast | Test, times as fast"
    parts += [META.format(**read("meta")), *table(header, 2, meta(read("meta")["results"]))]
    return "".join(parts) + MORE.format(
        viewer=read("viewer")["rows"],
        signals=signals["signals"],
        failures=len(signals["failures"]) or "none",
        machine=bertscore["machine"],
    )


def main() -> int:
    """Write the page, or check it."""
    text = page()
    if "--check" in sys.argv[1:]:
        if PAGE.read_text("utf-8") != text:
            print("docs/benchmarks.md: run python tools/write_benchmarks.py", file=sys.stderr)
            return 1
        return 0
    PAGE.write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
