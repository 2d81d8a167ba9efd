"""Files of many matrices (shards) in safetensors' format, and an index of their matrices.

A shard has four arrays: `keys` of 16 bytes, the `shapes` of the matrices, their concatenated `values`, and
checksums (`sums`, CRC-32) that detect damage. Matrices are read, not mapped: if another process, perhaps
on another machine, removes a file, its matrices are simply missing.
"""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float32]
KEY_BYTES = 16
SUFFIX = ".safetensors"

_LONGEST_HEADER = 1 << 16
_TYPES = {"keys": "U8", "shapes": "U32", "values": "F32", "sums": "U32"}
# The position of a matrix, without its key.
_PLACE = np.dtype(
    [("shard", "<u4"), ("start", "<u8"), ("rows", "<u4"), ("columns", "<u4"), ("sum", "<u4")]
)
_KEY = f"S{KEY_BYTES}"
_RUNS = 16

Places = NDArray[np.void]
# Byte strings of fixed width, which compare bytewise.
Keys = NDArray[np.bytes_]


class DamagedShard(Exception):
    """A file that is not, or no longer, a shard."""


def write_shard(path: Path, matrices: Mapping[bytes, Matrix]) -> None:
    """Write a new file atomically."""
    from safetensors.numpy import save

    values = [np.ascontiguousarray(matrix, dtype="<f4") for matrix in matrices.values()]
    sums = [_sum(key, matrix) for key, matrix in zip(matrices, values, strict=True)]
    content = save(
        {
            "keys": np.frombuffer(b"".join(matrices), dtype=np.uint8).reshape(-1, KEY_BYTES),
            "shapes": np.array([matrix.shape for matrix in values], dtype=np.uint32),
            "values": np.concatenate([matrix.ravel() for matrix in values]),
            "sums": np.array(sums, dtype=np.uint32),
        }
    )
    temporary = path.with_name(f".{path.name}")
    try:
        with temporary.open("xb") as file:
            file.write(content)
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def read_index(path: Path, number: int) -> tuple[Keys, Places]:
    """Return the keys of shard `number` and the positions of their matrices."""
    with path.open("rb") as file:
        spans = _spans(file)
        try:
            keys = _array(file, spans["keys"], _KEY)
            shapes = _array(file, spans["shapes"], "<u4").reshape(-1, 2).astype(np.uint64)
            sums = _array(file, spans["sums"], "<u4")
        except ValueError as error:
            raise DamagedShard(f"sizes do not fit ({error})") from error
    sizes = shapes[:, 0] * shapes[:, 1] * 4
    begin, end = spans["values"]
    # Also as floats: 64-bit integers could overflow into a matching sum.
    total = (shapes[:, 0].astype(np.float64) * shapes[:, 1]).sum() * 4
    if not len(keys) == len(shapes) == len(sums) or not total == sizes.sum() == end - begin:
        raise DamagedShard("sizes do not fit")
    places = np.empty(len(keys), dtype=_PLACE)
    places["shard"], places["sum"] = number, sums
    places["rows"], places["columns"] = shapes[:, 0], shapes[:, 1]
    places["start"] = begin + np.concatenate([[0], np.cumsum(sizes)[:-1]]) if len(keys) else 0
    return keys, places


def read_matrices(path: Path, places: Mapping[bytes, Any]) -> Iterator[tuple[bytes, Matrix]]:
    """Yield the matrices at these positions of a file, with their keys."""
    with path.open("rb", buffering=0) as file:
        for key, place in places.items():
            matrix = np.empty((int(place["rows"]), int(place["columns"])), dtype="<f4")
            file.seek(int(place["start"]))
            read = file.readinto(matrix.data.cast("B"))
            if read != matrix.nbytes or _sum(key, matrix) != place["sum"]:
                raise DamagedShard("a matrix has a wrong checksum")
            yield key, matrix


def _sum(key: bytes, matrix: Matrix) -> int:
    rows, columns = matrix.shape
    return zlib.crc32(matrix.data, zlib.crc32(key + f"{rows}x{columns}".encode()))


def _spans(file: BinaryIO) -> dict[str, tuple[int, int]]:
    """Return the start and end of each array in the file."""
    size = os.fstat(file.fileno()).st_size
    length = int.from_bytes(file.read(8), "little")
    if not 0 < length <= min(_LONGEST_HEADER, size):
        raise DamagedShard("no header")
    try:
        header = json.loads(file.read(length))
        spans = {}
        for name, kind in _TYPES.items():
            begin, end = header[name]["data_offsets"]
            if header[name]["dtype"] != kind or not 0 <= begin <= end <= size - 8 - length:
                raise DamagedShard(f"no array of {name}")
            spans[name] = (8 + length + begin, 8 + length + end)
    except (ValueError, KeyError, TypeError) as error:
        raise DamagedShard(f"no header ({error})") from error
    return spans


def _array(file: BinaryIO, span: tuple[int, int], kind: str) -> NDArray[Any]:
    file.seek(span[0])
    return np.frombuffer(file.read(span[1] - span[0]), dtype=kind)


class ShardIndex:
    """The position of every matrix, 40 bytes each: a few sorted runs, merged when there are many."""

    def __init__(self) -> None:
        self._runs: list[tuple[Keys, Places]] = []
        self._gone: set[int] = set()

    def add(self, keys: Keys, places: Places) -> None:
        """Add the matrices of a shard."""
        self._runs.append(_sorted(keys, places))
        if len(self._runs) > _RUNS:
            keys = np.concatenate([run_keys for run_keys, _ in self._runs])
            places = np.concatenate([run_places for _, run_places in self._runs])
            current = ~np.isin(places["shard"], list(self._gone))
            self._runs = [_sorted(keys[current], places[current])] if current.any() else []

    def forget(self, shard: int) -> None:
        """Forget the matrices of a shard."""
        self._gone.add(shard)

    def find(self, keys: Sequence[bytes]) -> dict[bytes, Any]:
        """Return the positions of the keys that the index has."""
        result: dict[bytes, Any] = {}
        if not keys:
            return result
        searched = np.frombuffer(b"".join(keys), dtype=_KEY)
        for run_keys, places in self._runs:
            at = np.minimum(np.searchsorted(run_keys, searched), len(run_keys) - 1)
            for number in np.flatnonzero(run_keys[at] == searched).tolist():
                place = places[at[number]]
                if int(place["shard"]) not in self._gone:
                    result.setdefault(keys[number], place)
        return result


def _sorted(keys: Keys, places: Places) -> tuple[Keys, Places]:
    order = np.argsort(keys, kind="stable")
    return keys[order], places[order]
