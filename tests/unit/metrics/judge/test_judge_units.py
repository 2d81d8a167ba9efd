"""Prompts that check units: what is asked, how written replies are read, and the arithmetic of units."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rubrica.errors import DataError, DataWarning, ParameterError
from rubrica.metrics.base.units import (
    Unit,
    UnitCheckingMetric,
    f_score,
    heaviest_weight,
    share_interval,
    supported_share,
)
from rubrica.metrics.judge.chunks import split_documents
from rubrica.metrics.judge.prompt import find_prompt
from rubrica.metrics.judge.unit_answers import Label, parse_labels, parse_units
from rubrica.metrics.judge.unit_rules import UnitRules
from support.judge_server import Reply, judge, refusal, said

DOCUMENTS = ["The ferry stopped on Tuesday.", "A new ferry comes on Friday."]
SUMMARY = "The ferry stopped on Tuesday [1]. It sank [2]. Nobody knows why."


def replies(units: list[Any], *labels: Any) -> Callable[[dict[str, Any]], Reply]:
    """A model that lists units, then labels them; later labels are for later questions."""
    left = list(labels)

    def answer(body: dict[str, Any]) -> Reply:
        schema = json.dumps(body["response_format"])
        if '"units"' in schema:
            return said(json.dumps({"units": units}))
        names = left.pop(0) if len(left) > 1 else left[0]
        items = [
            {"unit": number, "label": name, "lines": []}
            if isinstance(name, str)
            else {"unit": number, "label": name[0], "lines": name[1]}
            for number, name in enumerate(names, 1)
        ]
        return said(json.dumps({"labels": items}))

    return answer


def scored(server: Any, prompt: str, *context: Any, **parameters: Any) -> dict[str, Any]:
    metric = judge(server, prompt=prompt, **parameters)
    return metric.score(SUMMARY, *context)[f"judge-{prompt}"]  # type: ignore[no-any-return]


def test_claims_are_listed_then_checked(serve: Any) -> None:
    claims = [{"text": "The ferry stopped."}, {"text": "It sank."}, {"text": "Why is unknown."}]
    server = serve(replies(claims, ["supported", "contradicted", "unsupported"]))
    scores = scored(server, "claims", DOCUMENTS)
    assert scores["precision"] == scores["score"] == pytest.approx(1 / 3)
    assert (scores["units"], scores["invalid"], scores["sd"]) == (3, 0, None)
    assert scores["labels"]["contradicted"] == pytest.approx(1 / 3)
    listing, check = (request["messages"][-1]["content"] for request in server.requests)
    assert SUMMARY in listing
    assert DOCUMENTS[0] not in listing
    assert "1. The ferry stopped.\n2. It sank.\n3. Why is unknown." in check
    assert DOCUMENTS[0] in check


def test_sentences_need_no_listing(serve: Any) -> None:
    server = serve(replies([], ["yes", "no", "no"]))
    scores = scored(server, "sentence-faithfulness", DOCUMENTS)
    assert scores["score"] == pytest.approx(1 / 3)
    assert len(server.requests) == 1


def test_the_units_behind_a_score_can_be_seen(serve: Any) -> None:
    claims = [{"text": "The ferry stopped."}, {"text": "It sank."}, {"text": "Why is unknown."}]
    server = serve(replies(claims, ["supported", "contradicted", "unsupported"]))
    metric = judge(server, prompt="claims")
    assert isinstance(metric, UnitCheckingMetric)
    assert metric.unit_source == "summary"
    units = metric.check_units(SUMMARY, documents=DOCUMENTS, references=[])
    assert [(unit.text, unit.label, unit.support) for unit in units] == [
        ("The ferry stopped.", "supported", 1),
        ("It sank.", "contradicted", 0),
        ("Why is unknown.", "unsupported", 0),
    ]
    asked = len(server.requests)
    assert supported_share(units) == metric.score(SUMMARY, DOCUMENTS)["judge-claims"]["score"]
    assert metric.check_units("", documents=DOCUMENTS, references=[]) == []
    rating = judge(server, prompt="coherence")
    assert isinstance(rating, UnitCheckingMetric)
    assert rating.unit_source is None
    assert rating.check_units(SUMMARY, documents=DOCUMENTS, references=[]) == []
    assert asked == 2


def test_finesure_reports_the_kinds_of_errors(serve: Any) -> None:
    server = serve(replies([], ["none", "relation", "out-of-article"]))
    scores = scored(server, "finesure-faithfulness", DOCUMENTS)
    assert scores["precision"] == pytest.approx(1 / 3)
    assert scores["labels"]["relation"] == pytest.approx(1 / 3)
    assert scores["labels"]["entity"] == 0


def test_finesure_key_facts_give_completeness_and_conciseness(serve: Any) -> None:
    facts = [{"text": "The ferry stopped."}, {"text": "A ferry comes."}]
    server = serve(replies(facts, [("yes", [1]), ("no", [])]))
    scores = scored(server, "finesure-keyfacts", ["The reference."])
    assert scores["recall"] == 0.5
    assert scores["precision"] == pytest.approx(1 / 3)
    assert scores["score"] == scores["f1"] == pytest.approx(0.4)
    assert "3. Nobody knows why." in server.requests[1]["messages"][-1]["content"]


def test_nuggets_weigh_what_they_are_worth(serve: Any) -> None:
    nuggets = [
        {"text": "The ferry stopped.", "importance": "vital"},
        {"text": "It was Tuesday.", "importance": "okay"},
        {"text": "A ferry comes.", "importance": "vital"},
    ]
    scores = scored(serve(replies(nuggets, ["full", "partial", "none"])), "nuggets", DOCUMENTS)
    assert scores["recall"] == scores["score"] == pytest.approx((1 + 0.25) / 2.5)


def test_citations_count_for_the_documents_they_name(serve: Any) -> None:
    server = serve(replies([], ["full", "none", "uncited"]))
    scores = scored(server, "citations", DOCUMENTS)
    assert scores["precision"] == 0.5
    assert scores["recall"] == pytest.approx(1 / 3)
    assert scores["f1"] == pytest.approx(0.4)
    content = server.requests[0]["messages"][-1]["content"]
    assert f"[1] {DOCUMENTS[0]}\n\n[2] {DOCUMENTS[1]}" in content


def test_a_summary_without_citations_has_no_support(serve: Any) -> None:
    scores = scored(serve(replies([], ["uncited"] * 3)), "citations", DOCUMENTS)
    assert (scores["precision"], scores["recall"], scores["score"]) == (None, 0, 0)


def test_units_of_a_file_are_not_listed_by_the_model(serve: Any, tmp_path: Path) -> None:
    file = tmp_path / "units.jsonl"
    units = [{"unit": "The ferry stopped.", "weight": 3}, "A ferry comes."]
    file.write_text(json.dumps({"reference": "The reference.", "units": units}))
    server = serve(replies([], ["yes", "no"]))
    scores = scored(server, "acu", ["The  reference."], units=str(file))
    assert scores["recall"] == 0.75
    assert len(server.requests) == 1
    with pytest.raises(DataError, match="no units for the reference 'Another"):
        scored(server, "acu", ["Another."], units=str(file))
    with pytest.raises(ParameterError, match="does not check units of references"):
        judge(server, prompt="claims", units=str(file))


def test_a_prometheus_rating_follows_its_feedback(serve: Any) -> None:
    server = serve(lambda _: said("It misses a point, see [RESULT] 2 in the text.\n[RESULT] 4"))
    assert scored(server, "prometheus", DOCUMENTS, samples=1)["score"] == 4
    assert server.requests[0]["max_tokens"] == 600
    server = serve(lambda _: said("Both are short.\n[RESULT] A"))
    pair = scored(server, "prometheus-pairwise", DOCUMENTS, ["The reference."], samples=1)
    assert (pair["score"], pair["first"]) == (0.5, 1)


def test_a_query_is_shown(serve: Any) -> None:
    server = serve(lambda _: said("5"))
    question = "When does the new ferry come?"
    metric = judge(server, prompt="query-focus", samples=1, query=question)
    assert metric.required_context_fields == ("documents",)
    assert metric.score(SUMMARY, DOCUMENTS)["judge-query-focus"]["score"] == 5
    metric = judge(server, prompt="query-focus", samples=1)
    assert metric.required_context_fields == ("documents", "query")
    assert metric.score(SUMMARY, DOCUMENTS, question)["judge-query-focus"]["score"] == 5
    assert server.requests[0]["messages"] == server.requests[1]["messages"]
    assert question in server.requests[0]["messages"][-1]["content"]


def test_a_long_document_is_split_and_one_part_that_supports_is_enough(serve: Any) -> None:
    server = serve(replies([], ["yes", "no", "no"], ["no", "no", "yes"]))
    metric = judge(server, prompt="sentence-faithfulness", chunk_words=6, concurrency=1)
    scores = metric.score(SUMMARY, DOCUMENTS)["judge-sentence-faithfulness"]
    assert scores["score"] == pytest.approx(2 / 3)
    assert len(server.requests) == 2
    assert "|chunk_words:6|" in str(metric.signature())
    with pytest.raises(ParameterError, match="judges a document as a whole"):
        judge(server, chunk_words=6)


def test_a_document_that_does_not_fit_names_the_option_that_splits_it(serve: Any) -> None:
    server = serve(lambda _: refusal(400, "maximum context length is 8192 tokens"))
    with pytest.warns(DataWarning, match=r"context length .*; --chunk_words N splits documents"):
        scored(server, "sentence-faithfulness", DOCUMENTS)
    # Split already, or judged as a whole.
    for prompt, words in (("sentence-faithfulness", 6), ("coherence", None)):
        with pytest.warns(DataWarning, match="were refused") as caught:
            scored(server, prompt, DOCUMENTS, chunk_words=words)
        assert not any("chunk_words" in str(warning.message) for warning in caught)


def test_units_without_a_readable_label_are_invalid_and_left_out(serve: Any) -> None:
    server = serve(lambda _: said('{"labels": [{"unit": 1, "label": "yes"}]}'))
    scores = scored(server, "sentence-faithfulness", DOCUMENTS)
    assert scores["score"] == 1
    assert scores["invalid"] == pytest.approx(2 / 3)
    with pytest.warns(DataWarning, match="1 of 1 answers could not be read"):
        scores = scored(serve(lambda _: said("All fine.")), "sentence-faithfulness", DOCUMENTS)
    assert (scores["score"], scores["invalid"]) == (None, 1)


def test_a_list_of_units_that_cannot_be_read_leaves_the_summary_without_a_score(serve: Any) -> None:
    server = serve(lambda _: said("1. The ferry stopped."))
    with pytest.warns(DataWarning, match="could not be read"):
        scores = scored(server, "claims", DOCUMENTS)
    assert (scores["score"], scores["units"], scores["invalid"]) == (None, None, 1)
    assert len(server.requests) == 1


def test_an_empty_summary_scores_zero_without_a_question(serve: Any) -> None:
    server = serve(lambda _: said("{}"))
    metric = judge(server, prompt="citations")
    rows = metric.score_all([" ", SUMMARY][:1], [DOCUMENTS])
    assert rows[0]["judge-citations"]["score"] == 0
    assert server.requests == []


def test_samples_of_units_are_averaged(serve: Any) -> None:
    server = serve(replies([], ["yes", "yes", "yes"], ["no", "no", "no"]))
    scores = scored(server, "sentence-faithfulness", DOCUMENTS, samples=2, concurrency=1)
    assert scores["score"] == 0.5
    assert scores["sd"] == pytest.approx(0.5**0.5)


def test_labels_need_samples(serve: Any) -> None:
    with pytest.raises(ParameterError, match="answered by a list"):
        judge(serve(lambda _: {}), prompt="claims", scoring="logprobs")


def rules(name: str) -> UnitRules:
    rules = find_prompt(name).rules
    assert rules is not None
    return rules


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ('{"units": [{"text": "A\\n b.", "importance": "okay"}]}', [Unit("A b.", 0.5)]),
        ('```json\n{"units": []}\n```', []),
        ('{"units": [{"text": "A.", "importance": "huge"}]}', None),
        ('{"units": [{"text": "A.", "importance": ["vital"]}]}', None),
        ('{"units": ["A."]}', None),
        ('{"units": {"text": "A."}}', None),
        ('Here: {"units": []}', None),
        ("[" * 100_000, None),
        (json.dumps({"units": [{"text": "x" * 2001, "importance": "okay"}]}), None),
        (json.dumps({"units": [{"text": "x", "importance": "okay"}] * 101}), None),
    ],
    ids=lambda value: str(value)[:40],
)
def test_lists_of_units_are_read_strictly(answer: str, expected: list[Unit] | None) -> None:
    assert parse_units(answer, rules("nuggets")) == expected


@pytest.mark.parametrize(
    ("items", "expected"),
    [
        ([{"unit": 1, "label": "Yes", "lines": [2]}], [Label("yes", frozenset({2})), None]),
        ([{"unit": 2, "label": "maybe", "lines": []}], [None, None]),
        ([{"unit": 1, "label": "no", "lines": [9]}], [None, None]),
        (
            [{"unit": 1, "label": "no", "lines": []}, {"unit": 1, "label": "yes", "lines": []}],
            [None, None],
        ),
        ([{"unit": 3, "label": "no", "lines": []}], None),
        ([{"unit": True, "label": "no", "lines": []}], None),
        (["yes", "no"], None),
    ],
    ids=str,
)
def test_labels_are_read_strictly(items: Any, expected: Any) -> None:
    assert parse_labels(json.dumps({"labels": items}), rules("finesure-keyfacts"), 2, 3) == expected


def test_the_arithmetic_of_units() -> None:
    units = [Unit("a", 2, 1.0), Unit("b", 1, 0.5), Unit("c", 1, 0.0), Unit("d", 9, None)]
    assert supported_share(units) == 0.625
    assert supported_share([Unit("d")]) is None
    assert heaviest_weight(units, 2) == 11
    assert f_score(0.5, 1.0) == pytest.approx(2 / 3)
    assert f_score(0.0, 0.0) == 0
    assert f_score(None, 1.0) is None
    # The Wilson interval of 8 of 10, from a table.
    equal = [Unit(support=1.0)] * 8 + [Unit(support=0.0)] * 2
    assert share_interval(equal) == pytest.approx((0.4901625, 0.9433178), abs=1e-6)
    # The same share of units with unequal weights is less certain.
    unequal = [Unit(weight=8, support=1.0), Unit(weight=2, support=0.0)]
    low, high = share_interval(unequal) or (0, 0)
    assert low < 0.49 < 0.943 < high
    assert share_interval([]) is None


def test_documents_are_split_between_sentences() -> None:
    assert split_documents(DOCUMENTS, None) == ["\n\n".join(DOCUMENTS)]
    assert split_documents(DOCUMENTS, 5) == [DOCUMENTS[0], "A new ferry comes on", "Friday."]
    assert split_documents([" ".join(DOCUMENTS)], 6) == DOCUMENTS
    assert split_documents(DOCUMENTS, 6, numbered=True) == [
        f"[1] {DOCUMENTS[0]}",
        f"[2] {DOCUMENTS[1]}",
    ]
    assert split_documents([], 6) == [""]


BASE = 'name = "x"\nversion = "1"\nkind = "units"\ntemplate = "{{units}} {{document}}"\n'
LABELS = "\n[labels]\nyes = 1\nno = 0\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (BASE + LABELS, "'units' says whose units"),
        (BASE + 'units = "summary"' + LABELS, "needs 'extract'"),
        (BASE + 'units = "summary"\nextract = "{{document}}"' + LABELS, "{{summary}} and no other"),
        (BASE + 'units = "sentences"\n[labels]\nyes = 1\n', "at least two labels"),
        (BASE + 'units = "sentences"\n[labels]\nyes = 2\nno = 0\n', "values from 0 to 1"),
        (BASE + 'units = "sentences"\n[labels]\nYes = 1\nno = 0\n', "small letters"),
        (BASE + 'units = "sentences"\nlines = true' + LABELS, "only for units of a reference"),
        (BASE + 'units = "sentences"\nignored = ["maybe"]' + LABELS, "list of labels"),
        (BASE + 'units = "sentences"\nmax_tokens = 0' + LABELS, "'max_tokens' must be"),
        (BASE.replace("units\"", "rating\"").replace("units}", "summary}") + LABELS, "only the kind"),
    ],
    ids=str,
)  # fmt: skip
def test_a_wrong_prompt_of_units_is_an_error(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "own.toml"
    file.write_text(text)
    with pytest.raises(DataError, match=message):
        find_prompt(str(file))
