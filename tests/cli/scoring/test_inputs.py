"""One input layer: the same summaries in every shape give the same scores in every command and in Python."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import rubrica as library
from rubrica.errors import DataError, MismatchError, ParameterError, UsageError
from support.reader_samples import workbook

ROWS = [
    {
        "id": "1",
        "article": "a cat sat on it",
        "prediction": "the cat sat",
        "highlights": "a cat sat",
    },
    {
        "id": "2",
        "article": "dogs do bark",
        "prediction": "a dog barks",
        "highlights": "dogs do bark",
    },
    {
        "id": "3",
        "article": "it rains here",
        "prediction": "it rains",
        "highlights": "it rains here",
    },
]
SCHEMA = [
    {
        "instance_id": row["id"],
        "summarizer_id": "system",
        "summarizer_type": "peer",
        "summary": row["prediction"],
        "reference": row["highlights"],
    }
    for row in ROWS
]
WIDE = [
    {
        "id": row["id"],
        "highlights": row["highlights"],
        "bart": row["prediction"],
        "t5": f"{row['highlights']} now",
    }
    for row in ROWS
]


def _jsonl(path: Path, rows: list[Any]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def _delimited(path: Path, rows: list[Any]) -> None:
    with path.open("w", newline="") as stream:
        writer = csv.DictWriter(stream, rows[0], delimiter="\t" if path.suffix == ".tsv" else ",")
        writer.writeheader()
        writer.writerows(rows)


def _parquet(path: Path, rows: list[Any]) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    parquet.write_table(pyarrow.Table.from_pylist(rows), path)


def _arrow(path: Path, rows: list[Any]) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.Table.from_pylist(rows)
    with (
        pyarrow.OSFile(str(path), "wb") as sink,
        pyarrow.ipc.new_file(sink, table.schema) as writer,
    ):
        writer.write_table(table)


def _feather(path: Path, rows: list[Any]) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import feather

    feather.write_feather(pyarrow.Table.from_pylist(rows), str(path))


def _columns(rows: list[Any]) -> dict[str, list[Any]]:
    return {name: [row[name] for row in rows] for name in rows[0]}


def _json(change: Callable[[list[Any]], Any]) -> Callable[[Path, list[Any]], None]:
    def write(path: Path, rows: list[Any]) -> None:
        path.write_text(json.dumps(change(rows), indent=None if path.suffix == ".jsonl" else 1))

    return write


def _by_id(rows: list[Any]) -> dict[str, Any]:
    return {row["id"]: {name: row[name] for name in row if name != "id"} for row in rows}


def _by_number(rows: list[Any]) -> dict[str, Any]:
    """As pandas' `to_json` writes a frame."""
    return {name: {str(at): row[name] for at, row in enumerate(rows)} for name in rows[0]}


def _semicolons(path: Path, rows: list[Any]) -> None:
    lines = [";".join(row.values()) for row in rows]
    path.write_text("\n".join([";".join(rows[0]), *lines, ""]))


def _workbook(path: Path, rows: list[Any]) -> None:
    path.write_bytes(workbook(*rows))


def _split(rows: list[Any]) -> dict[str, Any]:
    """As pandas writes a frame with `orient="split"`."""
    cells = [list(row.values()) for row in rows]
    return {"columns": list(rows[0]), "index": list(range(len(rows))), "data": cells}


SHAPES: dict[str, Callable[[Path, list[Any]], None]] = {
    "numbered.json": _json(_by_number),
    "semicolons.csv": _semicolons,
    "system.xlsx": _workbook,
    "system.jsonl": _jsonl,
    "system.json": _json(list),
    "columns.json": _json(_columns),
    "by-id.json": _json(_by_id),
    "split.json": _json(_split),
    "nested.json": _json(lambda rows: {"data": rows}),
    "lines.json": _jsonl,
    "list.jsonl": _json(list),
    "system.csv": _delimited,
    "system.tsv": _delimited,
    "system.parquet": _parquet,
    "system.arrow": _arrow,
    "system.feather": _feather,
}


def _numbers(value: Any) -> list[float]:
    if isinstance(value, dict):
        return [number for inner in value.values() for number in _numbers(inner)]
    return [value] if isinstance(value, (int, float)) else []


@pytest.fixture
def expected(tmp_path: Path, rubrica: Any) -> Any:
    path = tmp_path / "schema.jsonl"
    _jsonl(path, SCHEMA)
    answer = rubrica("chrf", "evaluate", "-f", "json", "--input-files", path)
    assert answer.code == 0, answer.err
    assert "summary=" not in answer.err
    return next(iter(json.loads(answer.out)["systems"].values()))


