"""Rows of scores that are written are read as they were, in every format and whatever their values are."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rubrica.comparison.baseline import StoredRow
from rubrica.data.measures import MeasureGroup
from rubrica.data.metrics import Metrics, MetricsDict
from rubrica.data.scores.rows import read_score_rows, write_score_rows
from rubrica.study.rows import StudyRow

text = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)
number = st.floats(allow_nan=False, allow_infinity=False)
key = st.sampled_from(["rouge-1", "rouge-w-1.2", "ter", "ü", "a_b", "_"])
group = st.builds(
    MeasureGroup,
    st.sampled_from(["rouge", "ter", "mine:Metric"]),
    st.lists(key, min_size=1, max_size=3, unique=True).map(tuple),
    st.just("lower"),
    st.tuples(st.one_of(st.none(), number), st.one_of(st.none(), number)),
    st.booleans(),
)
groups = st.lists(group, max_size=3, unique_by=lambda one: one.metric).map(tuple)


def rows_with(value: st.SearchStrategy[object]) -> st.SearchStrategy[list[Metrics]]:
    nested = st.dictionaries(st.sampled_from(["f1", "recall", "p.q"]), value, min_size=1)
    metrics = st.dictionaries(key, st.one_of(value, nested), max_size=4)
    return st.lists(
        st.builds(
            Metrics,
            text,
            text,
            st.sampled_from(["peer", "reference"]),
            metrics.map(MetricsDict),
            st.lists(text, max_size=2).map(tuple),
            groups,
            st.one_of(st.just(""), text),
        ),
        max_size=5,
    )


def again(rows: list[Metrics], name: str) -> list[Metrics]:
    with TemporaryDirectory() as folder:
        path = Path(folder) / name
        write_score_rows(path, rows)
        return [row for _, row in read_score_rows(path, Metrics)]


@given(rows_with(st.one_of(number, st.none(), st.lists(number, max_size=3))))
def test_json_lines_give_rows_back(rows: list[Metrics]) -> None:
    assert again(rows, "rows.jsonl") == rows


@given(rows_with(number))
def test_parquet_gives_ids_and_values_back(rows: list[Metrics]) -> None:
    pytest.importorskip("pyarrow")
    found = again(rows, "rows.parquet")
    assert [(row.ids, row.digest) for row in found] == [(row.ids, row.digest) for row in rows]
    assert [row.metrics for row in found] == [row.metrics for row in rows]
    for row in found:
        assert set(row.signatures) == {line for one in rows for line in one.signatures}


@given(rows_with(number), groups, st.lists(text, max_size=2, unique=True).map(tuple))
def test_parquet_gives_rows_back_that_say_the_same(
    rows: list[Metrics], measures: tuple[MeasureGroup, ...], signatures: tuple[str, ...]
) -> None:
    pytest.importorskip("pyarrow")
    names = [name for one in measures for name in one.names]
    if len(names) > len(set(names)):
        return
    for row in rows:
        row.measures, row.signatures = measures, signatures
    assert again(rows, "rows.parquet") == rows


@given(text, st.dictionaries(text, st.lists(number, max_size=3), max_size=2))
def test_further_fields_of_stored_rows_are_kept(
    context: str, statistics: dict[str, list[float]]
) -> None:
    row = StoredRow("d", "s", "peer", context=context, statistics=statistics)
    with TemporaryDirectory() as folder:
        write_score_rows(Path(folder) / "x.jsonl", [row])
        [(_, found)] = read_score_rows(Path(folder) / "x.jsonl", StoredRow)
        [(_, plain)] = read_score_rows(Path(folder) / "x.jsonl", Metrics)
    assert found == row
    assert plain == Metrics("d", "s", "peer")


@given(st.lists(text, max_size=3), text, st.sampled_from(["x.jsonl", "x.parquet"]))
def test_texts_of_a_study_are_kept(summary: list[str], origin: str, name: str) -> None:
    pytest.importorskip("pyarrow")
    metrics = MetricsDict({"m": 1.0})
    references = [summary, ["a", "b"]]
    row = StudyRow("d", "s", "peer", metrics, summary=summary, references=references, origin=origin)
    with TemporaryDirectory() as folder:
        write_score_rows(Path(folder) / name, [row, row])
        found = [one for _, one in read_score_rows(Path(folder) / name, StudyRow)]
    if not summary and name == "x.parquet":
        # A column that is empty in all rows is not written.
        row.summary = None
    assert found == [row, row]
