"""Shards: every matrix comes back as it was, and no damage gives a wrong one."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("safetensors")

from rubrica.neural.shards import DamagedShard, ShardIndex, read_index, read_matrices, write_shard

KEYS = st.binary(min_size=16, max_size=16)
SHAPES = st.tuples(st.integers(1, 4), st.integers(1, 4))


def matrices(shapes: dict[bytes, tuple[int, int]]) -> dict[bytes, np.ndarray]:
    draw = np.random.default_rng(len(shapes))
    return {key: draw.normal(size=shape).astype(np.float32) for key, shape in shapes.items()}


def read(path: Path, keys: list[bytes]) -> dict[bytes, np.ndarray]:
    index = ShardIndex()
    index.add(*read_index(path, 0))
    return dict(read_matrices(path, index.find(keys)))


@given(st.dictionaries(KEYS, SHAPES, min_size=1, max_size=8), KEYS)
def test_what_is_written_is_read_and_nothing_else(
    shapes: dict[bytes, tuple[int, int]], other: bytes
) -> None:
    written = matrices(shapes)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "one.safetensors"
        write_shard(path, written)
        found = read(path, [*shapes, *([other] if other not in shapes else [])])
    assert set(found) == set(written)
    for key, matrix in written.items():
        np.testing.assert_array_equal(found[key], matrix)


@given(st.integers(0, 10**6), st.integers(1, 255))
def test_a_changed_byte_never_gives_a_wrong_matrix(at: int, change: int) -> None:
    written = matrices({bytes([n]) * 16: (n, 3) for n in range(1, 5)})
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "one.safetensors"
        write_shard(path, written)
        content = bytearray(path.read_bytes())
        content[at % len(content)] ^= change
        path.write_bytes(content)
        try:
            found = read(path, list(written))
        except DamagedShard:
            return
    # Unless in a name of the header, in padding or in a key, it is noticed.
    for key, matrix in found.items():
        np.testing.assert_array_equal(matrix, written[key])


@given(st.integers(0, 10**6))
def test_a_file_that_is_cut_off_is_noticed(at: int) -> None:
    written = matrices({bytes([n]) * 16: (n, 3) for n in range(1, 5)})
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "one.safetensors"
        write_shard(path, written)
        content = path.read_bytes()
        path.write_bytes(content[: at % len(content)])
        with pytest.raises(DamagedShard):
            read(path, list(written))


def test_a_file_is_readable_by_safetensors_itself(tmp_path: Path) -> None:
    from safetensors.numpy import load_file

    written = matrices({b"a" * 16: (2, 3), b"b" * 16: (1, 1)})
    write_shard(tmp_path / "one.safetensors", written)
    made = load_file(tmp_path / "one.safetensors")
    assert made["shapes"].tolist() == [[2, 3], [1, 1]]
    np.testing.assert_array_equal(made["values"][:6].reshape(2, 3), written[b"a" * 16])


def test_keys_that_differ_in_their_last_bytes_only_are_told_apart() -> None:
    index = ShardIndex()
    keys = [bytes(15) + bytes([n]) for n in range(3)]
    with tempfile.TemporaryDirectory() as folder:
        for number, key in enumerate(keys[:2]):
            path = Path(folder) / f"{number}.safetensors"
            write_shard(path, {key: np.full((1, 1), number, dtype=np.float32)})
            index.add(*read_index(path, number))
    found = index.find(keys)
    assert {key: int(place["shard"]) for key, place in found.items()} == {keys[0]: 0, keys[1]: 1}
    index.forget(0)
    assert set(index.find(keys)) == {keys[1]}
