"""Read untrusted pickles without unpickling: nothing is imported, nothing is called.

A pickle is a program. This reader executes only the instructions that build dicts, lists, tuples, texts,
bytes and numbers. It rebuilds numpy's scalars, which released files hold, and its arrays, where the
caller asks for them, from their bytes.

A subclass of `pickle.Unpickler` with an allow-list of names is not as safe. Nine bytes make it
allocate 32 GB (its memo is an array as long as the largest number in the program), and a key of a
million nested tuples overflows the C stack when it is hashed. Tests run both programs here.
"""

from __future__ import annotations

import pickletools
import struct
from collections.abc import Callable
from typing import Any

import numpy as np

from rubrica.errors import DataError

_FORMATS = {"f2": "e", "f4": "f", "f8": "d", "i1": "b", "i2": "h", "i4": "i", "i8": "q",
            "u1": "B", "u2": "H", "u4": "I", "u8": "Q", "b1": "?"}  # fmt: skip
_CONSTANTS = {"NONE": None, "NEWTRUE": True, "NEWFALSE": False}
_PUSHED = {
    *("BININT", "BININT1", "BININT2", "LONG1", "LONG4", "INT", "LONG", "BINFLOAT", "FLOAT"),
    *("UNICODE", "BINUNICODE", "SHORT_BINUNICODE", "BINUNICODE8"),
    *("SHORT_BINBYTES", "BINBYTES", "BINBYTES8", "STRING", "BINSTRING", "SHORT_BINSTRING"),
}
_PUT = {"PUT", "BINPUT", "LONG_BINPUT"}
_GET = {"GET", "BINGET", "LONG_BINGET"}
_PASSED_OVER = {"PROTO", "FRAME"}


def read_pickle(data: bytes, file: str) -> Any:
    """Return the data of a pickle of any protocol; a `DataError` unless it is plain data."""
    return _read(data, file, _refuse_others)


def read_pickled_arrays(data: bytes, file: str) -> list[Any]:
    """Return the arrays of a pickled list, or of an array of objects; a `DataError` for other pickles."""
    arrays: list[Any] = _read(data, file, _arrays_of)
    return arrays


def _read(data: bytes, file: str, check: Callable[[Any], Any]) -> Any:
    try:
        return check(_Machine().run(data))
    except (
        ArithmeticError,
        AttributeError,
        LookupError,
        TypeError,
        ValueError,
        struct.error,
    ) as error:
        raise DataError(
            f"not a pickle of plain data: {error}. Nothing in it was run", file=file
        ) from error


class _Mark:
    """The start of a list or dict on the stack."""


class _Function:
    """An allowed function of a pickle, with its safe replacement."""

    def __init__(self, call: Callable[..., Any]) -> None:
        self.call = call


class _Dtype:
    """The needed parts of numpy.dtype: kind and size, and the byte order."""

    def __init__(self, name: Any = "", *_: Any) -> None:
        text = name.decode("ascii") if isinstance(name, bytes) else str(name)
        self.order = text[0] if text[:1] in "<>|=" else "<"
        self.name = text.lstrip("<>|=")


class _Array:
    """A numpy array; `fill` sets its numbers."""

    def __init__(self, *_: Any) -> None:
        self.values: Any = None

    def fill(self, state: tuple[Any, ...]) -> None:
        _, shape, dtype, by_columns, content = state
        self.values = content
        if isinstance(content, list):
            return
        raw = content.encode("latin-1") if isinstance(content, str) else content
        if not isinstance(dtype, _Dtype) or dtype.name not in _FORMATS:
            raise ValueError("an array of something else than numbers")
        kind = (">" if dtype.order == ">" else "<") + dtype.name
        numbers = np.frombuffer(raw, dtype=kind)
        self.values = numbers.reshape(shape, order="F" if by_columns else "C")


def _scalar(dtype: Any = None, data: Any = b"") -> Any:
    """Return a numpy scalar as a Python number, from its bytes."""
    form = _FORMATS.get(dtype.name) if isinstance(dtype, _Dtype) else None
    # Python 2 wrote bytes as texts.
    raw = data.encode("latin-1") if isinstance(data, str) else data
    if form is None or not isinstance(raw, bytes):
        raise ValueError("a numpy scalar that is no plain number")
    return struct.unpack((">" if dtype.order == ">" else "<") + form, raw)[0]


def _latin_bytes(text: Any = "", encoding: Any = "latin1") -> bytes:
    """Return bytes, which protocols below 3 write as text."""
    if not isinstance(text, str) or encoding not in ("latin1", "latin-1"):
        raise ValueError("bytes in another encoding than Latin-1")
    return text.encode("latin-1")


_KNOWN: dict[str, Callable[..., Any]] = {
    "numpy dtype": _Dtype,
    "numpy.core.multiarray scalar": _scalar,
    "numpy._core.multiarray scalar": _scalar,
    "_codecs encode": _latin_bytes,
    "numpy.core.multiarray _reconstruct": _Array,
    "numpy._core.multiarray _reconstruct": _Array,
    "numpy ndarray": _Array,
}


