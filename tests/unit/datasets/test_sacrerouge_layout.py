"""`setup-dataset --layout sacrerouge`: the ids, file names and rows of SacreROUGE's readers."""

from __future__ import annotations

import gzip
import json
import pickle
from pathlib import Path
from typing import Any, Literal

import pytest

from rubrica.datasets import setup_dataset
from rubrica.datasets.sacrerouge import LAYOUTS
from rubrica.datasets.sacrerouge.sentences import (
    cut_lines,
    cut_running,
    cut_strings,
    cut_whole,
)
from rubrica.errors import ParameterError
from support.dataset_samples import SAMPLES, cnn, mended, multiling, write_sample
from support.dataset_samples.build import put
from support.dataset_samples.realsumm import all_realsumm_outputs


def made(name: str, folder: Path) -> dict[str, list[dict[str, Any]]]:
    source = write_sample(name, folder / "raw")
    done = setup_dataset(name, source, folder / "out", offline=True, layout="sacrerouge")
    return {file: rows_of(done.folder / file) for file in done.files}


def rows_of(file: Path) -> list[dict[str, Any]]:
    content = file.read_bytes()
    text = gzip.decompress(content) if file.suffix == ".gz" else content
    return [json.loads(line) for line in text.decode("utf-8").splitlines()]


def test_vasilyev2020_counts_from_0_and_has_its_document_in_the_row(tmp_path: Path) -> None:
    files = made("vasilyev2020", tmp_path)
    assert sorted(files) == sorted(
        f"{part}.{kind}.jsonl"
        for part in ("cnn-dailymail", "dailynews", "dailynews-aspects")
        for kind in ("summaries", "metrics")
    )
    assert files["cnn-dailymail.summaries.jsonl"][0] == {
        "instance_id": "0",
        "summarizer_id": "0",
        "summarizer_type": "peer",
        "summary": {"text": "One."},
        "document": {"text": "Same."},
    }


def test_chaganty2018_has_references_as_rows_and_its_scores_below_one_key(tmp_path: Path) -> None:
    files = made("chaganty2018", tmp_path)
    assert [row["summarizer_id"] for row in files["summaries.jsonl"]] == [
        "fastqa",
        "ml+rl",
        "reference",
        "snet",
    ]
    assert files["summaries.jsonl"][2]["references"] == []
    scores = files["metrics.jsonl"][0]["metrics"]
    assert list(scores) == ["chaganty2018"]
    assert scores["chaganty2018"]["hter"] == [0.5, 1.0]
    assert [row["metrics"]["chaganty2018"]["bleu-2"] for row in files["metrics.jsonl"]] == [0.5] * 4


def test_duc2005_has_human_and_published_scores_in_one_row_and_no_blank_summary(
    tmp_path: Path,
) -> None:
    files = made("duc2005", tmp_path)
    assert sorted(files) == [
        "task1.jsonl",
        "task1.metrics.jsonl",
        "task1.pyramid-annotations.jsonl",
        "task1.pyramids.jsonl",
        "task1.summaries.jsonl",
    ]
    rows = files["task1.metrics.jsonl"]
    assert [row["summarizer_id"] for row in rows] == ["A", "B", "14"]
    row = rows[2]
    assert row["metrics"]["linguistic_quality"] == {"Q1": 5, "Q2": 4}
    assert row["metrics"]["rouge-2_jk"]["recall"] == 15.0
    assert {one["summarizer_id"] for one in files["task1.summaries.jsonl"]} == {"14", "A", "B"}
    (task,) = files["task1.jsonl"]
    assert [one["annotator"] for one in task["summaries"]] == ["A", "B"]


def test_tac2008_keeps_the_sets_of_a_system_side_by_side(tmp_path: Path) -> None:
    rows = made("tac2008", tmp_path)["task1.A-B.summaries.jsonl"]
    assert [(row["instance_id"], row["summarizer_id"]) for row in rows[:2]] == [
        ("d0801-A", "1"),
        ("d0801-B", "1"),
    ]
    assert rows[0]["summary"]["summarizer_type"] == "peer"
    assert rows[0]["references"][0]["summarizer_type"] == "reference"


