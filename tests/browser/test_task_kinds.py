"""Each kind of task in a browser: by keys and by mouse, on a phone, right to left, clean for screen readers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from test_every_page import STANDS_RIGHT, violations

from rubrica.data.instance import EvalInstance, Fields
from rubrica.serve.exchange import judgments_of
from rubrica.serve.study_database import StudyDatabase
from rubrica.study.forms.definition import KINDS, read_form
from rubrica.study.forms.scores import score_rows
from support.served import assigned, new_store, serving

FORMS = Path(__file__).parents[2] / "examples" / "study" / "forms"
ARABIC = "ذهب الرجل إلى السوق اليوم. ثم عاد إلى البيت."
ENGLISH = "The man went to the market today. Then he came home."


def study(path: Path, kind: str, text: str = ENGLISH) -> StudyDatabase:
    form = read_form(FORMS / f"{kind}.toml")
    fields = Fields({"summary": text, "documents": [f"{text} " * 12], "references": [text]})
    summaries = [EvalInstance("d", system, "peer", fields) for system in "abc"]
    return new_store(path, form.items(summaries, 0), people=1, form=form)


@pytest.fixture
def opened(tabs: Any) -> Iterator[Callable[..., Any]]:
    """Open the first task of a study; the page must stay quiet."""
    troubles: list[str] = []
    pages: list[tuple[Any, Any]] = []

    def open_task(
        store: StudyDatabase, address: str, width: int = 1280, scheme: str = "light"
    ) -> Any:
        page = tabs.open(width, scheme)

        def listen(message: Any) -> None:
            troubles.append(getattr(message, "text", None) or str(message))

        page.on("console", listen)
        page.on("pageerror", listen)
        pages.append((page, listen))
        page.goto(f"http://{address}/a/{store.annotators()[0].token}")
        page.goto(f"http://{address}/task/1")
        return page

    yield open_task
    for page, listen in pages:
        page.remove_listener("console", listen)
        page.remove_listener("pageerror", listen)
    assert troubles == []


def submit(page: Any, key: str = "Enter") -> None:
    page.get_by_text("Saved", exact=True).wait_for()
    page.keyboard.press(key)
    page.wait_for_url("**/task/2")


def likert(page: Any) -> None:
    page.keyboard.press("4")
    page.keyboard.press("2")
    page.get_by_role("group", name="fluency").get_by_role("radio", name="5").check()
    page.get_by_role("group", name="relevance").get_by_role("radio", name="3 fair").check()


def direct(page: Any) -> None:
    page.keyboard.press("ArrowRight")
    page.get_by_role("spinbutton").fill("73")
    page.get_by_role("spinbutton").press("Tab")


def pair(page: Any) -> None:
    page.keyboard.press("b")


def ranking(page: Any) -> None:
    page.keyboard.press("2")
    page.keyboard.press("1")
    page.get_by_role("group", name="Summary C").get_by_role("radio", name="3").check()


def faithful(page: Any) -> None:
    page.keyboard.press("y")
    page.get_by_role("radio", name="Unsure").nth(1).check()


def spans(page: Any) -> None:
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("2")
    page.keyboard.press("s")
    page.keyboard.press("Enter")
    page.get_by_text("1 error marked").wait_for()
    page.get_by_role("option", name="home").click()
    page.get_by_role("button", name="Add error").click()
    page.get_by_role("button", name="Remove the error not in the document: home").click()
    page.get_by_role("spinbutton").fill("60")
    page.get_by_role("spinbutton").press("Tab")


def text(page: Any) -> None:
    page.keyboard.type("It says too much.")
    page.locator("#submit").focus()


WORK = {"likert": likert, "direct": direct, "pair": pair, "ranking": ranking, "faithful": faithful,
        "spans": spans, "text": text}  # fmt: skip
ANSWERS = {
    "likert": {0: "4", 1: "2", 2: "5", 3: "3"},
    "direct": {0: "73"},
    "pair": {0: "1"},
    "ranking": {0: "2", 1: "1", 2: "3"},
    "faithful": {0: "y", 1: "unsure"},
    "spans": {
        0: "60",
        1: '{"start":4,"end":12,"category":"not in the document","severity":"major"}',
    },
    "text": {0: "It says too much."},
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_task_is_answered_by_keys_and_mouse(kind: str, opened: Any, tmp_path: Path) -> None:
    store = study(tmp_path / "s.db", kind)
    with serving(store) as address:
        page = opened(store, address)
        WORK[kind](page)
        if kind == "ranking":  # the only task
            page.get_by_text("Saved", exact=True).wait_for()
            page.keyboard.press("Enter")
            page.get_by_text("All tasks are submitted").wait_for()
        else:
            submit(page, "Control+Enter")
    assert assigned(store, 1, 1).answers == ANSWERS[kind]
    assert bool(score_rows(store.form, judgments_of(store))) is (kind != "text")
    store.close()


@pytest.mark.parametrize("kind", KINDS)
def test_a_task_fits_a_phone_reads_right_to_left_and_is_accessible(
    kind: str, opened: Any, tmp_path: Path
) -> None:
    store = study(tmp_path / "s.db", kind, ARABIC)
    with serving(store) as address:
        page = opened(store, address, 420, "dark")
        assert page.evaluate("document.documentElement.scrollWidth") <= 420
        assert page.locator("main [dir=auto]", has_text="ذهب").first.evaluate(STANDS_RIGHT)
        assert violations(page, colours=kind in ("likert", "direct", "spans")) == []
        if kind == "spans":
            # Forward is to the left.
            page.keyboard.press("ArrowLeft")
            assert page.locator(".word:focus").get_attribute("id") == "w1"
    store.close()


@pytest.mark.parametrize("width", [420, 1280])
@pytest.mark.parametrize("kind", ["likert", "pair", "faithful", "text"])
def test_the_summary_is_in_sight_however_long_the_document_is(
    kind: str, width: int, opened: Any, tmp_path: Path
) -> None:
    form = read_form(FORMS / f"{kind}.toml")
    fields = Fields({"summary": ENGLISH, "documents": [f"{ENGLISH} " * 200]})
    summaries = [EvalInstance("d", system, "peer", fields) for system in "ab"]
    store = new_store(tmp_path / "s.db", form.items(summaries, 0), people=1, form=form)
    with serving(store) as address:
        page = opened(store, address, width)
        summary = page.get_by_text(ENGLISH, exact=True).first
        assert summary.evaluate(
            "text => text.getBoundingClientRect().bottom <= Math.min("
            "text.closest('.source').getBoundingClientRect().bottom, innerHeight)"
        )
    store.close()


def test_instructions_flag_and_comment_are_at_hand(opened: Any, tmp_path: Path) -> None:
    store = study(tmp_path / "s.db", "likert")
    store.change_setting("instructions", "# Read this\n\n- **Rate** all\n- <b>twice</b>")
    with serving(store) as address:
        page = opened(store, address)
        page.keyboard.press("i")
        dialog = page.get_by_role("dialog", name="Instructions")
        dialog.get_by_role("heading", name="Read this").wait_for()
        assert dialog.get_by_role("listitem").all_text_contents() == ["Rate all", "<b>twice</b>"]
        assert violations(page, colours=False) == []
        page.keyboard.press("4")  # for the dialog, not for the question behind it
        page.keyboard.press("Escape")
        page.get_by_text("Report a problem").click()
        page.get_by_label("Something is wrong").check()
        page.get_by_label("Comment").fill("Cut off.")
        page.get_by_label("Comment").press("Tab")
        page.get_by_text("Saved", exact=True).wait_for()
    task = assigned(store, 1, 1)
    assert task.answers == {}
    assert task.remarks == {"flag": "1", "comment": "Cut off."}
    store.close()


def test_the_owner_watches_pauses_and_asks_another_annotator(tabs: Any, tmp_path: Path) -> None:
    form = read_form(FORMS / "likert.toml")
    fields = Fields({"summary": "<b>A text</b>", "documents": [ARABIC]})
    items = form.items([EvalInstance("<i>d</i>", "s", "peer", fields)], 0)
    store = new_store(tmp_path / "s.db", items, people=2, form=form)
    for annotator in (1, 2):
        for place in range(4):
            store.answer(annotator, 1, place, str(2 * annotator))
        store.answer(annotator, 1, -2, "<script>alert(1)</script>")
        store.submit(annotator, 1)
    store.add_annotator("third")
    with store._writing() as db:  # the newcomer got every task; leave one to ask about
        db.execute("DELETE FROM assignments WHERE annotator = 3")
    with serving(store) as address:
        page = tabs.open(420, "dark")
        page.goto(f"http://{address}/owner/{store.token('owner')}")
        assert store.token("owner") not in page.url
        assert violations(page) == []
        assert page.locator("main i, main b, main script").count() == 0
        assert page.evaluate("document.documentElement.scrollWidth") <= 420
        page.get_by_role("button", name="Pause the study").click()
        page.get_by_role("button", name="Resume the study").click()
        page.get_by_role("button", name="Pause the study").wait_for()
        page.get_by_role("button", name="Ask").first.click()
        page.get_by_role("button", name="Asked").wait_for()
    assert assigned(store, 3, 1).task == 1
    store.close()
