"""People join a study by its open link, agree first, and leave with a completion code."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import pytest

from rubrica.serve.exports import export_bytes
from rubrica.serve.study_database import StudyDatabase
from support.served import Visitor, new_store, rate_item, serving

ITEMS = [rate_item(f"d{number}", "sys", "a") for number in range(6)]
OPEN = {"enrolment": "open"}


def open_study(
    path: Path, *, people: int = 0, per_task: int | None = None, **settings: str
) -> StudyDatabase:
    return new_store(path, ITEMS, people, per_task=per_task, settings=OPEN | settings)


def join(store: StudyDatabase, address: str, query: str = "") -> tuple[Visitor, int, Any]:
    visitor, link = Visitor(address), f"/join/{store.token('join')}"
    visitor.look_at(f"{link}{query}")
    status, answer = visitor.post(link, {"query": query})
    if status == 200:
        visitor.keep_session()
    return visitor, status, answer


def submit_all(store: StudyDatabase, annotator: int) -> None:
    for task in store._tasks(annotator, "1"):
        store.answer(annotator, task, 0, "p")
        store.submit(annotator, task)


def test_tasks_go_to_those_who_join_until_each_has_enough_annotators(tmp_path: Path) -> None:
    store = open_study(tmp_path / "s.db", per_task=2, tasks_each="4")
    with serving(store) as address:
        shares = []
        for _ in range(3):
            _, status, answer = join(store, address)
            assert (status, answer) == (200, {"next": "/"})
            shares.append(store._tasks(store.annotators()[-1].id, "1"))
        assert [len(share) for share in shares] == [4, 4, 4]
        assert all(sum(task in share for share in shares) == 2 for task in range(1, 7))
        _, status, answer = join(store, address)
        assert status == 409
        assert "enough answers" in answer["error"]
    store.close()


def test_who_left_or_failed_makes_room(tmp_path: Path) -> None:
    store = open_study(tmp_path / "s.db", per_task=1)
    first = store.enrol("p1")
    assert first is not None
    assert store.enrol("p2") is None
    store.fail(first.id)
    second = store.enrol("p2")
    assert second is not None
    assert store.progress(second.id) == (0, 6)
    store.close()


def test_nobody_who_joined_gets_more_tasks_because_another_leaves(tmp_path: Path) -> None:
    store = open_study(tmp_path / "s.db", per_task=1, tasks_each="3")
    first, second = store.enrol("p1"), store.enrol("p2")
    assert first is not None
    assert second is not None
    assert store.remove_annotator(first.name) == 0
    assert store.progress(second.id) == (0, 3)
    third = store.enrol("p3")
    assert third is not None
    assert set(store._tasks(third.id, "1")) == set(store._tasks(first.id, "1"))
    store.close()


@pytest.mark.parametrize(
    "query",
    ["?PROLIFIC_PID=5f0c&STUDY_ID=1&SESSION_ID=2", "?workerId=5f0c&assignmentId=A&hitId=H",
     "?participantId=5f0c"],
)  # fmt: skip
def test_ids_of_platforms_come_from_the_address_and_return_to_their_person(
    tmp_path: Path, query: str
) -> None:
    store = open_study(tmp_path / "s.db")
    with serving(store) as address:
        join(store, address, query)
        join(store, address, query)
        join(store, address, "?PROLIFIC_PID=other")
    assert [annotator.external for annotator in store.annotators()] == ["5f0c", "other"]
    rows = list(csv.DictReader(io.StringIO(export_bytes(store, "payment.csv").decode())))
    assert [row["external_id"] for row in rows] == ["5f0c", "other"]
    assert "5f0c" not in export_bytes(store, "payment.csv", pseudonyms=True).decode()
    store.close()


def test_looking_at_the_link_stores_nothing(tmp_path: Path) -> None:
    store = open_study(tmp_path / "s.db", consent="# Consent\n\nWe store <b>answers</b>.")
    with serving(store) as address:
        visitor, link = Visitor(address), f"/join/{store.token('join')}"
        page = visitor.look_at(f"{link}?workerId=w")
        assert "I agree to take part" in page
        assert "&lt;b&gt;answers" in page
        preview = visitor.get(f"{link}?workerId=w&assignmentId=ASSIGNMENT_ID_NOT_AVAILABLE")[1]
        assert "Accept the task" in preview
        assert visitor.post(link, {"query": ""}, X_Forgery_Token="0" * 64)[0] == 403
        assert visitor.post(link, {"query": "?id=" + "x" * 300})[0] == 400
        assert visitor.post(link, ["?"])[0] == 400
        assert visitor.get("/join/wrong")[0] == 404
        assert store.annotators() == []
        store.change_setting("enrolment", "")
        assert visitor.get(link)[0] == 403
    store.close()


def test_people_with_personal_links_agree_before_their_first_task(tmp_path: Path) -> None:
    store = open_study(tmp_path / "s.db", people=1, consent="We store answers.")
    [person] = store.annotators()
    with serving(store) as address:
        visitor = Visitor(address)
        assert "I agree to take part" in visitor.open(f"/a/{person.token}", "/")
        assert visitor.get("/task/1")[0] == 303
        change = {"position": 1, "place": 0, "value": "p"}
        assert visitor.post("/answer", change)[0] == 403
        assert visitor.post("/consent", {}, X_Forgery_Token="wrong")[0] == 403
        assert visitor.post("/consent", {}) == (200, {"next": "/"})
        assert "I agree" not in visitor.look_at("/")
        visitor.look_at("/task/1")
        assert visitor.post("/answer", change)[0] == 200
    store.close()


def test_practice_is_followed_by_its_answers_and_cannot_be_corrected(tmp_path: Path) -> None:
    practice = rate_item("q", "x", "gold:p:fact <b>", "gold:n:other", qualification=True)
    settings = {"practice_feedback": "yes", "pass_share": "0.5"}
    store = new_store(tmp_path / "s.db", [practice, *ITEMS], people=1, settings=settings)
    [person] = store.annotators()
    with serving(store) as address:
        visitor = Visitor(address)
        visitor.enter(person.token)
        assert visitor.get("/feedback/1")[0] == 404
        for place in (0, 1):
            change = {"position": 1, "place": place, "value": "p"}
            assert visitor.post("/answer", change)[0] == 200
        assert visitor.post("/submit", {"position": 1}) == (200, {"next": "/feedback/1"})
        page = visitor.get("/feedback/1")[1]
        assert page.count("<td>right</td>") == page.count("<td>not right</td>") == 1
        assert "fact &lt;b&gt;" in page
        assert visitor.post("/answer", {"position": 1, "place": 1, "value": "n"})[0] == 409
        assert visitor.get("/feedback/2")[0] == 404
    store.close()


def test_the_last_page_shows_the_completion_code_or_leads_back(tmp_path: Path) -> None:
    store = open_study(tmp_path / "s.db", completion_code="C<1>")
    with serving(store) as address:
        visitor, _, _ = join(store, address)
        submit_all(store, store.annotators()[0].id)
        assert "Your completion code: C&lt;1&gt;" in visitor.get("/next")[1]
        store.change_setting("completion_code", "https://app.example.com/complete?cc=1")
        assert 'href="https://app.example.com/complete?cc=1"' in visitor.get("/next")[1]
    store.close()
