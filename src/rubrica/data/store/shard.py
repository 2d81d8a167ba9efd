"""One shard of a store: scores of one kind in an Arrow file, sorted by key, named by their checksum."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from rubrica.data.files import atomic_output, blake2b_of
from rubrica.data.metrics import MetricsDict
from rubrica.errors import DataError, MissingResourceError

FORMAT = 1
SUFFIX = ".arrow"
_META = b"rubrica"
_COLUMNS = ("high", "low", "shape", "numbers", "statistics")
_EXACT = 2**53


@dataclass(frozen=True, slots=True)
class Kind:
    """How scores were made: equal kinds give equal scores for equal texts.

    `form` is `plain`, `jackknifed` (plain and `_jk` values) or `left-out` (`_jk` values of a reference);
    `code` tells the source of a metric that is not of this package, `input` the whole input of a run
    where scores depend on that.
    """

    signature: str
    form: str = "plain"
    code: str = ""
    input: str = ""

    @property
    def folder(self) -> str:
        """The name of the kind's directory in a store."""
        name = re.sub(r"[^A-Za-z0-9_+-]+", "-", self.signature.partition("|")[0])
        digest = hashlib.blake2b(msgspec.json.encode(asdict(self)), digest_size=8).hexdigest()
        return f"{name[:40]}-{digest}"


@dataclass(frozen=True, slots=True)
class StoredScore:
    """The scores of one text by a metric, with its corpus statistics if any."""

    values: MetricsDict
    statistics: list[float] | None = None


def write_shard(folder: Path, kind: Kind, scores: Mapping[bytes, StoredScore]) -> Path:
    """Write a new shard. Equal scores give equal files, so writing them twice changes nothing."""
    return _write(folder, _packed(kind, scores))


def merge_shards(folder: Path, shards: Sequence[Shard]) -> tuple[Path, int]:
    """Merge shards of one kind; return the new shard and its number of rows."""
    pa = _arrow()
    shapes: dict[bytes, int] = {}
    columns: list[list[Any]] = [[] for _ in _COLUMNS]
    for shard in shards:
        known = [shapes.setdefault(msgspec.json.encode(s), len(shapes)) for s in shard.shapes]
        for name, column in zip(_COLUMNS, columns, strict=True):
            column.append(shard.batch.column(name))
        columns[2][-1] = pa.array(np.array(known, np.int32)[columns[2][-1].to_numpy()], pa.int32())
    together = [pa.concat_arrays(column) for column in columns]
    high, low = together[0].to_numpy(), together[1].to_numpy()
    order = np.lexsort((low, high))
    high, low = high[order], low[order]
    # Of equal keys the first: lexsort keeps the order of the shards.
    first = np.append(True, (high[1:] != high[:-1]) | (low[1:] != low[:-1]))[: len(order)]
    chosen = pa.array(order[first])
    together = [column.take(chosen) for column in together]
    # Shapes in the order of the rows, as `write_shard` has them: the same scores give the same file.
    used, at, rows = np.unique(together[2].to_numpy(), return_index=True, return_inverse=True)
    by_row = np.argsort(at)
    together[2] = pa.array(np.argsort(by_row)[rows], pa.int32())
    known_shapes = [msgspec.json.decode(shape) for shape in shapes]
    packed = _file_of(shards[0].kind, [known_shapes[n] for n in used[by_row].tolist()], together)
    return _write(folder, packed), len(chosen)


def _write(folder: Path, data: bytes) -> Path:
    path = folder / f"{checksum(data)}{SUFFIX}"
    with atomic_output(path) as stream:
        stream.write(data)
    return path


def checksum(data: Any) -> str:
    """Return the checksum in a shard's name."""
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def _packed(kind: Kind, scores: Mapping[bytes, StoredScore]) -> bytes:
    pa = _arrow()
    shapes: dict[bytes, int] = {}
    rows, numbers, statistics = [], [], []
    for key in sorted(scores):
        leaves: list[float] = []
        shape = msgspec.json.encode(_shape(scores[key].values, leaves))
        rows.append(shapes.setdefault(shape, len(shapes)))
        numbers.append(leaves)
        statistics.append(scores[key].statistics)
    keys = np.frombuffer(b"".join(sorted(scores)), dtype=">u8").reshape(-1, 2)
    lists = pa.list_(pa.float64())
    columns = [
        pa.array(keys[:, 0].astype(np.uint64)),
        pa.array(keys[:, 1].astype(np.uint64)),
        pa.array(rows, pa.int32()),
        pa.array(numbers, lists),
        pa.array(statistics, lists),
    ]
    return _file_of(kind, [msgspec.json.decode(shape) for shape in shapes], columns)


def _file_of(kind: Kind, shapes: Sequence[Any], columns: Sequence[Any]) -> bytes:
    pa = _arrow()
    meta = {"format": FORMAT, "kind": asdict(kind), "shapes": list(shapes)}
    lists = pa.list_(pa.float64())
    types = (pa.uint64(), pa.uint64(), pa.int32(), lists, lists)
    schema = pa.schema(
        dict(zip(_COLUMNS, types, strict=True)), metadata={_META: msgspec.json.encode(meta)}
    )
    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, schema) as writer:
        writer.write_batch(pa.record_batch(list(columns), schema=schema))
    return bytes(sink.getvalue())


