"""Plain Python kernels: the definition of every compiled kernel, and its fallback."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

_D = TypeVar("_D", bound=dict[str, Any])

_U = np.uint64


def mix64(x: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Scatter 64-bit counters (SplitMix64's finalizer); arithmetic is modulo 2^64."""
    x = x + _U(0x9E3779B97F4A7C15)
    x = (x ^ (x >> _U(30))) * _U(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> _U(27))) * _U(0x94D049BB133111EB)
    return x ^ (x >> _U(31))


def uniforms(seed: int, round_number: int, count: int) -> NDArray[np.float64]:
    """Draws 0..count-1 of one resampling round: a function of their numbers, in [0, 1)."""
    seeds = np.array([seed], dtype=np.uint64)
    key = mix64(mix64(seeds) ^ _U(round_number))
    bits = mix64(key ^ mix64(np.arange(count, dtype=np.uint64)))
    return (bits >> _U(11)).astype(np.float64) * 2.0**-53


def uniform_rounds(seed: int, first: int, rounds: int, count: int) -> NDArray[np.float64]:
    """`uniforms` of the rounds from `first` on, one row each."""
    seeds = np.array([seed], dtype=np.uint64)
    numbers = np.arange(first, first + rounds, dtype=np.uint64)
    keys = mix64(mix64(seeds) ^ numbers)
    bits = mix64(keys[:, None] ^ mix64(np.arange(count, dtype=np.uint64)))
    return (bits >> _U(11)).astype(np.float64) * 2.0**-53


def bootstrap_sums(
    values: NDArray[np.float64], rounds: int, seed: int, first: int = 0
) -> NDArray[np.float64]:
    """Column sums of each bootstrap round's drawn rows, one row per round, from round `first` on."""
    rows, columns = values.shape
    out = np.zeros((rounds, columns))
    if rows == 0:
        return out
    for round_number in range(rounds):
        rows_drawn = (uniforms(seed, first + round_number, rows) * rows).astype(np.int64)
        times = np.bincount(rows_drawn, minlength=rows)
        # cumsum adds row after row, as the compiled twin does; np.sum would add pairwise.
        out[round_number] = np.cumsum(times[:, None] * values, axis=0)[-1]
    return out


class KeyIndex:
    """An index of 128-bit keys [key, 2], numbered from 0 in order of arrival."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[int, int], int] = {}

    def __len__(self) -> int:
        return len(self._numbers)

    def add(self, keys: NDArray[np.uint64]) -> tuple[int, int] | None:
        """Add keys up to the first duplicate; return (its index, the earlier key's number)."""
        for place, key in enumerate(map(tuple, keys.tolist())):
            if key in self._numbers:
                return place, self._numbers[key]
            self._numbers[key] = len(self._numbers)
        return None


def nested_dicts(
    type: type[_D], outer: list[str], inner: list[str], scores: NDArray[np.float64]
) -> list[_D]:
    """Rows [row, measure, part] as instances of a dict subclass, its __init__ not run.

    The values are known to be floats, so the class need not look at each.
    """
    new, fill = type.__new__, dict.update
    rows = []
    for values in scores.tolist():
        row = new(type)
        for key, parts in zip(outer, values, strict=True):
            measure = new(type)
            fill(measure, zip(inner, parts, strict=True))
            dict.__setitem__(row, key, measure)
        rows.append(row)
    return rows


def id_keys(instance_ids: Iterable[str], summarizer_ids: Iterable[str]) -> NDArray[np.uint64]:
    """Of each row 128 bits of BLAKE2b over its ids; lengths keep `a` + `bc` and `ab` + `c` apart."""
    blake = hashlib.blake2b
    digests = [
        blake(
            f"{len(instance)}:{instance}{summarizer}".encode("utf-8", "surrogatepass"),
            digest_size=16,
        ).digest()
        for instance, summarizer in zip(instance_ids, summarizer_ids, strict=True)
    ]
    return np.frombuffer(bytearray().join(digests), dtype=np.uint64).reshape(-1, 2)
