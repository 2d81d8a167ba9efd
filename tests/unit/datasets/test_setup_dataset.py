"""Setting up a data set: what is malformed is told, files appear together, tables in memory will do."""

from __future__ import annotations

import io
import json
import os
import re
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest

from rubrica.datasets import Dataset, instances_of, setup_dataset
from rubrica.datasets.output import Output
from rubrica.datasets.raw import Raw
from rubrica.errors import DataError, DefinitionError, MissingResourceError, OutputError
from rubrica.neural.progress import listening
from support.dataset_samples import SAMPLES, write_sample
from support.dataset_samples.build import json_lines, put

ROWS = [
    {"dataset": "X", "doc": "Doc.", "claim": "Yes.", "label": 1},
    {"dataset": "X", "doc": "Doc.", "claim": "No.", "label": 0},
]


def read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_a_malformed_record_is_told_with_file_line_and_field(tmp_path: Path) -> None:
    put(tmp_path / "raw", {"test.jsonl": json_lines(ROWS[0], {**ROWS[1], "label": "maybe"})})
    with pytest.raises(
        DataError, match=r"test\.jsonl:2: field 'label' must be a number, found 'maybe'"
    ):
        setup_dataset("llm-aggrefact", tmp_path / "raw", tmp_path / "out")
    assert not list((tmp_path / "out").glob("*"))


