"""Files of scores joined into one table: what is merged, dropped, refused, and told."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rubrica.data import Metrics
from rubrica.data.metrics import MetricsDict
from rubrica.errors import DataError, MismatchError, UnknownNameError
from rubrica.meta import join_scores
from rubrica.meta.correlation.correlation import correlate_measures
from rubrica.meta.score_tables import score_table


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    def put(name: str, *rows: tuple[str, str, str, Any]) -> Path:
        path = tmp_path / name
        lines = [
            {"instance_id": i, "summarizer_id": s, "summarizer_type": t, "metrics": m}
            for i, s, t, m in rows
        ]
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        return path

    return put


def test_rows_of_one_summary_are_joined_deeply(write: Callable[..., Path]) -> None:
    a = write("a", ("d", "s", "peer", {"r": {"p": 1, "q": 2}}), ("d", "t", "peer", {"r": {"p": 2}}))
    b = write("b", ("d", "s", "peer", {"r": {"z": 3}}), ("d", "t", "peer", {"r": {"z": 4}}))
    table, report = join_scores([a, b], ["r_p", "r.z"])
    assert table.measures == ("r.p", "r.z")
    assert table.values.tolist() == [[[1, 3]], [[2, 4]]]
    assert (report.rows_read, report.merged, report.duplicates) == ({str(a): 2, str(b): 2}, 2, 0)
    assert (report.kept, report.systems, report.inputs) == (2, 2, 1)
    single = write("c", ("d", "s", "peer", {"h": 1}))
    read, merged, *_ = join_scores([a, single], ["r.p"])[1].lines()
    assert read == f"read 2 rows from {a}, 1 row from {single}"
    assert merged.startswith("1 row had the same summary")


def test_lists_count_as_their_mean_and_ids_are_sorted(write: Callable[..., Path]) -> None:
    a = write("a", ("d2", "t", "peer", {"h": [1, 2]}), ("d1", "s", "reference", {"h": 4}))
    table, report = join_scores([a], ["h"])
    assert (table.systems, table.inputs) == (("s", "t"), ("d1", "d2"))
    assert np.array_equal(table.matrix("h"), [[4, np.nan], [np.nan, 1.5]], equal_nan=True)
    assert report.absent_cells == 2


def test_what_is_dropped_is_counted_with_the_reason(write: Callable[..., Path]) -> None:
    a = write(
        "a",
        ("d", "s", "peer", {"h": 1, "m": 1}),
        ("d", "t", "peer", {"h": 1}),
        ("d", "u", "peer", {"h": 1, "m": None}),
        ("d", "v", "peer", {"h": [], "m": 1}),
        ("d", "A", "reference", {"h": 1, "m": 1}),
    )
    _, report = join_scores([a], ["h", "m"], "peer")
    assert report.dropped_type == {"reference": 1}
    assert report.dropped_missing == {"m": 2, "h": 1}
    told = report.lines()
    assert "dropped 2 of 5 summaries: no m" in told
    assert "dropped 1 of 5 summaries: of type 'reference'" in told


def test_repeated_rows_are_counted_and_conflicts_refused(write: Callable[..., Path]) -> None:
    row = ("d", "s", "peer", {"h": 1, "r": {"f": 0.5}})
    _, report = join_scores([write("a", row, row)], ["h"])
    assert (report.merged, report.duplicates) == (1, 1)
    a = write("a", ("d", "t", "peer", {"h": 1}), row)
    b = write("b", ("d", "s", "peer", {"x": 1}), ("d", "s", "peer", {"r": {"f": 0.6}}))
    with pytest.raises(MismatchError) as found:
        join_scores([a, b], ["h"])
    assert str(found.value) == (
        f"{b}:2: r.f of summary 's' of input 'd' is 0.6 here, but 0.5 in {a}:2"
    )
    c = write("c", ("d", "s", "reference", {"y": 1}))
    with pytest.raises(MismatchError, match=r"c:1: .* 'reference' here, but 'peer' in .*a:2"):
        join_scores([a, c], ["h"])
    e = write("e", ("d", "s", "peer", {"r": 3}))
    with pytest.raises(MismatchError, match="e:1"):
        join_scores([a, e], ["h"])


def test_names_that_fit_nothing_or_too_much(write: Callable[..., Path]) -> None:
    a = write(
        "a",
        (
            "d",
            "s",
            "peer",
            {
                "rouge-1": {"f1": 1, "p": 2},
                "units": {"x": 1, "y": 2},
                "a_b": {"c": 1},
                "a": {"b_c": 2},
            },
        ),
    )
    with pytest.raises(UnknownNameError, match=r"did you mean 'rouge-1\.f1'"):
        join_scores([a], ["rouge1_f2"])
    with pytest.raises(DataError, match=r"several measures; name one of units\.x, units\.y"):
        join_scores([a], ["units"])
    assert join_scores([a], ["rouge-1"])[0].values.item() == 1
    with pytest.raises(DataError, match="may mean any of"):
        join_scores([a], ["a_b_c"])


@pytest.mark.parametrize("value", ["high", [1, "x"], True and "1"])
def test_values_must_be_numbers(write: Callable[..., Path], value: Any) -> None:
    a = write("a", ("d", "s", "peer", {"h": value}))
    with pytest.raises(DataError, match=r"h of summary 's' of input 'd' in .*a:1 is not a number"):
        join_scores([a], ["h"])


def test_systems_with_identical_scores_are_named(write: Callable[..., Path]) -> None:
    rows = [(d, s, "peer", {"h": v}) for d in "12" for s, v in (("x", 1), ("y", 2), ("z", 1))]
    _, report = join_scores([write("a", *rows)], ["h"])
    assert report.identical_systems == [["x", "z"]]
    assert "systems with identical scores: x, z" in report.lines()


def test_summaries_that_have_only_a_jackknifed_value_are_told(write: Callable[..., Path]) -> None:
    a = write(
        "a",
        ("d", "s", "peer", {"h": 1, "r": {"f": 1}, "r_jk": {"f": 2}}),
        ("d", "A", "reference", {"h": 1, "r_jk": {"f": 2}}),
        ("d", "B", "reference", {"r": {"f": 1}}),
    )
    _, report = join_scores([a], ["r.f", "h"])
    told = report.lines()
    assert "dropped 1 of 3 summaries: no r.f (only its jackknifed value, _jk)" in told
    assert "dropped 1 of 3 summaries: no h" in told


def test_files_without_rows_are_told(tmp_path: Path) -> None:
    (tmp_path / "empty").write_text("\n")
    with pytest.raises(DataError, match=r"no rows of scores in .*empty"):
        join_scores([tmp_path / "empty"], ["h"])


def _long(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [
        {"id": row["id"], "system": row["system"], "metric": name, "score": row[name]}
        for row in rows
        for name in ("rouge", "relevance")
    ]


def test_tables_of_scores_in_memory_give_what_their_file_gives(tmp_path: Path) -> None:
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    rows = [
        {"id": f"d{i}", "system": f"s{s}", "rouge": (s * 7 + i * 3) % 11, "relevance": s + i % 2}
        for s in range(4)
        for i in range(5)
    ]
    file = tmp_path / "scores.csv"
    pandas.DataFrame(rows).to_csv(file, index=False)
    expected = correlate_measures(file, "rouge", "relevance", "system")
    assert expected.n == 4
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    for table in (
        pandas.DataFrame(rows),
        polars.DataFrame(rows),
        polars.DataFrame(rows).to_arrow(),
        rows,
        columns,
        _long(rows),
        pandas.DataFrame(_long(rows)).sample(frac=1, random_state=1),
        [pandas.DataFrame(rows).drop(columns="rouge"), pandas.DataFrame(rows[::-1])],
    ):
        found = correlate_measures(table, "rouge", "relevance", "system")
        assert found == expected
        assert str(found.signature) == str(expected.signature)


def test_summaries_by_people_are_left_out_unless_asked_for() -> None:
    rows = [
        Metrics(str(i), f"s{s}", kind, MetricsDict({"rouge": s * i, "relevance": s + i}))
        for s, kind in enumerate(["peer", "peer", "peer", "reference"])
        for i in range(3)
    ]
    assert correlate_measures(rows, "rouge", "relevance", "system").n == 3
    everyone = correlate_measures(rows, "rouge", "relevance", "system", summarizer_type="all")
    assert everyone.n == 4
    with pytest.raises(DataError, match="no rows of scores of summaries of type 'reference'"):
        correlate_measures(rows[:9], "rouge", "relevance", summarizer_type="reference")


def test_a_cell_that_is_no_number_is_an_error_and_hides_no_column(tmp_path: Path) -> None:
    file = tmp_path / "scores.csv"
    file.write_text("id,system,rouge,note\n1,a,0.1,x\n2,a,0.2,y\n3,a,O.3,7\n", "utf-8")
    with pytest.raises(
        DataError, match=r"scores\.csv:4: column 'rouge' holds numbers, but here 'O\.3'"
    ):
        score_table(file)
    file.write_text("id,system,rouge,note\n1,a,0.1,x\n2,a,n/a,y\n3,a,0.3,7\n", "utf-8")
    assert score_table(file).measures == ("rouge",)
