"""How fast the metrics without neural networks are, and how much faster than public programs.

Every row of ROWS is one metric: pairs of a summary and a reference (or document) per second of CPU
time in one thread, the same through the loop of `rubrica evaluate` with one and with two workers,
and, where a public program computes the same, the ratio to it. The program's scores must equal ours
on the texts that are timed, or nothing is measured. All take turns; ratios are taken per round and
told as median [least-greatest]. To add a metric, add a row. Run: python benchmarks/bench_lexical.py [--quick]
"""

from __future__ import annotations

import argparse
import json
import platform
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import lexical_peers
import numpy as np
from measuring import cpu_clock, machine, show, versions
from texts import make_pairs, vocabulary

from rubrica.core import kernels
from rubrica.data.instance import EvalInstance, Fields
from rubrica.errors import MissingResourceError
from rubrica.metrics import Metric
from rubrica.scoring import score_rows
from rubrica.scoring.plan import Plan
from rubrica.text.stem import stem_words

RESULTS = Path(__file__).parent / "results"
PACKAGES = ("rubrica", "numpy", "nltk", "summ-eval", "pycocoevalcap", "POT")
SUMMARY_WORDS, DOCUMENT_WORDS = 80, 600

Values = Callable[[Any], list[float]]


@dataclass(frozen=True)
class Row:
    """A metric, and what computes the same elsewhere: `values` picks what is compared."""

    metric: str
    parameters: dict[str, Any] = field(default_factory=dict)
    peer: Callable[[], lexical_peers.Peer | None] | None = None
    peer_name: str = ""
    values: Values = lambda row: [value for _, value in row.leaves()]
    tolerance: float = 1e-9
    # A process of its own takes many pairs, or its start would be all that is measured.
    least_pairs: int = 1


ROWS = (
    Row("autosummeng"),
    Row("js", peer=lexical_peers.js, peer_name="SummEval"),
    Row("simetrix"),
    Row("cider", peer=lexical_peers.cider, peer_name="SummEval", least_pairs=50),
    Row(
        "data-stats",
        {"tokenizer": "whitespace"},
        lexical_peers.data_stats,
        "SummEval (fragments alone)",
        lambda row: [row["coverage"], row["density"], row["compression"]],
    ),
    Row(
        "rouge-we",
        peer=lexical_peers.rouge_we,
        peer_name="SummEval",
        values=lambda row: [row[f"rouge-we-{n}"]["f1"] for n in (1, 2, 3)],
    ),
    Row("wms"),
    Row("sms"),
    Row("s+wms"),
    Row("s3", {"embeddings_file": "glove-6b-50d"}),
    Row("pyreval-style"),
    Row("meteor", peer=lexical_peers.meteor, peer_name="METEOR 1.5 (Java)", least_pairs=500),
)


@dataclass(frozen=True)
class Data:
    """The texts: as many summaries as references and documents."""

    summaries: list[str]
    references: list[list[str]]
    documents: list[list[str]]

    def first(self, count: int) -> Data:
        return Data(self.summaries[:count], self.references[:count], self.documents[:count])

    def fields(self, metric: Metric) -> list[list[Any]]:
        context = metric.required_context_fields[0]
        return [self.summaries, self.references if context == "references" else self.documents]

    def instances(self) -> list[EvalInstance]:
        rows = zip(self.summaries, self.references, self.documents, strict=True)
        return [
            EvalInstance(str(n), "system", "peer", Fields(summary=s, references=r, documents=d))
            for n, (s, r, d) in enumerate(rows)
        ]


def make_data(count: int) -> Data:
    references, summaries = make_pairs(SUMMARY_WORDS, count)
    documents, _ = make_pairs(DOCUMENT_WORDS, count, seed=11)
    # Without line ends: programs that read lines see the same text.
    one_line = [" ".join(text.split()) for text in summaries]
    return Data(
        one_line,
        [[" ".join(text.split())] for text in references],
        [[" ".join(text.split())] for text in documents],
    )


def seconds(run: Callable[[], object], clock: Callable[[], float]) -> float:
    start = clock()
    run()
    return clock() - start