@pytest.mark.parametrize("name", SHAPES)
def test_every_shape_of_file_gives_the_same_scores_in_every_command(
    name: str, tmp_path: Path, rubrica: Any, expected: Any
) -> None:
    path = tmp_path / name
    SHAPES[name](path, ROWS)
    for words in (
        ("chrf", "evaluate", "-f", "json", "--input-files", path),
        ("evaluate", "-m", "chrf", path, "-f", "json"),
        ("compare", path, "-m", "chrf", "-f", "json"),
    ):
        answer = rubrica(*words)
        assert answer.code == 0, answer.err
        result = json.loads(answer.out)
        systems = result["systems"] if "systems" in result else result["evaluation"]["systems"]
        assert list(systems) == [path.stem]
        assert _numbers(systems[path.stem]) == _numbers(expected), words
        recognised = [line for line in answer.err.splitlines() if "summary=prediction" in line]
        assert len(recognised) == 1
        assert "references=highlights" in recognised[0]


@pytest.mark.parametrize("name", ["wide.csv", "wide.jsonl", "wide.json", "wide.parquet"])
def test_a_column_per_system_is_compared(name: str, tmp_path: Path, rubrica: Any) -> None:
    path = tmp_path / name
    SHAPES[f"system{path.suffix}"](path, WIDE)
    automatic = rubrica("compare", path, "-m", "chrf", "-f", "csv")
    assert automatic.code == 0, automatic.err
    assert "systems bart=bart t5=t5" in automatic.err
    words = ("compare", path, "-m", "chrf", "-f", "csv", "--systems")
    assert rubrica(*words, "bart=bart", "t5=t5").out == automatic.out
    assert rubrica(*words, "bart", "t5").out == automatic.out
    renamed = rubrica(*words, "B=t5", "T=bart").out
    assert [line.partition(",")[0] for line in renamed.splitlines()[1:3]] == ["B", "T"]


def test_fields_are_mapped_in_every_command(tmp_path: Path, rubrica: Any) -> None:
    path = tmp_path / "odd.jsonl"
    _jsonl(path, [{"k": row["id"], "x": row["prediction"], "y": row["highlights"]} for row in ROWS])
    fields = ("--fields", "instance_id=k", "summary=x", "references=y")
    store = tmp_path / "store.jsonl"
    for words in (
        ("chrf", "evaluate", "--input-files", path, *fields),
        ("chrf", "score", tmp_path / "o.jsonl", "--input-files", path, *fields),
        ("evaluate", "-m", "chrf", path, *fields),
        ("score", path, "-m", "chrf", "-o", tmp_path / "o2.jsonl", *fields),
        ("compare", "-m", "chrf", *fields, path),
        ("gate", path, *fields, "--baseline", store, "--measures", "chrf", "--save"),
        ("report", "rouge", path, *fields, "-o", tmp_path / "page.html"),
    ):
        assert rubrica(*words).code == 0, words
    assert "--fields summary=" in rubrica("compare", path, "-m", "chrf").err


def test_files_after_the_metrics_are_files(tmp_path: Path, rubrica: Any) -> None:
    path = tmp_path / "system.jsonl"
    _jsonl(path, ROWS)
    words = ("-f", "json", "-q")
    after = rubrica("evaluate", "-m", "chrf", "ter", path, *words)
    assert after.out == rubrica("evaluate", path, "-m", "chrf", "ter", *words).out
    assert after.code == 0
    missing = rubrica("evaluate", "-m", "chrf", tmp_path / "no.jsonl")
    assert missing.code == 1
    assert "no.jsonl" in missing.err


def test_evaluate_and_score_without_configuration_say_what_is_missing(rubrica: Any) -> None:
    for task in ("evaluate", "score"):
        answer = rubrica(task)
        assert answer.code == 2
        assert f"rubrica {task} FILE -m rouge chrf" in answer.err


def test_a_table_has_no_references_in_other_files(tmp_path: Path, rubrica: Any) -> None:
    path = tmp_path / "system.csv"
    _delimited(path, ROWS)
    answer = rubrica("compare", "-m", "chrf", path, "-r", path)
    assert answer.code == 2
    assert "-r is for texts per line" in answer.err


def _pandas(rows: list[Any]) -> Any:
    return pytest.importorskip("pandas").DataFrame(rows)


