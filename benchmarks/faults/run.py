"""Faults that are too slow, or need too much of a machine, for the tests: each ends with "ok" or fails.

- two `ray start` with a token, as on two machines; one is killed (SIGKILL to its raylet) in mid-run;
- the driver is killed (SIGKILL) in mid-run on Ray and repeated with --resume and the same --store;
- a file system that is full (a small tmpfs; needs root) and one that is read-only.

Every run must end with the bytes of an undisturbed one. Run: python benchmarks/faults/run.py [NAME ...]
"""

from __future__ import annotations

import os
import secrets
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from bench_house import write_rows

BIN = Path(sys.executable).parent
ROWS = 60_000


def words(out: str, *more: str) -> list[str]:
    fixed = ["--max_ngram", "2", "--rounds", "0", "--input-files", "rows.jsonl"]
    return [str(BIN / "rubrica"), "rouge", "evaluate", f"{out}.json", f"{out}.jsonl", *fixed, *more]


def same(folder: Path, out: str) -> None:
    for kind in ("json", "jsonl"):
        ours, plain = folder / f"{out}.{kind}", folder / f"plain.{kind}"
        assert ours.read_bytes() == plain.read_bytes(), f"{ours} differs"


def wait_for_rows(folder: Path, out: str, process: subprocess.Popen[str]) -> None:
    partial = folder / f"{out}.jsonl.partial"
    while not (partial.exists() and partial.stat().st_size > 1_000_000):
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)


@contextmanager
def two_nodes(folder: Path) -> Iterator[tuple[str, list[int]]]:
    """Two `ray start` of one CPU; the address, and the process ids of the second node."""
    token = folder / "token"
    token.write_text(secrets.token_hex(32))
    os.environ |= {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN_PATH": str(token)}
    address = "127.0.0.1:6399"
    ray = [sys.executable, "-c", "from ray.scripts.scripts import main; main()"]
    start = [*ray, "start", "--num-cpus", "1", "--disable-usage-stats"]
    head = [
        "--head",
        "--port",
        "6399",
        "--node-ip-address",
        "127.0.0.1",
        "--include-dashboard=false",
    ]
    subprocess.run([*start, *head], check=True, capture_output=True)
    before = raylets()
    subprocess.run([*start, "--address", address], check=True, capture_output=True)
    second = sorted(raylets() - before)
    try:
        yield address, second
    finally:
        # All of it is ours: `ray stop` would end other people's nodes too.
        for pid in raylets() | servers():
            if str(folder).encode() in environment(pid):
                os.kill(pid, signal.SIGKILL)


def environment(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return b""


def processes(name: bytes) -> set[int]:
    found = set()
    for one in Path("/proc").glob("[0-9]*"):
        try:
            if name in (one / "cmdline").read_bytes().split(b"\0")[0]:
                found.add(int(one.name))
        except OSError:
            continue
    return found


def raylets() -> set[int]:
    return processes(b"raylet/raylet")


def servers() -> set[int]:
    return processes(b"gcs_server")


def node_killed(folder: Path) -> None:
    with two_nodes(folder) as (address, second):
        more = ["--engine", "ray", "--address", address, "--batch-size", "2000"]
        process = subprocess.Popen(
            words("node", *more), cwd=folder, text=True, stderr=subprocess.PIPE
        )
        wait_for_rows(folder, "node", process)
        for pid in second:
            os.kill(pid, signal.SIGKILL)
        _, told = process.communicate(timeout=300)
        assert process.returncode == 0, told
    same(folder, "node")


def driver_killed(folder: Path) -> None:
    more = ["--engine", "ray", "--workers", "2", "--batch-size", "2000", "--store", "store"]
    process = subprocess.Popen(
        words("driver", *more), cwd=folder, text=True, stderr=subprocess.PIPE
    )
    wait_for_rows(folder, "driver", process)
    process.kill()
    process.communicate()
    again = words("driver", *more, "--resume")
    done = subprocess.run(again, cwd=folder, check=True, capture_output=True, text=True)
    assert "resuming after" in done.stderr, done.stderr
    same(folder, "driver")


def full_disk(folder: Path) -> None:
    small = folder / "small"
    small.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(small)], check=True)
    try:
        run = words("small/out", "--store", "small/store")
        done = subprocess.run(run, cwd=folder, capture_output=True, text=True, check=False)
        assert done.returncode == 1, done.stderr
        assert "No space left on device" in done.stderr, done.stderr
        kept = (small / "out.jsonl.partial").read_bytes()
        assert kept, "finished rows are kept"
        assert (folder / "plain.jsonl").read_bytes().startswith(kept)
        subprocess.run(["mount", "-o", "remount,size=400m", str(small)], check=True)
        subprocess.run([*run, "--resume"], cwd=folder, check=True, capture_output=True)
        same(folder, "small/out")
    finally:
        subprocess.run(["umount", str(small)], check=True)


def read_only(folder: Path) -> None:
    place = folder / "sealed"
    place.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "ro", "tmpfs", str(place)], check=True)
    try:
        for run in (words("sealed/out"), words("out", "--store", "sealed/store")):
            done = subprocess.run(run, cwd=folder, capture_output=True, text=True, check=False)
            assert done.returncode == 1, done.stderr
            assert "cannot be written: Read-only file system" in done.stderr, done.stderr
    finally:
        subprocess.run(["umount", str(place)], check=True)


FAULTS: dict[str, Callable[[Path], None]] = {
    "read-only": read_only,
    "full-disk": full_disk,
    "driver-killed": driver_killed,
    "node-killed": node_killed,
}


def main() -> None:
    for name in sys.argv[1:] or FAULTS:
        with tempfile.TemporaryDirectory() as made:
            folder = Path(made)
            write_rows(folder / "rows.jsonl", ROWS)
            subprocess.run(words("plain"), cwd=folder, check=True, capture_output=True)
            FAULTS[name](folder)
        print(f"{name}: ok", flush=True)


if __name__ == "__main__":
    main()
