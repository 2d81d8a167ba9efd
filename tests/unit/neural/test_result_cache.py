"""The cache of model results: found again, bounded, shared by processes, and never in the way."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("safetensors")

from rubrica.errors import DataWarning
from rubrica.neural.cache import ResultCache


def key(number: int) -> bytes:
    return number.to_bytes(16)


def matrix(number: int, rows: int = 3) -> np.ndarray:
    return np.arange(rows * 4, dtype=np.float32).reshape(rows, 4) + number


def filled(root: Path, numbers: range) -> ResultCache:
    cache = ResultCache(root, "model")
    for number in numbers:
        cache.put(key(number), matrix(number, rows=1 + number % 5))
    cache.flush()
    return cache


def test_what_one_run_writes_the_next_one_finds(tmp_path: Path) -> None:
    filled(tmp_path, range(20))
    found = ResultCache(tmp_path, "model").get([key(n) for n in range(25)])
    assert set(found) == {key(n) for n in range(20)}
    for number in range(20):
        np.testing.assert_array_equal(found[key(number)], matrix(number, rows=1 + number % 5))


def test_another_model_finds_nothing(tmp_path: Path) -> None:
    filled(tmp_path, range(3))
    assert ResultCache(tmp_path, "other").get([key(0)]) == {}


def test_a_matrix_without_rows_is_kept_in_memory_only(tmp_path: Path) -> None:
    cache = ResultCache(tmp_path, "model")
    cache.put(key(1), np.zeros((0, 4), dtype=np.float32))
    cache.flush()
    assert cache.get([key(1)])[key(1)].shape == (0, 4)
    assert ResultCache(tmp_path, "model").get([key(1)]) == {}


def test_without_a_folder_results_live_in_memory_only(tmp_path: Path) -> None:
    cache = ResultCache(None, "model")
    cache.put(key(1), matrix(1))
    cache.flush()
    assert key(1) in cache.get([key(1)])
    assert not list(tmp_path.iterdir())


def test_the_memory_is_bounded_and_the_latest_stay() -> None:
    cache = ResultCache(None, "model", memory_bytes=3 * matrix(0).nbytes)
    for number in range(10):
        cache.put(key(number), matrix(number))
    assert set(cache.get([key(n) for n in range(10)])) == {key(7), key(8), key(9)}


def test_the_disk_is_bounded_and_files_used_long_ago_go_first(tmp_path: Path) -> None:
    for number in range(4):
        cache = ResultCache(tmp_path, "model", disk_bytes=1 << 30)
        cache.put(key(number), matrix(number, rows=256))
        cache.flush()
    files = sorted((tmp_path / "model").iterdir(), key=lambda path: path.stat().st_mtime_ns)
    for age, path in enumerate(files):
        os.utime(path, (1000 + age, 1000 + age))
    size = files[0].stat().st_size
    last = ResultCache(tmp_path, "model", disk_bytes=3 * size + size // 2)
    last.put(key(9), matrix(9, rows=256))
    last.flush()
    left = {path.name for path in (tmp_path / "model").iterdir()}
    assert len(left) == 3
    assert files[0].name not in left
    assert files[1].name not in left


def test_a_damaged_file_is_told_and_passed_over(tmp_path: Path) -> None:
    filled(tmp_path, range(3))
    whole = next((tmp_path / "model").iterdir())
    (tmp_path / "model" / "cut.safetensors").write_bytes(whole.read_bytes()[:50])
    (tmp_path / "model" / "wild.safetensors").write_bytes(b"\xff" * 64)
    with pytest.warns(DataWarning, match="not a cache file"):
        found = ResultCache(tmp_path, "model").get([key(n) for n in range(3)])
    assert len(found) == 3


def test_a_file_damaged_after_it_was_found_is_told_and_not_read_again(tmp_path: Path) -> None:
    filled(tmp_path, range(3))
    cache = ResultCache(tmp_path, "model", memory_bytes=1)
    assert len(cache.get([key(1)])) == 1
    file = next((tmp_path / "model").iterdir())
    content = bytearray(file.read_bytes())
    content[content.index(matrix(2, rows=3).tobytes()) + 5] ^= 1
    file.write_bytes(content)
    with pytest.warns(DataWarning, match="wrong checksum"):
        assert key(2) not in cache.get([key(n) for n in range(3)])
    assert key(2) not in cache.get([key(n) for n in range(3)])


def test_a_file_removed_after_it_was_found_is_not_missed(tmp_path: Path) -> None:
    filled(tmp_path, range(3))
    cache = ResultCache(tmp_path, "model", memory_bytes=1)
    assert len(cache.get([key(0)])) == 1
    next((tmp_path / "model").iterdir()).unlink()
    assert cache.get([key(2)]) == {}
    # What another process writes is found without being told.
    filled(tmp_path, range(3))
    np.testing.assert_array_equal(cache.get([key(2)])[key(2)], matrix(2, rows=3))


def test_what_another_process_is_writing_is_left_to_it(tmp_path: Path) -> None:
    filled(tmp_path, range(1))
    young, old = (tmp_path / "model" / f".{name * 32}.safetensors" for name in ("a", "b"))
    for path in (young, old):
        path.write_bytes(b"x" * 1000)
    os.utime(old, (1000, 1000))
    last = ResultCache(tmp_path, "model", disk_bytes=1)
    last.put(key(5), matrix(5))
    last.flush()
    assert [path.name for path in (tmp_path / "model").iterdir()] == [young.name]


def test_files_of_others_are_never_removed(tmp_path: Path) -> None:
    filled(tmp_path, range(1))
    weights = tmp_path / "checkpoint" / "model.safetensors"
    weights.parent.mkdir()
    weights.write_bytes(b"x" * 10_000)
    os.utime(weights, (1000, 1000))
    last = ResultCache(tmp_path, "model", disk_bytes=1)
    last.put(key(5), matrix(5))
    last.flush()
    assert weights.is_file()
    assert list((tmp_path / "model").iterdir()) == []


def test_large_results_become_several_files(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr("rubrica.neural.cache._SHARD_BYTES", 3 * matrix(0).nbytes)
    cache = ResultCache(tmp_path, "model")
    for number in range(8):
        cache.put(key(number), matrix(number))
    cache.flush()
    assert len(list((tmp_path / "model").iterdir())) == 3
    found = ResultCache(tmp_path, "model").get([key(n) for n in range(8)])
    assert all((found[key(n)] == matrix(n)).all() for n in range(8))


def test_a_folder_that_cannot_be_written_costs_the_cache_and_not_the_run(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("a file where a folder should be")
    cache = ResultCache(blocked, "model")
    cache.put(key(1), matrix(1))
    with pytest.warns(DataWarning, match='none with `cache_dir="off"`'):
        cache.flush()
    assert key(1) in cache.get([key(1)])


def test_a_folder_that_may_only_be_read_is_read_to_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled(tmp_path, range(4))

    def refuse(*_: Any) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("rubrica.neural.cache.write_shard", refuse)
    cache = ResultCache(tmp_path, "model")
    cache.put(key(9), matrix(9))
    with pytest.warns(DataWarning, match="Permission denied"):
        cache.flush()
    # Told once.
    cache.put(key(10), matrix(10))
    cache.flush()
    assert set(cache.get([key(n) for n in range(4)])) == {key(n) for n in range(4)}
    assert cache._pending == {}


FULL_DISK = """
import resource, signal, sys, warnings
from pathlib import Path
import numpy as np
from rubrica.neural.cache import ResultCache
# A disk on which no file can grow beyond 20 kB.
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
cache = ResultCache(Path(sys.argv[1]), "model")
for number in range(10):
    cache.put(number.to_bytes(16), np.full((64, 64), number, dtype=np.float32))
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    cache.flush()
print(len(told), told[0].category.__name__, len(cache.get([n.to_bytes(16) for n in range(10)])))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="limits of processes are POSIX's")
def test_a_full_disk_costs_the_cache_and_leaves_nothing_behind(tmp_path: Path) -> None:
    command = [sys.executable, "-c", FULL_DISK, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.split()) == (0, ["1", "DataWarning", "10"]), done.stderr
    assert list((tmp_path / "model").iterdir()) == []


