"""The annotation server: nothing is lost, nothing is forged, nobody sees whose summary it is."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from rubrica.errors import DataError, ParameterError, RubricaError
from rubrica.serve.exchange import ratings_of, written
from rubrica.serve.security import HEADERS
from rubrica.serve.server import bind, is_local, known_hosts
from rubrica.serve.store import Store, assign
from support.served import Visitor, assigned, new_store, rate_item, serving, write_item

pytestmark = pytest.mark.slow

ITEMS = [rate_item(f"d{n}", "abs/secret-system", "first fact", "second fact") for n in range(6)]


def test_each_annotator_has_a_blind_order_of_their_own() -> None:
    made = assign(ITEMS, 3, None, seed=1)
    assert all(sorted(tasks) == list(range(6)) for tasks in made.values())
    assert len({tuple(tasks) for tasks in made.values()}) == 3
    assert made == assign(ITEMS, 3, None, seed=1) != assign(ITEMS, 3, None, seed=2)


def test_tasks_are_shared_out_evenly_and_practice_comes_first() -> None:
    practice = rate_item("q", "x", "gold:p:fact", qualification=True)
    made = assign([*ITEMS, practice], 4, 2, seed=1)
    assert [tasks[0] for tasks in made.values()] == [6] * 4
    counts = [sum(n in tasks for tasks in made.values()) for n in range(6)]
    assert counts == [2] * 6
    assert {len(tasks) for tasks in made.values()} == {4}


def test_answers_are_kept_changed_and_undone(tmp_path: Path) -> None:
    store = new_store(tmp_path / "s.db", ITEMS)
    task = assigned(store, 1, 1).task
    for value in ("p", "n", "n"):
        store.answer(1, task, 0, value)
    store.answer(1, task, 1, "p")
    assert assigned(store, 1, 1).answers == {0: "n", 1: "p"}
    assert store.undo(1, task) == (1, None)
    assert store.undo(1, task) == (0, "p")
    assert store.undo(1, task) == (0, None)
    assert store.undo(1, task) is None
    assert assigned(store, 1, 1).answers == {}
    assert assigned(store, 2, 1).answers == {}


def test_a_study_goes_on_where_it_stopped(tmp_path: Path) -> None:
    store = new_store(tmp_path / "s.db", ITEMS)
    links = [one.token for one in store.annotators()]
    store.answer(1, assigned(store, 1, 2).task, 0, "p")
    store.submit(1, assigned(store, 1, 1).task)
    store.close()
    again = Store(str(tmp_path / "s.db"))
    assert [one.token for one in again.annotators()] == links
    assert assigned(again, 1, 2).answers == {0: "p"}
    assert again.progress(1) == (1, 6)
    assert again.next_position(1) == 2
    assert (os.stat(tmp_path / "s.db").st_mode & 0o077) == 0
    again.close()


def test_a_file_that_is_no_study_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.db").write_bytes(b"something else, and long enough to be a file of it")
    with pytest.raises(DataError, match="cannot be used"):
        Store(str(tmp_path / "x.db"))
    with pytest.raises(ParameterError):
        new_store(tmp_path / "s.db", ITEMS, per_task=5)


def test_a_whole_round_over_http(tmp_path: Path) -> None:
    store = new_store(tmp_path / "s.db", ITEMS[:2], people=1)
    with serving(store) as address:
        visitor = Visitor(address)
        page = visitor.enter(store.annotators()[0].token)
        assert "first fact" in page
        assert "secret-system" not in page
        assert visitor.post("/submit", {"position": 1}) == (
            409,
            {"error": "2 statements are not marked yet."},
        )
        for place, value in ((0, "p"), (1, "n")):
            assert (
                visitor.post("/answer", {"position": 1, "place": place, "value": value})[0] == 200
            )
        assert visitor.post("/undo", {"position": 1})[1] == {"place": 1, "value": None}
        visitor.post("/answer", {"position": 1, "place": 1, "value": "p"})
        assert visitor.post("/submit", {"position": 1}) == (200, {"next": "/task/2"})
        assert visitor.get("/next")[0] == 303
    (made,) = ratings_of(store)
    assert [one.answer for one in made.answers] == [True, True]
    assert (made.worker, made.summarizer_id) == ("annotator-1", "abs/secret-system")
    assert made.submitted >= made.accepted


def test_strict_headers_are_on_every_answer(tmp_path: Path) -> None:
    store = new_store(tmp_path / "s.db", ITEMS)
    with serving(store) as address:
        visitor = Visitor(address)
        for path in ("/", "/static/rate.js", "/nowhere", "/a/wrong"):
            visitor.get(path)
            assert {name: visitor.headers.get(name) for name in HEADERS} == HEADERS
        visitor.get(f"/a/{store.annotators()[0].token}")
        assert "HttpOnly" in visitor.headers["set-cookie"]
        assert "SameSite=lax" in visitor.headers["set-cookie"]


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"X_Forgery_Token": "wrong"}, 403),
        ({"Cookie": "rubrica-annotator=wrong"}, 403),
        ({"Content_Type": "text/plain"}, 415),
        ({"Host": "evil.example"}, 421),
        ({"Transfer_Encoding": "chunked"}, 413),
    ],
)
def test_forged_requests_change_nothing(
    change: dict[str, str], status: int, tmp_path: Path
) -> None:
    store = new_store(tmp_path / "s.db", ITEMS)
    with serving(store) as address:
        visitor = Visitor(address)
        visitor.enter(store.annotators()[0].token)
        headers = {"X_Forgery_Token": visitor.token, "Content_Type": "application/json"} | change
        sent = {k.replace("_", "-"): v for k, v in headers.items()}
        body = b'{"position": 1, "place": 0, "value": "p"}'
        if "Transfer-Encoding" in sent:
            body = b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)
        assert visitor._ask("POST", "/answer", body, sent)[0] == status
    assert assigned(store, 1, 1).answers == {}


BAD: list[Any] = [
    [], {}, {"position": 99}, {"position": "1"}, {"position": 1, "place": 2, "value": "p"},
    {"position": 1, "place": -1, "value": "p"}, {"position": 1, "place": True, "value": "p"},
    {"position": 1, "place": 0, "value": "q"}, {"position": 1, "place": 0, "value": 1},
    b"{", b"[" * 100_000, b"x" * 70_000,
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(BAD)))
def test_senseless_requests_are_refused(number: int, tmp_path: Path) -> None:
    store = new_store(tmp_path / "s.db", ITEMS)
    with serving(store) as address:
        visitor = Visitor(address)
        visitor.enter(store.annotators()[0].token)
        assert 400 <= visitor.post("/answer", BAD[number])[0] < 500
    assert assigned(store, 1, 1).answers == {}


def test_files_outside_are_not_served(tmp_path: Path) -> None:
    store = new_store(tmp_path / "s.db", ITEMS)
    with serving(store) as address:
        for path in (
            "/static/../app.py",
            "/static/%2e%2e/app.py",
            "/static/..%2fapp.py",
            "/static/x",
        ):
            assert Visitor(address).get(path)[0] == 404
        assert Visitor(address).get("/task/1")[0] == 403


def test_texts_of_strangers_are_escaped(tmp_path: Path) -> None:
    bad = "<script>alert(1)</script>\"'&"
    store = new_store(tmp_path / "s.db", [rate_item("d", "s", bad, shown=bad)], people=1)
    with serving(store, instructions=[bad]) as address:
        visitor = Visitor(address)
        page = visitor.enter(store.annotators()[0].token) + visitor.get("/")[1]
    assert "<script>alert" not in page
    assert page.count("&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#x27;&amp;") == 3


@pytest.mark.parametrize(("answers", "failed"), [("pn", False), ("nn", True)])
def test_practice_decides_who_goes_on(answers: str, failed: bool, tmp_path: Path) -> None:
    practice = rate_item("q", "x", "gold:p:fact", "gold:n:other", qualification=True)
    store = new_store(tmp_path / "s.db", [practice, *ITEMS], people=1)
    with serving(store, pass_share=0.8) as address:
        visitor = Visitor(address)
        assert "Practice task" in visitor.enter(store.annotators()[0].token)
        for place, value in enumerate(answers):
            visitor.post("/answer", {"position": 1, "place": place, "value": value})
        assert visitor.post("/submit", {"position": 1})[0] == 200
        status, _ = visitor.post("/answer", {"position": 2, "place": 0, "value": "p"})
    assert store.annotators()[0].failed is failed
    assert status == (403 if failed else 200)
    assert [len(ratings_of(store, qualification=q)) for q in (True, False)] == [1, 0]


def test_written_units_come_out_as_results(tmp_path: Path) -> None:
    store = new_store(tmp_path / "s.db", [write_item("d1")], people=1)
    with serving(store) as address:
        visitor = Visitor(address)
        visitor.enter(store.annotators()[0].token)
        assert visitor.post("/submit", {"position": 1})[0] == 409
        for place, text in ((0, "One  fact\nhere."), (4, "Another."), (1, " ")):
            assert visitor.post("/answer", {"position": 1, "place": place, "value": text})[0] == 200
        assert visitor.post("/submit", {"position": 1})[0] == 200
    most, (row,) = written(store)
    assert most == 3
    assert (row["Answer.s1"], row["Answer.s2"]) == ("One fact here.", "Another.")
    assert row["Input.summId"] == "d1"


KILLED = """
import sys
from concurrent.futures import ThreadPoolExecutor
sys.path.insert(0, {tests!r})
from support.served import serving, Store
import time
store = Store({path!r})
with serving(store) as address:
    print(address, flush=True)
    time.sleep(60)