def test_multinews_is_compressed_and_has_one_summary_per_input(tmp_path: Path) -> None:
    files = made("multinews", tmp_path)
    splits = ("train", "valid", "test")
    assert sorted(files) == sorted(
        f"{split}{part}.jsonl.gz" for split in splits for part in ("", ".multi")
    )
    first = files["train.jsonl.gz"][0]
    assert list(first) == ["instance_id", "documents", "summary"]
    assert first["summary"] == {"text": "A summary."}


def test_nytimes_has_one_document_and_wcep_names_its_documents(tmp_path: Path) -> None:
    article = made("nytimes", tmp_path / "nytimes")["train.jsonl.gz"][0]
    assert sorted(article["document"]) == ["date", "headline", "text"]
    assert article["document"]["date"] == "1987-1-1"
    event = made("wcep", tmp_path / "wcep")["train.jsonl.gz"][0]
    assert [document["document_id"] for document in event["documents"]] == ["b", "d"]
    assert event["date"] == "2016-08-26"


def test_compressed_files_have_the_same_bytes_every_time(tmp_path: Path) -> None:
    source = write_sample("wcep", tmp_path / "raw")
    for folder in ("one", "two"):
        setup_dataset("wcep", source, tmp_path / folder, offline=True, layout="sacrerouge")
    one, two = (tmp_path / name / "train.jsonl.gz" for name in ("one", "two"))
    assert one.read_bytes() == two.read_bytes()
    again = setup_dataset("wcep", source, tmp_path / "one", offline=True, layout="sacrerouge")
    assert not again.changed


def test_kryscinski2019_has_a_label_per_claim(tmp_path: Path) -> None:
    rows = made("kryscinski2019", tmp_path)["valid.jsonl"]
    assert [row["label"] for row in rows] == ["CORRECT", "INCORRECT"]
    assert {row["summarizer_id"] for row in rows} == {"kryscinski2019"}
    assert rows[0]["document"] == {"text": "Paragraph one. Paragraph two."}


def test_fabbri2020_has_rows_with_their_document_and_one_or_all_references(tmp_path: Path) -> None:
    files = made("fabbri2020", tmp_path)
    everything = [f"all-summaries-{kind}-refs.jsonl.gz" for kind in ("orig", "preproc")]
    judged = ["metrics.jsonl", "summaries-with-crowd.jsonl", "summaries.jsonl"]
    assert sorted(files) == [*everything, *judged]
    row, crowd = files["summaries.jsonl"][2], files["summaries-with-crowd.jsonl"][2]
    assert row["document"] == {"text": "Paired."}
    assert row["file_path"].endswith(".story")
    assert [len(one["references"]) for one in (row, crowd)] == [1, 11]


def test_fabbri2020_has_all_outputs_with_the_reference_beside_them_or_that_of_the_story(
    tmp_path: Path,
) -> None:
    files = made("fabbri2020", tmp_path)
    beside, story = (
        files[f"all-summaries-{kind}-refs.jsonl.gz"][0] for kind in ("preproc", "orig")
    )
    assert beside == {
        "instance_id": "dm-test-abc",
        "summarizer_id": "M0",
        "summarizer_type": "peer",
        "filepath": "cnndm/dailymail/stories/abc.story",
        "document": {"text": "(CNN) A line without a stop"},
        "summary": {"text": "lead 3 ."},
        "reference": {"text": "other ."},
    }
    assert story == {
        **beside,
        "document": {"text": "(CNN) A line without a stop."},
        "reference": {"text": "'Said'"},
    }


def test_fabbri2020_without_stories_has_outputs_without_documents(tmp_path: Path) -> None:
    tree = {k: v for k, v in SAMPLES["fabbri2020"]().items() if "stories" not in k}
    put(tmp_path / "raw", tree)
    setup_dataset(
        "fabbri2020", tmp_path / "raw", tmp_path / "out", offline=True, layout="sacrerouge"
    )
    for kind in ("orig", "preproc"):
        row = rows_of(tmp_path / "out" / f"all-summaries-{kind}-refs.jsonl.gz")[0]
        assert "document" not in row
        assert row["reference"] == {"text": "other ."}


