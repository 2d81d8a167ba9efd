"""Weights by name from what other programs write: TensorFlow checkpoints, NumPy archives, Keras HDF5 files.

TensorFlow is not needed: its checkpoints are a sorted table of names (`NAME.index`, in LevelDB's format) and a
file of numbers (`NAME.data-00000-of-00001`). Nothing that could run code is read.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rubrica.data.formats.safe_pickle import read_pickled_arrays
from rubrica.errors import DataError, MissingResourceError
from rubrica.neural.convert.protobuf import fields, varint
from rubrica.neural.convert.snappy import unpacked

Arrays = dict[str, NDArray[Any]]

_MAGIC = 0xDB4775248B80FB57
_FOOTER = 48
_SNAPPY = 1
# TensorFlow's numbers of the types that weights have.
_TYPES = {1: "<f4", 2: "<f8", 3: "<i4", 9: "<i8", 19: "<f2"}


def read_named_arrays(path: Path) -> Arrays:
    """All arrays of a SavedModel's folder, a TensorFlow checkpoint, an `.npz` or an `.h5` file."""
    if path.is_dir():
        for place in (path / "variables" / "variables", path / "variables"):
            if Path(f"{place}.index").is_file():
                return _tensorflow(place)
        indexes = sorted(path.glob("*.index"))
        if len(indexes) == 1:
            return _tensorflow(indexes[0].with_suffix(""))
        raise DataError(
            "no TensorFlow checkpoint (variables/variables.index) in it", file=str(path)
        )
    if path.suffix == ".npz":
        return _numpy(path)
    if path.suffix in (".h5", ".hdf5"):
        return _hdf5(path)
    if Path(f"{path}.index").is_file() or path.suffix == ".index":
        return _tensorflow(path.with_suffix("") if path.suffix == ".index" else path)
    raise DataError(
        "weights are read from a SavedModel's folder, a TensorFlow checkpoint, .npz or .h5; a .npy of "
        "Python objects could run code and is not",
        file=str(path),
    )


def read_listed_arrays(path: Path) -> list[NDArray[Any]]:
    """The arrays of an `.npy` of Python objects, in order (Keras' `get_weights`); nothing in it is run."""
    try:
        with path.open("rb") as file:
            version = np.lib.format.read_magic(file)
            reader = (
                np.lib.format.read_array_header_1_0
                if version == (1, 0)
                else np.lib.format.read_array_header_2_0
            )
            _, _, kind = reader(file)
            content = file.read()
    except OSError as error:
        raise DataError(f"cannot be opened: {error.strerror or error}", file=str(path)) from error
    except ValueError as error:
        raise DataError(f"not an .npy file: {error}", file=str(path)) from error
    if not kind.hasobject:
        raise DataError("is no list of arrays", file=str(path))
    return read_pickled_arrays(content, str(path))


def _numpy(path: Path) -> Arrays:
    try:
        with np.load(path, allow_pickle=False) as archive:
            return {name: archive[name] for name in archive.files}
    except (OSError, ValueError) as error:
        raise DataError(f"not an archive of plain arrays: {error}", file=str(path)) from error


def _hdf5(path: Path) -> Arrays:
    try:
        import h5py
    except ImportError as error:
        raise MissingResourceError("files of Keras need h5py: pip install h5py") from error
    arrays: Arrays = {}
    try:
        with h5py.File(path, "r") as file:
            file.visititems(
                lambda name, item: (
                    arrays.update({name: item[()]}) if hasattr(item, "shape") else None
                )
            )
    except OSError as error:
        raise DataError(f"not an HDF5 file: {error}", file=str(path)) from error
    return arrays


def _tensorflow(prefix: Path) -> Arrays:
    index = Path(f"{prefix}.index")
    try:
        table = dict(_table(index.read_bytes()))
        header = fields(table.pop(b""))
        shards = header.get(1, [1])[0]
        data = [
            np.memmap(f"{prefix}.data-{n:05d}-of-{shards:05d}", dtype=np.uint8, mode="r")
            for n in range(shards)
        ]
        return {
            name.decode(): _tensor(fields(entry), data)
            for name, entry in table.items()
            # Lists of objects and texts are no weights.
            if fields(entry).get(1, [0])[0] in _TYPES
        }
    except (KeyError, IndexError, ValueError, struct.error, OSError) as error:
        raise DataError(f"not a TensorFlow checkpoint: {error}", file=str(index)) from error


def _tensor(entry: dict[int, list[Any]], data: Sequence[NDArray[np.uint8]]) -> NDArray[Any]:
    kind = np.dtype(_TYPES[entry[1][0]])
    dimensions = fields(entry[2][0]).get(2, []) if 2 in entry else []
    shape = [fields(dimension).get(1, [0])[0] for dimension in dimensions]
    start, size = entry.get(4, [0])[0], entry.get(5, [0])[0]
    if 7 in entry or size != math.prod(shape) * kind.itemsize:
        raise ValueError("a tensor in slices, or of another size than its shape")
    raw = data[entry.get(3, [0])[0]][start : start + size]
    if len(raw) != size:
        raise ValueError("the file of numbers is cut off")
    return np.frombuffer(raw.tobytes(), dtype=kind).reshape(shape)


def _table(content: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Keys and values of a table in LevelDB's format."""
    footer = content[-_FOOTER:]
    if len(footer) < _FOOTER or struct.unpack("<Q", footer[-8:])[0] != _MAGIC:
        raise ValueError("its last bytes are not those of a table")
    _, at = varint(footer, 0)
    _, at = varint(footer, at)
    start, at = varint(footer, at)
    size, _ = varint(footer, at)
    for _, handle in _block(content, start, size):
        offset, after = varint(handle, 0)
        length, _ = varint(handle, after)
        yield from _block(content, offset, length)


def _block(content: bytes, start: int, size: int) -> Iterator[tuple[bytes, bytes]]:
    if start + size + 1 > len(content) or size < 4:
        raise ValueError("a block is outside of the file")
    block, kind = content[start : start + size], content[start + size]
    if kind == _SNAPPY:
        block = unpacked(block)
    elif kind != 0:
        raise ValueError(f"its blocks are compressed in an unknown way ({kind})")
    restarts = struct.unpack("<I", block[-4:])[0]
    end, at, key = len(block) - 4 * (restarts + 1), 0, b""
    while at < end:
        shared, at = varint(block, at)
        suffix_length, at = varint(block, at)
        length, at = varint(block, at)
        key = key[:shared] + block[at : at + suffix_length]
        at += suffix_length
        yield key, block[at : at + length]
        at += length
