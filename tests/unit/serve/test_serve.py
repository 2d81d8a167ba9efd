"""The annotation server: nothing is lost, nothing is forged, nobody sees whose summary it is."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from http.client import HTTPException
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from rubrica.errors import DataError, OutputError, ParameterError, RubricaError
from rubrica.serve.assignment import assign
from rubrica.serve.database import DEFAULT_SETTINGS
from rubrica.serve.exchange import ratings_of, written
from rubrica.serve.security import HEADERS, RateLimit
from rubrica.serve.server import bind, is_local, known_hosts
from rubrica.serve.study_database import StudyDatabase
from support.full_disk import no_room_after
from support.served import Visitor, assigned, new_store, rate_item, serving, write_item

pytestmark = pytest.mark.slow

ITEMS = [rate_item(f"d{n}", "abs/secret-system", "first fact", "second fact") for n in range(6)]


def test_each_annotator_has_a_blind_order_of_their_own() -> None:
    orders = assign([], range(6), 3, None, seed=1)
    assert all(sorted(order) == list(range(6)) for order in orders)
    assert len({tuple(order) for order in orders}) == 3
    assert orders == assign([], range(6), 3, None, seed=1) != assign([], range(6), 3, None, seed=2)


def test_tasks_are_shared_out_evenly_and_practice_comes_first() -> None:
    orders = assign([6], range(6), 4, 2, seed=1)
    assert [order[0] for order in orders] == [6] * 4
    assert [sum(n in order for order in orders) for n in range(6)] == [2] * 6
    assert {len(order) for order in orders} == {4}


def holders(store: StudyDatabase) -> list[int]:
    """How many annotators each task has; who left counts for what was submitted."""
    counts: dict[int, int] = {}
    for annotator, one in store.all_assigned():
        if not annotator.removed or one.submitted is not None:
            counts[one.task] = counts.get(one.task, 0) + 1
    return sorted(counts.values())


def test_a_newcomer_gets_a_fair_share_of_what_nobody_has_opened(tmp_path: Path) -> None:
    store = new_store(tmp_path / "s.db", ITEMS, people=2, per_task=1)
    opened = assigned(store, 1, 1).task
    store.open(1, opened)
    newcomer = store.add_annotator("late")
    # Of the five unopened tasks the three have 2, 2 and 1.
    assert [store.progress(one.id)[1] for one in store.annotators()] == [3, 2, 1]
    assert holders(store) == [1] * 6
    assert assigned(store, 1, 1).task == opened
    assert store.annotator_with(newcomer.token) == newcomer
    with pytest.raises(ParameterError, match="already"):
        store.add_annotator("late")
    store.close()


def test_a_newcomer_gets_all_tasks_where_everybody_has_all(tmp_path: Path) -> None:
    practice = rate_item("q", "x", "gold:p:fact", qualification=True)
    store = new_store(tmp_path / "s.db", [practice, *ITEMS], people=1)
    newcomer = store.add_annotator("late")
    assert store.progress(newcomer.id) == (0, 7)
    assert assigned(store, newcomer.id, 1).item.qualification
    store.close()


def test_tasks_of_who_leaves_go_to_others_and_submitted_ones_stay(tmp_path: Path) -> None:
    store = new_store(tmp_path / "s.db", ITEMS, people=3, per_task=2)
    store.answer(1, assigned(store, 1, 1).task, 0, "p")
    store.submit(1, assigned(store, 1, 1).task)
    assert store.remove_annotator("annotator-1") == 3
    assert holders(store) == [2] * 6
    assert len(ratings_of(store)) == 1
    with serving(store) as address:
        visitor = Visitor(address)
        visitor.get(f"/a/{store.annotators()[0].token}")
        visitor.cookie = visitor.headers["set-cookie"].partition(";")[0]
        status, page = visitor.get("/task/2")
        assert (status, "Your part in this study is over" in page) == (403, True)
    with pytest.raises(RubricaError, match="annotator-9"):
        store.remove_annotator("annotator-9")
    store.close()


def test_pages_count_tasks_where_positions_have_gaps(tmp_path: Path) -> None:
    store = new_store(tmp_path / "s.db", ITEMS, people=1, per_task=1)
    store.add_annotator("late")
    left = [one.position for someone, one in store.all_assigned() if someone.id == 1]
    assert len(left) == 3
    with serving(store) as address:
        visitor = Visitor(address)
        page = visitor.enter(store.annotators()[0].token, left[2])
        assert "Task 3 of 3" in page
        assert f'href="/task/{left[1]}">Back to task 2' in page
    store.close()


def test_settings_live_in_the_file_and_reach_a_running_server(tmp_path: Path) -> None:
    store = new_store(tmp_path / "s.db", ITEMS, people=1)
    assert store.settings() == DEFAULT_SETTINGS | {"title": "A study"}
    with serving(store) as address:
        visitor = Visitor(address)
        visitor.enter(store.annotators()[0].token)
        assert "Mark a statement as present" in visitor.get("/")[1]
        # As another process, such as the command, does it.
        other = StudyDatabase(str(tmp_path / "s.db"))
        other.change_setting("instructions", "First part.\n\nSecond part.")
        other.close()
        assert '<p dir="auto">First part.</p><p dir="auto">Second part.</p>' in visitor.get("/")[1]
    store.close()
    again = StudyDatabase(str(tmp_path / "s.db"))
    assert again.settings()["instructions"] == "First part.\n\nSecond part."
    with pytest.raises(RubricaError, match="colour"):
        again.change_setting("colour", "red")
    again.close()


def test_files_of_the_first_version_are_brought_up_to_date(tmp_path: Path) -> None:
    store = new_store(tmp_path / "s.db", ITEMS, people=1)
    store.close()
    db = sqlite3.connect(tmp_path / "s.db")
    for column in ("removed", "external", "consented"):
        db.execute(f"ALTER TABLE annotators DROP COLUMN {column}")
    db.execute("ALTER TABLE tasks DROP COLUMN context")
    db.execute("UPDATE facts SET value = '1' WHERE name = 'schema'")
    db.execute("DELETE FROM facts WHERE name IN ('instructions', 'pass_share', 'per_task')")
    db.commit()
    db.close()
    again = StudyDatabase(str(tmp_path / "s.db"))
    assert again.settings()["pass_share"] == "0.8"
    assert not again.annotators()[0].removed
    assert again.add_annotator("late").name == "late"
    again.close()


def test_a_copy_of_the_file_alone_is_a_study_and_a_backup_is_whole(tmp_path: Path) -> None:
    store = new_store(tmp_path / "s.db", ITEMS, people=1)
    shutil.copy(tmp_path / "s.db", tmp_path / "copy.db")
    assert not StudyDatabase(str(tmp_path / "copy.db")).is_new
    stop = threading.Event()

    def write() -> None:
        number = 0
        while not stop.is_set():
            store.answer(1, 1, 0, "pn"[number % 2])
            number += 1

    writer = threading.Thread(target=write)
    store.answer(1, assigned(store, 1, 1).task, 1, "p")
    writer.start()
    try:
        store.backup(str(tmp_path / "backup.db"))
    finally:
        stop.set()
        writer.join()
    assert not (tmp_path / "backup.db-wal").exists()
    backup = StudyDatabase(str(tmp_path / "backup.db"))
    assert assigned(backup, 1, 1).answers[1] == "p"
    assert backup.annotators() == store.annotators()
    with pytest.raises(FileExistsError):
        store.backup(str(tmp_path / "backup.db"))
    backup.close()
    store.close()


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
    again = StudyDatabase(str(tmp_path / "s.db"))
    assert [one.token for one in again.annotators()] == links
    assert assigned(again, 1, 2).answers == {0: "p"}
    assert again.progress(1) == (1, 6)
    assert again.next_position(1) == 2
    assert (os.stat(tmp_path / "s.db").st_mode & 0o077) == 0
    again.close()


def test_a_file_that_is_no_study_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.db").write_bytes(b"something else, and long enough to be a file of it")
    with pytest.raises(DataError, match="cannot be used"):
        StudyDatabase(str(tmp_path / "x.db"))
    with pytest.raises(ParameterError):
        new_store(tmp_path / "s.db", ITEMS, per_task=5)


@pytest.mark.parametrize(
    ("table", "column", "value"),
    [
        ("tasks", "statements", "[{"),
        ("tasks", "context", "nan"),
        ("tasks", "context", '{"a": 1}'),
        ("assignments", "submitted", "yesterday"),
        ("assignments", "opened", b"\xff"),
    ],
)
def test_a_file_with_damaged_cells_is_refused(
    tmp_path: Path, table: str, column: str, value: object
) -> None:
    new_store(tmp_path / "s.db", ITEMS[:2], people=1).close()
    with closing(sqlite3.connect(tmp_path / "s.db")) as db, db:
        db.execute(f"UPDATE {table} SET {column} = ?", (value,))
    with pytest.raises(DataError, match=r"s\.db: (task|assignment) \d+ is damaged"):
        StudyDatabase(str(tmp_path / "s.db"))


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
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Sec_Fetch_Site": "cross-site"}, 403),
        ({"Sec_Fetch_Site": "same-site"}, 403),
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
    [], {}, {"position": 99}, {"position": 2**63, "place": 0, "value": "p"},
    {"position": True, "place": 0, "value": "p"}, {"position": 1, "place": 2**70, "value": "p"}, {"position": "1"}, {"position": 1, "place": 2, "value": "p"},
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


def test_tasks_that_are_not_there_are_not_found(tmp_path: Path) -> None:
    store = new_store(tmp_path / "s.db", ITEMS)
    with serving(store) as address:
        visitor = Visitor(address)
        visitor.enter(store.annotators()[0].token)
        for number in ("0", "7", "-1", str(2**63), "9" * 5000, "x", "\u0661"):
            assert visitor.get(f"/task/{quote(number)}")[0] == 404


def test_texts_of_strangers_are_escaped(tmp_path: Path) -> None:
    bad = "<script>alert(1)</script>\"'&"
    store = new_store(tmp_path / "s.db", [rate_item("d", "s", bad, shown=bad)], people=1)
    store.change_setting("instructions", bad)
    with serving(store) as address:
        visitor = Visitor(address)
        page = visitor.enter(store.annotators()[0].token) + visitor.get("/")[1]
    assert "<script>alert" not in page
    assert page.count("&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#x27;&amp;") == 4


@pytest.mark.parametrize(("answers", "failed"), [("pn", False), ("nn", True)])
def test_practice_decides_who_goes_on(answers: str, failed: bool, tmp_path: Path) -> None:
    practice = rate_item("q", "x", "gold:p:fact", "gold:n:other", qualification=True)
    store = new_store(tmp_path / "s.db", [practice, *ITEMS], people=1)
    store.change_setting("pass_share", "0.8")
    with serving(store) as address:
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
from support.served import serving, StudyDatabase
import time
store = StudyDatabase({path!r})
with serving(store) as address:
    print(address, flush=True)
    time.sleep(3600)
"""


