"""Several processes at one folder of results: they write, read and make room at the same time."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("safetensors")

from rubrica.neural.cache import ResultCache
from support.waiting import wait_until

# Starts processes.
pytestmark = pytest.mark.slow

BOUND = 60_000
# Each process asks for what it and the others may have written, checks every number it is given,
# and writes what it did not find; its memory holds nothing.
WORKER = """
import random, sys, warnings
from pathlib import Path
import numpy as np
from rubrica.errors import DataWarning
from rubrica.neural.cache import ResultCache

warnings.simplefilter("error", DataWarning)
draw = random.Random(int(sys.argv[2]))
cache = ResultCache(Path(sys.argv[1]), "model", memory_bytes=1, disk_bytes=int(sys.argv[3]))
hits = made = 0
for _ in range(int(sys.argv[4])):
    numbers = [min(draw.randrange(150), draw.randrange(150)) for _ in range(12)]
    found = cache.get({n.to_bytes(16) for n in numbers})
    for number in dict.fromkeys(numbers):
        expected = np.full((1 + number % 7, 64), number, dtype=np.float32)
        matrix = found.get(number.to_bytes(16))
        if matrix is None:
            made += 1
            cache.put(number.to_bytes(16), expected)
        else:
            hits += 1
            assert matrix.shape == expected.shape and (matrix == expected).all(), number
    cache.flush()
print(hits, made)
"""


def start(folder: Path, seed: int, *, bound: int = BOUND, rounds: int = 120) -> subprocess.Popen:
    words = [str(folder), str(seed), str(bound), str(rounds)]
    return subprocess.Popen(
        [sys.executable, "-c", WORKER, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def assert_whole(folder: Path) -> None:
    assert not [path for path in (folder / "model").iterdir() if path.name.startswith(".")]
    found = ResultCache(folder, "model").get([n.to_bytes(16) for n in range(150)])
    assert found
    for key, matrix in found.items():
        number = int.from_bytes(key)
        np.testing.assert_array_equal(matrix, np.full((1 + number % 7, 64), number))


def test_processes_write_read_and_make_room_at_once(tmp_path: Path) -> None:
    started = [start(tmp_path, seed) for seed in range(4)]
    ended = [one.communicate() for one in started]
    assert [one.returncode for one in started] == [0] * 4, [err for _, err in ended]
    counted = [[int(word) for word in out.split()] for out, _ in ended]
    # There were hits on the disk; more was written than there is room for; the bound was kept.
    assert all(hits > 100 for hits, _ in counted)
    mean = 4 * 64 * 4
    assert sum(made for _, made in counted) * mean > 2 * BOUND
    assert sum(path.stat().st_size for path in (tmp_path / "model").iterdir()) <= BOUND
    assert_whole(tmp_path)


@pytest.mark.skipif(sys.platform == "win32", reason="kills as POSIX does")
def test_a_process_that_is_killed_leaves_nothing_that_misleads(tmp_path: Path) -> None:
    victim = start(tmp_path, 1, bound=1 << 30, rounds=10**6)
    folder = tmp_path / "model"
    wait_until(lambda: folder.is_dir() and len(os.listdir(folder)) >= 20, victim)
    victim.send_signal(signal.SIGKILL)
    victim.communicate()
    # What it was writing is no result, and goes when it has been there for long.
    for path in (tmp_path / "model").glob(".*"):
        os.utime(path, (1000, 1000))
    other = start(tmp_path, 2)
    _, told = other.communicate()
    assert other.returncode == 0, told
    assert_whole(tmp_path)
