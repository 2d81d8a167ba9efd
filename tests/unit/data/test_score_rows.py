"""Files of scores: one record, one reader and one writer, and rows that say what their values are."""

from __future__ import annotations

import gzip
import json
import os
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import pytest

from rubrica.data.jsonl import write_jsonl
from rubrica.data.measures import MeasureGroup
from rubrica.data.metrics import Metrics, MetricsDict
from rubrica.data.scores.rows import (
    holds_scores,
    read_metrics,
    read_score_rows,
    write_score_rows,
)
from rubrica.data.scores.writer import RowWriter
from rubrica.errors import DataError, MismatchError
from rubrica.metrics.base.measures import Measures
from support.full_disk import no_room_after

ROUGE = MeasureGroup("rouge", ("rouge-1",), range=(0.0, 100.0))
TER = MeasureGroup("ter", ("ter",), "lower", (0.0, None), sentence_level=True)
ROWS = [
    Metrics(
        str(n),
        "s",
        "peer",
        MetricsDict({"rouge-1": {"f1": float(n)}, "ter": 5.0}),
        ("rouge|v:1", "ter|v:1"),
        (ROUGE, TER),
        f"{n:016x}",
    )
    for n in range(2)
]


def test_a_metrics_row_without_a_field_says_which(tmp_path: Path) -> None:
    (tmp_path / "m.jsonl").write_text('{"instance_id":"1","summarizer_id":"s","metrics":{}}\n')
    with pytest.raises(DataError, match=r"m\.jsonl:1: .*summarizer_type.*found: instance_id"):
        list(read_metrics(tmp_path / "m.jsonl"))


def test_ids_of_rows_of_scores_may_be_integers(tmp_path: Path) -> None:
    row = {"instance_id": 1, "summarizer_id": 2, "summarizer_type": "peer", "metrics": {"m": 1}}
    write_jsonl(tmp_path / "x.jsonl", [row])
    assert [one.key for one in read_metrics(tmp_path / "x.jsonl")] == [("1", "2")]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"metrics": [1]}, "field 'metrics' must be an object, found a list"),
        ({"instance_id": None}, "field 'instance_id' must be a text, found null"),
        ({"summarizer_type": 5}, "field 'summarizer_type' must be a text, found a whole number"),
    ],
)
def test_rows_of_scores_that_do_not_fit_are_told(
    tmp_path: Path, change: dict[str, object], told: str
) -> None:
    row = {"instance_id": "1", "summarizer_id": "2", "summarizer_type": "peer", "metrics": {"m": 1}}
    write_jsonl(tmp_path / "x.jsonl", [row | change])
    with pytest.raises(DataError, match=rf"x\.jsonl:1: {told} \(found: instance_id"):
        list(read_metrics(tmp_path / "x.jsonl"))
    write_jsonl(tmp_path / "x.jsonl", [{"instance_id": "1", "metrics": {}}])
    with pytest.raises(
        DataError, match=r"x\.jsonl:1: no field 'summarizer_id' \(found: instance_id"
    ):
        list(read_metrics(tmp_path / "x.jsonl"))


