"""Readers of released score files: a file that is not in the layout is an error that names it."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rubrica.datasets import released
from rubrica.errors import DataError

MEASURES = {"measures": {"m": "m"}}
TOPIC = {"references": [{"text": ["a"]}], "annotations": [{"text": ["a"], "summ_id": "1"}]}


@pytest.mark.parametrize(
    ("reader", "content", "options", "message"),
    [
        (released.read_records, b"{", MEASURES, "not JSON"),
        (released.read_records, b'[1, "x"]', MEASURES, "list of JSON objects"),
        (released.read_records, b'[{"m": "x"}]', MEASURES, "'m' is not a number: 'x'"),
        (released.read_records, b'[{"m": 1}]', MEASURES | {"system": "s"}, "record 1 has no 's'"),
        (released.read_records, b'[{"m": 1}]', MEASURES | {"where": {"a": 1}}, "'where'"),
        (released.read_text_pickle, pickle.dumps([1]), {}, "expected an object, found list"),
        (released.read_text_pickle, pickle.dumps({0: {"sys_summs": {"s": 1}}}), {}, "found int"),
        (released.read_ranked_pickle, pickle.dumps({0: {"ref": "r"}}), {}, "found NoneType"),
        (released.read_topics, b"[]", {"annotations": {}}, "expected an object"),
        (released.read_topics, b'{"D1": {}}', {"annotations": {}}, "no list 'references'"),
        (
            released.read_topics,
            json.dumps({"D1": TOPIC}).encode(),
            {"annotations": {"score": "pyramid"}},
            "record 1: 'pyramid' is not a number: None",
        ),
        (released.read_rated_systems, b"{}", {}, "expected an object"),
        (released.read_rated_systems, b"{", {}, "not JSON"),
        (
            released.read_rated_systems,
            b'{"idx": "d", "model_summaries": {"s": {"anns": {"c": ["x"]}}}}',
            {},
            "'c' is not a number: 'x'",
        ),
        (
            released.read_rated_systems,
            b'{"idx": "d", "model_summaries": {"s": {"anns": {"c": [1]}}}}',
            {"annotators": 3},
            "no summary has the ratings",
        ),
        (released.read_system_table, b"A B\n1 2\n", {"system": "S"}, "no column 'S'"),
        (
            released.read_system_table,
            b"S m\ns 1 2\n",
            {"system": "S"},
            "3 cells under a header of 2",
        ),
        (released.read_system_table, b"S m\ns x\n", {"system": "S"}, "'m' is not a number"),
        (released.read_unit_labels, b"1 0\n1 2\n", {}, "expected labels 0 or 1"),
        (released.read_unit_labels, b"\xff\n", {}, "UTF-8"),
    ],
)
def test_a_file_that_is_not_in_the_layout_is_an_error_with_its_name(
    reader: Callable[..., Any],
    content: bytes,
    options: dict[str, Any],
    message: str,
    tmp_path: Path,
) -> None:
    ending = "jsonl" if reader is released.read_rated_systems else "json"
    path = tmp_path / f"released-file.{ending}"
    path.write_bytes(content)
    with pytest.raises(DataError, match=message) as caught:
        reader([path], **options)
    assert "released-file" in str(caught.value)


def test_units_of_a_document_give_its_recall(tmp_path: Path) -> None:
    path = tmp_path / "bart.label"
    path.write_text("1\t0\n1\t1\t1\t0\n")
    assert released.read_unit_labels([path]).matrix("recall").tolist() == [[0.5, 0.75]]
