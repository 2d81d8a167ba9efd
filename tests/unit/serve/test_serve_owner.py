"""The owner's page: behind its own link, it shows how a study goes, pauses it, and exports everything."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from rubrica.errors import RubricaError
from rubrica.serve.exports import EXPORTS, export_bytes
from rubrica.serve.monitor import study_status
from rubrica.serve.study_database import StudyDatabase
from rubrica.study.forms.base import Form
from rubrica.study.forms.direct import Direct
from rubrica.study.forms.likert import Likert, LikertDimension
from support.served import Item, Visitor, new_store, rate_item, serving

# The third annotator answers everything the other way, and fails the check.
VOTES = {"annotator-1": "pppnp", "annotator-2": "pppnp", "annotator-3": "nnnpn"}
ITEMS = [rate_item(f"d{n}", "sys", "a", "b", "c", "d", "gold:p:check") for n in range(4)]


def rated(path: Path, votes: dict[str, str] = VOTES) -> StudyDatabase:
    """A study of content units that everybody has finished."""
    store = new_store(path, ITEMS, people=len(votes))
    for annotator, task in list(store.all_assigned()):
        for place, value in enumerate(votes[annotator.name]):
            store.answer(annotator.id, task.task, place, value)
        store.open(annotator.id, task.task)
        store.submit(annotator.id, task.task)
    return store


def scored(path: Path, form: Form, values: dict[str, list[str]]) -> StudyDatabase:
    """A study with one question in which each annotator gave these values, task by task."""
    items = [Item(form.kind, f"d{n}", "sys", "A text.") for n in range(4)]
    store = new_store(path, items, people=len(values), form=form)
    for annotator, task in list(store.all_assigned()):
        value = values[annotator.name][int(task.item.event[1:])]
        store.answer(annotator.id, task.task, 0, value)
        store.submit(annotator.id, task.task)
    return store


def test_progress_agreement_and_suspicious_annotators_are_shown(tmp_path: Path) -> None:
    store = rated(tmp_path / "s.db")
    status = study_status(store)
    assert (status.submitted, status.assigned, status.tasks, status.judged) == (12, 12, 4, 4)
    [agreement] = status.agreement
    assert agreement.question == "statements"
    assert agreement.units == 16
    assert agreement.alpha is not None
    assert agreement.lower is not None
    assert agreement.lower <= agreement.alpha < 0.1
    people = {who.name: who for who in status.annotators}
    assert people["annotator-3"].attention == 0
    assert people["annotator-3"].suspicion.startswith("agreement: ")
    assert people["annotator-1"].suspicion == ""
    assert len(status.disagreements) == 16
    store.close()


def test_the_rules_of_the_study_decide_who_is_suspicious(tmp_path: Path) -> None:
    store = rated(tmp_path / "s.db")
    store.change_setting("rules", "agreement = 0.0\nattention = 0.9")
    people = {who.name: who.suspicion for who in study_status(store).annotators}
    assert people["annotator-3"].startswith("attention: 0.000")
    store.close()


def test_numbers_are_compared_by_distance(tmp_path: Path) -> None:
    values = {
        "annotator-1": ["0", "30", "60", "100"],
        "annotator-2": ["0", "40", "60", "100"],
        "annotator-3": ["100", "90", "0", "0"],
    }
    status = study_status(scored(tmp_path / "s.db", Direct(), values))
    people = {who.name: who for who in status.annotators}
    assert people["annotator-3"].suspicion.startswith("agreement: 0.2")
    assert people["annotator-1"].suspicion == ""
    assert status.disagreements[0].spread == 1
    assert status.disagreements[0].unit[0] in ("d0", "d3")


def test_scales_that_nobody_shares_have_no_agreement(tmp_path: Path) -> None:
    form = Likert(dimensions=(LikertDimension("fluency"),))
    store = scored(tmp_path / "s.db", form, {"annotator-1": ["1", "2", "3", "4"]})
    status = study_status(store)
    assert [(a.alpha, a.units) for a in status.agreement] == [(None, 0)]
    assert status.disagreements == ()
    with serving(store) as address:
        page = Visitor(address).open(f"/owner/{store.token('owner')}", "/dashboard")
    assert "fluency" in page
    assert "– to –" not in page


def test_only_the_owners_link_opens_the_page(tmp_path: Path) -> None:
    store = rated(tmp_path / "s.db")
    with serving(store) as address:
        visitor = Visitor(address)
        assert visitor.get("/dashboard")[0] == 403
        assert visitor.get("/owner/guess")[0] == 404
        visitor.enter(store.annotators()[0].token)
        for path in ("/dashboard", "/dashboard/export/payment.csv"):
            assert visitor.get(path)[0] == 403
        assert visitor.post("/dashboard/pause", {"paused": True})[0] == 403
        owner = Visitor(address)
        page = owner.open(f"/owner/{store.token('owner')}", "/dashboard")
        assert "12 of 12 assignments submitted (100%)" in page
        # The owner is no annotator.
        assert owner.get("/task/1")[0] == 403
        assert owner.get("/dashboard/export/secret.db")[0] == 404
    store.close()


def test_a_paused_study_shows_no_tasks_and_still_saves_answers(tmp_path: Path) -> None:
    store = new_store(tmp_path / "s.db", ITEMS, people=1)
    with serving(store) as address:
        owner, annotator = Visitor(address), Visitor(address)
        owner.open(f"/owner/{store.token('owner')}", "/dashboard")
        annotator.enter(store.annotators()[0].token)
        token, owner.token = owner.token, "wrong"
        assert owner.post("/dashboard/pause", {"paused": True})[0] == 403
        owner.token = token
        bodies: list[Any] = [{}, {"paused": "yes"}, []]
        for body in bodies:
            assert owner.post("/dashboard/pause", body)[0] == 400
        assert owner.post("/dashboard/pause", {"paused": True})[0] == 200
        assert "The study is paused" in annotator.get("/task/1")[1]
        answer = {"position": 1, "place": 0, "value": "p"}
        assert annotator.post("/answer", answer)[0] == 200
        assert owner.post("/dashboard/pause", {"paused": False})[0] == 200
        assert "The study is paused" not in annotator.get("/task/1")[1]
    store.close()


def test_another_annotator_is_asked_about_a_disagreement(tmp_path: Path) -> None:
    store = rated(tmp_path / "s.db")
    judge = store.add_annotator("judge")
    total = store.progress(judge.id)[1]
    for task in [task.task for who, task in list(store.all_assigned()) if who.id == judge.id]:
        with pytest.raises(RubricaError, match="judge has this task already"):
            store.assign_task(task, "judge")
    with serving(store) as address:
        owner = Visitor(address)
        owner.open(f"/owner/{store.token('owner')}", "/dashboard")
        cases: list[tuple[Any, str, int]] = [
            (99, "judge", 409), (1, "nobody", 409), ("1", "judge", 400), (True, "judge", 400),
        ]  # fmt: skip
        for task, name, code in cases:
            body = {"task": task, "annotator": name}
            assert owner.post("/dashboard/assign", body)[0] == code
    assert store.progress(judge.id)[1] == total
    store.close()


def csv_rows(data: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(data.decode())))


def json_rows(data: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in data.decode().splitlines()]


def test_exports_have_rows_events_and_payment(tmp_path: Path) -> None:
    store = rated(tmp_path / "s.db")
    store.change_setting("pay_per_task", "0.25")
    store.change_setting("bonus", "2")
    store.change_setting("bonus_agreement", "0.5")
    store.undo(1, 1)
    payment = csv_rows(export_bytes(store, "payment.csv"))
    assert [(row["payment"], row["bonus"]) for row in payment] == [
        ("1.00", "2.00"),
        ("1.00", "2.00"),
        ("1.00", "0.00"),
    ]
    events = json_rows(export_bytes(store, "events.jsonl"))
    assert len(events) == 60
    assert sum(event["undone"] for event in events) == 1
    assert len(json_rows(export_bytes(store, "rows.jsonl"))) == 4
    assert len(csv_rows(export_bytes(store, "results.csv"))) == 12
    store.close()


def test_pseudonyms_replace_names_in_every_export(tmp_path: Path) -> None:
    store = rated(tmp_path / "s.db")
    for name in EXPORTS:
        assert b"annotator-1" not in export_bytes(store, name, pseudonyms=True)
    with serving(store) as address:
        owner = Visitor(address)
        page = owner.open(f"/owner/{store.token('owner')}", "/dashboard?pseudonyms=1")
        assert "annotator-1" not in page
        assert "w-" in page
        status, text = owner.get("/dashboard/export/answers.jsonl?pseudonyms=1")
    assert (status, "annotator-1" in text) == (200, False)
    store.close()
