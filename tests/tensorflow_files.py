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


def write_checkpoint(prefix: Path, arrays: Mapping[str, np.ndarray]) -> None:
    """`PREFIX.index` and `PREFIX.data-00000-of-00001` with float32 arrays."""
    prefix.parent.mkdir(parents=True, exist_ok=True)
    entries, numbers = [(b"", field(1, 1))], b""
    for name in sorted(arrays):
        content = np.ascontiguousarray(arrays[name], dtype="<f4").tobytes()
        shape = b"".join(field(2, field(1, size)) for size in arrays[name].shape)
        entry = field(1, 1) + field(2, shape) + field(4, len(numbers)) + field(5, len(content))
        entries.append((name.encode(), entry))
        numbers += content
    data = block(entries)
    at = len(data) + 5
    handle = varint(0) + varint(len(data))
    index = block([(entries[-1][0] + b"~", handle)])
    footer = (varint(0) + varint(0) + varint(at) + varint(len(index))).ljust(40, b"\0")
    # After every block: its kind of compression and a check sum, which nobody needs here.
    table = data + b"\0" * 5 + index + b"\0" * 5 + footer
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
