"""CSV, JSONL and Parquet: columns mapped, guessed, missing."""

from __future__ import annotations

import builtins
import json
from pathlib import Path
from typing import Any

import pytest

from rubrica.data.instance import EvalInstance
from rubrica.datasets.readers.base import DatasetReader
from rubrica.datasets.readers.fields import USUAL_NAMES, FieldMap, check_fields
from rubrica.datasets.readers.tables import JsonlReader
from rubrica.errors import DataError, MissingResourceError, ParameterError, UnknownNameError
from rubrica.parameters import parse_pairs
from support.reader_samples import jsonl, parquet


def parse_fields(words: list[str]) -> FieldMap:
    """`--fields` as the command line reads it."""
    return check_fields(parse_pairs(words))


@pytest.fixture
def read(tmp_path: Path) -> Any:
    def read(name: str, data: bytes | str, **parameters: Any) -> list[EvalInstance]:
        kind, _, extension = name.partition(".")
        path = tmp_path / f"bart.{extension or kind}"
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
        reader = DatasetReader.from_config({"type": kind, **parameters})
        found = list(reader.read(str(path)))
        found_described.append(reader.describe())
        return found

    found_described: list[str] = []
    read.described = found_described  # type: ignore[attr-defined]
    return read


def test_command_line_words_become_a_mapping() -> None:
    assert parse_fields(["summary=pred", "references=ref1,ref2", "instance_id=info.id"]) == {
        "summary": "pred",
        "references": ["ref1", "ref2"],
        "instance_id": "info.id",
    }
    assert parse_fields(["references=ref,"]) == {"references": ["ref"]}
    assert parse_fields([]) == {}


@pytest.mark.parametrize(
    "word", ["summary", "summary=", "=pred", "references=a,,b", "references=,"]
)
def test_a_malformed_mapping_shows_the_form(word: str) -> None:
    with pytest.raises(ParameterError, match=r"expected key=value"):
        parse_fields([word])


def test_an_unknown_field_is_suggested() -> None:
    with pytest.raises(UnknownNameError, match=r"no field to map 'reference'; .*'references'"):
        parse_fields(["reference=a"])
    with pytest.raises(UnknownNameError, match="'summary'"):
        check_fields({"sumary": "a"})


def test_a_field_mapped_twice_or_to_too_many_is_refused() -> None:
    with pytest.raises(ParameterError, match="given twice"):
        parse_fields(["references=a", "references=b"])
    with pytest.raises(ParameterError, match="'summary' takes one column, not 2"):
        parse_fields(["summary=a,b"])
    with pytest.raises(ParameterError, match="mapped to nothing"):
        check_fields({"references": []})


def test_columns_are_mapped(read: Any) -> None:
    data = 'key,sys,kind,pred,r1,r2,src\nd1,x,reference,"a, b",c,d,e\n'
    [one] = read(
        "csv",
        data,
        fields=parse_fields(
            [
                "instance_id=key",
                "summarizer_id=sys",
                "summarizer_type=kind",
                "summary=pred",
                "references=r1,r2",
                "documents=src",
            ]
        ),
    )
    assert (one.instance_id, one.summarizer_id, one.summarizer_type) == ("d1", "x", "reference")
    assert one.fields == {"summary": "a, b", "references": ["c", "d"], "documents": ["e"]}
    assert read.described == [""]


def test_usual_names_are_recognised_and_said(read: Any) -> None:
    [one] = read("csv", "ID,Prediction,Highlights,Article\n7,a,b,c\n")
    assert (one.instance_id, one.summarizer_id, one.summarizer_type) == ("7", "bart", "peer")
    assert one.fields == {"summary": "a", "references": ["b"], "documents": ["c"]}
    recognised = "instance_id=ID references=Highlights documents=Article summary=Prediction"
    assert read.described[0].endswith(f"bart.csv: {recognised}; system 'bart'")


def test_two_columns_that_could_be_the_summary_are_refused(read: Any) -> None:
    data = "id,document,summary,prediction,target\n1,a,b,c,d\n"
    with pytest.raises(DataError, match="summary, prediction could all be the summary"):
        read("csv", data)
    [one] = read("csv", data, fields={"summary": "prediction"})
    assert one.fields == {"summary": "c", "references": ["d"], "documents": ["a"]}