class _Machine:
    """The stack and the memo of a pickle's program, and the instructions that plain data need."""

    def __init__(self) -> None:
        self.stack: list[Any] = []
        self.memo: dict[int, Any] = {}
        push = self.stack.append
        self.instructions: dict[str, Callable[[Any], None]] = {
            "MARK": lambda _: push(_Mark()),
            "POP": lambda _: self.stack.__delitem__(-1),
            "EMPTY_DICT": lambda _: push({}),
            "EMPTY_LIST": lambda _: push([]),
            "EMPTY_TUPLE": lambda _: push(()),
            "DICT": lambda _: push(_pairs(self._marked())),
            "LIST": lambda _: push(self._marked()),
            "TUPLE": lambda _: push(tuple(self._marked())),
            "TUPLE1": lambda _: push(tuple(self._last(1))),
            "TUPLE2": lambda _: push(tuple(self._last(2))),
            "TUPLE3": lambda _: push(tuple(self._last(3))),
            "SETITEM": lambda _: self._set_items(self._last(2)),
            "SETITEMS": lambda _: self._set_items(self._marked()),
            "APPEND": lambda _: self._extend(self._last(1)),
            "APPENDS": lambda _: self._extend(self._marked()),
            "GLOBAL": lambda name: push(_function(name)),
            "STACK_GLOBAL": lambda _: push(_function(" ".join(map(str, self._last(2))))),
            "REDUCE": lambda _: push(_called(*self._last(2))),
            "BUILD": lambda _: self._build(),
            "MEMOIZE": lambda _: self.memo.__setitem__(len(self.memo), self.stack[-1]),
        }

    def run(self, data: bytes) -> Any:
        for opcode, argument, _ in pickletools.genops(data):
            name = opcode.name
            if name == "STOP":
                return self.stack.pop()
            if name in _CONSTANTS:
                self.stack.append(_CONSTANTS[name])
            elif name in _PUSHED:
                self.stack.append(argument)
            elif name in _PUT:
                self.memo[int(str(argument))] = self.stack[-1]
            elif name in _GET:
                self.stack.append(self.memo[int(str(argument))])
            elif name in self.instructions:
                self.instructions[name](argument)
            elif name not in _PASSED_OVER:
                raise ValueError(f"it has the instruction {name}")
        raise ValueError("it has no end")

    def _last(self, count: int) -> list[Any]:
        if len(self.stack) < count:
            raise ValueError("it takes more from its stack than there is")
        items = self.stack[-count:]
        del self.stack[-count:]
        return items

    def _marked(self) -> list[Any]:
        for at in range(len(self.stack) - 1, -1, -1):
            if isinstance(self.stack[at], _Mark):
                items = self.stack[at + 1 :]
                del self.stack[at:]
                return items
        raise ValueError("it ends a list that has no beginning")

    def _set_items(self, items: list[Any]) -> None:
        if not isinstance(self.stack[-1], dict):
            raise ValueError("it sets items of something that is no dict")
        self.stack[-1].update(_pairs(items))

    def _extend(self, items: list[Any]) -> None:
        if not isinstance(self.stack[-1], list):
            raise ValueError("it appends to something that is no list")
        self.stack[-1].extend(items)

    def _build(self) -> None:
        (state,) = self._last(1)
        dtype = self.stack[-1]
        if isinstance(dtype, _Array) and isinstance(state, tuple):
            dtype.fill(state)
            return
        if not isinstance(dtype, _Dtype) or not isinstance(state, tuple):
            raise ValueError("it gives a state to something that has none")
        if len(state) > 1 and state[1] in ("<", ">", "|", "="):
            dtype.order = state[1]


def _function(name: str) -> _Function:
    if name not in _KNOWN:
        raise ValueError(f"it asks for {name.replace(' ', '.')}")
    return _Function(_KNOWN[name])


def _called(function: Any, arguments: Any) -> Any:
    if not isinstance(function, _Function) or not isinstance(arguments, tuple):
        raise ValueError("it calls something that is no function")
    return function.call(*arguments)


def _pairs(items: list[Any]) -> dict[Any, Any]:
    # A key of tuples in tuples could be so deep that its hash breaks the interpreter.
    for key in items[::2]:
        if not (key is None or isinstance(key, (bool, int, float, str, bytes))):
            raise ValueError("a key that is neither text nor number")
    return dict(zip(items[::2], items[1::2], strict=True))


def _arrays_of(value: Any) -> list[Any]:
    items = value.values if isinstance(value, _Array) else value
    arrays = (
        [item.values for item in items if isinstance(item, _Array)]
        if isinstance(items, list)
        else []
    )
    if (
        not arrays
        or len(arrays) != len(items)
        or not all(isinstance(a, np.ndarray) for a in arrays)
    ):
        raise ValueError("it is no list of arrays")
    return arrays


def _refuse_others(value: Any) -> Any:
    """The data; only plain values leave: no mark, no function, no dtype, no array."""
    seen: set[int] = set()
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if item is None or isinstance(item, (bool, int, float, str, bytes)) or id(item) in seen:
            continue
        seen.add(id(item))
        if isinstance(item, dict):
            waiting += item.values()
        elif isinstance(item, (list, tuple)):
            waiting += item
        else:
            raise ValueError("it holds something that is no plain value")
    return value
