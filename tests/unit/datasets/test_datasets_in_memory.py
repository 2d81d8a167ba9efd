"""HuggingFace's own data sets and frames in place of files: for instances, and for setting up a data set."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from rubrica import evaluate
from rubrica.datasets import instances_of, setup_dataset
from rubrica.errors import DataError
from rubrica.metrics import Rouge

ROWS = [
    {"id": "7", "document": "It rained all day.", "summary": "It rained.", "mine": "It rained."},
    {"id": "8", "document": "The sun shone.", "summary": "Sun.", "mine": "Rain."},
]
FIELDS: dict[str, str | list[str]] = {
    "instance_id": "id",
    "summary": "mine",
    "references": "summary",
    "documents": "document",
}


@pytest.fixture(scope="module")
def datasets() -> Any:
    """HuggingFace's package, which takes half a second to import."""
    return pytest.importorskip("datasets", minversion="3")


@pytest.mark.slow
@pytest.mark.parametrize(
    "table",
    [
        lambda datasets: datasets.Dataset.from_list(ROWS),
        lambda datasets: datasets.Dataset.from_list(ROWS).with_format("numpy"),
        lambda datasets: datasets.IterableDataset.from_generator(lambda: iter(ROWS)),
        lambda _: pd.DataFrame(ROWS),
        lambda _: pl.DataFrame(ROWS),
    ],
    ids=["Dataset", "numpy format", "IterableDataset", "pandas", "polars"],
)
def test_a_metric_scores_any_table_as_it_is(datasets: Any, table: Any) -> None:
    instances = instances_of(table(datasets), FIELDS, summarizer_id="mine")
    _, rows = evaluate(instances, [Rouge(max_ngram=1)])
    assert [row.instance_id for row in rows] == ["7", "8"]
    assert [row.metrics["rouge-1"]["recall"] for row in rows] == [100.0, 0.0]


def test_the_splits_of_a_data_set_are_its_files(datasets: Any, tmp_path: Path) -> None:
    splits = datasets.DatasetDict(
        {name: datasets.Dataset.from_list(ROWS) for name in ("train", "validation", "test")}
    )
    made = setup_dataset("xsum", splits, tmp_path)
    assert set(made.files) == {
        f"{split}.{kind}.jsonl"
        for split in ("train", "valid", "test")
        for kind in ("documents", "references")
    }
    (first, _) = (tmp_path / "test.references.jsonl").read_text("utf-8").splitlines()
    assert json.loads(first)["references"][0]["text"] == "It rained."


def test_lists_that_pandas_keeps_as_arrays_are_lists(tmp_path: Path) -> None:
    row = {
        "id": "dm-1",
        "text": "Hati.",
        "machine_summaries": np.array(["Moja.", "Mbili."], dtype=object),
        "human_summaries": np.array(["A."], dtype=object),
        **{
            name: np.array([5.0, 3.0])
            for name in ("relevance", "coherence", "fluency", "consistency")
        },
    }
    made = setup_dataset("summeval-lists", {"sw": pd.DataFrame([row])}, tmp_path)
    assert made.files["sw.summaries.jsonl"]["rows"] == 2


@pytest.mark.parametrize("missing", [None, float("nan"), pd.NA, pd.NaT, np.float64("nan")])
def test_what_pandas_calls_missing_is_absent(missing: Any, tmp_path: Path) -> None:
    rows = [
        {"dataset": "X", "doc": "Doc.", "claim": "Yes.", "label": 1},
        {"dataset": "X", "doc": "Doc.", "claim": missing, "label": 0},
    ]
    frame = pd.DataFrame(rows, dtype=object)
    with pytest.raises(DataError, match="test:2: field 'claim' is null; data set 'llm-aggrefact'"):
        setup_dataset("llm-aggrefact", {"test": frame}, tmp_path)


def test_a_mapping_of_tables_is_no_table(datasets: Any, tmp_path: Path) -> None:
    splits = datasets.DatasetDict({"test": datasets.Dataset.from_list(ROWS)})
    with pytest.raises(DataError, match="mine: a mapping of 'test', not a table; give one of its"):
        list(instances_of(splits, FIELDS, name="mine"))
    with pytest.raises(DataError, match="train: a mapping of 'test', not a table"):
        setup_dataset("xsum", {"train": splits}, tmp_path)
    with pytest.raises(DataError, match="mine: row 1 is no mapping: 'text'"):
        list(instances_of(["text"], FIELDS, name="mine"))