def test_bhandari2020_has_the_measures_and_systems_of_sacrerouge(tmp_path: Path) -> None:
    files = made("bhandari2020", tmp_path)
    systems = {
        part: {row["summarizer_id"] for row in files[f"summaries-{part}.jsonl"]}
        for part in ("abs", "ext")
    }
    # One BART, the extractive.
    assert systems == {
        "abs": {"bottom_up_out", "unilm_out_v1"},
        "ext": {"bart_out", "neusumm_out", "refresh_out"},
    }
    assert len(files["metrics-mix.jsonl"]) == 2 * 5
    metrics = files["metrics-mix.jsonl"][0]["metrics"]
    assert set(metrics) == {
        *(f"rouge-{n}" for n in "12l"),
        *("js-2", "MoverScore", "bertscore", "litepyramid"),
    }


def test_bhandari2020_has_all_outputs_of_judged_systems_by_line(tmp_path: Path) -> None:
    put(tmp_path / "raw", {**SAMPLES["bhandari2020"](), **all_realsumm_outputs()})
    done = setup_dataset(
        "bhandari2020", tmp_path / "raw", tmp_path / "out", offline=True, layout="sacrerouge"
    )
    assert not [name for name in done.files if name.startswith("all.")]
    found = {
        part: rows_of(tmp_path / "out" / f"all-summaries-{part}.jsonl.gz")
        for part in ("abs", "ext", "mix")
    }
    assert [row["summarizer_id"] for row in found["abs"][::1000]] == ["unilm_out_v1"] * 2
    assert {row["summarizer_id"] for row in found["ext"]} == {"bart_out", "neusumm_out"}
    assert found["mix"] == [*found["abs"], *found["ext"]]
    assert found["abs"][0] == {
        "instance_id": "all-summaries-0",
        "summarizer_id": "unilm_out_v1",
        "summarizer_type": "peer",
        "document": {"text": ["src 0 ."]},
        "summary": {"text": ["unilm_out_v1 0 ."]},
        "references": [{"text": ["ref 0 ."]}],
    }
    # Lines without a summary are left out.
    assert not {"all-summaries-5", "all-summaries-6"} & {r["instance_id"] for r in found["mix"]}


def test_multiling_has_folders_of_tasks_and_files_of_languages(tmp_path: Path) -> None:
    files = made("multiling2013", tmp_path / "2013")
    assert "sds/en.jsonl" in files
    authors = [row["summarizer_id"] for row in files["mds/en.summaries.jsonl"]]
    assert authors == ["ID1", "A", "B"]
    files = made("multiling2019", tmp_path / "2019")
    assert sorted(files) == ["en/metrics.jsonl", "en/summaries.jsonl"]
    reference = files["en/summaries.jsonl"][0]["references"][0]
    assert reference == {"file_path": "M001/english/a.txt", "text": ["Model A."]}


def test_multiling2011_has_references_as_strings_and_a_row_for_the_only_one(tmp_path: Path) -> None:
    files = made("multiling2011", tmp_path)
    assert files["en.jsonl"][0]["summaries"][0] == {"annotator": "A", "text": "Model by A. More."}
    greek = files["el.summaries.jsonl"]
    assert [row["summarizer_id"] for row in greek] == ["1", "A"]
    assert greek[1]["references"] == []


def test_inputs_of_early_duc_are_one_document_or_extracts(tmp_path: Path) -> None:
    for name in ("duc2003", "duc2004"):
        headline = made(name, tmp_path / name)["task1.jsonl"][0]
        assert headline["document"]["filename"] == headline["instance_id"]
    extracts = made("duc2002", tmp_path / "2002")["task2.200e.jsonl"][0]
    assert sorted(extracts["summaries"][0]) == ["annotator", "labels"]


