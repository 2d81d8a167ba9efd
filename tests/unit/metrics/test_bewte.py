"""Basic elements from Universal Dependencies: parses, rules, transformations, scores."""

from __future__ import annotations

import pytest

from rubrica.errors import DataError
from rubrica.metrics import BEwTEUD
from rubrica.metrics.bewte.elements import elements_of
from rubrica.text.conllu import parse_conllu


def parse(*rows: str) -> str:
    """Rows "form lemma UPOS XPOS head relation [entity]" as CoNLL-U."""
    lines = []
    for number, row in enumerate(rows, 1):
        form, lemma, upos, xpos, head, relation, *entity = row.split()
        misc = f"NER={entity[0]}" if entity else "_"
        form = form.replace("~", " ")
        lines.append(
            "\t".join([str(number), form, lemma, upos, xpos, "_", head, relation, "_", misc])
        )
    return "\n".join(lines) + "\n"


def found(*rows: str) -> set[str]:
    """The elements of a sentence as `rule: part part`."""
    elements = elements_of(parse_conllu(parse(*rows))).values()
    return {f"{one.rule}: {' | '.join(part.text for part in one.parts)}" for one in elements}


def test_subjects_objects_and_modifiers() -> None:
    assert found(
        "The the DET DT 3 det",
        "old old ADJ JJ 3 amod",
        "ferry ferry NOUN NN 4 nsubj",
        "carried carry VERB VBD 0 root",
        "400 400 NUM CD 6 nummod",
        "passengers passenger NOUN NNS 4 obj",
        "slowly slowly ADV RB 4 advmod",
    ) == {
        "4: old",
        "5: old | ferry",
        "1: ferry",
        "11: ferry | carried",
        "2: carried",
        "1: 400",
        "5: 400 | passengers",
        "1: passengers",
        "21: carried | passengers",
        "46: carried | slowly",
    }


def test_the_subject_of_a_passive_is_what_is_acted_on() -> None:
    assert {"23: repaired | ship", "13: crew | repaired"} <= found(
        "The the DET DT 2 det",
        "ship ship NOUN NN 4 nsubj:pass",
        "was be AUX VBD 4 aux:pass",
        "repaired repair VERB VBN 0 root",
        "by by ADP IN 7 case",
        "the the DET DT 7 det",
        "crew crew NOUN NN 4 obl",
    )
    assert "11: crew | repaired" in found(
        "crew crew NOUN NN 3 nsubj", "has have AUX VBZ 3 aux", "repaired repair VERB VBN 0 root"
    )


def test_prepositions_join_three_parts_and_reach_conjuncts() -> None:
    assert {"26: flew | to | Paris", "30: flew | to | Rome"} <= found(
        "flew fly VERB VBD 0 root",
        "to to ADP IN 3 case",
        "Paris Paris PROPN NNP 1 obl",
        "and and CCONJ CC 5 cc",
        "Rome Rome PROPN NNP 3 conj",
    )


def test_copulas_appositions_possessors_and_compounds() -> None:
    assert "47: mayor | Ann" in found(
        "Ann Ann PROPN NNP 4 nsubj", "is be AUX VBZ 4 cop", "the the DET DT 4 det",
        "mayor mayor NOUN NN 0 root",
    )  # fmt: skip
    assert {"10: mayor | Ann", "7: city | mayor", "8: harbour | city"} <= found(
        "Ann Ann PROPN NNP 0 root",
        "harbour harbour NOUN NN 3 compound",
        "city city NOUN NN 4 nmod:poss",
        "mayor mayor NOUN NN 1 appos",
    )


def test_clauses() -> None:
    assert {"14: ship | sank", "44: wants | leave", "42: left | because | rained"} <= (
        found(
            "ship ship NOUN NN 0 root",
            "that that PRON WDT 3 nsubj",
            "sank sink VERB VBD 1 acl:relcl",
        )
        | found("wants want VERB VBZ 0 root", "to to PART TO 3 mark", "leave leave VERB VB 1 xcomp")
        | found(
            "left leave VERB VBD 0 root",
            "because because SCONJ IN 3 mark",
            "rained rain VERB VBD 1 advcl",
        )
    )
    assert {"35: came | from | town", "12: man | running", "48: book | Emma", "50: she | singing"} <= (
        found(
            "town town NOUN NN 0 root", "from from ADP IN 3 case", "which which PRON WDT 5 obl",
            "they they PRON PRP 5 nsubj", "came come VERB VBD 1 acl:relcl",
        )
        | found("man man NOUN NN 0 root", "running run VERB VBG 1 acl")
        | found("book book NOUN NN 0 root", "entitled entitle VERB VBN 1 acl", "Emma Emma PROPN NNP 2 xcomp")
        | found("she she PRON PRP 2 nsubj", "left leave VERB VBD 0 root", "singing sing VERB VBG 2 advcl")
    )  # fmt: skip