def pairs_for(run: Callable[[Data], object], data: Data, turn: float, least: int) -> int:
    """How many pairs take about `turn` seconds; the first call also warms up."""
    some = data.first(max(8, least))
    seconds(lambda: run(some), cpu_clock)
    each = max(1e-7, seconds(lambda: run(some), cpu_clock) / len(some.summaries))
    return max(least, min(len(data.summaries), int(turn / each)))


def assert_equal(row: Row, metric: Metric, peer: lexical_peers.Peer, data: Data) -> int:
    """Ours against the peer's, on as many pairs as are compared; a difference ends the run."""
    some = data.first(max(20, row.least_pairs))
    ours = [row.values(one) for one in metric.score_all(*some.fields(metric))]
    theirs = peer(some.summaries, some.references, some.documents)
    if not np.allclose(ours, theirs, rtol=0, atol=row.tolerance):
        worst = np.abs(np.array(ours) - np.array(theirs)).max()
        raise SystemExit(f"{row.metric}: scores differ from {row.peer_name}'s by {worst:g}")
    return int(np.size(ours))


def spread(values: Sequence[float]) -> list[float]:
    return [statistics.median(values), min(values), max(values)]


def measure(row: Row, data: Data, a: argparse.Namespace) -> dict[str, Any]:
    metric = Metric.from_config({"type": row.metric, **row.parameters})
    peer = row.peer() if row.peer else None
    checked = assert_equal(row, metric, peer, data) if peer else 0
    runs: dict[str, Callable[[Data], object]] = {
        "ours": lambda some: metric.score_all(*some.fields(metric))
    }
    if peer:
        runs["theirs"] = lambda some: peer(some.summaries, some.references, some.documents)
    counts = {name: pairs_for(run, data, a.turn, row.least_pairs) for name, run in runs.items()}
    if row.metric == "cider":
        # What is rare depends on how many are scored together, and so does the work.
        counts = dict.fromkeys(counts, min(counts.values()))
    times: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(a.rounds):
        for name, run in runs.items():
            some = data.first(counts[name])
            times[name].append(seconds(partial(run, some), cpu_clock) / counts[name])
    found: dict[str, Any] = {
        "pairs_per_second": 1 / statistics.median(times["ours"]),
        "microseconds_per_pair": statistics.median(times["ours"]) * 1e6,
    }
    if peer:
        ratios = [t / o for t, o in zip(times["theirs"], times["ours"], strict=True)]
        found |= {
            "peer": row.peer_name,
            "scores_equal": checked,
            "faster_than_peer": spread(ratios),
            "peer_pairs_per_second": 1 / statistics.median(times["theirs"]),
        }
    found |= through_the_loop(metric, data, counts["ours"], a)
    _tell(row, found)
    return found


def through_the_loop(
    metric: Metric, data: Data, count: int, a: argparse.Namespace
) -> dict[str, Any]:
    """`score_rows`, as `rubrica evaluate` calls it: pairs per second of one worker, and what two gain.

    The gain is one of wall time and needs two idle cores to mean anything. Two threads that spend no
    more CPU time than one would halve the wall time on idle cores. A metric that works in processes
    starts them after a second, so the texts are repeated until one worker has enough to do.
    """
    repeated = data.first(count).instances()
    instances = [
        EvalInstance(f"{n}-{one.instance_id}", "system", "peer", one.fields)
        for n in range(max(1, round(a.loop / a.turn)))
        for one in repeated
    ]
    walls: dict[int, list[float]] = {1: [], 2: []}
    cpus: dict[int, list[float]] = {1: [], 2: []}
    for _ in range(a.loop_rounds):
        for workers in (1, 2):
            cpu, start = time.process_time(), time.perf_counter()
            for _ in score_rows(instances, Plan([metric]), workers=workers, batch_size=64):
                pass
            walls[workers].append((time.perf_counter() - start) / len(instances))
            cpus[workers].append((time.process_time() - cpu) / len(instances))
    found: dict[str, Any] = {
        "workers_are": metric.parallel,
        "pairs_per_second_in_the_loop": 1 / statistics.median(cpus[1]),
        "two_workers_speed_of_one": spread(
            [one / both for one, both in zip(walls[1], walls[2], strict=True)]
        ),
    }
    if metric.parallel == "threads":
        ratio = statistics.median(cpus[2]) / statistics.median(cpus[1])
        found["two_workers_cpu_time_of_one"] = ratio
    return found


