"""Read protocol buffers without their definitions; damaged ones raise `ValueError` or `IndexError`."""

from __future__ import annotations

from typing import Any


def fields(message: bytes) -> dict[int, list[Any]]:
    """Return the fields of a protocol buffer: number -> values, as numbers or bytes."""
    values: dict[int, list[Any]] = {}
    at = 0
    while at < len(message):
        tag, at = varint(message, at)
        number, wire = tag >> 3, tag & 7
        value: Any
        if wire == 0:
            value, at = varint(message, at)
        elif wire == 2:
            length, at = varint(message, at)
            value, at = message[at : at + length], at + length
        elif wire in (1, 5):
            width = 8 if wire == 1 else 4
            value, at = message[at : at + width], at + width
        else:
            raise ValueError(f"an unknown kind of field ({wire})")
        if at > len(message):
            raise ValueError("it is cut off")
        values.setdefault(number, []).append(value)
    return values


def varint(data: bytes, at: int) -> tuple[int, int]:
    """Return the number that begins at `at`, and its end."""
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7
        if shift > 63:
            raise ValueError("a number of more than 64 bits")
