"""The reader of DUCView's files: whose summary, of which input, against which pyramid."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rubrica.data.instance import EvalInstance
from rubrica.datasets.readers.base import DatasetReader
from rubrica.errors import DataError, DataWarning, MismatchError
from rubrica.metrics.pyramid.pyramid_score import PyramidScore
from support.dataset_samples.duc import annotation, peerscu, pyramid, scu

TEXTS = {"A": "Cats sleep all day.", "B": "Dogs bark loudly."}
SCUS = scu(3, "pets", "Cats", "Dogs") + scu(5, "noise", "bark")
PYR = pyramid("D0801-A", TEXTS, SCUS)
SMALLER = pyramid("D0801-A", TEXTS, scu(3, "pets", "Cats", "Dogs"))
PETS, NOISE = peerscu(3, "pets", "Cats", 0), peerscu(5, "noise", "bark", 5)


def read(folder: Path, files: dict[str, str], **parameters: Any) -> list[EvalInstance]:
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    reader = DatasetReader.from_config({"type": "ducview", **parameters})
    return list(reader.read(*(str(folder / name) for name in files)))


def pan(summary: str = "Cats bark.", scus: str = PETS + NOISE, of: str = PYR) -> str:
    return annotation(of, summary, scus)


def test_names_come_from_the_titles_and_the_file(tmp_path: Path) -> None:
    found = read(tmp_path, {"D0801-A.M.100.A.12.pan": pan()})
    ids = [(one.instance_id, one.summarizer_id, one.summarizer_type) for one in found]
    assert ids == [
        ("D0801-A", "12", "peer"),
        ("D0801-A", "A", "reference"),
        ("D0801-A", "B", "reference"),
    ]
    assert found[0].fields["annotation"].get_scu_id_set() == {3, 5}
    # A reference is held against the pyramid of the others.
    assert found[1].fields["pyramid"].summarizer_ids == ("B",)


def test_its_instances_are_scored(tmp_path: Path) -> None:
    peer, *_ = read(tmp_path, {"x.12.pan": pan()})
    score = PyramidScore(compute_original=True).score(
        peer.fields["annotation"], peer.fields["pyramid"]
    )
    # Units weigh 2 and 1; references have 1 and 2 units, so the ideal has ceil(1.5) = 2 of them.
    assert score == {"modified_pyramid_score": 1.0, "pyramid_score": 1.0}


def test_an_annotated_reference_is_not_added_again(tmp_path: Path) -> None:
    found = read(tmp_path, {"D0801-A.M.100.A.A.pan": pan("Cats sleep.", PETS)})
    assert [(one.summarizer_id, one.summarizer_type) for one in found] == [
        ("A", "reference"),
        ("B", "reference"),
    ]


@pytest.mark.parametrize("last", [False, True], ids=["first", "last"])
def test_a_pyr_file_takes_the_place_of_the_pyramids_inside(tmp_path: Path, last: bool) -> None:
    files = {"a.12.pan": pan()}
    files = {**files, "p.pyr": SMALLER} if last else {"p.pyr": SMALLER, **files}
    peer, *_ = read(tmp_path, files)
    assert [unit.scu_id for unit in peer.fields["pyramid"].scus] == [3]
    assert peer.fields["annotation"].get_scu_id_set() == {3}


def test_two_pyramids_of_one_input_are_refused(tmp_path: Path) -> None:
    with pytest.raises(MismatchError, match=r"b\.7\.pan.*another pyramid in .*a\.12\.pan.*\.pyr"):
        read(tmp_path, {"a.12.pan": pan(), "b.7.pan": pan(scus=PETS, of=SMALLER)})


def test_a_pan_file_of_another_input_is_named(tmp_path: Path) -> None:
    other = pan(of=pyramid("D0999", TEXTS, SCUS))
    with pytest.raises(MismatchError, match=r"a\.12\.pan: no pyramid of 'D0999' in .*p\.pyr"):
        read(tmp_path, {"p.pyr": PYR, "a.12.pan": other})


def test_a_file_that_does_not_say_whose_summary_it_is(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"INPUT\.SUMMARIZER\.pan.*default_summarizer_id"):
        read(tmp_path, {"mine.pan": pan()})
    peer, *_ = read(tmp_path, {"mine.pan": pan()}, default_summarizer_id="lead3")
    assert peer.summarizer_id == "lead3"


def test_titles_of_ones_own_need_a_pattern(tmp_path: Path) -> None:
    own = pan(of=pyramid("Study", TEXTS, SCUS))
    with pytest.raises(DataError, match="no title line"):
        read(tmp_path, {"a.12.pan": own})
    pattern = r"[-]*\n Study\.M\.250\.[A-Z]\.[A-Z]\n[-]*\n"
    peer, *_ = read(tmp_path, {"a.12.pan": own}, title=pattern)
    assert peer.instance_id == "Study"


def test_what_was_left_out_is_counted_once(tmp_path: Path) -> None:
    lost = peerscu(5, "noise", "nowhere", 0)
    files = {"p.pyr": PYR, "a.12.pan": pan(scus=PETS + lost), "b.7.pan": pan(scus=PETS + lost)}
    with pytest.warns(DataWarning, match="2 parts, contributors or content units") as told:
        read(tmp_path, files)
    assert len(told) == 1


def test_entities_of_its_own_are_refused(tmp_path: Path) -> None:
    hostile = pan().replace(
        '<?xml version="1.0"?>', '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "b">]>'
    )
    with pytest.raises(DataError, match=r"a\.12\.pan.*entities"):
        read(tmp_path, {"a.12.pan": hostile})