def test_beside_a_prediction_the_summary_is_the_reference_as_in_xsum(read: Any) -> None:
    [one] = read("csv", "id,document,summary,prediction\n1,a,b,c\n")
    assert one.fields == {"summary": "c", "references": ["b"], "documents": ["a"]}
    assert "references=summary summary=prediction" in read.described[0]


WIDE = "id,document,reference,bart,t5-summary\n1,a b,c d,this is bart,and t5 here\n"


def test_a_column_per_system_is_mapped(read: Any) -> None:
    first, second = read("csv", WIDE, systems={"B": "bart", "T": "t5-summary"})
    assert (first.summarizer_id, first.fields["summary"]) == ("B", "this is bart")
    assert (second.summarizer_id, second.fields["summary"]) == ("T", "and t5 here")
    assert first.instance_id == second.instance_id == "1"
    assert second.fields["references"] == ["c d"]
    with pytest.raises(ParameterError, match="cannot map summary"):
        read("csv", WIDE, systems={"B": "bart"}, fields={"summary": "bart"})


@pytest.mark.parametrize(
    ("header", "systems"),
    [
        ("id,document,reference,bart,pegasus", ["bart", "pegasus"]),
        ("id,document,reference,bart_summary,pegasus-output", ["bart", "pegasus"]),
        ("id,document,reference_summary,summary bart,prediction.pegasus", ["bart", "pegasus"]),
    ],
)
def test_a_column_per_system_is_recognised(read: Any, header: str, systems: list[str]) -> None:
    instances = read("csv", f"{header}\n1,a b,c d,x is x,y is y\n")
    assert [instance.summarizer_id for instance in instances] == systems
    assert [instance.fields["summary"] for instance in instances] == ["x is x", "y is y"]
    assert "systems bart=" in read.described[0]


def test_numbers_beside_texts_are_no_systems(read: Any) -> None:
    with pytest.raises(DataError, match="no column for 'summary'"):
        read("csv", "id,reference,length\n1,c d,12\n")


def test_two_columns_that_could_be_documents_are_left_out_and_said(read: Any) -> None:
    [one] = read("csv", "pred,source,article\na,b,c\n")
    assert one.fields == {"summary": "a"}
    assert "documents left out: source, article could all be meant" in read.described[0]


def test_without_id_column_rows_are_numbered(read: Any) -> None:
    assert [one.instance_id for one in read("csv", "pred\na\nb\n")] == ["1", "2"]


def test_the_default_names_the_system(read: Any) -> None:
    [one] = read("csv", "pred\na\n", default_summarizer_id="x", default_summarizer_type="reference")
    assert (one.summarizer_id, one.summarizer_type) == ("x", "reference")


def test_a_missing_column_lists_those_found_and_suggests(read: Any) -> None:
    with pytest.raises(
        DataError, match=r"bart.csv:2: no column 'predd' \(found: id, pred; did you"
    ):
        read("csv", "id,pred\n1,a\n", fields={"summary": "predd"})
    with pytest.raises(DataError, match=r"no column for 'summary' \(found: id, txt\).*`fields="):
        read("csv", "id,txt\n1,a\n")


def test_another_delimiter_is_recognised_and_can_be_given(read: Any) -> None:
    with pytest.raises(DataError, match="separated by ';': pass it as delimiter"):
        read("csv.tsv", "id;pred\n1;a\n")
    assert read("csv", "id;pred\n1;a, b\n")[0].fields["summary"] == "a, b"
    assert read("csv", "id;pred\n1;a\n", delimiter=";")[0].fields["summary"] == "a"
    assert read("csv", "id\tpred\n1\ta\n", delimiter="tab")[0].fields["summary"] == "a"
    assert read("csv.tsv", "id\tpred\n1\ta,b\n")[0].fields["summary"] == "a,b"
    with pytest.raises(ParameterError, match="one character"):
        read("csv", "", delimiter="::")