def test_rows_stay_partial_until_finished(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl.gz"
    writer = RowWriter(path, run="a run")
    writer.write(ROWS[0])
    writer.close()
    assert not path.exists()
    resumed = RowWriter(path, run="a run", resume=True)
    assert list(resumed.finished_rows()) == [ROWS[0]]
    resumed.write(ROWS[1])
    resumed.finish()
    assert gzip.decompress(path.read_bytes()).splitlines() == [
        msgspec.json.encode(one) for one in ROWS
    ]
    assert os.listdir(tmp_path) == ["rows.jsonl.gz"]


def test_a_half_written_last_row_is_dropped(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    writer = RowWriter(path, run="a run")
    writer.write(ROWS[0])
    writer.close()
    with open(writer.partial, "ab") as stream:
        stream.write(b'{"a":"h\xc3')
    resumed = RowWriter(path, run="a run", resume=True)
    resumed.close()
    assert resumed.rows_finished == 1
    assert writer.partial.read_bytes() == msgspec.json.encode(ROWS[0]) + b"\n"


def test_a_disk_that_was_full_for_a_while_loses_no_row(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    writer = RowWriter(path, run="a run")
    # Checkpoints are longer than these rows, so that theirs is the file that finds no room.
    with no_room_after(100), suppress(OSError):
        for _ in range(20):
            writer.write_lines(b"{}\n")
            writer.flush()
    for _ in range(20):
        writer.write_lines(b"{}\n")
        writer.flush()
    written = writer.partial.read_bytes()
    writer.close()
    resumed = RowWriter(path, run="a run", resume=True)
    assert resumed.rows_finished == written.count(b"\n") > 20
    resumed.close()
    assert writer.partial.read_bytes() == written


def test_a_kill_while_a_run_is_resumed_loses_no_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "rows.jsonl"
    writer = RowWriter(path, run="a run")
    writer.write(ROWS[0])
    writer.close()
    before = (tmp_path / "rows.jsonl.partial.run").read_bytes()

    def kill(*_: object) -> None:
        raise SystemExit("killed")

    with monkeypatch.context() as patched:
        patched.setattr("rubrica.data.scores.writer.os.replace", kill)
        with pytest.raises(SystemExit):
            RowWriter(path, run="a run", resume=True)
    assert (tmp_path / "rows.jsonl.partial.run").read_bytes() == before
    resumed = RowWriter(path, run="a run", resume=True)
    assert list(resumed.finished_rows()) == [ROWS[0]]
    resumed.close()


def test_another_runs_rows_are_not_taken_up(tmp_path: Path) -> None:
    writer = RowWriter(tmp_path / "rows.jsonl", run="one run")
    writer.write(ROWS[0])
    writer.close()
    with pytest.raises(MismatchError, match=r"rows\.jsonl\.partial.*other metrics"):
        RowWriter(tmp_path / "rows.jsonl", run="another run", resume=True)


# What the one reader takes.


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.jsonl.gz", "rows.parquet", "rows.PARQUET"])
def test_every_format_gives_the_rows_back(name: str, tmp_path: Path) -> None:
    write_score_rows(tmp_path / name, iter(ROWS))
    assert list(read_score_rows(tmp_path / name, Metrics)) == [(1, ROWS[0]), (2, ROWS[1])]
    assert holds_scores(tmp_path / name)


def test_a_row_of_sacrerouge_is_enough_and_further_keys_are_skipped(tmp_path: Path) -> None:
    ids = {"instance_id": "1", "summarizer_id": "s", "summarizer_type": "peer"}
    write_jsonl(tmp_path / "x.jsonl", [{**ids, "metrics": {"m": [1, 2]}, "color": "blue"}])
    [row] = read_metrics(tmp_path / "x.jsonl")
    assert row == Metrics("1", "s", "peer", MetricsDict({"m": [1, 2]}))
    assert (
        msgspec.json.encode(row)
        == json.dumps({**ids, "metrics": {"m": [1, 2]}}, separators=(",", ":")).encode()
    )


def test_rows_share_what_they_have_in_common(tmp_path: Path) -> None:
    write_score_rows(tmp_path / "x.jsonl", ROWS)
    one, two = read_metrics(tmp_path / "x.jsonl")
    assert one.signatures is two.signatures
    assert one.measures is two.measures


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"signatures": "rouge"}, "field 'signatures' must be a list, found a text"),
        ({"measures": [{"names": ["m"]}]}, r"measures\[0\]: no field 'metric'"),
        ({"metrics": None}, "field 'metrics' must be an object, found null"),
    ],
)
def test_what_a_row_says_of_itself_must_fit(
    change: dict[str, Any], message: str, tmp_path: Path
) -> None:
    row = {"instance_id": "1", "summarizer_id": "s", "summarizer_type": "peer", "metrics": {"m": 1}}
    write_jsonl(tmp_path / "x.jsonl", [row | change])
    with pytest.raises(DataError, match=rf"x\.jsonl:1: {message}"):
        list(read_metrics(tmp_path / "x.jsonl"))


