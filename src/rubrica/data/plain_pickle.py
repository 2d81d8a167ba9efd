"""Old pickles of plain data, read without unpickling: nothing is imported, nothing is called.

Only dicts, lists, tuples, texts, numbers, and numpy's scalars and arrays are known (an array of objects is
a list here); any other opcode or name is refused. (Unpickling a file means running the program in it.)
"""

from __future__ import annotations

import pickletools
import struct
from collections.abc import Callable
from typing import Any

import numpy as np

from rubrica.errors import DataError

_NUMPY = {
    "numpy.core.multiarray scalar": "scalar",
    "numpy._core.multiarray scalar": "scalar",
    "numpy dtype": "dtype",
    "numpy.core.multiarray _reconstruct": "array",
    "numpy._core.multiarray _reconstruct": "array",
    "numpy ndarray": "ndarray",
    # How old protocols write bytes.
    "_codecs encode": "encode",
}
_VALUES = {"NONE": None, "NEWTRUE": True, "NEWFALSE": False}
_FORMATS = {"f4": "<f", "f8": "<d", "i4": "<i", "i8": "<q"}
_PUSHED = ("BININT", "BININT1", "BININT2", "LONG1", "INT", "LONG", "BINFLOAT", "FLOAT")
_TEXTS = ("BINUNICODE", "SHORT_BINUNICODE", "UNICODE", "SHORT_BINBYTES", "BINBYTES")
_MARK = object()
# A pickle nests no deeper than its own parts; plain data are flat.
_DEEPEST = 50


class _Array:
    """An array that is named before its numbers are known."""

    value: Any = None


def read_plain_pickle(data: bytes, file: str) -> Any:
    """The data of a pickle; a `DataError` for one that holds more than plain data."""
    try:
        return _resolved(_Reader(file).run(data))
    except DataError:
        raise
    except (IndexError, KeyError, TypeError, ValueError, struct.error) as error:
        raise DataError(f"a damaged pickle: {error}", file=file) from error


class _Reader:
    def __init__(self, file: str) -> None:
        self.file = file
        self.stack: list[Any] = []
        self.memo: dict[int, Any] = {}
        self._plain: dict[str, Callable[[Any], None]] = {
            "EMPTY_DICT": lambda _: self.stack.append({}),
            "EMPTY_LIST": lambda _: self.stack.append([]),
            "EMPTY_TUPLE": lambda _: self.stack.append(()),
            "MARK": lambda _: self.stack.append(_MARK),
            "DICT": lambda _: self.stack.append(_pairs(self._marked())),
            "LIST": lambda _: self.stack.append(self._marked()),
            "TUPLE": lambda _: self.stack.append(tuple(self._marked())),
            "TUPLE1": lambda _: self._tuple(1),
            "TUPLE2": lambda _: self._tuple(2),
            "TUPLE3": lambda _: self._tuple(3),
            "SETITEM": lambda _: self._set_items(self._last(2)),
            "SETITEMS": lambda _: self._set_items(self._marked()),
            "APPEND": lambda _: self._extend(self._last(1)),
            "APPENDS": lambda _: self._extend(self._marked()),
            "GLOBAL": self._global,
            "STACK_GLOBAL": lambda _: self._global(" ".join(map(str, self._last(2)))),
            "REDUCE": lambda _: self._reduce(),
            "BUILD": lambda _: self._build(),
            "MEMOIZE": lambda _: self.memo.__setitem__(len(self.memo), self.stack[-1]),
        }

    def run(self, data: bytes) -> Any:
        for opcode, argument, _ in pickletools.genops(data):
            name = opcode.name
            if name in ("PROTO", "FRAME"):
                continue
            if name == "STOP":
                return self.stack.pop()
            if name in _VALUES:
                self.stack.append(_VALUES[name])
            elif name in _PUSHED or name in _TEXTS:
                self.stack.append(argument)
            elif name in ("BINPUT", "LONG_BINPUT", "PUT"):
                self.memo[int(str(argument))] = self.stack[-1]
            elif name in ("BINGET", "LONG_BINGET", "GET"):
                self.stack.append(self.memo[int(str(argument))])
            elif name in self._plain:
                self._plain[name](argument)
            else:
                raise DataError(f"a pickle with {name}, which plain data have not", file=self.file)
        raise DataError("a pickle without an end", file=self.file)

    def _last(self, count: int) -> list[Any]:
        taken = self.stack[-count:]
        del self.stack[-count:]
        return taken

    def _marked(self) -> list[Any]:
        at = len(self.stack) - 1
        while self.stack[at] is not _MARK:
            at -= 1
            if at < 0:
                raise ValueError("no mark")
        taken = self.stack[at + 1 :]
        del self.stack[at:]
        return taken

    def _tuple(self, count: int) -> None:
        self.stack.append(tuple(self._last(count)))

    def _set_items(self, items: list[Any]) -> None:
        self.stack[-1].update(_pairs(items))

    def _extend(self, items: list[Any]) -> None:
        self.stack[-1].extend(items)

    def _global(self, name: str) -> None:
        if name not in _NUMPY:
            raise DataError(f"a pickle that asks for {name!r}; refused", file=self.file)
        self.stack.append(("numpy", _NUMPY[name]))

    def _reduce(self) -> None:
        (_, called), arguments = self._last(2)
        if called == "dtype":
            self.stack.append(str(arguments[0]))
            return
        if called == "array":
            self.stack.append(_Array())
            return
        if called == "encode":
            text, codec = arguments
            if codec != "latin1":
                raise ValueError(f"bytes as {codec}")
            self.stack.append(text.encode("latin-1"))
            return
        if called != "scalar":
            raise ValueError(f"a call of {called}")
        kind, content = arguments
        (number,) = struct.unpack(_FORMATS[kind], content)
        self.stack.append(number)

    def _build(self) -> None:
        state = self.stack.pop()
        if not isinstance(self.stack[-1], _Array):
            # The state of a dtype: its byte order, among what its name has too.
            if isinstance(self.stack[-1], str) and ">" in state[:2]:
                raise ValueError("numbers with their bytes in the other order")
            return
        _, shape, kind, by_columns, content = state
        if isinstance(content, list):
            self.stack[-1].value = content
            return
        numbers = np.frombuffer(content, dtype=_FORMATS[kind])
        self.stack[-1].value = numbers.reshape(shape, order="F" if by_columns else "C")


def _resolved(value: Any, depth: int = 0) -> Any:
    """Data with their arrays in place."""
    if depth > _DEEPEST:
        raise ValueError("data in one another without an end")
    if isinstance(value, _Array):
        return _resolved(value.value, depth + 1)
    if isinstance(value, dict):
        return {_resolved(k, depth + 1): _resolved(v, depth + 1) for k, v in value.items()}
    if isinstance(value, list):
        return [_resolved(one, depth + 1) for one in value]
    if isinstance(value, tuple):
        return tuple(_resolved(one, depth + 1) for one in value)
    return value


def _pairs(items: list[Any]) -> dict[Any, Any]:
    return dict(zip(items[::2], items[1::2], strict=True))
