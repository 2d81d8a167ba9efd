"""Random signals at random moments to `score` and `evaluate` with two workers: no hang, no survivor, nothing lost.

python benchmarks/faults/signals.py [SIGNALS] [SEED] [LIMIT]

`score` writes a file, a compressed file or a folder of parts, `evaluate` two files. Each run is stopped by a signal and
resumed until it finishes; then its bytes must be those of an undisturbed run. A driver that takes more than LIMIT seconds
(5) to end, a process of its session that is still there then, and rows that were recorded and are gone are failures. The
exit code is 1 if there was any. Every eight signals to one way of running are all kinds of them.
1,000 signals or more go to results/signals.json.
"""

from __future__ import annotations

import gzip
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

RESULTS = Path(__file__).resolve().parents[1] / "results" / "signals.json"
ROWS = 600
FILES = 12
METRIC = '''
"""A metric that takes its time."""
import time
from rubrica.metrics import Metric, ReferenceBasedMetric


@Metric.register("slow")
class Slow(ReferenceBasedMetric):
    """The length of a summary."""

    def score_one(self, summary, references):
        time.sleep(0.004)
        return {"slow": len(summary) / 7}
'''
# Workers start at once, not after a second.
CODE = """
import sys
from rubrica.scoring.engines import local
local.BEFORE_PROCESSES = 0.0
from rubrica.cli.app import main
if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
"""
# To whom, and which: a terminal signals the whole group, a scheduler the driver, the kernel anyone.
KINDS = [
    ("driver", signal.SIGINT),
    ("driver", signal.SIGTERM),
    ("driver", signal.SIGHUP),
    ("driver", signal.SIGKILL),
    ("group", signal.SIGINT),
    ("group", signal.SIGHUP),
    ("worker", signal.SIGKILL),
    ("worker", signal.SIGTERM),
]


def members(session: int) -> list[int]:
    """Return the processes of a session that are alive, by their ids."""
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[3]) == session and fields[0] not in "ZX":
            found.append(int(entry.name))
    return found


def contents(folder: Path) -> dict[str, bytes]:
    """Return the visible files of a folder, or the file itself, by name."""
    if folder.is_file():
        return {folder.name: folder.read_bytes()}
    return {
        path.name: path.read_bytes()
        for path in sorted(folder.glob("*"))
        if not path.name.startswith(".") and path.is_file()
    }


class Way:
    """A command, what it writes, and what an unfinished run has recorded."""

    def __init__(self, folder: Path, verb: str, *outputs: str) -> None:
        self.folder, self.name = folder, f"{verb} to {' and '.join(outputs)}"
        self._verb, self._outputs = verb, outputs
        self.kinds: list[tuple[str, signal.Signals]] = []
        self.whole: dict[str, bytes] = {}

    def command(self, *more: str) -> list[str]:
        """Return the words of the command."""
        inputs = ["in.jsonl"]
        if self._outputs[0].endswith("/"):
            inputs = [f"in{number}.jsonl" for number in range(FILES)]
        fixed = ["--include-packages", "slowpoke", "--batch-size", "8", "--workers", "2"]
        outputs = [*self._outputs, "--input-files", *inputs]
        return [sys.executable, "run.py", "slow", self._verb, *outputs, *fixed, *more]

    def outputs(self) -> dict[str, bytes]:
        """Return the content of the outputs that are there."""
        content: dict[str, bytes] = {}
        for output in self._outputs:
            content |= contents(self.folder / output)
        return content

    def clear(self) -> None:
        """Remove the outputs."""
        for output in self._outputs:
            place = self.folder / output
            shutil.rmtree(place) if place.is_dir() else place.unlink()

    def recorded(self) -> dict[str, int]:
        """Return what the unfinished run has recorded: bytes of rows by file."""
        rows = self._outputs[-1]
        if rows.endswith("/"):
            done = (self.folder / rows).glob(".part-*.done")
            return {each.name[1:-5]: json.loads(each.read_bytes())["rows"] for each in done}
        journal = self.folder / f"{rows}.partial.run"
        if not journal.exists() or not (self.folder / f"{rows}.partial").exists():
            # The rows have their final name, or there are none yet.
            return {}
        lines = journal.read_bytes().splitlines()[1:]
        sizes = [json.loads(line)["bytes"] for line in lines if line.endswith(b"}")]
        return {rows: max(sizes)} if sizes else {}

    def written(self) -> int:
        """Return how many bytes of rows the unfinished run has written, recorded or not."""
        rows = self._outputs[-1]
        if rows.endswith("/"):
            return sum(each.stat().st_size for each in (self.folder / rows).glob("part-*"))
        partial = self.folder / f"{rows}.partial"
        return partial.stat().st_size if partial.exists() else 0

    def is_part_of_whole(self) -> bool:
        """Return whether all that is recorded equals that of an undisturbed run."""
        for name, size in self.recorded().items():
            if self._outputs[-1].endswith("/"):
                if (self.folder / self._outputs[-1] / name).read_bytes() != self.whole[name]:
                    return False
                continue
            plain = self.whole[name]
            if name.endswith(".gz"):
                plain = gzip.decompress(plain)
            if (self.folder / f"{name}.partial").read_bytes()[:size] != plain[:size]:
                return False
        return True


