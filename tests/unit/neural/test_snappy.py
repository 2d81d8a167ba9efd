"""Snappy's format is unpacked by its description; damaged data are told."""

from __future__ import annotations

import random

import pytest

from rubrica.neural.convert.snappy import unpacked
from support.tensorflow_files import packed, varint


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        # The length, then literals: 5 bytes have the tag 4 << 2.
        (b"\x05\x10hello", b"hello"),
        (b"\x00", b""),
        # A copy of 4 from 2 back runs into itself: tag 01, offset in the next byte.
        (b"\x06\x04ab\x01\x02", b"ababab"),
        # Tags 10 and 11: offsets of two and of four bytes.
        (b"\x08\x0cwxyz\x0e\x04\x00", b"wxyzwxyz"),
        (b"\x08\x0cwxyz\x0f\x04\x00\x00\x00", b"wxyzwxyz"),
        # A literal of 61 bytes has its length in the next byte, one of 300 in the next two.
        (varint(61) + b"\xf0\x3c" + b"q" * 61, b"q" * 61),
        (varint(300) + b"\xf4\x2b\x01" + b"r" * 300, b"r" * 300),
    ],
)
def test_every_kind_of_element(data: bytes, expected: bytes) -> None:
    assert unpacked(data) == expected


def test_what_was_packed_comes_back() -> None:
    draw = random.Random(5)
    for size in (1, 50, 700, 5000):
        data = bytes(draw.choice(b"abcd") for _ in range(size))
        small = packed(data)
        assert unpacked(small) == data
        assert size < 100 or len(small) < len(data)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x05\x10hell",
        b"\x04\x10hello",
        b"\x06\x01\x02",
        b"\x06\x04ab\x01\x09",
        b"\xff" * 12,
        b"\x06\x04ab\x01",
    ],
)
def test_damaged_data_are_told(data: bytes) -> None:
    with pytest.raises((ValueError, IndexError)):
        unpacked(data)
    with pytest.raises((ValueError, IndexError)):
        unpacked(varint(1 << 40) + data)