def _polars(rows: list[Any]) -> Any:
    return pytest.importorskip("polars").DataFrame(rows)


def _table(rows: list[Any]) -> Any:
    return pytest.importorskip("pyarrow").Table.from_pylist(rows)


def _dataset(rows: list[Any]) -> Any:
    return pytest.importorskip("datasets", minversion="3").Dataset.from_list(rows)


def _lazy(rows: list[Any]) -> Any:
    return _polars(rows).lazy()


def _batch(rows: list[Any]) -> Any:
    return _table(rows).combine_chunks().to_batches()[0]


def _reader(rows: list[Any]) -> Any:
    return _table(rows).to_reader()


def _streamed_dataset(rows: list[Any]) -> Any:
    return _dataset(rows).to_iterable_dataset()


OBJECTS: dict[str, Callable[[list[Any]], Any]] = {
    "tuple": tuple,
    "iterator": iter,
    "polars-lazy": _lazy,
    "arrow-batch": _batch,
    "arrow-reader": _reader,
    "datasets-streamed": _streamed_dataset,
    "list": list,
    "dict": _columns,
    "pandas": _pandas,
    "polars": _polars,
    "arrow": _table,
    "datasets": _dataset,
}


@pytest.mark.parametrize("kind", OBJECTS)
def test_tables_in_memory_are_evaluated_scored_and_compared(kind: str, expected: Any) -> None:
    evaluation, rows = library.evaluate(OBJECTS[kind](ROWS), ["chrf"], workers=1)
    assert [row.instance_id for row in rows] == ["1", "2", "3"]
    assert _numbers(evaluation.to_dict()["systems"]["system"]) == _numbers(expected)
    assert len(library.score(OBJECTS[kind](ROWS), ["chrf"], workers=1)) == 3
    comparison = library.compare(OBJECTS[kind](WIDE), metrics=["chrf"], workers=1)
    assert list(comparison.evaluation.systems) == ["bart", "t5"]


def test_a_system_that_is_empty_in_the_first_row_is_not_left_out_silently(
    tmp_path: Path, rubrica: Any
) -> None:
    path = tmp_path / "wide.csv"
    _delimited(path, [{**WIDE[0], "t5": ""}, *WIDE[1:]])
    answer = rubrica("compare", path, "-m", "chrf")
    assert "left out, since empty in the first row: t5; if these are systems" in answer.err
    assert "--systems NAME=COLUMN" in answer.err


ODD = [
    {"nr": row["id"], "gold text": row["highlights"], "x": row["bart"], "y": row["t5"]}
    for row in WIDE
]


def test_functions_take_the_columns_that_their_errors_ask_for() -> None:
    fields = {"instance_id": "nr", "references": "gold text"}
    columns: Any = {"fields": fields, "systems": {"bart": "x", "t5": "y"}}
    with pytest.raises(DataError, match=r"`fields=.*`systems="):
        library.compare(ODD, metrics=["chrf"])
    expected = library.compare(WIDE, metrics=["chrf"], workers=1)
    assert str(library.compare(ODD, metrics=["chrf"], workers=1, **columns)) == str(expected)
    evaluation, _ = library.evaluate(ODD, ["chrf"], workers=1, **columns)
    assert list(evaluation.systems) == ["bart", "t5"]
    assert len(library.score(ODD, ["chrf"], workers=1, **columns)) == 6


def test_metrics_in_the_place_of_references_are_an_error_and_not_ignored() -> None:
    with pytest.raises(ParameterError, match=r"metrics are the third argument, or metrics="):
        library.compare(WIDE, ["chrf"])


def test_compare_takes_series_and_summaries_by_the_keyword_systems() -> None:
    frame = _pandas(WIDE)
    texts = {"bart": frame.bart, "t5": frame.t5}
    lists = {name: list(column) for name, column in texts.items()}
    expected = str(library.compare(lists, list(frame.highlights), ["chrf"], workers=1))
    assert str(library.compare(texts, frame.highlights, ["chrf"], workers=1)) == expected
    by_keyword = library.compare(
        systems=lists, references=list(frame.highlights), metrics=["chrf"], workers=1
    )
    assert str(by_keyword) == expected


def test_the_baseline_of_a_comparison_is_an_argument() -> None:
    chosen = library.compare(LONG, metrics=["chrf"], baseline="t5", workers=1)
    assert "t5 (baseline)" in str(chosen)
    assert str(chosen) == str(
        library.compare(LONG, metrics=["chrf"], plan=library.TestPlan(baseline="t5"), workers=1)
    )


