"""The annotation pages in a browser: keys, saving, undo, two people at once, a server that goes away."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from test_every_page import violations

from support.pages import HOSTILE
from support.served import assigned, new_store, rate_item, serving, write_item

FACTS = [f"Fact number {n} is stated here." for n in range(5)]
ITEMS = [rate_item(f"d{n}", "abs/hidden", *FACTS, shown="A text. " * 60) for n in range(2)]


@pytest.fixture
def person(tabs: Any) -> Iterator[Callable[..., Any]]:
    """Open somebody's personal link; people have cookies of their own."""
    troubles: list[str] = []
    pages: list[Any] = []

    def on_console(message: Any) -> None:
        troubles.append(message.text)

    def on_error(error: Any) -> None:
        troubles.append(str(error))

    def open_link(address: str, token: str, *, width: int = 1280, scheme: str = "light") -> Any:
        page = tabs.open(width, scheme)
        pages.append(page)
        page.on("console", on_console)
        page.on("pageerror", on_error)
        page.goto(f"http://{address}/a/{token}")
        assert token not in page.url
        page.get_by_role("link", name="Begin").click()
        page.wait_for_url("**/task/*")
        return page

    open_link.troubles = troubles  # type: ignore[attr-defined]
    yield open_link
    for page in pages:
        page.remove_listener("console", on_console)
        page.remove_listener("pageerror", on_error)
    assert troubles == []


def saved(page: Any) -> None:
    page.get_by_text("Saved", exact=True).wait_for()


def test_a_personal_link_can_be_followed_from_another_site(browser: Any, tmp_path: Path) -> None:
    store = new_store(tmp_path / "s.db", ITEMS, people=1)
    with serving(store) as address, browser.new_context() as context:
        link = f"http://{address}/a/{store.annotators()[0].token}"
        mail = f'<a href="{link}">Your link</a>'
        context.route("http://mail.test/", lambda r: r.fulfill(content_type="text/html", body=mail))
        page = context.new_page()
        page.set_default_timeout(100_000)
        page.goto("http://mail.test/")
        page.get_by_role("link", name="Your link").click()
        page.get_by_role("link", name="Begin").wait_for()


def test_people_join_by_the_open_link_once_they_agree(browser: Any, tmp_path: Path) -> None:
    settings = {"enrolment": "open", "consent": "We store *answers*."}
    store = new_store(tmp_path / "s.db", ITEMS, people=0, settings=settings)
    with serving(store) as address, browser.new_context() as context:
        page = context.new_page()
        page.set_default_timeout(100_000)
        page.goto(f"http://{address}/join/{store.token('join')}?PROLIFIC_PID=p1")
        assert violations(page) == []
        page.get_by_role("button", name="I agree to take part").press("Enter")
        page.get_by_role("link", name="Begin").click()
        page.wait_for_url("**/task/1")
    assert [annotator.external for annotator in store.annotators()] == ["p1"]


def test_a_task_is_done_by_keys_alone(person: Any, tmp_path: Path) -> None:
    store = new_store(tmp_path / "s.db", ITEMS, people=1)
    with serving(store) as address:
        page = person(address, store.annotators()[0].token)
        for key in "pnpn":
            page.keyboard.press(key)
        assert page.locator("#count").text_content() == "4 of 5 marked"
        page.keyboard.press("Enter")
        page.get_by_text("1 statement is not marked yet.").wait_for()
        page.keyboard.press("k")
        page.keyboard.press("p")  # the fourth again; the fifth is next
        page.keyboard.press("p")
        saved(page)
        page.keyboard.press("Enter")
        page.wait_for_url("**/task/2")
        assert page.locator("input:checked").count() == 0
    assert assigned(store, 1, 1).answers == {0: "p", 1: "n", 2: "p", 3: "p", 4: "p"}
    assert assigned(store, 1, 1).submitted is not None


def test_undo_and_the_mouse(person: Any, tmp_path: Path) -> None:
    store = new_store(tmp_path / "s.db", ITEMS, people=1)
    with serving(store) as address:
        page = person(address, store.annotators()[0].token)
        third = page.locator(".statement").nth(2)
        third.get_by_role("radio", name="Not present").check()
        third.get_by_role("radio", name="Present", exact=True).check()
        saved(page)
        page.keyboard.press("u")
        third.locator("input[value=n]:checked").wait_for()
        page.get_by_role("button", name="Undo").click()
        page.locator("#count", has_text="0 of 5 marked").wait_for()
        assert page.locator("input:checked").count() == 0
    assert assigned(store, 1, 1).answers == {}


