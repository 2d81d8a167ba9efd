"""Random signals at random moments to a running `score` with two workers: no hang, no survivor, nothing lost.

python benchmarks/faults/signals.py [SIGNALS] [SEED] [LIMIT]

Each run is stopped by a signal and resumed until it finishes; then its bytes must be those of an undisturbed run. A
driver that takes more than LIMIT seconds (5) to end, a process of its session that is still there then, and rows that were
recorded and are gone are failures. The exit code is 1 if there was any. Every eight signals are all kinds of them.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

ROWS = 600
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


def recorded(folder: Path) -> int:
    """Return how many bytes of rows the unfinished run has recorded."""
    journal = folder / "out.jsonl.partial.run"
    lines = journal.read_bytes().splitlines()[1:] if journal.exists() else []
    return max((json.loads(line)["bytes"] for line in lines if line.endswith(b"}")), default=0)


def command(out: str, *more: str) -> list[str]:
    fixed = ["--input-files", "in.jsonl", "--include-packages", "slowpoke", "--batch-size", "8"]
    return [sys.executable, "run.py", "slow", "score", out, *fixed, "--workers", "2", *more]


class Attack:
    """Runs, signals and what came of them."""

    def __init__(self, folder: Path, seed: int, limit: float) -> None:
        self.folder, self.random, self.limit = folder, random.Random(seed), limit
        self.kinds: list[tuple[str, signal.Signals]] = []
        self.failures: list[str] = []
        self.counts: Counter[str] = Counter()
        (folder / "slowpoke.py").write_text(METRIC)
        (folder / "run.py").write_text(CODE)
        with open(folder / "in.jsonl", "w") as stream:
            for number in range(ROWS):
                ids = {"instance_id": f"d{number}", "summarizer_id": "s", "summarizer_type": "peer"}
                texts = {"summary": "x" * (number % 90), "references": ["y"]}
                stream.write(json.dumps({**ids, **texts}) + "\n")
        subprocess.run(command("whole.jsonl"), cwd=folder, check=True, capture_output=True)
        self.whole = (folder / "whole.jsonl").read_bytes()

    def strike(self) -> None:
        """Start or resume the run, wait a random while, signal, and look at what is left."""
        before = recorded(self.folder)
        process = subprocess.Popen(
            command("out.jsonl", "--resume"),
            cwd=self.folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        time.sleep(self.random.uniform(0.0, 2.5))
        if not self.kinds:
            self.kinds = self.random.sample(KINDS, len(KINDS))
        target, number = self.kinds.pop()
        name = f"{number.name} to the {target}"
        self._send(process.pid, target, number)
        start = time.monotonic()
        try:
            # A worker's death may be noticed late, a finished run is fine: only hangs matter.
            process.wait(timeout=self.limit if target != "worker" else max(60, self.limit))
        except subprocess.TimeoutExpired:
            self.failures.append(f"{name}: still running after {self.limit:.0f} s")
            process.kill()
        _, messages = process.communicate()
        if b"can be resumed" in messages or b"were changed" in messages:
            self.failures.append(f"{name}: the run before cannot be resumed")
        self.counts[name] += 1
        end = start + self.limit + (55 if target == "worker" else 0)
        while members(process.pid) and time.monotonic() < end:
            time.sleep(0.02)
        for survivor in members(process.pid):
            self.failures.append(f"{name}: process {survivor} outlived its driver")
            os.kill(survivor, signal.SIGKILL)
        self._check(name, before)

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

    def _check(self, name: str, before: int) -> None:
        output = self.folder / "out.jsonl"
        if output.exists():
            self.counts["finished runs"] += 1
            if output.read_bytes() != self.whole:
                self.failures.append(f"{name}: the output differs from that of an undisturbed run")
            output.unlink()
            return
        if recorded(self.folder) < before:
            self.failures.append(f"{name}: recorded rows are gone")
        partial = self.folder / "out.jsonl.partial"
        size = recorded(self.folder)
        if size and partial.read_bytes()[:size] != self.whole[:size]:
            self.failures.append(f"{name}: unfinished rows differ from those of an undisturbed run")


def main(count: int = 1000, seed: int = 1, limit: int = 5) -> int:
    """Send signals; print what happened, and return the number of failures."""
    for number in (signal.SIGINT, signal.SIGHUP):
        # A shell ignores them for commands in the background, and what is ignored is inherited.
        signal.signal(number, signal.SIG_DFL)
    with tempfile.TemporaryDirectory() as name:
        attack = Attack(Path(name), seed, limit)
        for _ in range(count):
            attack.strike()
        for kind, times in sorted(attack.counts.items()):
            print(f"{times:6,}  {kind}")
        for failure in attack.failures:
            print(failure)
        print(f"{count:,} signals, {len(attack.failures)} failures")
        return len(attack.failures)


if __name__ == "__main__":
    sys.exit(1 if main(*map(int, sys.argv[1:4])) else 0)
