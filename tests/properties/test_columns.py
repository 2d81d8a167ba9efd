"""A batch scored as columns is, to the byte, the batch scored row by row."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import repeat
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rubrica.core import kernels
from rubrica.core.python import columns as kernels_py_columns
from rubrica.core.python import common as kernels_py
from rubrica.data.instance import Fields
from rubrica.datasets.readers.line_blocks import LineBlock, read_blocks
from rubrica.datasets.readers.rows import ReferenceBasedReader
from rubrica.metrics import Rouge
from rubrica.scoring.columns import score_columns
from rubrica.scoring.plan import Plan
from rubrica.scoring.worker import RowsAs, ScoredBatch, Worker

text = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
words = st.lists(
    st.sampled_from(["the", "cat", "sat", "ökonomie", "東京", "Ran."]), max_size=8
).map(" ".join)
texts = st.one_of(words, text, st.lists(words, max_size=3), st.builds(lambda t: {"text": t}, words))
row = st.fixed_dictionaries(
    {
        "instance_id": st.text(min_size=1, max_size=6),
        "summarizer_id": st.sampled_from(["s1", "s2", "ü"]),
        "summarizer_type": st.sampled_from(["peer", "peer", "reference"]),
        "summary": texts,
        "references": st.lists(texts, min_size=1, max_size=2),
    },
    optional={"other": st.integers()},
)


class RowByRow(ReferenceBasedReader):
    """The same reader, without columns."""

    def read_columns(self, piece: Any) -> None:
        return None


def block_of(rows: list[dict[str, Any]]) -> LineBlock:
    return LineBlock("f.jsonl", 3, "".join(json.dumps(one) + "\n" for one in rows).encode())


def result(reader: ReferenceBasedReader, plan: Plan, rows_as: RowsAs, block: LineBlock) -> Any:
    try:
        scored: ScoredBatch = Worker(plan, reader, plan.signatures(), rows_as)(block)
    except Exception as error:
        return type(error), str(error)
    table = scored.table
    return (
        scored.lines,
        scored.rows,
        scored.identities,
        scored.keys.keys.tolist(),
        [scored.keys.places.place(at) for at in range(len(scored))],
        table and (table.systems, table.system.tolist(), table.is_reference.tolist()),
        table and (table.references.tolist(), table.paths, np.nan_to_num(table.values).tolist()),
        table and (table.peer_facts, table.reference_facts),
    )


@pytest.mark.filterwarnings("ignore")
@given(
    st.lists(row, min_size=1, max_size=6),
    st.sampled_from(["evaluate", "score"]),
    st.sampled_from(["lines", "objects", "nothing"]),
    st.sampled_from(["rouge-1.5.5", "rouge-score"]),
    st.booleans(),
)
def test_columns_and_rows_give_the_same(
    rows: list[dict[str, Any]], task: Any, rows_as: RowsAs, profile: str, jackknife: bool
) -> None:
    plan = Plan([Rouge(max_ngram=2, profile=profile)], task, jackknife)
    block = block_of(rows)
    expected = result(RowByRow(), plan, rows_as, block)
    assert result(ReferenceBasedReader(), plan, rows_as, block) == expected


def test_plain_rows_do_take_the_way_of_columns() -> None:
    fields = {"summarizer_type": "peer", "summary": "the cat", "references": ["a cat"]}
    rows = [{"instance_id": str(n), "summarizer_id": "s", **fields} for n in range(3)]
    batch = ReferenceBasedReader().read_columns(block_of(rows))
    assert batch is not None
    scores = score_columns(Plan([Rouge()], "score"), batch)
    assert scores is not None
    assert scores[0].values.shape[0] == 3


plain = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
rows_of_lists = st.lists(st.tuples(plain, st.lists(plain, max_size=4)), max_size=6)
BOTH = pytest.mark.parametrize(
    "implementation",
    [
        pytest.param(
            kernels,
            marks=pytest.mark.skipif(kernels.IMPLEMENTATION == "python", reason="no kernels"),
        ),
        kernels_py_columns,
    ],
)


@BOTH
@given(rows_of_lists)
def test_digests_are_those_of_a_row(implementation: Any, rows: list[tuple[str, list[str]]]) -> None:
    columns = [
        implementation.TextColumn([summary for summary, _ in rows]),
        implementation.TextLists([references for _, references in rows]),
    ]
    expected = [
        Fields(summary=summary, references=references).digest(["summary", "references"])
        for summary, references in rows
    ]
    assert list(implementation.text_digests(columns)) == expected


@pytest.mark.parametrize("size", [0, 31, 32, 127, 128, 129, 255, 256, 65_535, 65_536, 200_000])
def test_digests_of_long_texts_are_those_of_a_row(size: int) -> None:
    texts, lists = ["x" * size, "é" * size], [["y"] * (size // 3), []]
    columns: list[Any] = [kernels.TextColumn(texts), kernels.TextLists(lists)]
    expected = [
        Fields(a=text, b=own).digest(["a", "b"]) for text, own in zip(texts, lists, strict=True)
    ]
    assert list(kernels.text_digests(columns)) == expected


@BOTH
@given(st.lists(plain, max_size=12))
def test_a_column_holds_its_texts(implementation: Any, texts: list[str]) -> None:
    column = implementation.TextColumn(texts)
    distinct, places = column.unique()
    assert list(column) == texts
    assert [column[at] for at in range(-len(texts), len(texts))] == texts * 2
    assert column.non_ascii() == [text for text in texts if not text.isascii()]
    assert list(distinct) == list(dict.fromkeys(texts))
    assert [distinct[place] for place in places.tolist()] == texts


@BOTH
@given(st.lists(st.lists(plain, max_size=3), max_size=6))
def test_lists_hold_their_texts(implementation: Any, rows: list[list[str]]) -> None:
    lists = implementation.TextLists(rows)
    assert list(lists) == rows
    assert list(lists.texts) == [text for own in rows for text in own]
    assert np.diff(lists.ends, prepend=0).tolist() == [len(own) for own in rows]


@BOTH
def test_columns_refuse_what_is_not_text(implementation: Any) -> None:
    with pytest.raises(UnicodeEncodeError):
        implementation.TextColumn(["a", "\ud800"])
    with pytest.raises((TypeError, AttributeError)):
        implementation.TextColumn(["a", 1])
    with pytest.raises(IndexError):
        implementation.TextColumn(["a"])[1]


@BOTH
@given(st.integers(1, 3), st.integers(0, 4), st.data())
def test_zipped_columns_are_rows(implementation: Any, width: int, rows: int, data: Any) -> None:
    texts = st.lists(plain, min_size=rows, max_size=rows)
    columns = [data.draw(texts) for _ in range(width)]
    zipped = implementation.zip_columns([implementation.TextColumn(own) for own in columns])
    assert list(zipped) == [list(row) for row in zip(*columns, strict=True)]


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(text, inner, max_size=3),
    max_leaves=8,
)
FIELDS = {
    "instance_id": plain,
    "summarizer_id": plain,
    "summarizer_type": st.sampled_from(["peer", "reference", "other"]),
    "summary": plain,
    "references": st.lists(plain, max_size=3),
}
usual = st.fixed_dictionaries(
    {
        **{name: plain.filter(bool) for name in ("instance_id", "summarizer_id")},
        "summarizer_type": st.sampled_from(["peer", "reference"]),
        "summary": plain,
        "references": st.lists(plain, max_size=3),
    }
)
unusual = st.fixed_dictionaries({}, optional={**FIELDS, "language": text, "metadata": json_values})


def parsed(implementation: Any, block: bytes) -> Any:
    columns = implementation.parse_json_rows(block, ["references"], ["reference", "language"])
    if columns is None:
        return None
    *texts, lists = columns
    return [list(column) for column in (*texts, *lists)]


@given(
    st.lists(usual | st.tuples(usual, unusual).map(lambda own: own[0] | own[1]), max_size=4),
    st.booleans(),
    st.sampled_from([(",", ":"), (", ", ": "), (" ,\t", " : ")]),
)
def test_json_rows_are_parsed_as_by_the_json_module(
    rows: list[dict[str, Any]], ascii_only: bool, separators: tuple[str, str]
) -> None:
    lines = [json.dumps(row, ensure_ascii=ascii_only, separators=separators) for row in rows]
    block = "".join(line + "\n" for line in lines).encode()
    names = ("instance_id", "summarizer_id", "summarizer_type", "summary", "references")
    is_usual = all(
        row["instance_id"] and row["summarizer_id"] and row["summarizer_type"] != "other"
        and "language" not in row
        for row in rows
    )  # fmt: skip
    expected = [[row[name] for row in rows] for name in names] if is_usual else None
    assert parsed(kernels, block) == parsed(kernels_py_columns, block) == expected


ROW = (
    b'{"instance_id":"1","summarizer_id":"s","summarizer_type":"peer","summary":"a","references":[]'
)


@pytest.mark.parametrize(
    "block",
    [
        ROW,
        ROW + b"}\n\n",
        b"\n" + ROW + b"}",
        ROW + b"}}",
        ROW + b',"summary":"b"}',
        ROW + b',"x":01}',
        ROW + b',"x":-}',
        ROW + b',"x":1.}',
        ROW + b',"x":1e}',
        ROW + b',"x":nul}',
        ROW + b',"x":"\t"}',
        ROW + b',"x":"\\x"}',
        ROW + b',"x":[1,]}',
        ROW + b',"x":{"a"}}',
        ROW + b',"x":"\xff"}',
        ROW + b',"x":"\xed\xa0\x80"}',
        ROW + b',"x":"\xc0\x80"}',
        ROW + b',"x":"\xf4\x90\x80\x80"}',
        ROW + b"," + b"}",
        b"[]\n",
        b"{}\n",
        ROW.replace(b'"a"', b'"\\ud800"') + b"}",
        ROW.replace(b'"a"', b'"\\ud800\\u0041"') + b"}",
        ROW.replace(b'"a"', b'"\\u00zz"') + b"}",
        ROW.replace(b'"a"', b'"\\u-001"') + b"}",
        ROW.replace(b'"a"', b'["a"]') + b"}",
        ROW.replace(b'"a"', b"null") + b"}",
        ROW.replace(b'"1"', b"1") + b"}",
        ROW.replace(b"[]", b"[1]") + b"}",
    ],
)
def test_malformed_or_unusual_rows_are_left_to_the_reader_of_rows(block: bytes) -> None:
    assert parsed(kernels, block) is None
    assert parsed(kernels_py_columns, block) is None


def test_escapes_are_understood() -> None:
    summary = '"\\/\b\f\n\r\té€😀\x00'
    block = ROW.replace(b'"a"', json.dumps(summary).encode().replace(b"/", b"\\/")) + b"}"
    for implementation in (kernels, kernels_py_columns):
        assert parsed(implementation, block)[3] == [summary]


@given(
    st.lists(st.tuples(plain, plain, st.floats(), st.floats()), max_size=5),
    st.booleans(),
)
def test_rows_are_encoded_as_msgspec_encodes_them(
    rows: list[tuple[str, str, float, float]], own_tails: bool
) -> None:
    expected = b"".join(
        msgspec.json.encode(
            {
                "instance_id": one,
                "summarizer_id": other,
                "summarizer_type": "peer",
                "metrics": {"a": first, "b": {"c": second}},
                "signatures": [str(number) if own_tails else ""],
                "digest": one,
            }
        )
        + b"\n"
        for number, (one, other, first, second) in enumerate(rows)
    )
    between = [b',"metrics":{"a":', b',"b":{"c":', b"}}"]
    numbers = range(len(rows)) if own_tails else [""]
    tails = [f',"signatures":["{number}"],"digest":'.encode() for number in numbers]
    values = np.array([own[2:] for own in rows], dtype=np.float64).reshape(-1, 2)
    for implementation in (kernels, kernels_py_columns):
        column: Any = implementation.TextColumn
        ids = column([own[0] for own in rows]), column([own[1] for own in rows])
        found = implementation.encode_rows(
            *ids, column(["peer"] * len(rows)), between, values, tails, ids[0]
        )
        assert found == expected


@given(st.lists(st.floats(), min_size=1, max_size=50))
def test_numbers_are_written_as_msgspec_writes_them(numbers: list[float]) -> None:
    one = kernels.TextColumn(["x"])
    between = [b"[", *[b","] * (len(numbers) - 1), b"]"]
    row = kernels.encode_rows(one, one, one, between, np.array([numbers]), [b"|"], one)
    assert row.partition(b"[")[2].partition(b"|")[0] == msgspec.json.encode(numbers)[1:]


@given(st.binary(max_size=60).map(lambda data: data.replace(b"a", b"\n")), st.integers(0, 9))
def test_ends_of_lines_are_found(data: bytes, most: int) -> None:
    for start in range(len(data) + 1):
        expected = kernels_py_columns.lines_end(data, start, most)
        assert kernels.lines_end(data, start, most) == expected


@given(st.binary(max_size=80).map(lambda data: data.replace(b"a", b"\n").replace(b"b", b" ")))
def test_lines_are_split_alike(data: bytes) -> None:
    found, expected = kernels.split_lines(data), kernels_py_columns.split_lines(data)
    assert (found is None) == (expected is None)
    if found is not None and expected is not None:
        assert list(found) == list(expected)


@given(st.lists(st.tuples(text, text), max_size=20))
def test_keys_of_ids_are_those_of_the_definition(ids: list[tuple[str, str]]) -> None:
    columns = [one for one, _ in ids], [other for _, other in ids]
    assert kernels.id_keys(*columns).tolist() == kernels_py.id_keys(*columns).tolist()


def test_half_a_surrogate_pair_in_an_id_has_a_key() -> None:
    columns = ["a\ud800", "b"], ["s", "s"]
    assert kernels.id_keys(*columns).tolist() == kernels_py.id_keys(*columns).tolist()


def lines_of(blocks: Iterator[LineBlock]) -> list[tuple[int, bytes]]:
    return [line for block in blocks for line in block.lines()]


@given(
    st.binary(max_size=300).map(lambda data: data.replace(b"\x1f\x8b", b"")),
    st.integers(1, 7),
)
def test_blocks_hold_every_line_of_the_file(data: bytes, size: int) -> None:
    data = b"a" + data.replace(b"\0", b"\n")
    expected = data.split(b"\n")
    if not expected[-1]:
        expected.pop()
    path = Path(mkdtemp()) / "lines.txt"
    path.write_bytes(data)
    blocks = list(read_blocks(path, repeat(size)))
    assert [b"".join(b.data for b in blocks)] == [data]
    assert all(block.data.count(b"\n") in (size, size - 1) for block in blocks[:-1])
    assert [number for number, _ in lines_of(iter(blocks))] == list(range(1, len(expected) + 1))