def stemmers(a: argparse.Namespace) -> dict[str, Any]:
    """Words per second of CPU time, against the packages; NLTK's stems must equal ours."""
    words = vocabulary()
    found: dict[str, Any] = {}
    for name, (ours, theirs) in lexical_peers.stemmers().items():
        if "NLTK" in name and stem_words(words, ours) != theirs(words):
            raise SystemExit(f"stems differ from {name}")
        runs = {"ours": lambda o=ours: stem_words(words, o), "theirs": lambda t=theirs: t(words)}
        times: dict[str, list[float]] = {key: [] for key in runs}
        for _ in range(a.rounds):
            for key, run in runs.items():
                repeats = max(1, int(a.turn / 4 / max(1e-6, seconds(run, cpu_clock))))
                again = partial(lambda r, n: [r() for _ in range(n)], run, repeats)
                spent = seconds(again, cpu_clock)
                times[key].append(spent / repeats)
        ratios = [t / o for t, o in zip(times["theirs"], times["ours"], strict=True)]
        found[name] = {
            "ours": ours,
            "words_per_second": len(words) / statistics.median(times["ours"]),
            "faster_than_peer": spread(ratios),
        }
        print(
            f"  {ours:12} {found[name]['words_per_second']:12,.0f} words/s"
            f"   {show(found[name]['faster_than_peer']):>24} x {name}"
        )
    return found


def _tell(row: Row, found: dict[str, Any]) -> None:
    line = f"  {row.metric:12} {found['pairs_per_second']:12,.0f} pairs/s"
    if "faster_than_peer" in found:
        line += f"   {show(found['faster_than_peer']):>24} x {found['peer']}"
    print(line)
    line = f"  {'':12} {found['pairs_per_second_in_the_loop']:12,.0f} pairs/s in the loop"
    line += f"; two {found['workers_are']}: {show(found['two_workers_speed_of_one'])} x the speed"
    if "two_workers_cpu_time_of_one" in found:
        line += f" at {found['two_workers_cpu_time_of_one']:.2f} x the CPU time"
    print(line)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--turn", type=float, default=0.5, help="CPU seconds per turn")
    parser.add_argument("--loop", type=float, default=4.0, help="seconds of work for the loop")
    parser.add_argument("--loop-rounds", type=int, default=3)
    parser.add_argument("--quick", action="store_true", help="3 short rounds")
    parser.add_argument("--only", nargs="+", help="these metrics alone; the file keeps the others")
    parser.add_argument("--out", type=Path, default=RESULTS / "lexical.json")
    a = parser.parse_args()
    if a.quick:
        a.rounds, a.turn, a.loop, a.loop_rounds = 3, 0.1, 0.3, 1

    data = make_data(2000)
    print(
        f"{SUMMARY_WORDS} words against {SUMMARY_WORDS}, or against a document of {DOCUMENT_WORDS}"
    )
    results: dict[str, Any] = {}
    for row in ROWS:
        if a.only and row.metric not in a.only:
            continue
        try:
            results[row.metric] = measure(row, data, a)
        except MissingResourceError as error:
            print(f"  {row.metric:12} not measured: {error}")
    if not a.only or "stemmers" in a.only:
        results["stemmers"] = stemmers(a)
    if a.only and a.out.exists():
        results = {**json.loads(a.out.read_text("utf-8"))["results"], **results}
    report = {
        "machine": machine(),
        "python": platform.python_version(),
        "kernels": kernels.IMPLEMENTATION,
        "versions": versions(PACKAGES),
        "words": {"summary": SUMMARY_WORDS, "document": DOCUMENT_WORDS},
        "results": results,
    }
    if not a.quick:
        a.out.write_text(json.dumps(report, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