@pytest.mark.parametrize("name", sorted(LAYOUTS))
def test_every_scored_summary_is_there(name: str, tmp_path: Path) -> None:
    files = made(name, tmp_path)
    keys = ("instance_id", "summarizer_id", "summarizer_type")
    for file, rows in files.items():
        if file.endswith(".metrics.jsonl") or file.startswith("metrics"):
            summaries = files[file.replace("metrics", "summaries")]
            assert [[row[key] for key in keys] for row in rows] == [
                [row[key] for key in keys] for row in summaries
            ]


def test_a_data_set_without_the_layout_is_refused(tmp_path: Path) -> None:
    source = write_sample("xsum", tmp_path / "raw")
    with pytest.raises(ParameterError, match="no layout 'sacrerouge'"):
        setup_dataset("xsum", source, tmp_path / "out", offline=True, layout="sacrerouge")
    assert not [*(tmp_path / "out").glob("*.jsonl")]


@pytest.mark.parametrize(
    ("name", "file", "topic", "groups"),
    [
        ("tac2008", "task1.A-B.jsonl", "d0801", "AB"),
        ("duc2007", "task2.A-B-C.jsonl", "d0703", "ABC"),
    ],
)
def test_sets_of_an_update_task_are_in_one_row(
    name: str, file: str, topic: str, groups: str, tmp_path: Path
) -> None:
    files = made(name, tmp_path)
    [row] = files[file]
    assert row["instance_id"] == topic
    kinds = [f"{kind}_{group}" for group in groups for kind in ("documents", "summaries")]
    assert set(row) == {"instance_id", "selector", "topic", *kinds}
    for group in groups:
        [alone] = files[file.replace("-".join(groups), group)]
        assert alone["instance_id"] == f"{topic}-{group}"
        assert row[f"documents_{group}"] == alone["documents"]
        assert row[f"summaries_{group}"] == alone["summaries"]


def test_english_texts_are_cut_where_sacrerouge_cuts_them(tmp_path: Path) -> None:
    files = made("tac2009", tmp_path / "tac2009")
    [topic] = files["task1.A-B.jsonl"]
    assert topic["topic"]["narrative"] == ["Who sleeps?"]
    # A list of paragraphs, each a list of its sentences; a document without paragraphs is one.
    assert topic["documents_A"][0]["text"] == [["One."], ["Two lines."]]
    assert topic["documents_B"][0]["text"] == [["Just text."]]
    assert topic["documents_B"][0]["headline"] is None
    row = files["task1.A.summaries.jsonl"][0]
    assert row["summary"]["text"] == ["Acats sleep a lot.", "Two in one line.", "Next."]
    row = made("tac2008", tmp_path / "tac2008")["task1.A.summaries.jsonl"][0]
    assert row["summary"]["text"] == ["Acats sleep a lot. Two in one line.", "Next."]
    files = made("duc2003", tmp_path / "duc2003")
    assert files["task4.jsonl"][0]["question"]["narrative"] == ["A relevant one says it."]
    assert files["task1.jsonl"][0]["document"]["text"] == ["Only a graphic."]
    files = made("multiling2013", tmp_path / "multiling2013")
    assert files["sds/en.jsonl"][0]["document"]["text"] == [["Article line."], ["Next."]]
    assert files["sds/en.jsonl"][0]["summary"]["text"] == ["The lead."]
    row = made("multiling2011", tmp_path / "multiling2011")["en.summaries.jsonl"][0]
    assert row["references"][0]["text"] == ["Model by A.", "More."]


def test_lines_that_one_sentence_fills_are_joined() -> None:
    lines = ["A sentence that", "goes on.", "Next."]
    assert cut_running(lines) == ["A sentence that goes on.", "Next."]
    assert cut_whole(lines) == ["A sentence that\ngoes on.", "Next."]
    assert cut_lines(["One. Two.", "", "Three"]) == ["One.", "Two.", "Three"]
    assert cut_strings(["As. It is."]) == ["As. It is."]


