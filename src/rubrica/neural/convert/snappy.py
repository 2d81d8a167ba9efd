"""Snappy's raw format, unpacked: TensorFlow compresses the index of a checkpoint with it."""

from __future__ import annotations

from rubrica.neural.convert.protobuf import varint

# More than any index of weights: damaged files may promise anything.
_LARGEST = 1 << 28


def unpacked(data: bytes) -> bytes:
    """The bytes; a `ValueError` or `IndexError` where they are damaged."""
    size, at = varint(data, 0)
    if size > _LARGEST:
        raise ValueError("a block of more than 256 MB")
    output = bytearray()
    while at < len(data):
        tag = data[at]
        at += 1
        if tag & 3 == 0:
            # Bytes as they are; long ones have their length in the next bytes.
            length = tag >> 2
            if length >= 60:
                width = length - 59
                length = int.from_bytes(data[at : at + width], "little")
                at += width
            output += data[at : at + length + 1]
            at += length + 1
        else:
            # What stood so far back, once more; it may run into itself.
            if tag & 3 == 1:
                length, back, width = (tag >> 2 & 7) + 4, (tag >> 5) << 8 | data[at], 1
            else:
                width = 2 if tag & 3 == 2 else 4
                length, back = (tag >> 2) + 1, int.from_bytes(data[at : at + width], "little")
            at += width
            if not 0 < back <= len(output):
                raise ValueError("a copy from before the beginning")
            for _ in range(length):
                output.append(output[-back])
        if len(output) > size:
            break
    if len(output) != size:
        raise ValueError(f"{len(output)} bytes where {size} were promised")
    return bytes(output)
