"""Zstandard streams with any installed package; truncated files are detected."""

from __future__ import annotations

import io
from types import ModuleType
from typing import IO, Any, cast

from rubrica.errors import MissingResourceError


def open_zstd(raw: IO[bytes], mode: str) -> IO[bytes]:
    """Return a buffered stream over `raw`; reading damaged data raises EOFError or OSError."""
    module = _module()
    if mode == "wb":
        return cast(IO[bytes], module.open(raw, mode))
    return io.BufferedReader(_Frames(raw, module), 1 << 17)


def check_zstd() -> None:
    """Raise a `MissingResourceError` if no package for zstd is installed."""
    _module()


def _module() -> ModuleType:
    for name in ("compression.zstd", "backports.zstd", "zstandard"):
        try:
            # A non-empty fromlist makes __import__ return the innermost module.
            return __import__(name, fromlist=["open"])
        except ImportError:
            continue
    raise MissingResourceError("zstd files need a package: pip install 'rubrica[zst]'")


class _Frames(io.RawIOBase):
    """One frame after another. `zstandard`'s own reader takes a file cut off in a frame for whole."""

    def __init__(self, raw: IO[bytes], module: ModuleType) -> None:
        self._raw, self._module = raw, module
        self._frame: Any = None
        self._pending, self._out = b"", memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._out:
            # An ended frame may have left the beginning of the next one. Blocks are small because
            # a hostile one can grow 30000-fold.
            block = self._pending or self._raw.read(1 << 12)
            if not block:
                if self._frame is not None:
                    raise EOFError("the file ends within a frame")
                return 0
            self._out = memoryview(self._decompress(block))
        size = min(len(buffer), len(self._out))
        buffer[:size], self._out = self._out[:size], self._out[size:]
        return size

    def _decompress(self, block: bytes) -> bytes:
        if self._frame is None:
            maker: Any = self._module.ZstdDecompressor()
            # zstandard keeps one decompressor and makes an object per frame.
            self._frame = maker.decompressobj() if hasattr(maker, "decompressobj") else maker
        try:
            out: bytes = self._frame.decompress(block)
        except self._module.ZstdError as error:
            raise OSError(str(error)) from error
        self._pending = self._frame.unused_data if self._frame.eof else b""
        self._frame = None if self._frame.eof else self._frame
        return out