def test_empty_cells_are_left_out_of_several_references(read: Any) -> None:
    found = read(
        "csv", "pred,r1,r2\na,b,\nc,,\n", fields={"summary": "pred", "references": ["r1", "r2"]}
    )
    assert [one.fields["references"] for one in found] == [["b"], []]


def test_records_may_span_lines_and_say_where_they_start(read: Any) -> None:
    found = read("csv", 'id,pred\n1,"a\r\nb"\n\n2,c\n')
    assert [one.fields["summary"] for one in found] == ["a\nb", "c"]
    assert [one.origin.rpartition(":")[2] for one in found] == ["2", "5"]


def test_huge_cells_are_read(read: Any) -> None:
    assert len(read("csv", "pred\n" + "a" * 1_000_000 + "\n")[0].fields["summary"]) == 1_000_000


@pytest.mark.parametrize(
    ("data", "told"),
    [
        ("id,pred\n1,a\n2\n", "bart.csv:3: 1 cells under a header of 2"),
        ('id,pred\n1,"a"b\n', "bart.csv:2: not valid CSV: .*quotes=false"),
        ('id,pred\n1,a\n2,"b\n3,c\n', "bart.csv:3: not valid CSV: unexpected end"),
        ("id,pred\n1,a\0b\n", "bart.csv:2: a NUL byte"),
        ("id,id\n1,a\n", "a column name occurs twice"),
        ("", "no header line"),
        ("id,pred\n,a\n", "'id' must be an id .* found empty text"),
        ("pred,summarizer_type\na,human\n", "must be 'peer' or 'reference', found 'human'"),
    ],
)
def test_malformed_csv_is_told_with_its_line(read: Any, data: str, told: str) -> None:
    with pytest.raises(DataError, match=told):
        read("csv", data)


def test_quotes_can_be_plain_text(read: Any) -> None:
    found = read("csv.tsv", 'id\tpred\n1\t"Rain" fell\n2\t"a\n', quotes=False)
    assert [one.fields["summary"] for one in found] == ['"Rain" fell', '"a']


def test_jsonl_takes_dotted_paths_and_lists(read: Any) -> None:
    row = {
        "info": {"id": 3},
        "out": [{"text": ["a", "b"]}],
        "refs": ["c", {"text": "d"}],
        "x.y": "z",
    }
    fields = {
        "instance_id": "info.id",
        "summary": "out.0",
        "references": "refs",
        "documents": "x.y",
    }
    [one] = read("jsonl", jsonl(row), fields=fields)
    assert one.instance_id == "3"
    assert one.fields == {"summary": ["a", "b"], "references": ["c", "d"], "documents": ["z"]}


def test_a_list_of_one_column_holds_the_sentences_of_one_reference(read: Any) -> None:
    row = jsonl({"pred": "a", "ref": ["b", "c"]})
    [many] = read("jsonl", row, fields={"summary": "pred", "references": "ref"})
    [one] = read("jsonl", row, fields={"summary": "pred", "references": ["ref"]})
    assert many.fields["references"] == ["b", "c"]
    assert one.fields["references"] == [["b", "c"]]


def test_jsonl_of_sacrerouge_shape_needs_no_mapping(read: Any) -> None:
    [one] = read("jsonl", jsonl({"instance_id": 1, "summary": {"text": "a"}, "references": ["b"]}))
    assert one.fields == {"summary": "a", "references": ["b"]}


def test_recognised_columns_in_the_singular_are_one_text(read: Any) -> None:
    row = {"id": 1, "summary": "a", "reference": ["b", "c"], "document": [["d"], ["e"]]}
    [one] = read("jsonl", jsonl(row))
    assert one.fields == {"summary": "a", "references": [["b", "c"]], "documents": [["d", "e"]]}
    with pytest.raises(DataError, match="column 'reference' is null"):
        read("jsonl", jsonl({**row, "reference": None}))
    with pytest.raises(DataError, match="column 'reference' looks like references"):
        read("jsonl", jsonl({"summary": "a"}, {"summary": "a", "reference": "b"}))


def test_a_row_that_lacks_a_column_is_refused(read: Any) -> None:
    rows = jsonl({"pred": "a", "ref": "b"}, {"pred": "c"})
    with pytest.raises(DataError, match=r"bart.jsonl:2: no column 'ref' \(found: pred\)"):
        read("jsonl", rows)
    with pytest.raises(DataError, match="column 'ref' is null"):
        read("jsonl", jsonl({"pred": "a", "ref": None}))


