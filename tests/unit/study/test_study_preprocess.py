"""Preprocessing: every shape of input gives the same tagged lines, and what was done is recorded."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rubrica.errors import DataError, MismatchError, UnknownNameError
from rubrica.study.preprocess import Record, Steps, as_line, cut_like, letters, preprocess, unglue
from rubrica.study.shapes import ShapeOptions, read_shape, read_tac
from rubrica.text.tags import is_stand_in, sentences_of, tag_faults, tagged

WANTED = [["he left .", "she stayed ."], ["nobody playing knows ."]]
SHAPES: dict[str, tuple[str, dict[str, Any]]] = {
    "lines": ("he left . she stayed .\nnobody playing knows .\n", {}),
    "tagged": ("<t> he left . </t> <t> she stayed . </t>\n<t> nobody playing knows . </t>\n", {}),
    "sentence-lines": ("he left .\nshe stayed .\n\nnobody playing knows .\n\n", {}),
    "sent": ("he left .##SENT##she stayed .\nnobody playing knows .\n", {}),
    "q": ("he left .<q>she stayed .\nnobody play ##ing knows .\n", {"join_word_pieces": True}),
    "x-sep": ("he left . [X_SEP] she stayed .\nnobody playing knows . [X_SEP] \n", {}),
    "blanks": ("<t> he left .   she stayed . </t>\nnobody playing knows .\n", {}),
    "tsv": ("7\the left . she stayed .\n8\tnobody playing knows .\n", {}),
    "jsonl": (
        '{"decoded": "he left . she stayed ."}\n{"decoded": ["nobody playing knows ."]}\n',
        {},
    ),
}


def run(
    path: Path, shape: str, steps: Steps | None = None, **options: Any
) -> tuple[list[Any], Record]:
    record = Record()
    documents = read_shape(str(path), shape, ShapeOptions(**options))
    return list(preprocess(documents, steps or Steps(), record)), record


@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_gives_the_same_sentences(shape: str, tmp_path: Path) -> None:
    text, options = SHAPES[shape]
    (tmp_path / "out").write_text(text, "utf-8")
    made, record = run(tmp_path / "out", shape, **options)
    assert [one[0] for one in made] == WANTED
    assert (record.documents, record.sentences, record.one_sentence) == (2, 3, 1)
    lines = [as_line(one) for one in made]
    assert lines[0] == " <t> he left . </t>  <t> she stayed . </t> "
    assert [sentences_of(line) for line in lines] == WANTED


def test_only_texts_are_recorded_as_split(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("one .<q>two .\n")
    assert run(tmp_path / "a", "q")[1].taken() == []
    (tmp_path / "b").write_text("one . two .\n")
    assert run(tmp_path / "b", "lines")[1].taken() == ["split:rules"]


def test_empty_documents_and_stand_ins_keep_their_lines(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("one .\n\n### NO MATCH FOUND ###\n")
    made, record = run(tmp_path / "a", "lines")
    assert made == [[["one ."]], [[]], ["### NO MATCH FOUND ###"]]
    assert (record.empty, record.stand_ins) == (1, 1)
    assert [as_line(one) for one in made][1:] == ["", "### NO MATCH FOUND ###"]
    (tmp_path / "b").write_text("one .\n\n\nthree .\n")
    assert run(tmp_path / "b", "sentence-lines")[0] == [[["one ."]], [[]], [["three ."]]]


def test_references_joined_by_a_mark_stay_apart(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("one . ||sep|| two . three .\n")
    made, _ = run(tmp_path / "a", "lines", ref_separator="||sep||")
    assert made == [[["one ."], ["two .", "three ."]]]
    assert as_line(made[0]) == " <t> one . </t>  ||sep||  <t> two . </t>  <t> three . </t> "


def test_glued_sentences_are_parted_only_on_demand(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("<t> he left .she went to rome .com .</t>\n")
    assert run(tmp_path / "a", "tagged")[0] == [[["he left .she went to rome .com ."]]]
    made, record = run(tmp_path / "a", "tagged", Steps(unglue=True))
    assert made == [[["he left .", "she went to rome .com ."]]]
    assert record.taken() == ["unglue", "split:rules"]
    assert record.changed == {"unglue": 1}


def test_words_change_only_on_demand_and_are_counted(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("he did n't go .\n")
    made, record = run(tmp_path / "a", "lines", Steps(detokenize=True))
    assert made == [[["he didn't go."]]]
    assert record.to_dict()["changed"] == {"detokenize": 1}


def test_boundaries_come_from_the_same_text_spelled_otherwise(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("it 's late -lrb- very -rrb- . we go\n")
    model = [["It's late ( very )."], ["We go"]]
    with pytest.raises(MismatchError, match="not the same text"):
        run(tmp_path / "a", "lines", Steps("none", boundaries=model))
    assert cut_like("it 's late . '' we go", ["It's late.", "We go"], "x") == [
        "it 's late . ''",
        "we go",
    ]
    with pytest.raises(MismatchError, match="x: the text"):
        cut_like("something else", ["It's late."], "x")


def test_tac_topics_become_peers_and_references(tmp_path: Path) -> None:
    topics = {
        "D1": {
            "documents": [],
            "references": [{"text": ["One.", "Two."]}, {"text": "Three. Four."}],
            "annotations": [{"summ_id": 7, "text": ["Five."]}, {"summ_id": 8, "text": ["Six."]}],
        },
        "D2": {"references": [{"text": ["R."]}], "annotations": [{"summ_id": 7, "text": ["S."]}]},
    }
    (tmp_path / "tac.json").write_text(json.dumps(topics))
    read = read_tac(str(tmp_path / "tac.json"))
    assert read.topics == ("D1", "D2")
    assert [one[0].stand_in for one in read.of_peer("8")] == [None, "### DUPLICATE ###"]
    del topics["D1"]["references"]
    (tmp_path / "tac.json").write_text(json.dumps(topics))
    with pytest.raises(DataError, match="'D1' has no list 'references'"):
        read_tac(str(tmp_path / "tac.json"))


@pytest.mark.parametrize(
    ("shape", "text", "options", "told"),
    [
        ("tsv", "one\n", {}, "1 columns, and column 2"),
        ("jsonl", '{"text": "x"}\n', {}, r"no field 'decoded' \(found: text\)"),
        ("jsonl", '{"decoded": 3}\n', {}, "neither text nor a list"),
        ("tagged", "<t> a <t> b </t>\n", {}, r"out:1: malformed tags \(unbalanced\)"),
    ],
)
def test_faults_are_told_with_their_line(
    shape: str, text: str, options: dict[str, Any], told: str, tmp_path: Path
) -> None:
    (tmp_path / "out").write_text(text)
    with pytest.raises(DataError, match=told):
        run(tmp_path / "out", shape, **options)


def test_splitters_that_are_not_there_are_told() -> None:
    from importlib.util import find_spec

    from rubrica.errors import MissingResourceError, ParameterError
    from rubrica.study.preprocess import sentence_splitter

    with pytest.raises(ParameterError, match="rules, spacy, none"):
        sentence_splitter("magic")
    if find_spec("spacy") is None:
        with pytest.raises(MissingResourceError, match="pip install spacy"):
            sentence_splitter("spacy")
    else:
        assert sentence_splitter("spacy")("It rained. We left.") == ["It rained.", "We left."]


def test_an_unknown_shape_is_answered_with_near_names() -> None:
    with pytest.raises(UnknownNameError, match="sentence-lines"):
        read_shape("x", "sentence_line", ShapeOptions())


@pytest.mark.parametrize(
    ("line", "faults"),
    [
        ("<t> a </t> <t> b </t>", []),
        ("<t> <t> a </t> <t> b </t> </t>", ["doubled"]),
        ("<t> a <t> b </t>", ["unbalanced"]),
        ("<t> a </t> b", ["text outside"]),
        ("<t> a", ["unbalanced"]),
        ("<t> </t>", ["empty sentence"]),
        ("plain", ["text outside"]),
    ],
)
def test_faults_of_tags_are_named(line: str, faults: list[str]) -> None:
    assert tag_faults(line) == faults


def test_the_readers_differ_on_doubled_and_open_tags() -> None:
    line = "<t> <t> a </t> <t> b </t> </t>"
    assert sentences_of(line, "repair") == ["a", "b"]
    assert sentences_of(line, "realsumm") == ["<t> a", "b"]
    assert sentences_of("<t> a </t> <t> b", "realsumm") == ["a"]
    assert sentences_of("no tags", "realsumm") == []
    with pytest.raises(DataError, match="contains a tag"):
        tagged(["a <t> b"])


@given(st.lists(st.text(alphabet="ab .<>/\n#", min_size=1).filter(lambda s: s.split()), max_size=5))
def test_tagged_lines_read_back_as_they_were(sentences: list[str]) -> None:
    plain = [" ".join(one.split()) for one in sentences]
    line = tagged(sentences)
    assert "\n" not in line
    assert sentences_of(line) == plain


def test_stand_ins_are_known_by_their_marks() -> None:
    assert is_stand_in(" ### NO MATCH FOUND ### ")
    assert is_stand_in("### DUPLICATE ###")
    assert is_stand_in(" <t> ### IGNORE ### </t> ")
    assert not is_stand_in("### a heading")


def test_letters_keep_what_alignment_compares() -> None:
    assert letters("-LRB- Été 2021 , can't") == "lrbété2021cant"
    assert unglue("a .b c") == "a .b c"  # one letter may be an initial


def test_tac_references_may_have_ids_and_people_are_no_peers(tmp_path: Path) -> None:
    topic: dict[str, Any] = {
        "references": [["A", ["One .", "Two ."]], ["B", ["Three ."]]],
        "annotations": [
            {"summ_id": "1", "text": ["Peer ."]},
            {"summ_id": "A", "text": ["One .", "Two ."]},
        ],
    }
    (tmp_path / "tac.json").write_text(json.dumps({"D0901": topic}))
    tac = read_tac(str(tmp_path / "tac.json"))
    assert [piece.sentences for piece in tac.references["D0901"]] == [
        ("One .", "Two ."),
        ("Three .",),
    ]
    assert (list(tac.peers), tac.humans) == (["1"], {"A"})
    topic["annotations"].pop(0)
    (tmp_path / "tac.json").write_text(json.dumps({"D0901": topic}))
    with pytest.raises(DataError, match="no peers"):
        read_tac(str(tmp_path / "tac.json"))