def test_a_reloaded_page_shows_what_was_saved(person: Any, tmp_path: Path) -> None:
    store = new_store(tmp_path / "s.db", ITEMS, people=1)
    with serving(store) as address:
        page = person(address, store.annotators()[0].token)
        page.keyboard.press("n")
        saved(page)
        page.reload()
        assert page.locator("input:checked").get_attribute("value") == "n"
        assert page.locator(".statement.current").get_attribute("data-place") == "1"


def test_answers_wait_in_the_browser_while_the_server_is_away(person: Any, tmp_path: Path) -> None:
    store = new_store(tmp_path / "s.db", ITEMS, people=1)
    with serving(store) as address:
        page = person(address, store.annotators()[0].token)
        page.context.set_offline(True)
        page.keyboard.press("p")
        page.keyboard.press("n")
        page.get_by_text("Not saved").wait_for()
        assert assigned(store, 1, 1).answers == {}
        page.context.set_offline(False)
        saved(page)
        assert assigned(store, 1, 1).answers == {0: "p", 1: "n"}
    # The browser tells of requests that failed, as it should.
    assert all("ERR_INTERNET_DISCONNECTED" in one for one in person.troubles)
    person.troubles.clear()


def test_two_people_at_once_do_not_touch_each_other(person: Any, tmp_path: Path) -> None:
    store = new_store(tmp_path / "s.db", ITEMS, people=2)
    with serving(store) as address:
        one, two = (person(address, someone.token) for someone in store.annotators())
        for key in "ppp":
            one.keyboard.press(key)
            two.keyboard.press("n")
        saved(one)
        saved(two)
    assert set(assigned(store, 1, 1).answers.values()) == {"p"}
    assert set(assigned(store, 2, 1).answers.values()) == {"n"}


def test_units_are_written_line_by_line(person: Any, tmp_path: Path) -> None:
    store = new_store(tmp_path / "w.db", [write_item("d1", 2), write_item("d2", 2)], people=1)
    with serving(store) as address:
        page = person(address, store.annotators()[0].token)
        for text in ("First fact here.", "Second fact here.", "Third, on a new line."):
            # All at once: a pause between two letters would save a line that undo goes back to.
            page.keyboard.insert_text(text)
            page.keyboard.press("Enter")
        saved(page)
        assert page.locator("#count").text_content() == "3 written"
        page.keyboard.press("Alt+u")
        page.locator("#count", has_text="2 written").wait_for()
        assert page.locator("#w2").input_value() == ""
        page.keyboard.press("Control+Enter")
        page.wait_for_url("**/task/2")
    assert list(assigned(store, 1, 1).answers.values()) == ["First fact here.", "Second fact here."]


HOSTILE_ITEM = rate_item("d", "s", *(text or "x" for text in HOSTILE), shown=" ".join(HOSTILE))
KINDS = {"rate": ITEMS, "write": [write_item("d1")], "hostile": [HOSTILE_ITEM]}


@pytest.mark.usefixtures("fonts")
@pytest.mark.parametrize("kind", KINDS)
def test_nothing_sticks_out_of_the_screen(person: Any, kind: str, tmp_path: Path) -> None:
    store = new_store(tmp_path / "s.db", KINDS[kind], people=1)
    with serving(store) as address:
        page = person(address, store.annotators()[0].token)
        for path in ("/task/1", "/"):
            page.goto(f"http://{address}{path}")
            for width in (1280, 420):
                page.set_viewport_size({"width": width, "height": 900})
                assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize(
    ("kind", "width", "scheme"),
    [
        ("rate", 1280, "light"),
        ("rate", 420, "dark"),
        ("write", 420, "dark"),
        ("hostile", 420, "light"),
    ],
)
def test_axe_finds_nothing(person: Any, kind: str, width: int, scheme: str, tmp_path: Path) -> None:
    store = new_store(tmp_path / "s.db", KINDS[kind], people=1)
    with serving(store) as address:
        page = person(address, store.annotators()[0].token, width=width, scheme=scheme)
        assert violations(page) == []
        assert page.locator("main img, main b, main script").count() == 0
        page.goto(f"http://{address}/")
        assert violations(page) == []


@pytest.mark.parametrize("status", [429, 503])
def test_an_overloaded_server_gets_the_answer_again(
    status: int, person: Any, tmp_path: Path
) -> None:
    store = new_store(tmp_path / "s.db", ITEMS, people=1)
    with serving(store) as address:
        page = person(address, store.annotators()[0].token)
        overloaded = True

        def busy(route: Any) -> None:
            if overloaded:
                route.fulfill(status=status, content_type="text/plain", body="busy")
            else:
                route.continue_()

        page.route("**/answer", busy)
        page.keyboard.press("p")
        page.get_by_text("Not saved").wait_for()
        overloaded = False
        saved(page)
        assert assigned(store, 1, 1).answers == {0: "p"}
        page.unroute("**/answer")
    assert all(f"status of {status}" in trouble for trouble in person.troubles)
    person.troubles.clear()
