"""`rubrica open` reads what `evaluate` and `compare` read, says what it recognised, and follows a run."""

from __future__ import annotations

import csv
import json
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from rubrica.datasets.open import reader_for
from rubrica.errors import DataError
from rubrica.serve.viewer import library as viewer_library
from rubrica.serve.viewer.library import Library, files_to_open
from rubrica.serve.viewer.sample import read_sample

ROWS = [
    {"id": "a", "model": "bart", "output": "one two three", "target": "two", "topic": "sport", "quality": 3.5},
    {"id": "b", "model": "bart", "output": "four five six", "target": "five", "topic": "city", "quality": 2},
]  # fmt: skip


def write_csv(path: Path, rows: Sequence[dict[str, Any]], delimiter: str = ",") -> None:
    with open(path, "w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, list(rows[0]), delimiter=delimiter)
        writer.writeheader()
        writer.writerows(rows)


def write_jsonl(path: Path, rows: Sequence[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def write_arrow(path: Path, rows: Sequence[dict[str, Any]]) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import feather, parquet

    table = pyarrow.Table.from_pylist(rows)
    parquet.write_table(table, path) if path.suffix == ".parquet" else feather.write_feather(
        table, path
    )


WRITERS: dict[str, Callable[[Path, Sequence[dict[str, Any]]], object]] = {
    "x.csv": write_csv,
    "x.tsv": lambda path, rows: write_csv(path, rows, "\t"),
    "x.jsonl": write_jsonl,
    "x.json": lambda path, rows: path.write_text(json.dumps(rows)),
    "x.parquet": write_arrow,
    "x.arrow": write_arrow,
}


@pytest.mark.parametrize("name", WRITERS)
def test_every_table_of_summaries_is_read(name: str, tmp_path: Path) -> None:
    WRITERS[name](tmp_path / name, ROWS)
    library = Library(str(tmp_path))
    file = library.open(str(tmp_path / name))
    assert (file.kind, file.rows, file.state) == ("summaries", 2, "read")
    assert file.note == ("instance_id=id summarizer_id=model references=target summary=output")
    sample = read_sample(library, {"input": "a"})["summaries"][0]
    assert (sample["system"], sample["summary"]) == ("bart", "one two three")
    assert (sample["references"], sample["scores"]) == (["two"], {"quality": 3.5})
    assert sample["fields"] == {"topic": "sport"}
    assert library.query.rows("topic=city quality<3").tolist() == [1]


def test_a_column_per_system_gives_a_row_per_system(tmp_path: Path) -> None:
    rows = [{"id": "a", "reference": "x", "year": 1999, "t5_summary": "one", "bart_summary": "two"}]
    write_csv(tmp_path / "wide.csv", rows)
    library = Library(str(tmp_path))
    assert library.open(str(tmp_path / "wide.csv")).note.endswith(
        "systems t5=t5_summary bart=bart_summary"
    )
    assert [library.table.ids(row)[1] for row in range(2)] == ["t5", "bart"]
    assert library.table.scores == {}


def test_texts_per_line_have_the_references_that_the_command_names(tmp_path: Path) -> None:
    (tmp_path / "bart.txt").write_text("one\ntwo\n")
    (tmp_path / "gold.txt").write_text("uno\ndos\n")
    options = {"references": [str(tmp_path / "gold.txt")]}
    library = Library(str(tmp_path), lambda path: reader_for([path], (), None, options))
    library.open(str(tmp_path / "bart.txt"))
    assert library.table.context("references", 1) == ["dos"]
    assert library.table.ids(1) == ("2", "bart", "peer")


@pytest.mark.parametrize("order", [("texts.csv", "scores.csv"), ("scores.csv", "texts.csv")])
def test_scores_join_their_texts_by_id(order: tuple[str, str], tmp_path: Path) -> None:
    write_csv(tmp_path / "texts.csv", [{"id": "a", "summary": "one two", "rating": 4}])
    write_csv(tmp_path / "scores.csv", [{"id": "a", "bleu": 12.5}])
    library = Library(str(tmp_path))
    library.open(str(tmp_path / order[0]))
    assert "joined by id" in library.open(str(tmp_path / order[1])).note
    summaries = read_sample(library, {"input": "a"})["summaries"]
    assert [summary["scores"] for summary in summaries] == [{"rating": 4.0, "bleu": 12.5}]
    assert summaries[0]["summary"] == "one two"


def test_files_of_two_systems_stay_two_systems(tmp_path: Path) -> None:
    for name in ("t5.csv", "bart.csv"):
        write_csv(tmp_path / name, [{"id": "a", "bleu": 1.0}])
    library = Library(str(tmp_path))
    for name in ("t5.csv", "bart.csv"):
        library.open(str(tmp_path / name))
    assert library.table.systems.names == ["t5", "bart"]


def test_documents_belong_to_all_summaries_of_an_input(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "sums.jsonl", ROWS)
    documents = [{"id": "a", "title": "A title of words", "document": ["First.", "Second."]}]
    write_jsonl(tmp_path / "documents.jsonl", documents)
    library = Library(str(tmp_path))
    library.open(str(tmp_path / "sums.jsonl"))
    assert library.open(str(tmp_path / "documents.jsonl")).kind == "texts of inputs"
    assert read_sample(library, {"input": "a"})["documents"] == [["First.", "Second."]]
    assert library.query.rows("document:second").tolist() == [0]


def test_a_log_of_a_harness_is_read_for_its_scores(tmp_path: Path) -> None:
    sample = {"doc_id": 3, "doc": {}, "target": "x", "arguments": [], "resps": [],
              "filtered_resps": ["x"], "filter": "none", "metrics": ["acc"], "acc": 1.0}  # fmt: skip
    write_jsonl(tmp_path / "samples_task_2026-01-01T00-00-00.jsonl", [sample])
    library = Library(str(tmp_path))
    file = library.open(str(tmp_path / "samples_task_2026-01-01T00-00-00.jsonl"))
    assert (file.kind, file.rows) == ("scores", 1)
    assert list(library.table.scores) == ["acc"]


def lm_eval_log(arguments: Any, target: Any) -> str:
    sample = {"doc_id": "a", "doc": {}, "target": target, "arguments": arguments, "resps": [["It rained."]],
              "filtered_resps": ["It rained."], "filter": "none", "metrics": ["f"], "f": 1.0}  # fmt: skip
    return json.dumps(sample) + "\n"


def inspect_log(output: Any, asked: Any, target: Any) -> str:
    sample = {"id": "a", "epoch": 1, "input": asked, "target": target, "output": output,
              "scores": {"f": {"value": 1.0}}}  # fmt: skip
    return json.dumps({"eval": {"model": "m"}, "status": "success", "samples": [sample]})


ANSWER = {"choices": [{"message": {"role": "assistant", "content": "It rained."}}]}
PARTS = [{"type": "reasoning", "reasoning": "Hm."}, {"type": "text", "text": "It rained."}]
DIALOGUE = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": [{"type": "text", "text": "Rain fell all day."}]},
]
LOGS = {
    "lm-eval.jsonl": lm_eval_log({"gen_args_0": {"arg_0": "Rain fell all day."}}, "Rain."),
    "older lm-eval.jsonl": lm_eval_log([["Rain fell all day.", {"until": []}]], ["Rain."]),
    "inspect.json": inspect_log({"completion": "It rained."}, "Rain fell all day.", "Rain."),
    "inspect dialogue.json": inspect_log(ANSWER, DIALOGUE, ["Rain."]),
    "inspect parts.json": inspect_log(
        {"choices": [{"message": {"role": "assistant", "content": PARTS}}]}, DIALOGUE, ["Rain."]
    ),
}


@pytest.mark.parametrize("name", LOGS)
def test_a_log_of_a_harness_has_the_texts_of_its_samples(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(LOGS[name])
    library = Library(str(tmp_path))
    library.open(str(tmp_path / name))
    sample = read_sample(library, {"input": "a"})
    (summary,) = sample["summaries"]
    assert (summary["summary"], summary["references"]) == ("It rained.", ["Rain."])
    assert (sample["documents"], summary["scores"]) == (["Rain fell all day."], {"f": 1.0})
    assert library.query.rows("document:fell summary:rained").tolist() == [0]


@pytest.mark.parametrize(
    ("answers", "arguments", "target"),
    [([[-1.5, False]], {}, 1), ([], [], None), (["A"], [["Q"]], {}), (["A"], "?", [1])],
)
def test_a_log_without_texts_has_scores(
    answers: Any, arguments: Any, target: Any, tmp_path: Path
) -> None:
    sample = {"doc_id": 3, "doc": {}, "target": target, "arguments": arguments,
              "filtered_resps": answers, "metrics": ["acc"], "acc": 1.0}  # fmt: skip
    write_jsonl(tmp_path / "samples.jsonl", [sample])
    library = Library(str(tmp_path))
    assert library.open(str(tmp_path / "samples.jsonl")).state == "read"
    assert read_sample(library, {"input": "3"})["summaries"][0]["scores"] == {"acc": 1.0}


def test_a_folder_gives_its_tables_and_not_its_other_files(tmp_path: Path) -> None:
    for name in ("b.csv", "a.jsonl", "README.txt", ".hidden.csv", "run.jsonl.partial"):
        (tmp_path / name).write_text("")
    found = [Path(path).name for path, named in files_to_open([str(tmp_path)]) if not named]
    assert found == ["a.jsonl", "b.csv", "run.jsonl.partial"]


def scored(number: int) -> str:
    row = {"instance_id": f"d{number}", "summarizer_id": "s", "summarizer_type": "peer"}
    return json.dumps(row | {"metrics": {"m": number}}) + "\n"


def test_a_running_evaluation_is_followed_to_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(viewer_library, "_FOLLOW_SECONDS", 0.01)
    partial = tmp_path / "scores.jsonl.partial"
    partial.write_text(scored(1) + scored(2)[:20])
    library = Library(str(tmp_path))
    # The output is named; only its unfinished file exists.
    file = library.open(str(tmp_path / "scores.jsonl"))
    assert (file.rows, file.state) == (1, "growing")
    with open(partial, "a") as stream:
        stream.write(scored(2)[20:] + scored(3))
    partial.rename(tmp_path / "scores.jsonl")
    for thread in library._following:
        thread.join()
    assert (file.rows, file.state, file.note) == (3, "read", "the run has finished")
    assert file.name == str(tmp_path / "scores.jsonl")
    assert library.table.column("m").tolist() == [1.0, 2.0, 3.0]


def test_rows_beyond_the_first_are_read_in_the_background(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(viewer_library, "FIRST_ROWS", 2)
    (tmp_path / "scores.jsonl").write_text("".join(map(scored, range(5))) + "{broken\n")
    library = Library(str(tmp_path))
    file = library.open(str(tmp_path / "scores.jsonl"), "mine.jsonl")
    library.wait()
    assert (file.rows, file.state) == (2, "failed")
    assert file.note.startswith("mine.jsonl:6: ")
    assert file.note.endswith("the 2 rows before are shown")


def test_closing_ends_every_thread(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl.partial").write_text(scored(1))
    library = Library(str(tmp_path))
    library.open(str(tmp_path / "x.jsonl.partial"))
    library.close()
    assert not any(thread in threading.enumerate() for thread in library._following)


def test_a_file_of_nothing_known_is_an_error_with_a_remedy(tmp_path: Path) -> None:
    write_csv(tmp_path / "x.csv", [{"name": "some words here", "other": "x"}])
    with pytest.raises(DataError, match=r"fields=.*summary.*COLUMN"):
        Library(str(tmp_path)).open(str(tmp_path / "x.csv"))


def test_a_table_of_references_names_the_columns_that_may_hold_summaries(tmp_path: Path) -> None:
    table = tmp_path / "wide.csv"
    table.write_text("id,article,gold,bart,t5 base\na1,The cat sat.,A cat.,Cat,Sat\n")
    opened = Library(str(tmp_path)).open(str(table))
    assert opened.kind == "texts of inputs"
    assert opened.note.endswith("pass --systems bart 't5 base'")
