"""Texts on the pages of ROUGE and of pyramids, as data: what is shown is what was compared."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rubrica.data.instance import EvalInstance, Fields
from rubrica.data.pyramid import SCU, Contributor, Part, Pyramid, PyramidAnnotation, SCUAnnotation
from rubrica.datasets.readers.base import DatasetReader
from rubrica.datasets.readers.pyramids import PyramidBasedReader
from rubrica.errors import DataError, RubricaWarning, UnknownNameError
from rubrica.metrics.pyramid.pyramid_score import PyramidScore
from rubrica.metrics.rouge.metric import Rouge
from rubrica.metrics.rouge.profiles import PROFILES
from rubrica.metrics.rouge.tokens import split_lines
from rubrica.neural.progress import listening
from rubrica.reports.page import utf16_places
from rubrica.reports.pyramid import pyramid_report
from rubrica.reports.rouge_matches import Variant, rouge_report, usual_variant
from support.examples import half_as_many

PIECES = st.sampled_from(
    [
        "running",
        "The",
        "cats",
        "İstanbul",
        "naïve",
        "5.5",
        "U.S.",
        "น้ำ",
        "会议",
        "👩‍👧",
        "ﬁn",
        "K",
        "-",
        "gimme",
    ]
)
LINES = st.lists(PIECES, max_size=6).map(" ".join)
TEXTS = st.lists(LINES, min_size=1, max_size=3) | LINES | st.text(max_size=30)


@pytest.mark.parametrize("profile", sorted(PROFILES))
@half_as_many
@given(text=TEXTS)
def test_the_words_shown_are_the_tokens_compared(profile: str, text: Any) -> None:
    variant = Variant(profile)
    tokens = variant.tokens(text)
    shown = variant.reader.read(split_lines(text), tokens)
    assert [word.form for word in shown.words if word.form is not None] == tokens.whole
    for word in shown.words:
        assert 0 <= word.start <= word.end <= len(shown.units[word.unit])
    places = [(word.unit, word.start) for word in shown.words]
    assert places == sorted(places)


@pytest.mark.parametrize("profile", ["unicode", "character"])
def test_thai_is_shown_as_written_though_one_letter_folds_to_two(profile: str) -> None:
    text = "น้ำท่วม ทำ"
    variant = Variant(profile)
    shown = variant.reader.read([text], variant.tokens(text))
    assert shown.literal
    assert [text[word.start : word.end] for word in shown.words][:3] == ["น้", "ำ", "ท่"]
    assert [text[word.start : word.end] for word in shown.words][-2:] == ["ท", "ำ"]


def test_stop_words_are_shown_as_dropped_and_stems_as_forms() -> None:
    variant = Variant("rouge-1.5.5:no-stop-words")
    text = "The cats were running."
    shown = variant.reader.read([text], variant.tokens(text))
    assert [(text[w.start : w.end], w.form) for w in shown.words] == [
        ("The", None),
        ("cats", "cat"),
        ("were", None),
        ("running", "run"),
    ]


def test_scores_are_those_of_the_metric(news: Path) -> None:
    rows = list(DatasetReader.from_config("reference-based").read(str(news / "summaries.jsonl")))
    report = rouge_report(rows[:9], ["rouge-1.5.5", "rouge-score"])
    metric = Rouge(compute_rouge_l=True, wlcs_weight=1.2, skip_bigram_gap_length=4)
    for instance, row in zip(rows[:9], report.rows, strict=True):
        scores = metric.score(instance.fields["summary"], instance.fields["references"])
        for at, key in enumerate(report.variants[0].measures):
            if key in scores:
                assert row.scores[0][at] == list(scores[key].values())
        alone = metric.score(instance.fields["summary"], instance.fields["references"][1:2])
        assert row.pairs[0][1].scores[0] == list(alone["rouge-1"].values())
    assert report.variants[1].measures[-2:] == ["rouge-l", "rouge-lsum"]
    assert report.left_out == 0


def instance(summary: Any, *references: Any, name: str = "d1") -> EvalInstance:
    return EvalInstance(name, "s", "peer", Fields(summary=summary, references=list(references)))


def test_equal_texts_are_kept_once_and_inputs_can_be_limited() -> None:
    report = rouge_report(
        [instance("a b", "a b"), instance("a b", "c", name="d2")], ["rouge-1.5.5"], max_instances=1
    )
    assert report.texts == [["a b"]]
    assert report.left_out == 1


def test_matching_counts_only_the_summaries_shown() -> None:
    every = [instance("a b", "a b", name=f"d{at}") for at in (1, 2, 1, 3)]
    seen: list[tuple[str, int, int]] = []
    with listening(lambda *step: seen.append(step)):
        report = rouge_report(every, ["rouge-1.5.5"], max_instances=1)
    assert seen[-1] == ("summaries matched", 2, 2)
    assert report.left_out == 2


def test_places_count_as_javascript_does() -> None:
    report = rouge_report([instance("𝒳 cat 𝒳cats", "cat")], ["rouge-1.5.5"])
    assert report.cuts[report.tokens[0][0].cut].places == [3, 3, 3, 4]
    assert utf16_places("𝒳a") == [0, 2, 3]
    assert utf16_places("plain") is None


def test_variants_that_cut_alike_share_places_and_words_that_recur_their_forms() -> None:
    text = ["Running dogs ran.", "The dogs, running."]
    report = rouge_report(
        [instance(text, "a U.S. dog")], ["rouge-1.5.5", "rouge-score", "rouge-1.5.5:no-stop-words"]
    )
    assert [one.cut for one in report.tokens[0]] == [0, 0, 0]
    assert report.cuts[0].words == [3, 3]
    assert report.cuts[0].places == [0, 7, 1, 4, 1, 3, 0, 3, 1, 4, 2, 7]
    assert report.forms[0] == {"Running": "run", "dogs": "dog", "running": "run"}
    assert report.forms[1] == {}
    assert report.forms[2]["The"] is None
    assert not any(one.odd for texts in report.tokens for one in texts)


def test_words_after_a_limit_are_dropped_without_a_list_of_them() -> None:
    """py-rouge compares 665 letters; what comes later is dropped, whatever the word became before."""
    long = "cats " * 200
    report = rouge_report([instance(long, "cats run")], ["py-rouge"])
    seen = report.tokens[0][0]
    variant = Variant("py-rouge")
    assert seen.end == len(variant.tokens(long).whole) == 133
    assert report.cuts[seen.cut].words == [200]
    assert (seen.odd, report.forms[0]) == ({}, {"cats": "cat"})


def test_units_are_told_where_they_are_not_lines() -> None:
    report = rouge_report([instance("One two. Three", "one\nthree")], ["rouge", "rouge-score"])
    assert [one.units for one in report.tokens[0]] == [[2, 1], None]


def test_an_empty_token_is_shown_as_one() -> None:
    """rouge 1.0.1 makes an empty token of a blank between two full stops, and compares it."""
    variant = Variant("rouge")
    text = "a . . b"
    tokens = variant.tokens(text)
    assert "" in tokens.whole
    shown = variant.reader.read([text], tokens)
    assert not shown.literal
    assert "∅" in shown.units
    assert [word.form for word in shown.words] == tokens.whole


@pytest.mark.slow
def test_a_page_of_long_texts_is_small() -> None:
    """With the lists of all matches it would have 941 bytes for each word of these texts."""
    known = "the council of towns voted on a new library for its ferry rivers in late autumn"
    words = known.split()

    def text(seed: int, step: int) -> list[str]:
        numbers = [(seed + step * at * at) % 97 for at in range(2000)]
        found = [words[at % len(words)] + ("s" if at % 5 == 0 else "") for at in numbers]
        return [" ".join(found[at : at + 20]) + "." for at in range(0, len(found), 20)]

    texts = [text(seed, step) for seed, step in ((1, 3), (5, 7), (11, 13), (17, 19))]
    rows = [instance(texts[0], *texts[2:]), instance(texts[1], *texts[2:], name="d2")]
    empty = len(rouge_report([instance("", "")]).page())
    assert (len(rouge_report(rows).page()) - empty) / (4 * 2000) < 15


def test_texts_in_other_letters_are_shown_by_what_reads_them() -> None:
    thai = instance("ฝนตกหนัก", "ฝนตก")
    assert usual_variant([thai]) == "unicode"
    assert usual_variant([instance("rain fell", "rain"), thai, instance("a", "b")]) == "rouge-1.5.5"
    report = rouge_report([thai], (usual_variant([thai]),))
    assert report.rows[0].scores[0][0][1] > 0


def test_what_cannot_be_reported_is_told() -> None:
    with pytest.raises(UnknownNameError, match="rouge-score"):
        rouge_report([], ["rougescore"])
    with pytest.raises(UnknownNameError, match="no-stemming"):
        rouge_report([], ["rouge-1.5.5:nostemming"])
    with pytest.raises(DataError, match="no summaries"):
        rouge_report([], ["rouge-1.5.5"])


@pytest.mark.parametrize("summary", ["", [], ["", ""], "…"])
def test_empty_texts_make_a_page(summary: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RubricaWarning)
        report = rouge_report([instance(summary, "a reference", "")])
    assert report.rows[0].pairs[0][0].counts[0][0] == 0
    assert report.page()


def test_pyramid_scores_are_those_of_the_metric(news: Path) -> None:
    files = str(news / "pyramids.jsonl"), str(news / "pyramid-annotations.jsonl")
    reader = PyramidBasedReader()
    rows = list(reader.read(*files))
    peers = [
        (one.fields["annotation"], one.fields["pyramid"])
        for one in rows
        if one.summarizer_type == "peer"
    ]
    report = pyramid_report(reader.read_pyramids(files[0]), peers)
    shown = {
        (view.instance, text.name): text.score
        for view in report.pyramids
        for text in (*view.peers, *view.references)
    }
    expected = {
        (one.instance_id, one.summarizer_id): PyramidScore().score_one(
            one.fields["annotation"], one.fields["pyramid"]
        )["modified_pyramid_score"]
        for one in rows
    }
    assert shown == expected


def test_units_are_sorted_by_weight_and_unknown_ones_count_nothing() -> None:
    text = "𝒳 one two"
    part = Part("one", 2, 5)
    light = SCU(1, "light", (Contributor(0, "one", (part,)),))
    heavy = SCU(2, "heavy", (Contributor(0, "one", (part,)), Contributor(1, "one", (part,))))
    pyramid = Pyramid("d1", (text, text), ("A", "B"), (light, heavy))
    annotation = PyramidAnnotation(
        "d1", "p", "peer", text, (SCUAnnotation(2, "heavy"), SCUAnnotation(9, "own"))
    )
    [view] = pyramid_report([pyramid], [(annotation, pyramid)]).pyramids
    assert [unit.id for unit in view.units] == [2, 1]
    [peer] = view.peers
    assert (peer.found, peer.unknown, peer.outside) == (2, [(9, "own")], 1.0)
    assert view.references[0].contributions[0].spans == [
        (3, 6),
    ]


def test_a_pyramid_of_one_reference_is_shown_and_not_scored() -> None:
    pyramid = Pyramid("d1", ("text",), ("A",), ())
    [view] = pyramid_report([pyramid]).pyramids
    assert view.references[0].score is None
    assert pyramid_report([pyramid]).page()
