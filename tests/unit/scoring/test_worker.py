"""Pieces of the input: raw lines that any process reads, tables of values, rows that are there twice."""

from __future__ import annotations

import json
import math
import pickle
from itertools import repeat
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rubrica import errors
from rubrica.data.files import read_lines
from rubrica.data.instance import EvalInstance, Fields
from rubrica.data.metrics import MetricsDict
from rubrica.data.value_table import tabulate
from rubrica.datasets.readers import JsonlReader, ReferenceBasedReader
from rubrica.datasets.readers.line_blocks import LineBlock, read_blocks
from rubrica.errors import DataError, MismatchError, RubricaError
from rubrica.scoring.duplicates import Seen, check_duplicates, row_keys

TEXT = st.text(max_size=12)
MAPPED = st.fixed_dictionaries(
    {"pred": st.one_of(TEXT, st.none())},
    optional={"id": st.integers(0, 9), "ref": TEXT, "gold": TEXT, "summarizer": st.just("s")},
)


@pytest.mark.filterwarnings("ignore:.* text.* empty and scored as such:rubrica.errors.DataWarning")
@given(st.lists(st.one_of(MAPPED, st.none()), max_size=6), st.integers(1, 3))
def test_tables_in_pieces_are_what_they_are_as_a_whole(
    rows: list[dict[str, Any] | None], size: int
) -> None:
    import tempfile

    def pieces(reader: JsonlReader) -> Any:
        for piece in reader.pieces([file.name], repeat(size)):
            yield from reader.read_piece(piece)

    def told(read: Any) -> tuple[list[Any], str, str]:
        reader = JsonlReader({"summary": "pred"})
        made = []
        try:
            made += [(one, one.origin) for one in read(reader)]
        except DataError as error:
            return made, str(error), reader.describe()
        return made, "", reader.describe()

    with tempfile.NamedTemporaryFile() as file:
        file.write(b"".join(b"\n" if r is None else json.dumps(r).encode() + b"\n" for r in rows))
        file.flush()
        assert told(pieces) == told(lambda reader: reader.read(file.name))


@pytest.mark.parametrize(
    "line", [b"{", b"[]", b'{"instance_id": "\xff"}', b"[" * 100_000, b'{"a": ' * 100_000]
)
def test_what_is_no_row_is_told_with_its_place(line: bytes) -> None:
    block = LineBlock("in.jsonl", 7, b"\n" + line + b"\n")
    with pytest.raises(DataError, match=r"in\.jsonl:8: "):
        list(ReferenceBasedReader().read_piece(block))


@given(
    st.lists(st.sampled_from([b"a", b"\xef\xbb\xbfb", b"c\rd", b" ", b"", b"e\r"]), max_size=9),
    st.booleans(),
    st.integers(1, 5),
)
def test_blocks_hold_the_lines_of_the_file(lines: list[bytes], ended: bool, size: int) -> None:
    import tempfile

    with tempfile.NamedTemporaryFile() as file:
        file.write(b"\n".join(lines) + b"\n" * ended)
        file.flush()
        blocks = list(read_blocks(file.name, repeat(size)))
        assert [line for block in blocks for line in block.lines()] == list(read_lines(file.name))
        assert all(block.data.count(b"\n") <= size for block in blocks)


def test_rows_before_damage_are_read(tmp_path: Path) -> None:
    import gzip

    packed = gzip.compress(b"".join(b"%d\n" % n for n in range(100_000)))
    (tmp_path / "cut.gz").write_bytes(packed[: len(packed) // 2])
    blocks = read_blocks(tmp_path / "cut.gz", repeat(1_000_000))
    lines = [line for _, line in next(blocks).lines()]
    assert len(lines) > 1000
    assert lines[:3] == [b"0", b"1", b"2"]
    with pytest.raises(DataError, match="damaged"):
        next(blocks)


def test_a_table_has_a_column_for_every_measure_some_row_has() -> None:
    parts = [
        [MetricsDict({"a": 1, "b": {"c": 2.0}})],
        [MetricsDict({"a": None})],
        [MetricsDict({"d": math.inf, "a": 3})],
    ]
    told = [(1, ({},)), (-1, ({"a": "b"},)), (2, ({"c": "d"},))]
    table = tabulate(["s", "t", "s"], ["peer", "reference", "peer"], told, parts, [{}] * 3)
    assert (table.peer_facts, table.reference_facts) == ([{"c": "d"}], [{"a": "b"}])
    assert table.references.tolist() == [1, -1, 2]
    assert table.paths == [[("a",), ("b", "c"), ("d",)]]
    nan = math.nan
    np.testing.assert_equal(table.values, [[1, 2, nan], [nan] * 3, [3, nan, nan]])
    assert (table.systems, table.system.tolist()) == (["s", "t"], [0, 1, 0])
    assert table.is_reference.tolist() == [False, True, False]


def instance(name: str, origin: str = "") -> EvalInstance:
    return EvalInstance(name, "system", "peer", Fields(summary=name), origin)


def test_the_first_row_that_is_there_twice_is_named_with_the_place_of_the_other() -> None:
    seen = Seen()
    assert seen.add(row_keys([instance(f"d{n}", f"a:b.jsonl:{n + 1}") for n in range(5)])) is None
    assert seen.add(row_keys([])) is None
    mixed = [instance("e0", "c.jsonl:2"), instance("e1", "c.jsonl:9"), instance("e2", "d.jsonl:1")]
    assert seen.add(row_keys(mixed)) is None
    again = [instance("new", "x:1"), instance("e1", "x:2"), instance("d4", "x:3")]
    assert seen.add(row_keys(again)) == (1, "c.jsonl:9")
    assert Seen().add(row_keys([instance("a"), instance("b"), instance("a")])) == (2, "1")


def test_rows_before_the_second_are_passed_on() -> None:
    stream = check_duplicates([instance("a"), instance("b"), instance("a")])
    assert [next(stream).instance_id, next(stream).instance_id] == ["a", "b"]
    with pytest.raises(MismatchError, match=r"'a'.* already appear at 1;"):
        next(stream)


def every_error() -> list[RubricaError]:
    samples: list[RubricaError] = [
        errors.UnknownNameError("metric", "rogue", ["rouge"]),
        errors.DataError("broken", file="f", line=3),
        errors.OutputError("f", "full"),
    ]
    built = {type(error) for error in samples}
    kinds: list[type[RubricaError]] = [RubricaError, *RubricaError.__subclasses__()]
    plain = [k for k in kinds if k not in built and k.__module__ == errors.__name__]
    return [*samples, *(kind("what went wrong") for kind in plain)]


@pytest.mark.parametrize("error", every_error(), ids=lambda error: type(error).__name__)
def test_errors_reach_another_process_as_they_are(error: RubricaError) -> None:
    there = pickle.loads(pickle.dumps(error))
    assert (type(there), str(there), vars(there)) == (type(error), str(error), vars(error))