@pytest.mark.parametrize("name", ["x.jsonl", "x.json", "x.csv"])
def test_large_files_report_how_much_of_them_is_read(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rubrica.datasets.raw.file.LARGE_FILE", 1)
    monkeypatch.setattr("rubrica.datasets.raw.record.MANY_ROWS", 1)
    rows = ROWS * 150
    frame = pd.DataFrame(rows)
    text = {
        "x.jsonl": json_lines(*rows),
        "x.json": json.dumps(rows),
        "x.csv": frame.to_csv(index=False),
    }
    put(tmp_path / "raw", {name: text[name]})
    told: list[tuple[str, int, int]] = []
    with listening(lambda *step: told.append(step)):
        assert len([*Raw("x", [tmp_path / "raw"]).one(name).records()]) == 300
    assert {re.sub("^.* of ", "", what) for what, _, _ in told} == {name}
    done = [done for _, done, _ in told]
    assert len(done) > 3
    assert done == sorted(done)
    assert done[-1] == told[-1][2]


def test_many_files_report_how_many_are_read(tmp_path: Path) -> None:
    raw = Raw("x", [write_files(tmp_path / "raw", 3)])
    told: list[tuple[str, int, int]] = []
    with listening(lambda *step: told.append(step)):
        assert [*raw.each(raw.all("*.txt"), lambda file: file.text())] == ["0", "1", "2"]
    assert told == [("files read", done, 3) for done in range(4)]


def write_files(folder: Path, count: int) -> Path:
    put(folder, {f"{number}.txt": str(number) for number in range(count)})
    return folder


def test_malformed_records_are_skipped_only_on_request_and_counted(tmp_path: Path) -> None:
    bad = [{**ROWS[1], "label": "maybe"}, {"dataset": "X"}]
    put(
        tmp_path / "raw",
        {"test.jsonl": json_lines(ROWS[0], *bad) + "{not json\n" + json_lines(ROWS[1])},
    )
    made = setup_dataset("llm-aggrefact", tmp_path / "raw", tmp_path / "out", skip_malformed=True)
    assert [r["summary"]["text"] for r in read(made.folder / "test.summaries.jsonl")][:1] == [
        "Yes."
    ]
    assert made.left_out == {"malformed records": 3}
    assert [told.rpartition("test.jsonl")[2][:2] for told in made.skipped] == [":2", ":3", ":4"]
    manifest = json.loads((made.folder / "manifest.json").read_text())
    assert manifest["left_out"] == {"malformed records": 3}


def test_two_summaries_of_one_id_are_told_with_the_place_of_the_second(tmp_path: Path) -> None:
    tree = SAMPLES["fabbri2020"]()
    row, *_ = tree["model_annotations.aligned.jsonl"].splitlines()
    other = json.dumps({**json.loads(row), "decoded": "another"})
    tree["model_annotations.aligned.jsonl"] += f"{row}\n{other}\n"
    put(tmp_path / "raw", tree)
    with pytest.raises(
        DataError, match=r"model_annotations\.aligned\.jsonl:5: two different summaries of 'dm-test"
    ):
        setup_dataset("fabbri2020", tmp_path / "raw", tmp_path / "out")
    made = setup_dataset("fabbri2020", tmp_path / "raw", tmp_path / "out", skip_malformed=True)
    assert len(made.skipped) == 1


def test_where_nothing_is_left_the_first_malformed_record_is_told(tmp_path: Path) -> None:
    put(tmp_path / "raw", {"test.jsonl": json_lines({"dataset": "X"}, {"doc": "Y"})})
    with pytest.raises(
        DataError, match=r"nothing is left to write; 2 malformed .*test\.jsonl:1: no field 'doc'"
    ):
        setup_dataset("llm-aggrefact", tmp_path / "raw", tmp_path / "out", skip_malformed=True)


def test_a_malformed_file_among_many_can_be_skipped(tmp_path: Path) -> None:
    tree = SAMPLES["tac2008"]()
    archive = tree["UpdateSumm08_eval.tar.gz"]
    archive["UpdateSumm08_eval/manual/peers/D0801-A.M.100.A.1"] = "<broken"
    put(tmp_path / "raw", tree)
    with pytest.raises(
        DataError, match=r"UpdateSumm08_eval\.tar\.gz!.*peers/D0801-A\.M\.100\.A\.1"
    ):
        setup_dataset("tac2008", tmp_path / "raw", tmp_path / "out")
    made = setup_dataset("tac2008", tmp_path / "raw", tmp_path / "out", skip_malformed=True)
    assert len(made.skipped) == 1
    assert len(read(made.folder / "task1.A.pyramid-annotations.jsonl")) == 1


def test_links_in_archives_are_counted_in_the_manifest(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "raw.tgz", "w:gz") as tar:
        rows = json_lines(*ROWS).encode()
        file = tarfile.TarInfo("data/test.jsonl")
        file.size = len(rows)
        tar.addfile(file, io.BytesIO(rows))
        link = tarfile.TarInfo("data/dev.jsonl")
        link.type, link.linkname = tarfile.SYMTYPE, "../elsewhere.jsonl"
        tar.addfile(link)
    made = setup_dataset("llm-aggrefact", tmp_path / "raw.tgz", tmp_path / "out")
    assert made.left_out == {"links and devices in archives": 1}


@pytest.mark.parametrize(
    ("name", "path", "old", "new", "told"),
    [
        (
            "duc2005",
            "results/responsiveness/responsiveness.table",
            " 14 3",
            " 14 three",
            "'three' is not a number",
        ),
        (
            "tac2008",
            "UpdateSumm08_eval/ROUGE/rouge.m.out",
            "R:0.1",
            "R:nan",
            "'nan' is not a number",
        ),
        (
            "tac2008",
            "UpdateSumm08_eval/manual/manual.peer",
            " 0.25",
            " inf",
            "'inf' is not a number",
        ),
        ("duc2004", "APW19981016.0240", "<TEXT>", "<TAXT>", "a document without <TEXT>"),
        ("duc2001", "original.summaries/d04aa/50", "<SUM", "<SAM", "no <SUM>"),
        ("seahorse", "seahorse_data/validation.tsv", "\n", "\nx\ty\n", "2 cells under a header"),
        ("frank", "data/human_annotations.json", "[", "[7, ", "item 1 is not an object"),
        ("nytimes", "0000001.xml", "An abstract.", "", "no abstract"),
        ("nytimes", "0000002.xml", "full_text", "empty_text", "no full text"),
        ("multiling2011", "englishGrades.csv", " 2.88", " nan", "'nan' is not a number"),
        (
            "multiling2011",
            "englishDetailed.txt",
            "Eval 4.",
            "Eval 44.",
            "unknown input number '44'",
        ),
        ("multiling2013", "grades/english.csv", "\t3\n", "\tinf\n", "'inf' is not a number"),
        ("multiling2013", "grades/english.csv", "\t3\n", "\t3\t3\n", "7 columns, expected 6"),
        ("multiling2019", "data.csv", "M001/english/a", "../M001/a", "leads out of the archive"),
        ("multiling2019", "data.csv", "english/a.txt", "english/z.txt", "no file 'M001/english/z"),
        (
            "aggrefact",
            "aggre_fact_final.csv",
            ",val,",
            ",dev,",
            "unknown cut 'dev': expected val or test",
        ),
        ("tldr", "batch9.json", '"choice": 1', '"choice": 2', "choice 2 among 2 summaries"),
        ("unisumeval", "keyfact.jsonl", '"Sum."', '"Some."', "the summary of cnn-7 by gpt"),
        ("fabbri2020", "outputs.aligned.jsonl", '"reference"', '"ref"', "no field 'reference'"),
    ],
)
def test_a_malformed_row_among_many_can_be_skipped(
    name: str, path: str, old: str, new: str, told: str, tmp_path: Path
) -> None:
    def spoilt(tree: dict[str, Any], above: str = "") -> dict[str, Any]:
        out = {}
        for key, content in tree.items():
            if isinstance(content, dict):
                out[key] = spoilt(content, f"{above}{key}/")
            elif f"{above}{key}".endswith(path) and not done and old in content:
                done.append(key)
                out[key] = content.replace(old, new, 1)
            else:
                out[key] = content
        return out

    done: list[str] = []
    put(tmp_path / "raw", spoilt(SAMPLES[name]()))
    assert done, f"no {old!r} in {path}"
    with pytest.raises(DataError, match=f"{re.escape(path)}.*{re.escape(told)}"):
        setup_dataset(name, tmp_path / "raw", tmp_path / "out")
    made = setup_dataset(name, tmp_path / "raw", tmp_path / "out", skip_malformed=True)
    assert any(told in one for one in made.skipped)
    assert made.left_out["malformed records"] == len(made.skipped)


def test_a_failed_run_leaves_the_earlier_output_as_it_was(tmp_path: Path) -> None:
    raw = tmp_path / "raw"
    put(raw, {"test.jsonl": json_lines(*ROWS)})
    made = setup_dataset("llm-aggrefact", raw, tmp_path / "out")
    before = {p.name: p.read_bytes() for p in made.folder.iterdir()}
    put(raw, {"test.jsonl": json_lines(*ROWS, {"dataset": "X"})})
    with pytest.raises(DataError):
        setup_dataset("llm-aggrefact", raw, tmp_path / "out")
    assert {p.name: p.read_bytes() for p in made.folder.iterdir()} == before


def test_what_a_killed_run_left_goes(tmp_path: Path) -> None:
    put(
        tmp_path, {"raw": {"test.jsonl": json_lines(*ROWS)}, "out": {".making.x": {"y.jsonl": "?"}}}
    )
    made = setup_dataset("llm-aggrefact", tmp_path / "raw", tmp_path / "out")
    assert not [path for path in made.folder.iterdir() if path.name.startswith(".")]


def test_two_runs_do_not_write_into_one_folder_at_once(tmp_path: Path) -> None:
    put(tmp_path / "raw", {"test.jsonl": json_lines(*ROWS)})
    other = Output(tmp_path / "out")
    with pytest.raises(OutputError, match="another run is writing it"):
        setup_dataset("llm-aggrefact", tmp_path / "raw", tmp_path / "out")
    other.discard()
    assert setup_dataset("llm-aggrefact", tmp_path / "raw", tmp_path / "out").changed


def test_a_folder_that_is_not_whole_has_no_manifest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path / "raw", {"test.jsonl": json_lines(ROWS[0])})
    setup_dataset("llm-aggrefact", tmp_path / "raw", tmp_path / "out")
    put(tmp_path / "raw", {"test.jsonl": json_lines(*ROWS)})
    with monkeypatch.context() as killed:
        replace, calls = os.replace, []

        def at_the_second(*paths: Any) -> None:
            calls.append(paths)
            if len(calls) > 1:
                raise KeyboardInterrupt
            replace(*paths)

        killed.setattr(os, "replace", at_the_second)
        with pytest.raises(KeyboardInterrupt):
            setup_dataset("llm-aggrefact", tmp_path / "raw", tmp_path / "out")
    assert not (tmp_path / "out" / "manifest.json").exists()
    assert setup_dataset("llm-aggrefact", tmp_path / "raw", tmp_path / "out").changed
    assert (tmp_path / "out" / "manifest.json").exists()