def test_systems_that_are_values_and_not_columns_get_a_hint(tmp_path: Path, rubrica: Any) -> None:
    path = tmp_path / "long.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in LONG))
    answer = rubrica("compare", path, "-m", "chrf", "--systems", "bart", "t5")
    assert answer.code == 1
    assert "no column 'bart'" in answer.err
    assert (
        "--systems bart=COLUMN names a column of summaries, not a value in a column" in answer.err
    )


def test_a_log_of_inspect_has_no_summaries_to_score(tmp_path: Path, rubrica: Any) -> None:
    path = tmp_path / "a.eval"
    path.write_bytes(b"PK\x03\x04")
    answer = rubrica("evaluate", path, "-m", "chrf")
    assert answer.code == 2
    assert "is a log of Inspect: scores, which `rubrica compare` takes" in answer.err


def test_the_splits_of_a_dataset_are_not_taken_for_systems() -> None:
    splits = {"train": _dataset(WIDE), "test": _dataset(WIDE)}
    for call in (library.compare, library.evaluate):
        with pytest.raises(ParameterError, match=r"several tables \(found: train, test\)"):
            call(splits, metrics=["chrf"])


def test_read_takes_paths_and_options(tmp_path: Path) -> None:
    path = tmp_path / "wide.csv"
    _delimited(path, WIDE)
    instances = list(library.read(path, systems={"B": "bart"}))
    assert {instance.summarizer_id for instance in instances} == {"B"}
    evaluation, _ = library.evaluate(str(path), ["chrf"], workers=1)
    assert list(evaluation.systems) == ["bart", "t5"]
    with pytest.raises(UsageError, match="it is an option of csv"):
        library.read(path, reader="jsonl", delimiter=";")


def test_a_row_that_lacks_a_value_names_its_place() -> None:
    rows = [*ROWS, {**ROWS[0], "id": "4", "prediction": None}]
    with pytest.raises(DataError, match="data:4: column 'prediction' is null"):
        library.read(rows)


def test_ids_inside_the_rows_of_an_object_count_more_than_its_keys(tmp_path: Path) -> None:
    path = tmp_path / "by-number.json"
    rows = {str(at): {"doc_id": f"d{at}", **row} for at, row in enumerate(SCHEMA)}
    for row in rows.values():
        del row["instance_id"]
    path.write_text(json.dumps(rows))
    assert [instance.instance_id for instance in library.read(path)] == ["d0", "d1", "d2"]


LONG = [
    {"model": system, "doc_id": row["id"], "ref": row["highlights"], "answer": row[system]}
    for row in WIDE
    for system in ("bart", "t5")
]


def test_the_only_text_beside_a_column_of_systems_is_the_summary() -> None:
    expected = library.compare(WIDE, metrics=["chrf"], workers=1)
    assert str(library.compare(LONG, metrics=["chrf"], workers=1)) == str(expected)


def test_several_texts_beside_a_column_of_systems_are_an_error() -> None:
    rows = [{**row, "comment": "this one is fine"} for row in LONG]
    with pytest.raises(DataError, match=r"answer, comment could all be the summary"):
        library.read(rows)


def test_numbered_rows_of_several_systems_ask_for_the_column_of_ids() -> None:
    rows = [{name: row[name] for name in row if name != "doc_id"} for row in LONG]
    with pytest.raises(MismatchError, match=r"`fields=\{\"instance_id\": \"COLUMN\"\}`"):
        library.compare(rows, metrics=["chrf"], workers=1)


def test_a_list_of_texts_says_what_rows_are(tmp_path: Path, rubrica: Any) -> None:
    path = tmp_path / "texts.json"
    path.write_text(json.dumps(["a cat sat", "dogs bark"]))
    answer = rubrica("evaluate", path, "-m", "chrf")
    assert answer.code == 1
    assert "a list of texts; write one text per line to a .txt file" in answer.err


def test_a_named_index_of_a_frame_is_a_column() -> None:
    frame = _pandas(ROWS).set_index("id")
    frame.index = "d" + frame.index
    assert [instance.instance_id for instance in library.read(frame)] == ["d1", "d2", "d3"]


def test_other_objects_are_an_error_that_lists_what_is_read() -> None:
    for data in ([1, 2], _pandas(ROWS).to_records()):
        with pytest.raises(ParameterError, match="pass a path, a data frame, dicts"):
            library.evaluate(data, ["chrf"])