class Shard:
    """A shard opened for reading: checked as a whole, then read in place from the mapped file."""

    def __init__(self, path: Path) -> None:
        """Open the shard; a `DataError` if the content does not match the name."""
        pa = _arrow()
        self.path = path
        if blake2b_of(path, 16) != path.stem:
            raise DataError("damaged: its content does not fit its name", file=str(path))
        try:
            reader = pa.ipc.open_file(pa.memory_map(str(path)))
            batch = reader.get_batch(0)
            batch.validate(full=True)
            meta = msgspec.json.decode(batch.schema.metadata[_META])
            if meta["format"] != FORMAT:
                raise DataError(f"of format {meta['format']}, not {FORMAT}", file=str(path))
            self.kind = Kind(**meta["kind"])
            self.batch, self.shapes = batch, meta["shapes"]
            self._makers = [_maker(shape) for shape in self.shapes]
            self.high, self.low, self._rows = (
                batch.column(name).to_numpy() for name in ("high", "low", "shape")
            )
            if len(self._rows) and not 0 <= self._rows.min() <= self._rows.max() < len(self.shapes):
                raise ValueError("rows of a shape that it does not have")
            self._numbers, self._statistics = (
                _Lists(batch.column(name)) for name in ("numbers", "statistics")
            )
        except (pa.ArrowException, KeyError, TypeError, ValueError, RecursionError) as error:
            raise DataError(f"not a shard of scores: {error}", file=str(path)) from error
        self.has_statistics = bool(len(self)) and not self._statistics.absent.all()

    def __len__(self) -> int:
        return len(self.high)

    def find(self, keys: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Return the row of each key (its high and low half); -1 if absent."""
        at = np.searchsorted(self.high, keys[:, 0])
        rows = np.full(len(keys), -1, dtype=np.int64)
        inside = np.flatnonzero(at < len(self))
        inside = inside[self.high[at[inside]] == keys[inside, 0]]
        whole = self.low[at[inside]] == keys[inside, 1]
        rows[inside[whole]] = at[inside[whole]]
        for place in inside[~whole].tolist():
            # Keys with equal first halves are adjacent.
            row, high = int(at[place]) + 1, keys[place, 0]
            while row < len(self) and self.high[row] == high:
                if self.low[row] == keys[place, 1]:
                    rows[place] = row
                    break
                row += 1
        return rows

    def score(self, row: int) -> StoredScore:
        """Return the score of a row."""
        leaves = iter(self._numbers.row(row))
        statistics = self._statistics.row_or_none(row) if self.has_statistics else None
        return StoredScore(self._makers[self._rows[row]](leaves), statistics)

    def items(self) -> Iterator[tuple[bytes, StoredScore]]:
        """Yield all keys with their scores, in order."""
        keys = np.stack([self.high, self.low], axis=1).astype(">u8").tobytes()
        for row in range(len(self)):
            yield keys[16 * row : 16 * row + 16], self.score(row)


class _Lists:
    """A column of lists of numbers, read without a Python object per list."""

    def __init__(self, column: Any) -> None:
        self._offsets = column.offsets.to_numpy()
        self._values = column.values.to_numpy()
        self.absent = column.is_null().to_numpy(zero_copy_only=False)

    def row(self, at: int) -> list[float]:
        """One list."""
        numbers: list[float] = self._values[self._offsets[at] : self._offsets[at + 1]].tolist()
        return numbers

    def row_or_none(self, at: int) -> list[float] | None:
        """One list, None where there is none."""
        return None if self.absent[at] else self.row(at)


def key_array(keys: Sequence[bytes]) -> NDArray[np.uint64]:
    """Return keys as an array for `Shard.find`."""
    return np.frombuffer(b"".join(keys), dtype=">u8").reshape(-1, 2).astype(np.uint64)


def _shape(value: Any, leaves: list[float]) -> Any:
    """The structure of a value; its numbers go to `leaves`, and it says which are whole numbers."""
    if isinstance(value, dict):
        return {key: _shape(inner, leaves) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_shape(inner, leaves) for inner in value]
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, float):
        leaves.append(value)
        return "float"
    if isinstance(value, int):
        if abs(value) > _EXACT:
            return f"={value}"
        leaves.append(value)
        return "int"
    raise DataError(f"a score must be a number or None to be stored, not {value!r}")


def _maker(shape: Any) -> Callable[[Iterator[float]], Any]:
    """Return a function that builds a value of a shape from its numbers."""
    if isinstance(shape, dict):
        if all(inner == "float" for inner in shape.values()):
            keys = tuple(shape)
            return lambda leaves: _dict_of(zip(keys, leaves, strict=False))
        makers = [(key, _maker(inner)) for key, inner in shape.items()]
        return lambda leaves: _dict_of((key, make(leaves)) for key, make in makers)
    if isinstance(shape, list):
        parts = [_maker(inner) for inner in shape]
        return lambda leaves: [make(leaves) for make in parts]
    if shape == "float":
        return next
    if shape == "int":
        return lambda leaves: int(next(leaves))
    constant = int(shape[1:]) if isinstance(shape, str) else shape
    return lambda leaves: constant


def _dict_of(pairs: Iterable[tuple[str, Any]]) -> MetricsDict:
    """Return a MetricsDict without copying the values."""
    values = MetricsDict.__new__(MetricsDict)
    dict.update(values, pairs)
    return values


def same_score(score: StoredScore, other: StoredScore) -> bool:
    """Return whether two scores are equal to the last digit; NaN equals NaN."""
    ours: list[float] = []
    theirs: list[float] = []
    if _shape(score.values, ours) != _shape(other.values, theirs):
        return False
    ours += score.statistics or []
    theirs += other.statistics or []
    return len(ours) == len(theirs) and all(
        a == b or (math.isnan(a) and math.isnan(b)) for a, b in zip(ours, theirs, strict=True)
    )


def _arrow() -> Any:
    try:
        import pyarrow
        import pyarrow.ipc
    except ImportError as error:
        raise MissingResourceError(
            "a store of scores needs pyarrow: pip install 'rubrica[parquet]'"
        ) from error
    return pyarrow
