"""DUCView's XML: offsets are made local, wrong ones are mended, what has no place is told."""

from __future__ import annotations

import warnings

import pytest

from rubrica.data.ducview import read_annotation, read_pyramid
from rubrica.errors import DataError, DataWarning
from support.dataset_samples.duc import annotation, peerscu, pyramid, scu

TEXTS = {"A": "Cats sleep all\nday long.", "B": "Dogs bark &amp; run."}
XML = pyramid("D0801-A", TEXTS, scu(3, "pets", "Cats", "Dogs") + scu(5, "noise", "bark"))


def part(label: str, start: int, end: int) -> str:
    return f'<part label="{label}" start="{start}" end="{end}"/>'


def with_scu(*parts: str) -> str:
    contributors = "".join(f'<contributor label="x">{one}</contributor>' for one in parts)
    return XML.replace(
        "</pyramid>", f'<scu uid="9" label="new (1.0)">{contributors}</scu></pyramid>'
    )


def test_references_are_split_named_and_flattened() -> None:
    found = read_pyramid(XML, "d0801-A", file="x.pyr")
    assert found.summarizer_ids == ("A", "B")
    assert found.summaries == ("Cats sleep all day long.", "Dogs bark & run.")


def test_offsets_count_from_the_start_of_their_reference() -> None:
    found = read_pyramid(XML, "d", file="x")
    pets, noise = found.scus
    assert (pets.scu_id, pets.label, pets.get_weight()) == (3, "pets", 2)
    for unit in found.scus:
        for one in unit.contributors:
            for place in one.parts:
                assert found.summaries[one.summary_index][place.start : place.end] == place.text
    assert noise.contributors[0].parts[0].text == "bark"


def test_the_title_lines_may_have_a_pattern_of_their_own() -> None:
    xml = pyramid("Set", TEXTS, "", regex=r"[-]*\n\s*Set\.M\.250\.[A-Z]\.[A-Z]\n[-]*\n")
    assert read_pyramid(xml, "d", file="x").summarizer_ids == ("A", "B")


@pytest.mark.parametrize("regex", [r"(a+)+$", r"(.*)*x", "a" * 400, r"(\w+)\1", "(unclosed"])
def test_patterns_made_to_take_for_ever_are_refused(regex: str) -> None:
    with pytest.raises(DataError, match="pattern"):
        read_pyramid(pyramid("D1", TEXTS, "", regex=regex), "d", file="x")


def test_a_wrong_offset_is_mended_by_the_words() -> None:
    found = read_pyramid(with_scu(part("sleep all  day", 0, 5)), "d", file="x")
    place = found.scus[-1].contributors[0].parts[0]
    assert place.text == "sleep all day"
    assert found.summaries[0][place.start : place.end] == place.text


def test_what_has_no_place_is_left_out_and_told() -> None:
    told: list[str] = []
    found = read_pyramid(with_scu(part("not there", 0, 9)), "d", file="x.pyr", tell=told.append)
    assert [unit.scu_id for unit in found.scus] == [3, 5]
    assert any("'not there' is not in the text" in one for one in told)
    assert any("SCU 9: no contributor" in one for one in told)
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        read_pyramid(with_scu(part("not there", 0, 9)), "d", file="x.pyr")
    assert [str(one.message) for one in warned] == told
    assert {one.category for one in warned} == {DataWarning}


def test_two_contributors_of_one_reference_make_a_unit_unusable() -> None:
    told: list[str] = []
    xml = with_scu(part("Cats", 0, 4), part("sleep", 0, 5))
    assert [u.scu_id for u in read_pyramid(xml, "d", file="x", tell=told.append).scus] == [3, 5]
    assert "two contributors of one reference" in told[-1]


def test_annotations_keep_only_units_of_the_pyramid() -> None:
    found = read_pyramid(XML, "d", file="x")
    xml = annotation(
        XML,
        " Cats bark. \n Really. ",
        peerscu(3, "pets", "Cats", 0)
        + peerscu(0, "none", "bark", 5)
        + peerscu(77, "own", "bark", 5),
    )
    made = read_annotation(xml, "d", "12", "peer", found, file="x")
    assert made.summary == "Cats bark. Really."
    assert made.get_scu_id_set() == {3}
    assert made.scus[0].label == "pets"
    assert made.scus[0].contributors[0].parts[0].text == "Cats"


def test_units_can_be_known_by_their_labels() -> None:
    found = read_pyramid(XML, "d", file="x")
    xml = annotation(XML, "Loud.", peerscu(41, "Noise", "Loud", 0))
    assert read_annotation(xml, "d", "1", "peer", found, file="x").get_scu_id_set() == set()
    mended = read_annotation(xml, "d", "1", "peer", found, file="x", match_labels=True)
    assert mended.get_scu_id_set() == {5}


def test_a_blank_summary_has_no_units() -> None:
    found = read_pyramid(XML, "d", file="x")
    made = read_annotation(annotation(XML, " \n ", ""), "d", "1", "peer", found, file="x")
    assert (made.summary, made.scus) == ("", ())


@pytest.mark.parametrize(
    ("xml", "told"),
    [
        ("<other/>", "no <pyramid>"),
        ("<pyramid><text><line>x</line></text></pyramid>", "no title line"),
        (XML.replace('uid="3"', 'uid="three"'), "uid='three'"),
        ("<pyramid>", "not well-formed"),
    ],
)
def test_broken_files_are_told(xml: str, told: str) -> None:
    with pytest.raises(DataError, match=told):
        read_pyramid(xml, "d", file="x.pyr")