def test_a_later_row_with_more_fields_than_the_first_is_refused(read: Any) -> None:
    with pytest.raises(
        DataError, match=r"column 'id' looks like instance_id.*the first row has none"
    ):
        read("jsonl", jsonl({"pred": "a"}, {"pred": "b", "id": 1}))
    assert len(read("jsonl", jsonl({"pred": "a"}, {"pred": "b", "more": 1}))) == 2


def test_parquet_reads_strings_lists_and_integers(read: Any) -> None:
    rows = [
        {"id": n, "pred": ["a", "b"], "refs": ["c", "d"], "meta": {"src": "e"}, "vector": [0.5] * 9}
        for n in range(600)
    ]
    fields = {"summary": "pred", "references": "refs", "documents": "meta.src"}
    found = read("parquet", parquet(*rows), fields=fields)
    assert [one.instance_id for one in found] == [str(n) for n in range(600)]
    assert found[-1].fields == {"summary": ["a", "b"], "references": ["c", "d"], "documents": ["e"]}
    assert found[-1].origin.endswith("bart.parquet:600")


def test_parquet_lists_all_columns_when_one_is_missing(read: Any) -> None:
    data = parquet({"id": 1, "other": "a", "vector": 1.0})
    with pytest.raises(DataError, match=r"found: id, other, vector"):
        read("parquet", data)
    with pytest.raises(DataError, match=r"no column 'x.y' \(found: id, other, vector\)"):
        read("parquet", data, fields={"summary": "x.y"})


def test_what_is_not_parquet_is_a_data_error(read: Any) -> None:
    with pytest.raises(DataError, match=r"bart.parquet:1: not a valid Parquet file"):
        read("parquet", "id,pred\n")


def arrow_file(text: bytes) -> bytes:
    """An Arrow stream of one summary."""
    pyarrow = pytest.importorskip("pyarrow")
    sink = pyarrow.BufferOutputStream()
    table = pyarrow.table({"instance_id": ["1"], "summary": [text.decode()]})
    with pyarrow.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue().to_pybytes()


def test_an_arrow_file_with_forged_offsets_is_refused_before_it_is_read(read: Any) -> None:
    whole = arrow_file(b"x" * 77)
    forged = whole.replace((77).to_bytes(4, "little"), (1 << 30).to_bytes(4, "little"))
    assert forged != whole
    with pytest.raises(DataError, match="not a valid Arrow file"):
        read("arrow", forged)
    [instance] = read("arrow", whole)
    assert instance.fields["summary"] == "x" * 77


def test_the_old_feather_format_is_refused_with_its_remedy(read: Any) -> None:
    pytest.importorskip("pyarrow")
    with pytest.raises(DataError, match="version 1: write it again with pandas"):
        read("arrow", b"FEA1" + bytes(20) + b"FEA1")


def test_parquet_without_pyarrow_says_what_to_install(
    read: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = builtins.__import__

    def missing(name: str, *more: Any) -> Any:
        if name.startswith("pyarrow"):
            raise ImportError(name)
        return original(name, *more)

    monkeypatch.setattr(builtins, "__import__", missing)
    with pytest.raises(MissingResourceError, match=r"pip install 'rubrica\[parquet\]'"):
        read("parquet", b"")


@pytest.mark.parametrize("name", USUAL_NAMES["references"].split())
def test_usual_names_are_recognised_and_told(tmp_path: Path, name: str) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps({"Generated Summary": "a b", name: "c d"}) + "\n")
    reader = JsonlReader()
    (instance,) = reader.read(str(path))
    assert instance.fields == {"summary": "a b", "references": ["c d"]}
    assert "summary=Generated Summary" in reader.describe()


def test_the_page_lists_the_usual_names() -> None:
    page = (Path(__file__).parents[3] / "docs" / "readers.md").read_text()
    for target, names in USUAL_NAMES.items():
        assert f"| `{target}` | {', '.join(names.split())} |" in page
