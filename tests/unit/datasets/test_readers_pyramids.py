"""Pyramids and annotations: joined, checked, and completed by the references' own annotations."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest

from rubrica.datasets.readers.base import DatasetReader
from rubrica.errors import DataError, DataWarning, MismatchError
from rubrica.metrics.pyramid.pyramid_score import PyramidScore
from support.reader_samples import SCU, jsonl, pyramid, row

NEWS = Path(__file__).parents[3] / "examples" / "news"
PEER = row("d1", summary="Rain now.", scus=[SCU])


def read(folder: Path, pyramids: list[Any], annotations: list[Any], **parameters: Any) -> list[Any]:
    (folder / "p.jsonl").write_bytes(jsonl(*pyramids))
    (folder / "a.jsonl").write_bytes(jsonl(*annotations))
    reader = DatasetReader.from_config({"type": "pyramid-based", **parameters})
    return list(reader.read(str(folder / "p.jsonl"), str(folder / "a.jsonl")))


def test_the_sample_data_gives_peers_then_references() -> None:
    files = [str(NEWS / "pyramids.jsonl"), str(NEWS / "pyramid-annotations.jsonl")]
    found = list(DatasetReader.from_config("pyramid-based").read(*files))
    assert [one.summarizer_type for one in found] == ["peer"] * 24 + ["reference"] * 12
    assert {one.summarizer_id for one in found[24:]} == {"A", "B", "C"}
    for one in found:
        [value] = PyramidScore().score_one(one.fields["annotation"], one.fields["pyramid"]).values()
        assert value >= 0


def test_a_reference_is_judged_by_the_pyramid_of_the_others(tmp_path: Path) -> None:
    _, a, b = read(tmp_path, [pyramid("d1"), pyramid("unseen")], [PEER])
    assert (a.summarizer_id, b.summarizer_id) == ("A", "B")
    assert a.fields["pyramid"].summarizer_ids == ("B",)
    assert a.fields["annotation"].summary == "Rain fell."
    assert a.origin.endswith("p.jsonl:1")


def test_a_reference_annotated_in_the_file_is_not_added_again(tmp_path: Path) -> None:
    own = {**PEER, "summarizer_id": "A", "summarizer_type": "reference"}
    assert [one.summarizer_id for one in read(tmp_path, [pyramid("d1")], [PEER, own])] == [
        "s",
        "A",
        "B",
    ]


def test_references_can_be_left_out(tmp_path: Path) -> None:
    found = read(tmp_path, [pyramid("d1")], [PEER], include_reference_annotations=False)
    assert [one.summarizer_id for one in found] == ["s"]


def test_a_pyramid_of_one_reference_adds_none(tmp_path: Path) -> None:
    single = {"instance_id": "d1", "summarizer_ids": ["A"], "summaries": ["x"], "scus": []}
    with pytest.warns(DataWarning):
        assert len(read(tmp_path, [single], [PEER])) == 1


def test_pyramids_can_be_named_by_a_parameter(tmp_path: Path) -> None:
    read(tmp_path, [pyramid("d1")], [PEER])
    reader = DatasetReader.from_config(
        {"type": "pyramid-based", "pyramids": [str(tmp_path / "p.jsonl")]}
    )
    assert len(list(reader.read(str(tmp_path / "a.jsonl")))) == 3


def test_integer_ids_become_text(tmp_path: Path) -> None:
    number = {**pyramid("d1"), "instance_id": 1, "summarizer_ids": [1, 2]}
    found = read(tmp_path, [number], [{**PEER, "instance_id": 1}])
    assert [one.summarizer_id for one in found] == ["s", "1", "2"]


def test_a_span_that_does_not_match_is_refused_with_its_path(tmp_path: Path) -> None:
    wrong = copy.deepcopy(PEER)
    wrong["scus"][0]["contributors"][0]["parts"][0]["start"] = 1
    with pytest.raises(
        DataError, match=r"a.jsonl:1: scus\[0\].contributors\[0\].parts\[0\]: .*'ain'"
    ):
        read(tmp_path, [pyramid("d1")], [wrong])
    assert len(read(tmp_path, [pyramid("d1")], [wrong], check_spans=False)) == 3


def test_a_span_from_the_end_is_refused(tmp_path: Path) -> None:
    wrong = copy.deepcopy(PEER)
    wrong["scus"][0]["contributors"][0]["parts"][0] = {"text": "now", "start": -4, "end": -1}
    with pytest.raises(DataError, match="offsets count code points"):
        read(tmp_path, [pyramid("d1")], [wrong])


def test_unknown_scus_are_kept_and_counted_in_one_warning(tmp_path: Path) -> None:
    strange = {**PEER, "scus": [SCU, {"scu_id": 8, "label": "?"}, {"scu_id": 9, "label": "?"}]}
    with pytest.warns(DataWarning, match=r"2 annotated SCU ids .* \(first at .*a.jsonl:2\)"):
        found = read(tmp_path, [pyramid("d1")], [PEER, strange])
    assert found[1].fields["annotation"].get_scu_id_set() == {1, 8, 9}


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"summarizer_ids": ["A"]}, "same length"),
        ({"summarizer_ids": ["A", "A"]}, "a name twice"),
        ({"summaries": ["Rain", 1]}, r"'summaries\[1\]' must be a text, found a whole number"),
        ({"scus": pyramid("d1")["scus"] * 2}, "'scu_id' occurs twice"),
        ({"scus": None}, "field 'scus' is null; reader 'pyramid-based' needs it"),
    ],
)
def test_a_pyramid_that_contradicts_itself_is_refused(
    tmp_path: Path, change: dict[str, Any], told: str
) -> None:
    with pytest.raises(DataError, match=rf"p.jsonl:1: .*{told}"):
        read(tmp_path, [{**pyramid("d1"), **change}], [PEER])


def test_a_contributor_from_nowhere_is_refused(tmp_path: Path) -> None:
    wrong = pyramid("d1")
    wrong["scus"][0]["contributors"][1] = {"summary_index": 2, "label": "", "parts": []}
    with pytest.raises(DataError, match="no summary 2 among 2"):
        read(tmp_path, [wrong], [PEER])


def test_a_missing_pyramid_names_the_instance_and_both_files(tmp_path: Path) -> None:
    with pytest.raises(
        MismatchError, match=r"a.jsonl:1: no pyramid for instance 'd1' in .*p.jsonl"
    ):
        read(tmp_path, [pyramid("d2")], [PEER])


def test_two_pyramids_for_one_instance_are_refused_with_both_places(tmp_path: Path) -> None:
    with pytest.raises(MismatchError, match=r"p.jsonl:2: .* another pyramid at .*p.jsonl:1"):
        read(tmp_path, [pyramid("d1"), {**pyramid("d1"), "scus": []}], [PEER])