@pytest.mark.parametrize("name", mended.SAMPLES)
def test_samples_that_sacrerouge_reads_have_the_same_files(name: str, tmp_path: Path) -> None:
    put(tmp_path / "mended", mended.SAMPLES[name]())
    done = setup_dataset(
        name, tmp_path / "mended", tmp_path / "out", offline=True, layout="sacrerouge"
    )
    assert set(made(name, tmp_path / "sample")) <= set(done.files)
    assert all(rows_of(done.folder / file) for file in done.files)


def test_duc2006_has_both_annotations_of_a_topic_in_a_file_of_its_own(tmp_path: Path) -> None:
    files = made("duc2006", tmp_path)
    rows = files["task1.d0631.pyramid-annotations.jsonl"]
    assert [(row["instance_id"], row["summarizer_id"]) for row in rows] == [("d0631", "1")] * 2
    assert rows[0] in files["task1.pyramid-annotations.jsonl"]
    assert rows[0] != rows[1]


JUDGED, CLAIMED = f"dm-test-{cnn.HASH}", f"cnn-test-{cnn.HASH}"


def order(files: Path) -> list[str]:
    return [
        " ".join(filter(None, map(row.get, ("instance_id", "summarizer_id"))))
        for row in rows_of(files)
    ]


def reordered(name: str, folder: Path, layout: Literal["rubrica", "sacrerouge"]) -> Path:
    put(folder / "raw", mended.REORDERED[name]())
    return setup_dataset(name, folder / "raw", folder / layout, offline=True, layout=layout).folder


@pytest.mark.parametrize(
    ("name", "file", "expected"),
    [
        # The documents of single-document tasks, and systems of a topic, in the order of the archive.
        ("duc2002", "task1", ["AP880729-0155", "AP880911-0016"]),
        ("duc2002", "task2.10", ["d061", "d062", "d063"]),
        ("duc2002", "task2.100.summaries", [f"d06{n} {p}" for n in "13" for p in (19, 102, 16)]),
        ("duc2003", "task1", ["APW19981006.0718", "APW19981005.0718"]),
        ("duc2003", "task2.summaries", ["d30003 A", "d30003 10", "d30005 A", "d30005 10"]),
        # Topics, too.
        ("duc2004", "task2", ["d30002", "d30001"]),
        ("duc2004", "task5.summaries", [f"d13{n} {p}" for n in "23" for p in (17, 102, "A")]),
        ("duc2005", "task1", ["d312", "d311"]),
        ("duc2005", "task1.metrics", [f"d31{n} {p}" for n in "12" for p in (2, 14, "B", "A")]),
        ("duc2005", "task1.pyramid-annotations", [f"d31{n} {p}" for n in "12" for p in (14, 2)]),
        # Systems with scores, in the order of the tables.
        ("duc2006", "task1", ["d0632", "d0631"]),
        ("duc2006", "task1.summaries", [f"d063{n} {p}" for n in "12" for p in (1, "A")]),
        ("duc2007", "task1", ["d0701", "d0702"]),
        ("duc2007", "task1.metrics", [f"d070{n} {p}" for n in "12" for p in (4, 23, "B", "A")]),
        (
            "duc2007",
            "task2.A-B-C.metrics",
            [f"d070{n}-{g} {p}" for n in "34" for p in (39, 4, "A", "B") for g in "ABC"],
        ),
        # Rows of a file in its order.
        (
            "fabbri2020",
            "metrics",
            [f"{JUDGED} M8", "dm-test-abc M0", f"{JUDGED} M0", "dm-test-abc M8"],
        ),
        (
            "kryscinski2019",
            "test",
            [f"{i} kryscinski2019" for i in (CLAIMED, "cnn-test-0", CLAIMED)],
        ),
        ("multiling2013", "sds/en", ["f" * 32, multiling.HASH]),
    ],
)
def test_rows_are_in_the_order_in_which_sacrerouge_meets_them(
    name: str, file: str, expected: list[str], tmp_path: Path
) -> None:
    assert order(reordered(name, tmp_path, "sacrerouge") / f"{file}.jsonl") == expected