class Attack:
    """Runs, signals and what came of them."""

    def __init__(self, folder: Path, seed: int, limit: float) -> None:
        self.folder, self.random, self.limit = folder, random.Random(seed), limit
        self.failures: list[str] = []
        self.counts: Counter[str] = Counter()
        self.slowest = 0.0
        (folder / "slowpoke.py").write_text(METRIC)
        (folder / "run.py").write_text(CODE)
        lines = []
        for number in range(ROWS):
            ids = {"instance_id": f"d{number}", "summarizer_id": "s", "summarizer_type": "peer"}
            texts = {"summary": "x" * (number % 90), "references": ["y"]}
            lines.append(json.dumps({**ids, **texts}) + "\n")
        (folder / "in.jsonl").write_text("".join(lines))
        for number in range(FILES):
            (folder / f"in{number}.jsonl").write_text("".join(lines[number::FILES]))
        self.ways = [
            Way(folder, "score", "out.jsonl"),
            Way(folder, "evaluate", "systems.json", "summaries.jsonl"),
            Way(folder, "score", "packed.jsonl.gz"),
            Way(folder, "score", "parts/"),
        ]
        for way in self.ways:
            subprocess.run(way.command(), cwd=folder, check=True, capture_output=True)
            way.whole = way.outputs()
            way.clear()

    def strike(self, way: Way) -> None:
        """Start or resume the run, wait a random while, signal, and look at what is left."""
        before = way.recorded()
        process = subprocess.Popen(
            way.command("--resume"),
            cwd=self.folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        self._wait(way, process)
        if not way.kinds:
            way.kinds = self.random.sample(KINDS, len(KINDS))
        target, number = way.kinds.pop()
        kind = f"{number.name} to the {target}"
        name = f"{way.name}: {kind}"
        self._send(process.pid, target, number)
        start = time.monotonic()
        try:
            # A worker's death may be noticed late, a finished run is fine: only hangs matter.
            process.wait(timeout=self.limit if target != "worker" else max(60, self.limit))
        except subprocess.TimeoutExpired:
            load = os.getloadavg()[0]
            self.failures.append(
                f"{name}: still running after {self.limit:.0f} s (load {load:.0f})"
            )
            process.kill()
        _, messages = process.communicate()
        if b"can be resumed" in messages or b"were changed" in messages:
            self.failures.append(f"{name}: the run before cannot be resumed")
        self.counts[way.name] += 1
        self.counts[kind] += 1
        end = start + self.limit + (55 if target == "worker" else 0)
        while members(process.pid) and time.monotonic() < end:
            time.sleep(0.02)
        if target != "worker":
            self.slowest = max(self.slowest, time.monotonic() - start)
        for survivor in members(process.pid):
            self.failures.append(f"{name}: process {survivor} outlived its driver")
            os.kill(survivor, signal.SIGKILL)
        self._check(way, name, before, process.returncode)

    def _wait(self, way: Way, process: subprocess.Popen[bytes]) -> None:
        """Wait for a moment: any since the start, or, every other time, one at which rows are being written."""
        if self.random.random() < 0.5:
            time.sleep(self.random.uniform(0.0, 2.5))
            return
        before = way.written()
        while process.poll() is None and way.written() == before:
            time.sleep(0.01)
        time.sleep(self.random.uniform(0.0, 1.0))

    def _send(self, driver: int, target: str, number: signal.Signals) -> None:
        try:
            if target == "group":
                os.killpg(driver, number)
                return
            workers = [each for each in members(driver) if each != driver]
            os.kill(
                self.random.choice(workers) if target == "worker" and workers else driver, number
            )
        except ProcessLookupError:
            self.counts["too late"] += 1

    def _check(self, way: Way, name: str, before: dict[str, int], code: int) -> None:
        if code == 0:
            self.counts["finished runs"] += 1
            if way.outputs() != way.whole:
                self.failures.append(f"{name}: the output differs from that of an undisturbed run")
            way.clear()
            return
        after = way.recorded()
        # Just before its end, a run has given the rows their name.
        finished = all(way.outputs().get(key) == way.whole[key] for key in before)
        if not finished and any(after.get(key, 0) < size for key, size in before.items()):
            self.failures.append(f"{name}: recorded rows are gone")
        if not way.is_part_of_whole():
            self.failures.append(f"{name}: unfinished rows differ from those of an undisturbed run")


def main(count: int = 1000, seed: int = 1, limit: int = 5) -> int:
    """Send signals; print what happened, and return the number of failures."""
    for number in (signal.SIGINT, signal.SIGHUP):
        # A shell ignores them for commands in the background, and what is ignored is inherited.
        signal.signal(number, signal.SIG_DFL)
    with tempfile.TemporaryDirectory() as name:
        attack = Attack(Path(name), seed, limit)
        for turn in range(count):
            attack.strike(attack.ways[turn % len(attack.ways)])
        for kind, times in sorted(attack.counts.items()):
            print(f"{times:6,}  {kind}")
        for failure in attack.failures:
            print(failure)
        print(
            f"{count:,} signals, {len(attack.failures)} failures; "
            f"the slowest end took {attack.slowest:.1f} s"
        )
        if count >= 1000:
            result = {
                "signals": count,
                "seed": seed,
                "limit_seconds": limit,
                "slowest_end_seconds": round(attack.slowest, 2),
                "counts": dict(sorted(attack.counts.items())),
                "failures": attack.failures,
            }
            RESULTS.write_text(json.dumps(result, indent=1) + "\n")
        return len(attack.failures)


if __name__ == "__main__":
    sys.exit(1 if main(*map(int, sys.argv[1:4])) else 0)
