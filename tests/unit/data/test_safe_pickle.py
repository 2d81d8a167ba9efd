"""Pickles from strangers: plain data of every protocol are read, everything else is refused and not run."""

from __future__ import annotations

import builtins
import contextlib
import os
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rubrica.data.formats.safe_pickle import read_pickle, read_pickled_arrays
from rubrica.errors import DataError

PROTOCOLS = range(6)
scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(1 << 80), 1 << 80),
    st.floats(allow_nan=False),
    st.text(),
    st.binary(min_size=1),
)
plain = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner)
        | st.tuples(inner, inner)
        | st.dictionaries(st.one_of(st.text(), st.integers()), inner)
    ),
    max_leaves=12,
)


@given(plain, st.sampled_from(PROTOCOLS))
def test_plain_data_come_back_as_python_would_give_them(value: Any, protocol: int) -> None:
    assert read_pickle(pickle.dumps(value, protocol=protocol), "x") == value


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_numpy_scalars_become_numbers(protocol: int) -> None:
    values = [np.float32(0.5), np.float64(0.1), np.int64(-7), np.uint8(200), np.bool_(True)]
    values += [np.dtype(">f8").type(0.25), np.float16(1.5)]
    found = read_pickle(pickle.dumps(values, protocol=protocol), "x")
    assert found == [0.5, 0.1, -7, 200, True, 0.25, 1.5]
    assert {type(one) for one in found} == {float, int, bool}


def test_the_byte_order_of_a_scalar_counts() -> None:
    # Written by a machine that puts the high byte first.
    code = (
        b"\x80\x03cnumpy.core.multiarray\nscalar\ncnumpy\ndtype\nX\x02\x00\x00\x00i2K\x00K\x01\x87R"
        b"(K\x03X\x01\x00\x00\x00>NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tbC\x02\x01\x02\x86R."
    )
    assert read_pickle(code, "x") == 0x0102


def test_what_is_named_twice_is_one_thing() -> None:
    inner = [1, 2]
    found = read_pickle(pickle.dumps({"a": inner, "b": inner}), "x")
    assert found["a"] is found["b"]


class Runs:
    """Pickles to a call of anything."""

    def __init__(self, function: Any, *arguments: Any) -> None:
        self.call = function, arguments

    def __reduce__(self) -> Any:
        return self.call


HOSTILE = {
    "system": Runs(os.system, "touch owned"),
    "eval": Runs(builtins.eval, "open('owned', 'w')"),
    "getattr": Runs(getattr, "x", "upper"),
    "import": Runs(__import__, "this"),
    "an array": np.zeros(2),
    "a type": dict,
    "a set": {1, 2},
}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_hostile_pickle_is_refused_and_not_run(
    name: str, protocol: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(DataError, match=r"h\.pkl: not a pickle .* Nothing in it was run"):
        read_pickle(pickle.dumps({"x": HOSTILE[name]}, protocol=protocol), "h.pkl")
    assert not (tmp_path / "owned").exists()


@pytest.mark.parametrize(
    "code",
    [
        b"cnumpy\ndtype\n(S'f8'\ntR(dS'order'\nS'>'\nsb.",  # state on the wrong kind of thing
        b"cnumpy.core.multiarray\nscalar\n(dS'x'\nI1\nsb.",  # state on a function
        b"\x80\x02cnumpy\ndtype\n)\x81.",  # a class that is none
        b"(inumpy\ndtype\n.",
        b"\x80\x02\x82\x01.",  # the extension registry
        b"Pnowhere\n.",
        b"cos\nsystem\n.",
        b"cnumpy\ndtype\n.",  # a function is no value
        b"(.",  # nor is a mark
        b"\x80\x04(\x94h\x00.",
        b"cnumpy\ndtype\n(S'f8'\ntR.",  # nor a dtype
        b"\x80\x04\x8c\x02os\x8c\x06system\x93.",
        b"\x80\x05\x8a\xff" + b"\xff" * 10,
        b"\x80\x02]}\x85s.",  # a list as a key
        b"\x80\x03}q\x00(X\x01",
        b"\x80\x03",
        b"]a.",
        b"",
        b"not a pickle",
    ],
)  # fmt: skip
def test_hand_made_programs_are_refused(code: bytes) -> None:
    with pytest.raises(DataError):
        read_pickle(code, "x")


@pytest.mark.slow
def test_no_program_of_a_few_bytes_fills_the_memory_or_breaks_the_interpreter() -> None:
    # Python's own unpickler makes a table of four billion places of this.
    assert read_pickle(b"\x80\x02]r\xff\xff\xff\xff.", "x") == []
    # The hash of this key would call itself so often that the stack overflows.
    deep = b"\x80\x02})" + b"\x85" * 200_000 + b"K\x01s."
    with pytest.raises(DataError, match="neither text nor number"):
        read_pickle(deep, "x")


@given(st.binary(max_size=60))
def test_random_bytes_give_plain_values_or_an_error(data: bytes) -> None:
    with contextlib.suppress(DataError):
        read_pickle(data, "x")


@pytest.mark.parametrize("protocol", [2, 3, 4])
def test_lists_of_arrays_are_rebuilt_where_they_are_asked_for(protocol: int) -> None:
    rows = np.arange(6, dtype=np.float32).reshape(2, 3)
    listed = np.empty(4, dtype=object)
    listed[:] = [rows, np.asfortranarray(rows), rows.astype(">f4"), rows]
    for value in (listed, list(listed)):
        data = pickle.dumps(value, protocol=protocol)
        made = read_pickled_arrays(data, "x")
        assert len(made) == 4
        assert all((one == rows).all() for one in made)
        # Plain data have no arrays.
        with pytest.raises(DataError, match="no plain value"):
            read_pickle(data, "x")
    for wrong in ([], [1.0], {"a": rows}, [rows, "text"], np.array(["text"]), "text"):
        with pytest.raises(DataError, match="plain data"):
            read_pickled_arrays(pickle.dumps(wrong, protocol=protocol), "x")
    inside: list[object] = []
    inside.append(inside)
    with pytest.raises(DataError, match="no list of arrays"):
        read_pickled_arrays(pickle.dumps(inside, protocol=protocol), "x")