"""


def test_a_killed_server_loses_no_answer_that_was_confirmed(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    items = [rate_item(f"d{n}", "s", *(f"fact {k}" for k in range(30))) for n in range(3)]
    store = new_store(path, items, people=1)
    token = store.annotators()[0].token
    store.close()
    code = KILLED.format(tests=str(Path(__file__).parents[1]), path=str(path))
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    visitor = Visitor(process.stdout.readline().strip())
    visitor.enter(token)
    for place in range(30):
        assert visitor.post("/answer", {"position": 1, "place": place, "value": "p"})[0] == 200
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    process.stdout.close()
    again = Store(str(path))
    assert assigned(again, 1, 1).answers == dict.fromkeys(range(30), "p")
    again.close()


def test_only_this_machine_is_let_in_by_default() -> None:
    assert is_local("127.0.0.1")
    assert is_local("::1")
    assert not is_local("0.0.0.0")
    assert known_hosts("0.0.0.0") is None
    hosts = known_hosts("localhost")
    assert hosts is not None
    assert "127.0.0.1" in hosts
    taken = bind("127.0.0.1", 0)
    with pytest.raises(RubricaError, match="choose another with --port"):
        bind("127.0.0.1", taken.getsockname()[1])
    taken.close()


def test_two_undo_at_once_take_back_two_changes(tmp_path: Path) -> None:
    store = new_store(tmp_path / "s.db", ITEMS)
    task = assigned(store, 1, 1).task
    for number in range(40):
        store.answer(1, task, 0, "pn"[number % 2])
    with ThreadPoolExecutor(4) as threads:
        taken = list(threads.map(lambda _: store.undo(1, task), range(40)))
    assert None not in taken
    assert assigned(store, 1, 1).answers == {}
    assert store.undo(1, task) is None
    store.close()
