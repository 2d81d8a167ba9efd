"""Rows of SacreROUGE's schema: what is accepted, and how what is not is told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rubrica.data.instance import EvalInstance
from rubrica.datasets.readers.base import DatasetReader
from rubrica.errors import DataError, MismatchError, ParameterError
from support.reader_samples import jsonl, row

NEWS = Path(__file__).parents[3] / "examples" / "news"


@pytest.fixture
def read(tmp_path: Path) -> Any:
    def read(name: str, *rows: dict[str, Any], **parameters: Any) -> list[EvalInstance]:
        (tmp_path / "a.jsonl").write_bytes(jsonl(*rows))
        reader = DatasetReader.from_config({"type": name, **parameters})
        return list(reader.read(str(tmp_path / "a.jsonl")))

    return read


def test_the_sample_data_is_read_whole() -> None:
    reader = DatasetReader.from_config("reference-based")
    found = list(reader.read(str(NEWS / "summaries.jsonl")))
    assert len(found) == 108
    assert [len(one.fields["references"]) for one in found[:9]] == [3] * 6 + [2] * 3


@pytest.mark.parametrize("text", ["Rain.", ["It rained.", "All day."], [], ""])
@pytest.mark.parametrize("inside", [True, False])
def test_a_text_is_a_string_or_sentences_bare_or_as_text(
    read: Any, text: Any, inside: bool
) -> None:
    value = {"text": text, "more": 1} if inside else text
    [one] = read("reference-based", row("d", summary=value, references=[value]))
    assert one.fields == {"summary": text, "references": [text]}


def test_one_reference_may_stand_alone(read: Any) -> None:
    [one] = read("reference-based", row("d", summary="a", reference={"text": ["b", "c"]}))
    assert one.fields["references"] == [["b", "c"]]


def test_reference_and_references_may_both_be_there_if_they_agree(read: Any) -> None:
    [one] = read(
        "reference-based", row("d", summary="a", reference="b", references=[{"text": "b"}])
    )
    assert one.fields["references"] == ["b"]


@pytest.mark.parametrize("references", [["c"], ["b", "c"], []])
def test_reference_and_references_that_differ_are_refused(read: Any, references: Any) -> None:
    with pytest.raises(DataError, match="both there and differ"):
        read("reference-based", row("d", summary="a", reference="b", references=references))


def test_null_is_like_missing(read: Any) -> None:
    [one] = read("reference-based", row("d", summary="a", reference="b", references=None))
    assert one.fields["references"] == ["b"]
    with pytest.raises(DataError, match="field 'summary' is null; reader 'reference-based' needs"):
        read("reference-based", row("d", summary=None, reference="b"))


def test_no_references_is_a_list_without_any(read: Any) -> None:
    assert (
        read("reference-based", row("d", summary="a", references=[]))[0].fields["references"] == []
    )


def test_paragraphs_of_documents_become_one_list_of_sentences(read: Any) -> None:
    nested = {"text": [["a", "b"], [], ["c", ["d"]]]}
    [one] = read("document-based", row("d", summary="a", documents=[nested, "e"]))
    assert one.fields["documents"] == [["a", "b", "c", "d"], "e"]


def test_paragraphs_in_a_summary_are_refused(read: Any) -> None:
    with pytest.raises(DataError, match=r"'summary' must hold sentences .* found a list"):
        read("summary-only", row("d", summary=[["a"]]))


def test_references_and_documents_together(read: Any) -> None:
    [one] = read("reference-document-based", row("d", summary="a", reference="b", document="c"))
    assert one.fields == {"summary": "a", "references": ["b"], "documents": ["c"]}


def test_a_query_and_documents_together(read: Any) -> None:
    with_query = row("d", summary="a", document="c", query="Why?")
    [instance] = read("query-document-based", with_query)
    assert instance.fields == {"summary": "a", "documents": ["c"], "query": "Why?"}
    with pytest.raises(DataError, match="no field 'query'"):
        read("query-document-based", row("d", summary="a", document="c"))


def test_integer_ids_become_text(read: Any) -> None:
    [one] = read("summary-only", {**row("", summary="a"), "instance_id": 7, "summarizer_id": 0})
    assert (one.instance_id, one.summarizer_id) == ("7", "0")


@pytest.mark.parametrize("value", [True, 1.5, "", [], {}])
def test_other_ids_are_refused(read: Any, value: Any) -> None:
    with pytest.raises(DataError, match="'instance_id' must be an id"):
        read("summary-only", {**row("", summary="a"), "instance_id": value})


@pytest.mark.parametrize("value", ["system", "", 1, ["peer"]])
def test_another_summarizer_type_is_refused_with_its_value(read: Any, value: Any) -> None:
    with pytest.raises(DataError, match="'summarizer_type' must be 'peer' or 'reference', found"):
        read("summary-only", {**row("d", summary="a"), "summarizer_type": value})


def test_defaults_fill_in_only_what_rows_lack(read: Any) -> None:
    rows = [{"instance_id": 1, "summary": "a"}, row("2", summary="b")]
    found = read(
        "summary-only", *rows, default_summarizer_id="x", default_summarizer_type="reference"
    )
    assert [(one.summarizer_id, one.summarizer_type) for one in found] == [
        ("x", "reference"),
        ("s", "peer"),
    ]


def test_a_missing_system_name_says_how_to_set_one(read: Any) -> None:
    with pytest.raises(DataError, match="parameter 'default_summarizer_id' sets one"):
        read("summary-only", {"instance_id": 1, "summary": "a"})


def test_a_missing_field_is_told_in_one_line(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [row(str(n), summary="a", references=["b"]) for n in range(16)]
    Path("peers.jsonl").write_bytes(jsonl(*rows, row("16", text="a")))
    with pytest.raises(DataError) as caught:
        list(DatasetReader.from_config("reference-based").read("peers.jsonl"))
    assert str(caught.value) == (
        "peers.jsonl:17: no field 'summary' (found: instance_id, summarizer_id, summarizer_type, "
        "text); reader 'reference-based' needs it"
    )


def test_a_misspelt_field_is_suggested(read: Any) -> None:
    with pytest.raises(DataError, match="did you mean 'sumary'"):
        read("summary-only", row("d", sumary="a"))


def test_names_from_outside_cannot_write_to_the_terminal(read: Any) -> None:
    with pytest.raises(DataError) as caught:
        read("summary-only", row("d", **{"\x1b[2J" + "x" * 1000: 1}))
    assert "\x1b" not in str(caught.value)
    assert len(str(caught.value)) < 400


def test_a_key_that_is_there_twice_is_refused(tmp_path: Path) -> None:
    text = json.dumps(row("d", summary="a"))[:-1] + ', "summary": "b"}'
    (tmp_path / "a.jsonl").write_text(text)
    with pytest.raises(DataError, match=r"a\.jsonl:1: the key 'summary' appears twice"):
        list(DatasetReader.from_config("summary-only").read(str(tmp_path / "a.jsonl")))


def split(folder: Path, documents: list[Any], summaries: list[Any], **parameters: Any) -> Any:
    (folder / "docs.jsonl").write_bytes(jsonl(*documents))
    (folder / "sums.jsonl").write_bytes(jsonl(*summaries))
    reader = DatasetReader.from_config({"type": "split-document-based", **parameters})
    return reader, [str(folder / "docs.jsonl"), str(folder / "sums.jsonl")]


def test_documents_are_joined_by_instance(tmp_path: Path) -> None:
    documents = [
        {"instance_id": 2, "document": [["x"], ["y"]]},
        {"instance_id": "1", "document": "z"},
    ]
    rows = [row("1", summary="a"), row("2", summary="b", reference="c"), row("1", summary="d")]
    reader, files = split(tmp_path, documents, rows)
    found = list(reader.read(*files))
    assert [one.fields["documents"] for one in found] == [["z"], [["x", "y"]], ["z"]]
    assert [one.fields.get("references") for one in found] == [None, ["c"], None]


def test_documents_can_be_named_by_a_parameter(tmp_path: Path) -> None:
    _, files = split(tmp_path, [{"instance_id": 1, "document": "z"}], [row("1", summary="a")])
    reader = DatasetReader.from_config({"type": "split-document-based", "documents": files[:1]})
    assert len(list(reader.read(files[1], files[1]))) == 2


def test_a_missing_document_names_the_instance_and_both_files(tmp_path: Path) -> None:
    reader, files = split(tmp_path, [{"instance_id": 1, "document": "z"}], [row("9", summary="a")])
    with pytest.raises(
        MismatchError, match=r"sums.jsonl:1: no documents for instance '9' in .*docs"
    ):
        list(reader.read(*files))


def test_documents_that_contradict_each_other_are_refused_with_both_places(tmp_path: Path) -> None:
    same, other = {"instance_id": 1, "document": "z"}, {"instance_id": 1, "document": "y"}
    reader, files = split(tmp_path, [same, same], [row("1", summary="a")])
    assert len(list(reader.read(*files))) == 1
    reader, files = split(tmp_path, [same, other], [row("1", summary="a")])
    with pytest.raises(MismatchError, match=r"docs.jsonl:2: .* other documents at .*docs.jsonl:1"):
        list(reader.read(*files))


def test_summaries_without_documents_say_what_is_needed(tmp_path: Path) -> None:
    reader, files = split(tmp_path, [], [])
    with pytest.raises(ParameterError, match="two input files, documents then summaries"):
        list(reader.read(files[1]))


def test_rows_without_documents_say_how_to_read_them_from_a_file_of_their_own(
    tmp_path: Path,
) -> None:
    file = tmp_path / "summaries.jsonl"
    ids = {"instance_id": "d", "summarizer_id": "s", "summarizer_type": "peer"}
    file.write_text(json.dumps({**ids, "summary": "Text."}))
    with pytest.raises(DataError, match=r"split-document-based --input-files DOCUMENTS SUMMARIES"):
        list(DatasetReader.from_config("document-based").read(str(file)))
