"""TensorFlow checkpoints written by hand: a table of names in LevelDB's format, and a file of numbers."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np


def varint(number: int) -> bytes:
    made = bytearray()
    while number > 127:
        made.append(number & 127 | 128)
        number >>= 7
    return bytes([*made, number])


def field(number: int, value: int | bytes) -> bytes:
    """A field of a protocol buffer: a number, or bytes with their length."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def block(entries: list[tuple[bytes, bytes]]) -> bytes:
    """Keys (none shares a beginning with the one before) and values, one restart, no compression."""
    body = b"".join(
        varint(0) + varint(len(key)) + varint(len(value)) + key + value for key, value in entries
    )
    return body + struct.pack("<II", 0, 1)


def packed(data: bytes) -> bytes:
    """Snappy: what stood before within 2,000 bytes is copied from there, the rest is literal."""
    made, literal, at = varint(len(data)), b"", 0

    def flushed() -> bytes:
        if not literal:
            return b""
        size = len(literal) - 1
        head = bytes([size << 2]) if size < 60 else bytes([61 << 2]) + struct.pack("<H", size)
        return head + literal

    while at < len(data):
        length = next(
            (
                n
                for n in (40, 24, 11, 4)
                if at + n <= len(data) and data.find(data[at : at + n], max(0, at - 2000), at) >= 0
            ),
            0,
        )
        if not length:
            literal += data[at : at + 1]
            at += 1
            continue
        back = at - data.rfind(data[at : at + length], max(0, at - 2000), at)
        made, literal = made + flushed(), b""
        if length in (4, 11):
            made += bytes([1 | (length - 4) << 2 | back >> 8 << 5, back & 255])
        else:
            made += bytes([2 | (length - 1) << 2]) + struct.pack("<H", back)
        at += length
    return made + flushed()


def write_checkpoint(
    prefix: Path, arrays: Mapping[str, np.ndarray], *, compressed: bool = False
) -> None:
    """`PREFIX.index` and `PREFIX.data-00000-of-00001` with float32 arrays."""
    prefix.parent.mkdir(parents=True, exist_ok=True)
    entries, numbers = [(b"", field(1, 1))], b""
    for name in sorted(arrays):
        content = np.ascontiguousarray(arrays[name], dtype="<f4").tobytes()
        shape = b"".join(field(2, field(1, size)) for size in arrays[name].shape)
        entry = field(1, 1) + field(2, shape) + field(4, len(numbers)) + field(5, len(content))
        entries.append((name.encode(), entry))
        numbers += content
    data, kind = block(entries), b"\0"
    if compressed:
        data, kind = packed(data), b"\1"
    at = len(data) + 5
    handle = varint(0) + varint(len(data))
    index = block([(entries[-1][0] + b"~", handle)])
    footer = (varint(0) + varint(0) + varint(at) + varint(len(index))).ljust(40, b"\0")
    # After every block: its kind of compression and a check sum, which nobody needs here.
    table = data + kind + b"\0" * 4 + index + b"\0" * 5 + footer
    Path(f"{prefix}.index").write_bytes(table + struct.pack("<Q", 0xDB4775248B80FB57))
    Path(f"{prefix}.data-00000-of-00001").write_bytes(numbers)


def tensorflow_names(state: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """The weights of transformers' BERT or RemBERT as TensorFlow's programs call them."""
    made = {}
    for name, value in state.items():
        if "position_ids" in name:
            continue
        array = value.numpy()
        path = name.replace("encoder.layer.", "encoder/layer_").replace(".", "/")
        if name.endswith("embeddings.weight"):
            path = path.removesuffix("/weight")
        elif "LayerNorm" in name:
            path = path.replace("/weight", "/gamma").replace("/bias", "/beta")
        elif name.endswith("weight"):
            path, array = path.removesuffix("weight") + "kernel", array.T
        made[f"bert/{path}"] = array
    return made
