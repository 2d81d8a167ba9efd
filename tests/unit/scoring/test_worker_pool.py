"""The pool of worker processes: ordered results, and an end in bounded time whatever happens."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from rubrica.errors import RubricaError
from rubrica.scoring.engines import local
from rubrica.scoring.engines.local import map_ordered
from support.waiting import wait_until

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="looks at processes in /proc"),
]


@pytest.fixture(autouse=True)
def _processes_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local, "BEFORE_PROCESSES", 0.0)


def double(number: int) -> int:
    return 2 * number


def lengthen(item: bytes) -> bytes:
    return item + bytes(3_000_000)


def die_at_seven(number: int) -> int:
    if number == 7:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def fail_at_five(number: int) -> int:
    if number == 5:
        raise ZeroDivisionError("five")
    return number


def test_results_come_in_order() -> None:
    found = map_ordered(double, range(200), workers=3, kind="processes")
    assert list(found) == [2 * number for number in range(200)]


def test_items_and_results_larger_than_a_pipe_do_not_block() -> None:
    items = [bytes(2_000_000) for _ in range(12)]
    found = list(map_ordered(lengthen, items, workers=2, kind="processes"))
    assert {len(result) for result in found} == {5_000_000}


def test_an_error_is_raised_in_its_place() -> None:
    found = map_ordered(fail_at_five, range(20), workers=2, kind="processes")
    assert [next(found) for _ in range(5)] == [0, 1, 2, 3, 4]
    with pytest.raises(ZeroDivisionError, match="five"):
        next(found)


def test_a_worker_that_dies_is_reported_with_its_item() -> None:
    found = map_ordered(
        die_at_seven, range(20), workers=2, kind="processes", describe="row {}".format
    )
    with pytest.raises(RubricaError, match=r"died \(SIGKILL\) on row [78]"):
        list(found)


def test_giving_up_ends_the_workers() -> None:
    found: Any = map_ordered(double, range(10_000), workers=2, kind="processes")
    for _ in range(10):
        next(found)
    before = _children()
    assert len(before) >= 2
    found.close()
    assert not {child for child in _children() if child in before and _is_worker(child)}


def _children() -> set[int]:
    own = os.getpid()
    return {int(child) for child in Path(f"/proc/{own}/task/{own}/children").read_text().split()}


def _is_worker(process: int) -> bool:
    try:
        return b"spawn_main" in Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return False


WITHOUT_GUARD = """
import os
from rubrica.scoring.engines import local

local.BEFORE_PROCESSES = 0.0
{definition}
print("begins")
found = list(local.map_ordered({function}, range(9), workers=2, kind="processes"))
print(sorted(map(int, found)))
"""
OWN = "def own(number):\n    return os.getpid()"


def run_script(tmp_path: Path, script: str) -> subprocess.CompletedProcess[str]:
    (tmp_path / "script.py").write_text(script)
    return subprocess.run(
        [sys.executable, str(tmp_path / "script.py")], capture_output=True, text=True, check=False
    )


def test_a_script_without_a_guard_runs_once_and_its_work_in_processes(tmp_path: Path) -> None:
    script = WITHOUT_GUARD.format(definition="from math import sqrt", function="sqrt")
    done = run_script(tmp_path, script)
    assert (done.stdout, done.stderr) == ("begins\n[0, 1, 1, 1, 2, 2, 2, 2, 2]\n", "")


def test_what_a_script_without_a_guard_defines_works_in_its_own_process(tmp_path: Path) -> None:
    done = run_script(tmp_path, WITHOUT_GUARD.format(definition=OWN, function="own"))
    assert done.returncode == 0
    assert len(set(json.loads(done.stdout.splitlines()[1]))) == 1
    assert (
        "RubricaWarning: scored in one process: others cannot import what your script"
        in done.stderr
    )


def test_what_a_script_with_a_guard_defines_works_in_processes(tmp_path: Path) -> None:
    head, _, tail = WITHOUT_GUARD.format(definition=OWN, function="own").partition("print")
    guarded = "\n    ".join(["if __name__ == '__main__':", *f"print{tail}".splitlines()])
    done = run_script(tmp_path, f"{head}{guarded}\n")
    assert (done.stderr, done.stdout.count("begins")) == ("", 1)
    assert len(set(json.loads(done.stdout.splitlines()[1]))) > 1


SCRIPT = """
import os, signal, sys, time
from pathlib import Path
from rubrica.scoring.engines.base import in_order
from rubrica.scoring.engines.pool import WorkerPool

def note_and_sleep(number):
    Path(sys.argv[1], str(os.getpid())).touch()
    time.sleep(3600)
    return number

if __name__ == "__main__":
    # Under nohup it would be ignored.
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    with WorkerPool(note_and_sleep, 2) as pool:
        for _ in in_order(pool, range(1000)):
            pass
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_no_worker_outlives_its_driver(tmp_path: Path, number: signal.Signals) -> None:
    (tmp_path / "script.py").write_text(SCRIPT)
    marks = tmp_path / "workers"
    marks.mkdir()
    driver = subprocess.Popen(
        [sys.executable, str(tmp_path / "script.py"), str(marks)],
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    wait_until(lambda: len(list(marks.iterdir())) == 2, driver)
    workers = [int(mark.name) for mark in marks.iterdir()]
    driver.send_signal(number)
    try:
        driver.wait()
    finally:
        driver.kill()
        driver.wait()
    wait_until(lambda: not any(_is_worker(worker) for worker in workers))


def test_random_signals_leave_no_process_and_lose_no_row() -> None:
    script = Path(__file__).resolve().parents[3] / "benchmarks" / "faults" / "signals.py"
    done = subprocess.run(
        [sys.executable, str(script), "8", "7", "300"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "8 signals, 0 failures" in done.stdout
