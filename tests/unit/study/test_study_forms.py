"""Kinds of tasks: each is defined in one TOML file, and its answers become the rows of `meta-evaluate`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rubrica.data.instance import EvalInstance, Fields
from rubrica.errors import DataError
from rubrica.study.forms.base import UNSURE, Form, InvalidAnswer, Item, Judgment
from rubrica.study.forms.definition import KINDS, decode_form, encode_form, read_form
from rubrica.study.forms.scores import answer_rows, rating_rows, score_rows

FORMS = Path(__file__).parents[3] / "examples" / "study" / "forms"


def form_of(kind: str) -> Form:
    return read_form(FORMS / f"{kind}.toml")


def summaries(systems: str = "abc", inputs: int = 2) -> list[EvalInstance]:
    return [
        EvalInstance(
            f"d{n}", system, "peer",
            Fields({"summary": f"System {system} wrote it. Second of d{n}.", "documents": ["A document."], "references": ["R."]}),
        )
        for n in range(inputs)
        for system in systems
    ]  # fmt: skip


def judged(form: Form, item: Item, *answers: str, annotator: str = "ann") -> Judgment:
    cleaned = {place: form.clean(item, place, value) for place, value in enumerate(answers)}
    assert form.missing(item, cleaned) == ""
    return Judgment(annotator, item, cleaned)


def only_row(form: Form, *judgments: Judgment) -> dict[str, float]:
    [row] = score_rows(form, judgments)
    return row.values()


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_has_an_example_and_is_stored_as_it_is(kind: str) -> None:
    form = form_of(kind)
    assert form.kind == kind
    assert decode_form(kind, encode_form(form)) == form
    assert all(item.kind == kind for item in form.items(summaries(), 0))


BAD = [
    ("kind = 'stars'", "key 'kind' is 'stars'; use one of likert"),
    ("title = 'x'", "key 'kind' is missing"),
    ("kind = ", "not TOML"),
    ("kind = 'likert'\ncolor = 1\n[[dimensions]]\nname='a'", "unknown field `color`"),
    ("kind = 'likert'\n[[dimensions]]\nname = 'a'\nlow = 'x'", r"key `dimensions\[0\].low`"),
    ("kind = 'likert'", "`dimensions`"),
    ("kind = 'likert'\ndimensions = []", r"\[\[dimensions\]\] is empty"),
    ("kind = 'likert'\n[[dimensions]]\nname = 'a b'", "'a b' cannot name a measure"),
    ("kind = 'likert'\n[[dimensions]]\nname='a'\n[[dimensions]]\nname='a'", "'a' occurs twice"),
    ("kind = 'likert'\n[[dimensions]]\nname='a'\nhigh = 99", "a scale has 2 to 11 steps"),
    ("kind = 'likert'\n[[dimensions]]\nname='a'\nlabels = ['x']", "1 labels for 5 steps"),
    ("kind = 'pair'\nper_input = 0", "per_input is 0"),
    ("kind = 'ranking'\nsize = 1", "size is 1; rank 2 to 8"),
    ("kind = 'spans'\ncategories = []", "list 1 to 9 different names"),
    ("kind = 'spans'\ncategories = ['a']\nseverities = {minor = -1}", "weight of at least 0"),
    ("kind = 'faithful'\nname = ''", "cannot name a measure"),
]


@pytest.mark.parametrize(("text", "message"), BAD)
def test_a_faulty_definition_is_refused_with_file_key_and_remedy(
    text: str, message: str, tmp_path: Path
) -> None:
    path = tmp_path / "form.toml"
    path.write_text(text)
    with pytest.raises(DataError, match=message) as refused:
        read_form(path)
    assert "form.toml" in str(refused.value)


def test_likert_scales_are_averaged_over_annotators() -> None:
    form = form_of("likert")
    item = form.items(summaries("a", 1), 0)[0]
    first = judged(form, item, "1", "2", "3", "4")
    second = judged(form, item, "5", "2", "3", "4", annotator="bob")
    assert only_row(form, first, second)["coherence"] == 3
    with pytest.raises(InvalidAnswer, match="one of 1, 2, 3, 4, 5"):
        form.clean(item, 0, "6")
    with pytest.raises(InvalidAnswer, match="no such question"):
        form.clean(item, 4, "1")
    assert form.missing(item, {0: "1"}) == "3 questions are not answered yet."


def test_direct_assessment_takes_whole_numbers_from_0_to_100() -> None:
    form = form_of("direct")
    item = form.items(summaries("a", 1), 0)[0]
    assert only_row(form, judged(form, item, "073")) == {"adequacy": 73}
    for value in ("101", "-1", "7.5", "", "٣", "9" * 5000):
        with pytest.raises(InvalidAnswer, match="from 0 to 100"):
            form.clean(item, 0, value)


def test_standardized_scores_have_mean_0_for_each_annotator() -> None:
    form = form_of("direct")
    low, high = form.items(summaries("ab", 1), 0)
    judgments = [judged(form, low, "20"), judged(form, high, "80")]
    judgments += [judged(form, item, "50", annotator="bob") for item in (low, high)]
    rows = score_rows(form, judgments, standardize=True)
    assert [row.values()["adequacy"] for row in rows] == [-0.5, 0.5]


def test_a_pair_counts_for_the_better_system_and_ties_count_half() -> None:
    form = form_of("pair")
    items = form.items(summaries("abc", 1), 0)
    assert len(items) == 2  # per_input
    first, second = (statement["id"] for statement in items[0].statements)
    rows = score_rows(
        form, [judged(form, items[0], "0"), judged(form, items[0], "tie", annotator="b")]
    )
    assert {row.summarizer_id: row.values()["preference"] for row in rows} == {
        first: 0.75,
        second: 0.25,
    }


def test_a_baseline_is_compared_with_all_others(tmp_path: Path) -> None:
    (tmp_path / "p.toml").write_text("kind = 'pair'\nbaseline = 'b'")
    items = read_form(tmp_path / "p.toml").items(summaries("abc", 1), 0)
    assert [item.source for item in items] == ["a | b", "b | c"]
    with pytest.raises(DataError, match="no input has two summaries"):
        read_form(tmp_path / "p.toml").items(summaries("a", 1), 0)


def test_a_ranking_scores_the_share_of_summaries_that_are_beaten() -> None:
    form = form_of("ranking")
    [item] = form.items(summaries("abc", 1), 0)
    assert (
        form.missing(item, {0: "1", 1: "1", 2: "2"})
        == "Two summaries have rank 1; give each its own."
    )
    rows = score_rows(form, [judged(form, item, "2", "1", "3")])
    by_system = {row.summarizer_id: row.values()["rank_score"] for row in rows}
    assert list(by_system.values()) == [0.5, 1, 0]
    assert [len(item.statements) for item in form.items(summaries("abcdefghi", 1), 0)] == [3, 3, 3]


def test_errors_weigh_by_severity_and_must_lie_in_the_text() -> None:
    form = form_of("spans")
    item = form.items(summaries("a", 1), 0)[0]
    error = {"start": 0, "end": 5, "category": "grammar", "severity": "minor"}
    answers = {0: form.clean(item, 0, "80")}
    assert form.missing(item, {}) == "The overall score is missing."
    answers[1] = form.clean(item, 1, json.dumps(error))
    answers[2] = form.clean(item, 2, json.dumps(error | {"severity": "major"}))
    assert only_row(form, Judgment("ann", item, answers)) == {"mqm": -6, "esa": 80}
    for change in ({"end": 999}, {"start": 5}, {"category": "x"}, {"severity": "x"}, {"more": 1}):
        with pytest.raises(InvalidAnswer):
            form.clean(item, 1, json.dumps(error | change))
    with pytest.raises(InvalidAnswer):
        form.clean(item, 1, "[" * 10_000)


def test_words_to_mark_are_letters_where_a_script_has_no_blanks() -> None:
    form: Any = form_of("spans")
    item = Item("spans", "d", "s", "Wörter, 東京 مرحبا!")
    texts = [item.shown[start:end] for start, end in form.words(item)]
    assert texts == ["Wörter", ",", "東", "京", "مرحبا", "!"]


def test_faithfulness_is_the_share_of_supported_sentences() -> None:
    form = form_of("faithful")
    item = form.items(summaries("a", 1), 0)[0]
    assert [statement["text"] for statement in item.statements] == [
        "System a wrote it.",
        "Second of d0.",
    ]
    assert only_row(form, judged(form, item, "y", "n")) == {"faithfulness": 0.5}
    # Unsure is an answer to the task, and none for the score.
    assert only_row(form, judged(form, item, "y", UNSURE)) == {"faithfulness": 1}
    assert score_rows(form, [judged(form, item, UNSURE, UNSURE)]) == []


def test_free_texts_give_no_scores_and_are_exported_as_written() -> None:
    form = form_of("text")
    item = form.items(summaries("a", 1), 0)[0]
    judgment = judged(form, item, " Too long. ")
    assert score_rows(form, [judgment]) == []
    [row] = answer_rows(form, [judgment])
    assert row["answers"] == {"critique": "Too long."}


def test_ratings_are_one_flat_row_per_summary_and_annotator() -> None:
    form = form_of("pair")
    item = form.items(summaries("ab", 1), 0)[0]
    rows = list(rating_rows(form, [judged(form, item, "1")]))
    assert [(row["summarizer_id"], row["preference"]) for row in rows] == [("a", 0.0), ("b", 1.0)]
