"""Scores as people write them: `MetricsDict`, nested values of one text, and `Metrics`, one scored summary."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Self

import msgspec

from rubrica.data.measures import MeasureGroup
from rubrica.errors import DataError, MismatchError, UnknownNameError

# Measures have two or three levels; deeper rows would exhaust the stack of whatever walks over them.
DEEPEST = 32


class MetricsDict(dict[str, Any]):
    """Measure names to numbers, lists of numbers, or further `MetricsDict`s.

    Reading a missing key raises with near names. A measure inside is addressed by its path,
    flattened (`rouge-1_f1`) or dotted (`rouge-1.f1`), through `lookup` and `select_metrics`.
    """

    __slots__ = ()

    def __init__(self, values: Mapping[str, Any] | None = None, /, **more: Any) -> None:
        super().__init__()
        for key, value in {**(values or {}), **more}.items():
            self[key] = value

    def __setitem__(self, key: str, value: Any) -> None:
        super().__setitem__(key, _plain_copy(value))

    def __missing__(self, key: str) -> Any:
        raise UnknownNameError("measure", key, self)

    def setdefault(self, key: str, default: Any = None, /) -> Any:
        """Like `dict.setdefault`; a mapping becomes a `MetricsDict`."""
        if key not in self:
            self[key] = default
        return self[key]

    def copy(self) -> MetricsDict:
        """Return a deep copy."""
        return MetricsDict(self)

    def update(self, other: Any = (), /, **more: Any) -> None:
        """Merge recursively: nested measures are joined, existing leaves are replaced."""
        for key, value in {**dict(other), **more}.items():
            current = self.get(key)
            if isinstance(current, MetricsDict) and isinstance(value, Mapping):
                current.update(value)
            else:
                self[key] = value

    def leaves(self) -> Iterator[tuple[tuple[str, ...], Any]]:
        """Yield each path to a value that is not a dict, with the value, in order."""
        for key, value in self.items():
            if isinstance(value, MetricsDict):
                for path, leaf in value.leaves():
                    yield (key, *path), leaf
            else:
                yield (key,), value

    def flatten_keys(self) -> MetricsDict:
        """Return one level, with paths joined by `_`. Two paths with the same name raise an error."""
        flat = MetricsDict()
        for path, leaf in self.leaves():
            name = "_".join(path)
            if name in flat:
                raise DataError(f"two measures flatten to the same name {name!r}; rename one")
            flat[name] = leaf
        return flat

    def measure_names(self) -> list[str]:
        """Return the dotted name of every leaf, in order."""
        return [".".join(path) for path, _ in self.leaves()]

    def find(self, name: str) -> tuple[str, ...] | None:
        """Return the path that `name` addresses (exact key, dotted or flattened), or None."""
        if name in self:
            return (name,)
        for path, _ in self.leaves():
            if name in (".".join(path), "_".join(path)):
                return path
        for separator in "._":
            path = tuple(name.split(separator))
            if reach(self, path) is not None:
                return path
        return None

    def lookup(self, name: str) -> Any:
        """Return the value addressed by `name`: a key, `rouge-1.f1` or `rouge-1_f1`."""
        path = self.find(name)
        if path is None:
            raise UnknownNameError("measure", name, self.measure_names())
        return reach(self, path)

    def select_metrics(self, names: Iterable[str]) -> MetricsDict:
        """Return the part of the dict that `names` address, in the given order, with its paths."""
        chosen = MetricsDict()
        for name in names:
            value = self.lookup(name)
            nested: Any = value
            for key in reversed(self.find(name) or ()):
                nested = {key: nested}
            chosen.update(nested)
        return chosen

    def average_values(self) -> MetricsDict:
        """Return a copy with lists replaced by their means, recursively; an empty list becomes None."""
        return MetricsDict({key: _average(value) for key, value in self.items()})

    def __add__(self, other: object) -> MetricsDict:
        if not isinstance(other, Mapping):
            return NotImplemented
        return _combine(self, other)

    def __radd__(self, other: object) -> MetricsDict:
        # sum() starts at 0.
        return self.copy() if other == 0 else NotImplemented

    def __truediv__(self, divisor: float) -> MetricsDict:
        return MetricsDict({key: _divide(value, divisor) for key, value in self.items()})

    def approx_equal(
        self, other: Mapping[str, Any], rel: float | None = None, abs: float | None = None
    ) -> bool:
        """Return whether keys are equal and numbers within `rel` (default 1e-6) or `abs` (1e-12); NaN equals NaN."""
        return _close(self, other, 1e-6 if rel is None else rel, 1e-12 if abs is None else abs)


def mean(rows: Sequence[MetricsDict]) -> MetricsDict:
    """Return the element-wise mean of equally shaped rows.

    Sums are exact (`math.fsum`), so the order of the rows does not matter. An undefined value (None
    or NaN) is left out; where all are undefined the mean is NaN.
    """
    if not rows:
        raise DataError("no scores to average: the input was empty")
    return MetricsDict({key: _mean_of(key, [row[key] for row in rows]) for key in _same_keys(rows)})


class Metrics(msgspec.Struct, omit_defaults=True, repr_omit_defaults=True):
    """The scores of one summary: of which input, by which system, of which type.

    Scores that Rubrica computed also say how (`signatures`, one per metric), what they are (`measures`), and
    of which texts they are (`digest`).
    """

    instance_id: str
    summarizer_id: str
    summarizer_type: str
    metrics: MetricsDict = msgspec.field(default_factory=MetricsDict)
    signatures: tuple[str, ...] = ()
    measures: tuple[MeasureGroup, ...] = ()
    digest: str = ""

    def __post_init__(self) -> None:
        # Callers pass plain dicts, too.
        if type(self.metrics) is not MetricsDict:
            self.metrics = MetricsDict(self.metrics)

    @property
    def key(self) -> tuple[str, str]:
        """The identity of the summary: (instance_id, summarizer_id)."""
        return self.instance_id, self.summarizer_id

    def values(self) -> dict[str, float]:
        """Return every number by its dotted name; a list counts as its mean, undefined values are left out."""
        means = {}
        for path, value in self.metrics.leaves():
            values = value if isinstance(value, list) else [value]
            if all(number is None or _is_number(number) for number in values):
                means[".".join(path)] = exact_mean(values)
        return {name: value for name, value in means.items() if not math.isnan(value)}

    def flatten_keys(self) -> Metrics:
        """Return a copy with flattened measure names."""
        return Metrics(*self.ids, self.metrics.flatten_keys())

    def average_values(self) -> Metrics:
        """Return a copy with lists replaced by their means."""
        return msgspec.structs.replace(self, metrics=self.metrics.average_values())

    def select_metrics(self, names: Iterable[str]) -> Metrics:
        """Return a copy with only the named measures."""
        return msgspec.structs.replace(self, metrics=self.metrics.select_metrics(names))

    def merge(self, other: Self) -> Self:
        """Return one row from two of the same summary, joined deeply; different values raise an error.

        Values that differ by rounding only (1e-12) are equal; the other row's is taken.
        """
        if self.ids != other.ids:
            raise MismatchError(
                f"cannot merge scores of {self.key} ({self.summarizer_type}) "
                f"with scores of {other.key} ({other.summarizer_type})"
            )
        clash = _clash(self.metrics, other.metrics)
        if clash is not None:
            raise MismatchError(
                f"two different values of {clash!r} for input {self.instance_id!r} and system "
                f"{self.summarizer_id!r}; remove one, or give the rows different ids"
            )
        merged = self.metrics.copy()
        merged.update(other.metrics)
        return msgspec.structs.replace(
            self,
            metrics=merged,
            signatures=tuple(dict.fromkeys(self.signatures + other.signatures)),
            measures=tuple(dict.fromkeys(self.measures + other.measures)),
            # The same texts, or rows without a digest.
            digest=self.digest if self.digest == other.digest else "",
        )

    @property
    def ids(self) -> tuple[str, str, str]:
        """Return input, system and type for messages."""
        return self.instance_id, self.summarizer_id, self.summarizer_type


def exact_mean(values: Iterable[float | None]) -> float:
    """Return the mean of the defined values, independent of their order; NaN if there are none."""
    defined = [value for value in values if value is not None and value == value]
    if not defined:
        return math.nan
    try:
        return math.fsum(defined) / len(defined)
    except OverflowError:
        # Their sum overflows, their mean does not.
        return math.fsum(value / len(defined) for value in defined)
    except ValueError:
        # Infinities of both signs.
        return math.nan


def _same_keys(rows: Sequence[MetricsDict]) -> list[str]:
    for row in rows:
        if row.keys() != rows[0].keys():
            only = ", ".join(sorted(row.keys() ^ rows[0].keys()))
            raise MismatchError(f"cannot average scores with different measures: {only}")
    return list(rows[0])


def _mean_of(key: str, values: list[Any]) -> Any:
    if all(isinstance(value, MetricsDict) for value in values):
        return mean(values)
    if all(value is None or _is_number(value) for value in values):
        return exact_mean(values)
    raise MismatchError(f"cannot average the values of {key!r}: not all are numbers")


def _plain_copy(value: Any) -> Any:
    """Return a value as MetricsDict stores it: mappings and lists copied, numpy scalars converted."""
    if isinstance(value, (float, int, str)) and type(value) in (float, int, str, bool):
        return value
    if isinstance(value, Mapping):
        return MetricsDict(value)
    if isinstance(value, (list, tuple)):
        return [_plain_copy(item) for item in value]
    # numpy scalars and 0-d arrays, without importing numpy.
    return value.item() if hasattr(value, "item") else value


def decode_metrics(kind: type, value: Any) -> MetricsDict:
    """Return a decoded object as a `MetricsDict`, for decoders of rows; JSON needs no check of its leaves."""
    if not isinstance(value, dict):
        type_name = {list: "array", type(None): "null"}.get(type(value), type(value).__name__)
        raise ValueError(f"Expected `object`, got `{type_name}`")
    return _decoded(value, DEEPEST)


def _decoded(value: Mapping[str, Any], levels: int) -> MetricsDict:
    values = MetricsDict.__new__(MetricsDict)
    dict.update(values, value)
    for key, inner in value.items():
        if type(inner) is not float:
            dict.__setitem__(values, key, _decoded_value(inner, levels))
    return values


def _decoded_value(value: Any, levels: int) -> Any:
    kind = type(value)
    if kind is not dict and kind is not list:
        return _bounded(value)
    if levels == 0:
        raise ValueError(f"measures nested more than {DEEPEST} levels deep")
    if kind is dict:
        return _decoded(value, levels - 1)
    return [_decoded_value(item, levels - 1) for item in value]


def is_score(value: Any) -> bool:
    """Return whether a value is None or a number that a double can hold."""
    return (
        value is None
        or isinstance(value, float)
        or (isinstance(value, int) and value.bit_length() < 1024)
    )


def _bounded(value: Any) -> Any:
    """Return a decoded value; integers beyond all doubles, which JSON may hold, are infinite."""
    if type(value) is int and not is_score(value):
        return math.inf if value > 0 else -math.inf
    return value


def reach(tree: MetricsDict, path: tuple[str, ...]) -> Any:
    """Return the value at the end of a path of keys; None if there is none."""
    node: Any = tree
    for key in path:
        if not isinstance(node, MetricsDict) or key not in node:
            return None
        node = node[key]
    return node


def _average(value: Any) -> Any:
    if isinstance(value, MetricsDict):
        return value.average_values()
    if isinstance(value, list):
        return exact_mean(value) if value else None
    return value


def _combine(left: Mapping[str, Any], right: Mapping[str, Any]) -> MetricsDict:
    if left.keys() != right.keys():
        only = sorted(left.keys() ^ right.keys())
        raise MismatchError(f"cannot add scores with different measures: {', '.join(only)}")
    return MetricsDict({key: _plus(key, left[key], right[key]) for key in left})


def _plus(key: str, a: Any, b: Any) -> Any:
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        return _combine(a, b)
    if isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        return [_plus(key, x, y) for x, y in zip(a, b, strict=True)]
    if _is_number(a) and _is_number(b):
        return a + b
    raise MismatchError(f"cannot add the values of {key!r}: {a!r} and {b!r}")


def _divide(value: Any, divisor: float) -> Any:
    if isinstance(value, MetricsDict):
        return value / divisor
    if isinstance(value, list):
        return [_divide(item, divisor) for item in value]
    return value / divisor


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _close(a: Any, b: Any, rel: float, abs_: float) -> bool:
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        return a.keys() == b.keys() and all(_close(a[k], b[k], rel, abs_) for k in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(_close, a, b, [rel] * len(a), [abs_] * len(a)))
    if _is_number(a) and _is_number(b):
        both_nan = a != a and b != b
        return both_nan or math.isclose(a, b, rel_tol=rel, abs_tol=abs_)
    return type(a) is type(b) and bool(a == b)


# Two computations of one score may differ in the last digits because of the order of sums.
SAME_VALUE = 1e-12


def _clash(a: MetricsDict, b: MetricsDict, path: tuple[str, ...] = ()) -> str | None:
    """Return the first measure on which two rows disagree."""
    for key in a.keys() & b.keys():
        first, second = a[key], b[key]
        if isinstance(first, MetricsDict) and isinstance(second, MetricsDict):
            measure = _clash(first, second, (*path, key))
            if measure is not None:
                return measure
        elif not _close(first, second, SAME_VALUE, SAME_VALUE):
            return ".".join((*path, key))
    return None