def test_files_of_an_earlier_run_go_and_files_of_others_stay(tmp_path: Path) -> None:
    raw, out = tmp_path / "raw", tmp_path / "out"
    put(raw, {"test.jsonl": json_lines(*ROWS), "dev.jsonl": json_lines(*ROWS)})
    setup_dataset("llm-aggrefact", raw, out)
    (out / "mine.txt").write_text("stays")
    (raw / "dev.jsonl").unlink()
    assert setup_dataset("llm-aggrefact", raw, out).changed
    assert not list(out.glob("dev.*"))
    assert (out / "mine.txt").read_text() == "stays"


def test_a_manifest_cannot_make_other_files_vanish(tmp_path: Path) -> None:
    put(tmp_path / "raw", {"test.jsonl": json_lines(*ROWS)})
    (tmp_path / "victim.jsonl").write_text("{}")
    out = tmp_path / "out"
    out.mkdir()
    (out / "manifest.json").write_text(json.dumps({"files": {"../victim.jsonl": {}, "x.txt": {}}}))
    setup_dataset("llm-aggrefact", tmp_path / "raw", out)
    assert (tmp_path / "victim.jsonl").exists()


def test_a_changed_file_is_put_right_again(tmp_path: Path) -> None:
    put(tmp_path / "raw", {"test.jsonl": json_lines(*ROWS)})
    made = setup_dataset("llm-aggrefact", tmp_path / "raw", tmp_path / "out")
    good = (made.folder / "test.metrics.jsonl").read_bytes()
    (made.folder / "test.metrics.jsonl").write_bytes(b"{}\n")
    assert setup_dataset("llm-aggrefact", tmp_path / "raw", tmp_path / "out").changed
    assert (made.folder / "test.metrics.jsonl").read_bytes() == good