def test_summaries_are_not_scores(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    row = {"instance_id": "1", "summarizer_id": "s", "summarizer_type": "peer", "summary": "x"}
    write_jsonl(tmp_path / "x.jsonl", [row])
    parquet.write_table(pa.Table.from_pylist([row | {"words": 1}]), tmp_path / "x.parquet")
    (tmp_path / "empty.jsonl").write_text("")
    (tmp_path / "broken.parquet").write_text("x")
    for name in ("x.jsonl", "x.parquet", "empty.jsonl", "broken.parquet", "nowhere.jsonl"):
        assert not holds_scores(tmp_path / name), name
    with pytest.raises(DataError, match="rows of scores are needed, as rubrica METRIC score"):
        list(read_metrics(tmp_path / "x.jsonl"))


def test_parquet_of_other_programs_is_read_by_its_columns(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    cells = {"instance_id": 7, "summarizer_id": "s", "summarizer_type": "peer"}
    # `metrics.` stood before the names of tables of studies.
    cells |= {"relevance": 3, "metrics.rouge-1.f1": 5.5, "note": "x"}
    parquet.write_table(pa.Table.from_pylist([cells]), tmp_path / "x.parquet")
    [row] = read_metrics(tmp_path / "x.parquet")
    assert row == Metrics("7", "s", "peer", MetricsDict({"relevance": 3, "rouge-1": {"f1": 5.5}}))
    parquet.write_table(pa.Table.from_pylist([{"summarizer_id": "s"}]), tmp_path / "x.parquet")
    with pytest.raises(DataError, match="no column of numbers"):
        list(read_metrics(tmp_path / "x.parquet"))


# What measures are.


def with_measures(*groups: MeasureGroup) -> Metrics:
    return Metrics("1", "s", "peer", measures=groups)


def test_a_jackknifed_value_is_what_the_plain_value_is() -> None:
    known = Measures(ROWS)
    assert [known.group([name]) for name in ("ter", "ter_jk")] == [TER, TER]
    assert known.group(["rouge-1_jk", "f1"]) == ROUGE
    assert known.group(["terse"]) == MeasureGroup("", ("terse",))


def test_a_single_measure_may_differ_from_those_beside_it() -> None:
    groups = MeasureGroup("mine", ("j.score",)), MeasureGroup("mine", ("j.invalid",), "lower")
    known = Measures([with_measures(*groups)])
    assert [known.group(["j", name]) for name in ("score", "invalid")] == [*groups]
    assert known.group(["j", "sd"]).metric == ""


def test_opposite_directions_of_one_name_are_refused() -> None:
    with pytest.raises(MismatchError, match="'ter': lower is better by metric 'ter', higher by"):
        Measures([with_measures(TER), with_measures(MeasureGroup("mine", ("ter",)))])


def test_merged_rows_say_what_both_said() -> None:
    one, two = (Metrics(*ROWS[0].ids, MetricsDict({g.metric: 1.0}), (g.metric,), (g,), g.metric)
                for g in (ROUGE, TER))  # fmt: skip
    merged = one.merge(two)
    assert (merged.signatures, merged.measures) == (("rouge", "ter"), (ROUGE, TER))
    assert merged.digest == "", "they were made of other fields"
    assert one.merge(one) == one


def test_values_are_means_of_lists_without_what_is_undefined() -> None:
    metrics = MetricsDict({"a": {"b": [1, None, 3]}, "c": None, "d": 2, "e": [], "f": "text"})
    assert Metrics("1", "s", "peer", metrics).values() == {"a.b": 2.0, "d": 2.0}