def test_without_the_layout_rows_are_in_the_order_of_their_ids(tmp_path: Path) -> None:
    folder = reordered("duc2005", tmp_path, "rubrica")
    assert order(folder / "task1.documents.jsonl") == ["d311", "d312"]
    systems = ("2", "14", "A", "B")
    topics = ("d311", "d312")
    found = [one for one in order(folder / "task1.summaries.jsonl") if " 31" not in one]
    assert found == [f"{topic} {system}" for topic in topics for system in systems]


def test_files_in_folders_are_in_the_order_of_their_names(tmp_path: Path) -> None:
    tree = mended.REORDERED["duc2005"]()
    unpacked = {**tree, "results/NIST/results": tree["results/NIST/results.tar"]}
    del unpacked["results/NIST/results.tar"]
    put(tmp_path / "raw", unpacked)
    setup_dataset("duc2005", tmp_path / "raw", tmp_path / "out", offline=True, layout="sacrerouge")
    assert order(tmp_path / "out" / "task1.summaries.jsonl")[:4] == [
        f"d311 {system}" for system in ("A", "B", "14", "2")
    ]


def test_bhandari2020_has_documents_and_systems_in_the_order_of_its_pickles(tmp_path: Path) -> None:
    tree = SAMPLES["bhandari2020"]()
    for name in [name for name in tree if name.endswith(".pkl")]:
        documents = pickle.loads(tree[name])
        backwards = {
            at: {**entry, "system_summaries": dict(reversed(entry["system_summaries"].items()))}
            for at, entry in reversed(documents.items())
        }
        # The texts of this one count, not its order.
        tree[name] = pickle.dumps(documents if "2b56592" in name else backwards)
    put(tmp_path / "raw", tree)
    setup_dataset(
        "bhandari2020", tmp_path / "raw", tmp_path / "out", offline=True, layout="sacrerouge"
    )
    found = {
        part: order(tmp_path / "out" / f"summaries-{part}.jsonl") for part in ("abs", "ext", "mix")
    }
    assert found["abs"] == [f"{at} {s}" for at in (1, 0) for s in ("unilm_out_v1", "bottom_up_out")]
    assert found["ext"][:3] == ["1 refresh_out", "1 neusumm_out", "1 bart_out"]
    assert found["mix"] == found["abs"] + found["ext"]
    assert order(tmp_path / "out" / "metrics-mix.jsonl") == found["mix"]


def test_duc2004_has_a_row_for_the_only_reference_of_a_topic(tmp_path: Path) -> None:
    files = made("duc2004", tmp_path)
    rows = files["task5.summaries.jsonl"]
    assert [row["summarizer_id"] for row in rows] == ["102", "A"]
    assert rows[1]["references"] == []
    assert [row["metrics"] for row in files["task5.metrics.jsonl"]][1] == {}


def test_duc2003_has_no_row_for_a_reference_that_was_not_judged(tmp_path: Path) -> None:
    files = made("duc2003", tmp_path)
    assert [row["summarizer_id"] for row in files["task2.summaries.jsonl"]] == ["10", "A"]
    [task] = files["task2.jsonl"]
    assert [one["annotator"] for one in task["summaries"]] == ["A", "B"]


def test_duc2006_has_the_texts_of_the_models_as_references_of_its_inputs(tmp_path: Path) -> None:
    [task] = made("duc2006", tmp_path)["task1.jsonl"]
    assert task["summaries"] == [{"annotator": "A", "text": ["Planes", "fly."]}]


def test_a_set_without_scores_has_rows_if_other_sets_of_its_task_have_scores(
    tmp_path: Path,
) -> None:
    files = made("duc2007", tmp_path)
    ids = [row["summarizer_id"] for row in files["task2.C.summaries.jsonl"]]
    assert ids == ["A", "B"]
    assert [row["metrics"] for row in files["task2.C.metrics.jsonl"]] == [{}, {}]
