"""Files of many matrices (shards) in safetensors' format, and an index of what stands in which.

A shard has four arrays: `keys` of 16 bytes, the `shapes` of the matrices, all their `values` one after
the other, and the `sums` (CRC-32) by which damage is noticed. Matrices are read, not mapped: a file that another
process removes on the way, be it on another machine, is a matrix not found and nothing worse.
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
# Where a matrix stands, without its key.
_PLACE = np.dtype(
    [("shard", "<u4"), ("start", "<u8"), ("rows", "<u4"), ("columns", "<u4"), ("sum", "<u4")]
)
_KEY = f"S{KEY_BYTES}"
_RUNS = 16

Places = NDArray[np.void]
# Bytes in a field of fixed width: they compare as the 16 bytes that they are.
Keys = NDArray[np.bytes_]


class DamagedShard(Exception):
    """A file that is not, or no longer, a shard."""


def write_shard(path: Path, matrices: Mapping[bytes, Matrix]) -> None:
    """A new file, which appears whole or not at all."""
    from safetensors.numpy import save

    values = [np.ascontiguousarray(one, dtype="<f4") for one in matrices.values()]
    sums = [_sum(key, one) for key, one in zip(matrices, values, strict=True)]
    content = save(
        {
            "keys": np.frombuffer(b"".join(matrices), dtype=np.uint8).reshape(-1, KEY_BYTES),
            "shapes": np.array([one.shape for one in values], dtype=np.uint32),
            "values": np.concatenate([one.ravel() for one in values]),
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
    """The keys of a shard, and where their matrices stand; `number` is the shard's."""
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
    # As floats, too: whole numbers of 64 bits could overflow into a fitting sum.
    total = (shapes[:, 0].astype(np.float64) * shapes[:, 1]).sum() * 4
    if not len(keys) == len(shapes) == len(sums) or not total == sizes.sum() == end - begin:
        raise DamagedShard("sizes do not fit")
    places = np.empty(len(keys), dtype=_PLACE)
    places["shard"], places["sum"] = number, sums
    places["rows"], places["columns"] = shapes[:, 0], shapes[:, 1]
    places["start"] = begin + np.concatenate([[0], np.cumsum(sizes)[:-1]]) if len(keys) else 0
    return keys, places


def read_matrices(path: Path, places: Mapping[bytes, Any]) -> Iterator[tuple[bytes, Matrix]]:
    """The matrices at these places of a file, by their keys."""
    with path.open("rb", buffering=0) as file:
        for key, place in places.items():
            matrix = np.empty((int(place["rows"]), int(place["columns"])), dtype="<f4")
            file.seek(int(place["start"]))
            read = file.readinto(matrix.data.cast("B"))
            if read != matrix.nbytes or _sum(key, matrix) != place["sum"]:
                raise DamagedShard("a matrix is not as it was written")
            yield key, matrix


def _sum(key: bytes, matrix: Matrix) -> int:
    rows, columns = matrix.shape
    return zlib.crc32(matrix.data, zlib.crc32(key + f"{rows}x{columns}".encode()))


def _spans(file: BinaryIO) -> dict[str, tuple[int, int]]:
    """Where each array begins and ends in the file."""
    size = os.fstat(file.fileno()).st_size
    length = int.from_bytes(file.read(8), "little")
    if not 0 < length <= min(_LONGEST_HEADER, size):
        raise DamagedShard("no header")
    try:
        header = json.loads(file.read(length))
        made = {}
        for name, kind in _TYPES.items():
            begin, end = header[name]["data_offsets"]
            if header[name]["dtype"] != kind or not 0 <= begin <= end <= size - 8 - length:
                raise DamagedShard(f"no array of {name}")
            made[name] = (8 + length + begin, 8 + length + end)
    except (ValueError, KeyError, TypeError) as error:
        raise DamagedShard(f"no header ({error})") from error
    return made


def _array(file: BinaryIO, span: tuple[int, int], kind: str) -> NDArray[Any]:
    file.seek(span[0])
    return np.frombuffer(file.read(span[1] - span[0]), dtype=kind)


class ShardIndex:
    """Which matrix stands where, in 40 bytes for each: a few sorted runs, merged when they become many."""

    def __init__(self) -> None:
        self._runs: list[tuple[Keys, Places]] = []
        self._gone: set[int] = set()

    def add(self, keys: Keys, places: Places) -> None:
        """What a shard has."""
        self._runs.append(_sorted(keys, places))
        if len(self._runs) > _RUNS:
            keys = np.concatenate([one for one, _ in self._runs])
            places = np.concatenate([one for _, one in self._runs])
            kept = ~np.isin(places["shard"], list(self._gone))
            self._runs = [_sorted(keys[kept], places[kept])] if kept.any() else []

    def forget(self, shard: int) -> None:
        """What stood in a shard is no longer found."""
        self._gone.add(shard)

    def find(self, keys: Sequence[bytes]) -> dict[bytes, Any]:
        """The places of those keys that are there."""
        found: dict[bytes, Any] = {}
        if not keys:
            return found
        wanted = np.frombuffer(b"".join(keys), dtype=_KEY)
        for known, places in self._runs:
            at = np.minimum(np.searchsorted(known, wanted), len(known) - 1)
            for number in np.flatnonzero(known[at] == wanted).tolist():
                place = places[at[number]]
                if int(place["shard"]) not in self._gone:
                    found.setdefault(keys[number], place)
        return found


def _sorted(keys: Keys, places: Places) -> tuple[Keys, Places]:
    order = np.argsort(keys, kind="stable")
    return keys[order], places[order]
