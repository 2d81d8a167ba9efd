"""A batch scored as columns is, to the byte, the batch scored row by row."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import repeat
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rubrica.core import kernels, kernels_py
from rubrica.data.line_blocks import LineBlock, read_blocks
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


nested = st.recursive(text, lambda inner: st.lists(inner, max_size=20), max_leaves=30)


@given(st.lists(st.tuples(nested, nested), max_size=5))
def test_digests_are_those_of_the_definition(rows: list[tuple[Any, Any]]) -> None:
    columns = [[pair[at] for pair in rows] for at in (0, 1)]
    assert kernels.text_digests(columns) == kernels_py.text_digests(columns)


@pytest.mark.parametrize("size", [0, 31, 32, 127, 128, 129, 255, 256, 65_535, 65_536, 200_000])
def test_digests_of_long_texts_are_those_of_the_definition(size: int) -> None:
    columns: list[list[Any]] = [["x" * size, "é" * size], [["y"] * (size // 3), []]]
    assert kernels.text_digests(columns) == kernels_py.text_digests(columns)


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