def test_the_index_of_many_results_is_small(tmp_path: Path) -> None:
    for start in range(0, 20_000, 500):
        cache = ResultCache(tmp_path, "model")
        for number in range(start, start + 500):
            cache.put(key(number), np.full((1, 1), number, dtype=np.float32))
        cache.flush()
    cache = ResultCache(tmp_path, "model", memory_bytes=1)
    found = cache.get([key(n) for n in range(0, 20_000, 7)])
    assert all(found[key(n)][0, 0] == n for n in range(0, 20_000, 7))
    held = sum(keys.nbytes + places.nbytes for keys, places in cache._index._runs)
    assert held <= 40 * 20_000
    assert len(cache._index._runs) <= 16


PROCESS = """
import sys
from pathlib import Path
import numpy as np
from rubrica.neural.cache import ResultCache
cache = ResultCache(Path(sys.argv[1]), "model")
for number in range(int(sys.argv[2]), int(sys.argv[2]) + 50):
    cache.put(number.to_bytes(16), np.full((2, 4), number, dtype=np.float32))
    if number % 10 == 9:
        cache.flush()
# The last ones are pending: they are written when the program ends.
"""


def test_processes_share_a_folder(tmp_path: Path) -> None:
    started = [
        subprocess.Popen([sys.executable, "-c", PROCESS, str(tmp_path), str(25 * n)])
        for n in range(3)
    ]
    assert [one.wait() for one in started] == [0, 0, 0]
    found = ResultCache(tmp_path, "model").get([key(n) for n in range(101)])
    assert set(found) == {key(n) for n in range(100)}
    assert all((found[key(n)] == n).all() for n in range(100))
    assert not [path for path in (tmp_path / "model").iterdir() if path.name.startswith(".")]


def test_what_is_pending_is_written_when_the_cache_goes_out_of_use(tmp_path: Path) -> None:
    cache = ResultCache(tmp_path, "model")
    cache.put(key(1), matrix(1))
    del cache
    gc.collect()
    assert key(1) in ResultCache(tmp_path, "model").get([key(1)])


AT_EXIT = """
import gc, sys
from pathlib import Path
import numpy as np
from rubrica.neural.cache import ResultCache
kept = ResultCache(Path(sys.argv[1]), "kept")
kept.put(b"k" * 16, np.ones((2, 2), dtype=np.float32))
# Another one that is gone before must not take this one's last chance with it.
other = ResultCache(Path(sys.argv[1]), "other")
del other
gc.collect()
"""


def test_what_is_pending_is_written_at_the_end_of_the_program(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-c", AT_EXIT, str(tmp_path)], check=True)
    assert ResultCache(tmp_path, "kept").get([b"k" * 16])