def test_particles_belong_to_their_verb_and_auxiliaries_are_no_elements() -> None:
    assert found(
        "has have AUX VBZ 2 aux", "given give VERB VBN 0 root", "up up ADP RP 2 compound:prt"
    ) == {"3: given up"}


def test_a_name_is_one_part() -> None:
    assert found(
        "Roy Roy PROPN NNP 3 nsubj B-PERSON",
        "Ostrander Ostrander PROPN NNP 1 flat I-PERSON",
        "won win VERB VBD 0 root",
    ) == {"1: Roy Ostrander", "11: Roy Ostrander | won", "2: won"}


def test_tags_follow_from_universal_ones_where_a_parse_has_no_others() -> None:
    text = (
        "1\tship\tship\tNOUN\t_\t_\t2\tnsubj:pass\t_\t_\n"
        "2\trepaired\trepair\tVERB\t_\tTense=Past|VerbForm=Part\t0\troot\t_\t_\n"
    )
    rules = {one.rule for one in elements_of(parse_conllu(text)).values()}
    assert rules == {1, 2, 23}


def score(summary: str, reference: str, **parameters: bool) -> tuple[float, float]:
    row = BEwTEUD(**parameters).score(summary, [reference])["bewte-ud"]
    return row["precision"], row["recall"]


@pytest.mark.parametrize(
    ("summary", "reference"),
    [
        (("cars car NOUN NNS 0 root",), ("car car NOUN NN 0 root",)),
        (("automobile automobile NOUN NN 0 root",), ("cars car NOUN NNS 0 root",)),
        (("U.S. U.S. PROPN NNP 0 root",), ("US US PROPN NNP 0 root",)),
        (
            ("Roy Roy PROPN NNP 0 root B-PERSON", "Ostrander Ostrander PROPN NNP 1 flat I-PERSON"),
            ("Ostrander Ostrander PROPN NNP 0 root B-PERSON",),
        ),
        (
            ("UN UN PROPN NNP 0 root B-ORG",),
            ("United United PROPN NNP 0 root B-ORG", "Nations Nations PROPN NNP 1 flat I-ORG"),
        ),
    ],
    ids=["inflected", "synonym", "stops", "last name", "acronym"],
)
def test_what_says_the_same_matches_only_with_transformations(
    summary: tuple[str, ...], reference: tuple[str, ...]
) -> None:
    assert score(parse(*summary), parse(*reference)) == (100.0, 100.0)
    assert score(parse(*reference), parse(*summary)) == (100.0, 100.0)
    assert score(parse(*summary), parse(*reference), transformations=False) == (0.0, 0.0)


def test_science_book_is_book_of_science() -> None:
    compound = parse("science science NOUN NN 2 compound", "book book NOUN NN 0 root")
    phrase = parse(
        "book book NOUN NN 0 root", "of of ADP IN 3 case", "science science NOUN NN 1 nmod"
    )
    assert score(compound, phrase) == (100.0, 100.0)
    assert score(phrase, compound) == (100.0, 100.0)


def test_an_element_is_paired_once() -> None:
    two = parse("car car NOUN NN 0 root", "automobile automobile NOUN NN 1 conj")
    one = parse("cars car NOUN NNS 0 root")
    assert score(two, one) == (50.0, 100.0)


def test_several_references_are_averaged() -> None:
    car, ship = parse("car car NOUN NN 0 root"), parse("ship ship NOUN NN 0 root")
    assert BEwTEUD().score(car, [car, ship])["bewte-ud"] == {
        "precision": 50.0,
        "recall": 50.0,
        "f1": 50.0,
    }


def test_entities_may_stand_in_a_column_of_their_own() -> None:
    text = (
        "# global.columns = ID FORM LEMMA UPOS HEAD DEPREL NER\n"
        "1\tNew\tNew\tPROPN\t2\tcompound\tB-LOC\n2\tYork\tYork\tPROPN\t0\troot\tE-LOC\n"
    )
    [element] = elements_of(parse_conllu(text)).values()
    assert [part.text for part in element.parts] == ["New York"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("It rained.", "line 1 of the text: 1 columns"),
        ("1\ta\ta\tX\t_\t_\t7\troot\t_\t_", "HEAD '7'"),
        ("1\ta\ta\tX\t_\t_\t0\troot\t_\t_\n1\ta\ta\tX\t_\t_\t0\troot\t_\t_", "one ID"),
        ("# global.columns = ID FORM\n", "no LEMMA"),
    ],
)
def test_a_text_that_is_no_parse_is_told(text: str, told: str) -> None:
    with pytest.raises(DataError, match=told):
        BEwTEUD().score(text, [text])


def test_a_circle_of_heads_does_no_harm() -> None:
    circle = parse("a a NOUN NN 2 nmod:poss", "b b PRON WP$ 1 nmod:poss")
    assert score(circle, circle) == (100.0, 100.0)