def test_a_killed_server_loses_no_answer_that_was_confirmed(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    items = [rate_item(f"d{n}", "s", *(f"fact {k}" for k in range(30))) for n in range(3)]
    store = new_store(path, items, people=1)
    token = store.annotators()[0].token
    store.close()
    code = KILLED.format(tests=str(Path(__file__).parents[2]), path=str(path))
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    visitor = Visitor(process.stdout.readline().strip())
    visitor.enter(token)
    for place in range(30):
        assert visitor.post("/answer", {"position": 1, "place": place, "value": "p"})[0] == 200
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    process.stdout.close()
    again = StudyDatabase(str(path))
    assert assigned(again, 1, 1).answers == dict.fromkeys(range(30), "p")
    again.close()


def test_a_full_disk_refuses_answers_and_loses_none(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = new_store(tmp_path / "s.db", ITEMS, people=1)
    answer = {"position": 1, "place": 0, "value": "p"}
    with serving(store) as address:
        visitor = Visitor(address)
        visitor.enter(store.annotators()[0].token)
        assert visitor.post("/answer", answer)[0] == 200
        with no_room_after(1000):
            status, told = visitor.post("/answer", answer | {"place": 1})
            assert (status, "cannot save" in told["error"]) == (507, True)
            with pytest.raises(OutputError, match=r"copy\.db: cannot be written"):
                store.backup(str(tmp_path / "copy.db"))
            with no_room_after(0), pytest.raises(DataError, match=r"new\.db: cannot be used"):
                StudyDatabase(str(tmp_path / "new.db"))
        assert visitor.post("/answer", answer | {"place": 1, "value": "n"})[0] == 200
    assert "s.db: cannot be written" in capsys.readouterr().err
    assert assigned(store, 1, 1).answers == {0: "p", 1: "n"}
    store.close()
    assert os.listdir(tmp_path) == ["s.db"]


def test_a_study_that_is_told_to_stop_is_one_file(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    new_store(path, ITEMS, people=1).close()
    words = ["-m", "rubrica", "study", "serve", str(path), "--port", "0"]
    with subprocess.Popen([sys.executable, *words], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        link = process.stdout.readline().split()[-1].removeprefix("http://")
        host, _, token = link.partition("/a/")
        visitor = Visitor(host)
        visitor.enter(token)
        assert visitor.post("/answer", {"position": 1, "place": 0, "value": "p"})[0] == 200
        process.send_signal(signal.SIGTERM)
        assert process.wait() == 0
    assert os.listdir(tmp_path) == ["s.db"]
    again = StudyDatabase(str(path))
    assert assigned(again, 1, 1).answers == {0: "p"}
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


def test_changes_of_our_own_page_pass_the_check_of_the_origin(tmp_path: Path) -> None:
    store = new_store(tmp_path / "s.db", ITEMS)
    with serving(store) as address:
        visitor = Visitor(address)
        visitor.enter(store.annotators()[0].token)
        body = {"position": 1, "place": 0, "value": "p"}
        own = {"Origin": f"http://{address}", "Sec_Fetch_Site": "same-origin"}
        assert visitor.post("/answer", body, **own)[0] == 200


def test_each_annotator_has_a_limit_of_changes_of_their_own() -> None:
    limit = RateLimit(rate=10, burst=3)
    assert [limit.allows("a", now=0.0) for _ in range(4)] == [True, True, True, False]
    assert limit.allows("b", now=0.0)
    assert limit.allows("a", now=0.15)
    assert not limit.allows("a", now=0.15)
    assert [limit.allows("a", now=9.0) for _ in range(4)] == [True, True, True, False]


def test_too_many_changes_are_refused_for_now(tmp_path: Path) -> None:
    store = new_store(tmp_path / "s.db", ITEMS)
    with serving(store) as address:
        visitor = Visitor(address)
        visitor.enter(store.annotators()[0].token)
        with ThreadPoolExecutor(4) as threads:
            body = {"position": 1, "place": 0, "value": "p"}
            codes = list(threads.map(lambda _: visitor.post("/answer", body)[0], range(400)))
    assert set(codes) <= {200, 429}
    assert codes.count(200) >= 100


def test_nothing_confirmed_is_lost_when_the_server_is_killed_under_load(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    items = [rate_item(f"d{n}", "s", *(f"fact {k}" for k in range(50))) for n in range(2)]
    store = new_store(path, items, people=12)
    tokens = [annotator.token for annotator in store.annotators()]
    store.close()
    code = KILLED.format(tests=str(Path(__file__).parents[2]), path=str(path))
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    address = process.stdout.readline().strip()
    confirmed: list[dict[int, str]] = [{} for _ in tokens]

    def annotate(number: int) -> None:
        visitor = Visitor(address)
        visitor.enter(tokens[number])
        for place in range(50):
            value = "pn"[(number + place) % 2]
            body = {"position": 1, "place": place, "value": value}
            if visitor.post("/answer", body)[0] == 200:
                confirmed[number][place] = value

    def try_to_annotate(number: int) -> None:
        with suppress(OSError, HTTPException):
            annotate(number)

    threads = [threading.Thread(target=try_to_annotate, args=(n,)) for n in range(len(tokens))]
    for thread in threads:
        thread.start()
    while sum(map(len, confirmed)) < 60:
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGKILL)
    for thread in threads:
        thread.join()
    process.wait()
    process.stdout.close()
    again = StudyDatabase(str(path))
    for number, answers in enumerate(confirmed, 1):
        stored = assigned(again, number, 1).answers
        assert {place: stored.get(place) for place in answers} == answers
        # At most the one that was under way is there without a confirmation.
        assert len(stored) - len(answers) in (0, 1)
    again.close()