def test_an_output_that_is_a_file_is_refused(tmp_path: Path) -> None:
    put(tmp_path / "raw", {"test.jsonl": json_lines(*ROWS)})
    (tmp_path / "out").write_text("x")
    with pytest.raises(OutputError, match="give a folder"):
        setup_dataset("llm-aggrefact", tmp_path / "raw", tmp_path / "out")


def test_the_order_of_files_in_an_archive_does_not_matter(tmp_path: Path) -> None:
    tree = SAMPLES["duc2004"]()
    put(tmp_path / "a", tree)
    tree["duc2004_results.tgz"] = dict(reversed(tree["duc2004_results.tgz"].items()))
    put(tmp_path / "b", tree)
    one, two = (setup_dataset("duc2004", tmp_path / x, tmp_path / f"out-{x}").folder for x in "ab")
    assert {p.name: p.read_bytes() for p in one.glob("*.jsonl")} == {
        p.name: p.read_bytes() for p in two.glob("*.jsonl")
    }


def test_an_archive_given_by_itself_is_a_tree(tmp_path: Path) -> None:
    raw = write_sample("seahorse", tmp_path / "raw")
    made = setup_dataset("seahorse", raw / "seahorse_data.zip", tmp_path / "out")
    assert "validation.summaries.jsonl" in made.files


@pytest.mark.parametrize("kind", [list, pd.DataFrame, pl.DataFrame])
def test_frames_and_lists_can_be_used_in_place_of_files(kind: Any, tmp_path: Path) -> None:
    made = setup_dataset("llm-aggrefact", {"test.parquet": kind(ROWS)}, tmp_path)
    assert [r["metrics"]["label"] for r in read(made.folder / "test.metrics.jsonl")] == [1, 0]
    with pytest.raises(
        DataError, match=r"test\.parquet:1: no field 'claim'.*data set 'llm-aggrefact'"
    ):
        setup_dataset("llm-aggrefact", {"test.parquet": [{"dataset": "X", "doc": "D"}]}, tmp_path)


class HuggingFaceLike:
    """What HuggingFace's data sets offer: rows as mappings, by iteration."""

    def __iter__(self) -> Iterator[dict[str, Any]]:
        yield {"id": 7, "article": "Long.", "highlights": "Short.", "prediction": "Shorter."}


@pytest.mark.parametrize(
    "kind",
    [
        HuggingFaceLike,
        lambda: pd.DataFrame(HuggingFaceLike()),
        lambda: pl.DataFrame(list(HuggingFaceLike())),
    ],
)
def test_instances_come_straight_from_tables_in_memory(kind: Any) -> None:
    (found,) = instances_of(
        kind(),
        {"summary": "prediction", "references": "highlights", "documents": "article"},
        summarizer_id="mine",
    )
    assert (found.instance_id, found.summarizer_id) == ("7", "mine")
    assert found.fields == {"summary": "Shorter.", "references": ["Short."], "documents": ["Long."]}


def test_what_cannot_be_fetched_says_what_is_needed() -> None:
    with pytest.raises(MissingResourceError, match=r"pass its files with --from:\n  DUC2001"):
        setup_dataset("duc2001")


def test_a_data_set_without_write_is_refused_when_it_is_made() -> None:
    with pytest.raises(DefinitionError, match="must define write"):

        class Empty(Dataset):
            """Nothing."""

            licence = "CC0"
