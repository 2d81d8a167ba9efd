"""The viewer of `rubrica open`: only what is in view is drawn; sorting and finding are the server's."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from test_every_page import violations

from rubrica.metrics import Metric
from rubrica.metrics.base.bases import DocumentBasedMetric
from rubrica.metrics.base.units import CheckedUnit
from rubrica.serve.server import known_hosts
from rubrica.serve.viewer.app import make_viewer
from rubrica.serve.viewer.explained import Explainer
from rubrica.serve.viewer.library import FIRST_ROWS, Library
from rubrica.serve.viewer.table import Sample
from support import pages
from support.served import serving_app


@pytest.fixture
def summaries(tmp_path: Path) -> Library:
    library = Library(str(tmp_path))
    library.open(str(pages.NEWS / "summaries.jsonl"))
    library.open(str(pages.NEWS / "documents.jsonl"))
    library.open(str(pages.scored()))
    return library


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Library:
    folder = tmp_path_factory.mktemp("many")
    rows = (
        {
            "instance_id": f"d{number:05}",
            "summarizer_id": f"s{number % 7}",
            "summarizer_type": "peer",
            "metrics": {"score": (number * 7919) % 20_000},
        }
        for number in range(20_000)
    )
    (folder / "many.jsonl").write_text("".join(json.dumps(values) + "\n" for values in rows))
    library = Library(str(folder))
    library.open(str(folder / "many.jsonl"))
    library.wait()
    return library


@pytest.fixture
def opened(tabs: Any) -> Iterator[Any]:
    """Open a table in the viewer; afterwards its console must be quiet."""
    troubles: list[str] = []
    pages_opened: list[Any] = []
    servers = []

    def on_console(message: Any) -> None:
        troubles.append(message.text)

    def on_error(error: Any) -> None:
        troubles.append(str(error))

    def make(library: Library, width: int = 1280, scheme: str = "light", fragment: str = "") -> Any:
        app = make_viewer(library, known_hosts("127.0.0.1"), token="link")
        server = serving_app(app)
        address = server.__enter__()
        servers.append(server)
        page = tabs.open(width, scheme)
        pages_opened.append(page)
        page.on("console", on_console)
        page.on("pageerror", on_error)
        page.goto(f"http://{address}/open/link{fragment}")
        return page

    yield make
    for page in pages_opened:
        page.remove_listener("console", on_console)
        page.remove_listener("pageerror", on_error)
        page.goto("about:blank")
    for server in servers:
        server.__exit__(None, None, None)
    # The browser itself reports a request that was refused.
    assert [trouble for trouble in troubles if "status of 422" not in trouble] == []


def test_only_rows_in_view_are_drawn(opened: Any, many: Library) -> None:
    page = opened(many)
    page.wait_for_selector('tr[data-at="0"] bdi')
    assert page.locator("tr[data-at]").count() < 80
    page.evaluate("document.querySelector('.window').scrollTop = 34 * 15000")
    page.wait_for_selector('tr[data-at="15000"] bdi')
    assert page.locator('tr[data-at="15000"]').inner_text().startswith("d15000")
    assert page.locator("tr[data-at]").count() < 80
    assert page.locator("table").get_attribute("aria-rowcount") == "20001"


def test_rows_lie_in_view_however_long_the_table_is(opened: Any, many: Library) -> None:
    page = opened(many)
    page.wait_for_selector('tr[data-at="0"] bdi')
    problems = page.evaluate("""async () => {
      const { ROW, rowAtTop, spacers, topOfRow } = await import("/static/viewer/geometry.js");
      const problems = [];
      for (const total of [1, 40, 470_000, 1_000_000, 50_000_000])
        for (const row of [0, 1, 39, 12_345, 999_999, total - 30, total - 1]) {
          if (row < 0 || row >= total) continue;
          const seen = 900, top = topOfRow(total, seen, row), first = rowAtTop(total, seen, top);
          const last = Math.min(total, first + 27), [above, below] = spacers(total, seen, top, first, last);
          const height = above + below + (last - first) * ROW;
          if (first < row || first > row + 120) problems.push(["row", total, row, first]);
          if (height > 17e6 || above > top) problems.push(["height", total, row, height]);
        }
      return problems;
    }""")
    assert problems == []


def test_sorting_and_finding(opened: Any, many: Library) -> None:
    page = opened(many)
    page.get_by_role("button", name="score").click()
    pages.until(
        page, "document.querySelector('tr[data-at=\"0\"]')?.textContent.endsWith('19999.00')"
    )
    page.get_by_label("find").fill("s3 score<70")
    pages.until(page, "document.querySelector('.facts').textContent.includes(' of 20,000')")
    expected = len(many.query.rows("s3 score<70"))
    pages.until(page, f"document.querySelectorAll('tr[data-at]').length === {expected}")
    assert "find=s3" in page.url


def test_the_find_box_completes_columns_and_values_and_names_mistakes(
    opened: Any, summaries: Library
) -> None:
    page = opened(summaries, fragment="#slice=novelty")
    page.wait_for_selector(".slices tbody tr:nth-child(4)")
    box = page.get_by_label("find")
    box.press_sequentially("sys")
    page.wait_for_selector("#completions li")
    box.press("ArrowDown")
    box.press("Enter")
    assert box.input_value() == "system="
    box.press_sequentially("abs")
    pages.until(page, "document.querySelector('#completions li')?.textContent === 'abstractor'")
    assert violations(page) == []
    box.press("ArrowDown")
    box.press("Enter")
    assert box.input_value() == "system=abstractor "
    pages.until(page, "document.querySelector('.facts').textContent.startsWith('12 of 108')")
    box.fill("rogue-1.f1>3")
    page.wait_for_selector(".trouble:not(:empty)")
    assert "did you mean" in page.locator(".trouble").inner_text()
    assert page.locator(".facts").inner_text().startswith("108 summaries"), "not 0 of 108"
    box.fill("document:/mussels?/ rouge-1.f1<0")
    pages.until(
        page, "document.querySelector('.window tbody').textContent === 'No row fits the query.'"
    )


def test_a_viewer_without_files_asks_for_them_only(opened: Any, tmp_path: Path) -> None:
    page = opened(Library(str(tmp_path)))
    pages.until(
        page, "document.querySelector('.facts').textContent === '0 summaries · no file yet'"
    )
    assert page.get_by_role("button", name="Open files …").is_visible()
    assert not page.get_by_label("find").is_visible()
    assert not page.get_by_role("heading", level=2).is_visible()
    page.locator("input[type=file]").set_input_files([pages.NEWS / "summaries.jsonl"])
    page.wait_for_selector('tr[data-at="0"] bdi')
    assert page.get_by_label("find").is_visible()


def test_columns_begin_with_f_scores_and_the_address_stores_the_choice(
    opened: Any, summaries: Library
) -> None:
    page = opened(summaries)
    page.wait_for_selector('tr[data-at="0"] bdi')
    names = page.locator(".window thead th").all_inner_texts()
    assert [name for name in names if name.startswith("rouge")] == ["rouge-1.f1", "rouge-2.f1"]
    page.locator(".chooser summary").click()
    page.get_by_role("checkbox", name="rouge-1.recall").check()
    pages.until(page, "document.querySelectorAll('.window thead th').length === 7")
    page.reload()
    page.wait_for_selector('tr[data-at="0"] bdi')
    page.get_by_role("columnheader", name="rouge-1.recall").wait_for()


def test_buttons_lead_to_the_parts_of_a_long_sample(opened: Any, summaries: Library) -> None:
    page = opened(summaries)
    page.locator("tbody tr[data-at]").first.click()
    parts = page.get_by_role("navigation", name="Parts of the sample").get_by_role("button")
    parts.first.wait_for()
    assert parts.all_inner_texts() == ["Other systems", "Scores", "Source", "References"]
    parts.nth(2).press("Enter")
    assert page.evaluate("document.activeElement.textContent") == "Source"
    assert page.evaluate("document.activeElement.getBoundingClientRect().top < innerHeight")


def test_rows_that_fit_the_query_can_be_taken_along(opened: Any, summaries: Library) -> None:
    page = opened(summaries)
    page.locator("input[type=search]").fill("lead3 rouge-1.f1>30")
    pages.until(page, "document.querySelector('.facts').textContent.includes(' of ')")
    count = int(page.locator(".facts").inner_text().split(" of ")[0])
    for button, kind in (("These rows", "csv"), ("These samples", "jsonl")):
        with page.expect_download() as waiting:
            page.get_by_role("button", name=button).click()
        assert waiting.value.suggested_filename == f"summaries.{kind}"
        lines = Path(waiting.value.path()).read_text("utf-8").splitlines()
        assert len(lines) == count + (kind == "csv")
        assert all("lead3" in line for line in lines[-count:])


def test_nobody_reads_a_count_before_there_is_one(opened: Any, summaries: Library) -> None:
    page = opened(summaries)
    page.wait_for_selector('tr[data-at="0"] bdi')
    held: list[Any] = []
    rows = re.compile(r"/rows\?")
    page.route(rows, lambda request: held.append(request))
    page.reload()
    while not held:
        page.wait_for_timeout(20)
    page.get_by_label("find").fill("lead3")
    while len(held) < 2:
        page.wait_for_timeout(20)
    held[0].continue_()
    pages.until(page, "document.querySelector('.facts').textContent")
    assert page.locator(".facts").inner_text().startswith("108 summaries")
    held[1].continue_()
    pages.until(page, "document.querySelector('.facts').textContent.startsWith('12 of 108')")
    page.unroute(rows)


@pytest.mark.usefixtures("fonts")
def test_the_table_is_as_tall_as_its_rows(opened: Any, many: Library) -> None:
    page = opened(many)
    page.wait_for_selector('tr[data-at="0"] bdi')
    box = page.locator(".window")
    full = box.bounding_box()["height"]
    page.get_by_label("find").fill("d15000")
    pages.until(page, "document.querySelectorAll('tr[data-at]').length === 1")
    assert box.bounding_box()["height"] < 100 < full
    page.get_by_label("find").fill("")
    pages.until(page, "document.querySelectorAll('tr[data-at]').length > 20")
    assert box.bounding_box()["height"] == full


def test_a_summary_is_read_with_its_matches(opened: Any, summaries: Library) -> None:
    page = opened(summaries)
    page.locator('tr[data-at="0"] bdi').first.click()
    page.wait_for_selector(".view .pane mark.hit")
    assert page.locator(".view h2").inner_text() == "d01 · lead3"
    page.locator(".window").focus()
    page.keyboard.press("ArrowDown")
    pages.until(page, "document.querySelector('.view h2').textContent === 'd01 · centroid'")


class HeldLibrary(Library):
    """Reads the rows after the first when the test says so."""

    def __init__(self, folder: str) -> None:
        super().__init__(folder)
        self.released = threading.Event()

    def read_others(self) -> None:
        if self.released.is_set():
            super().read_others()


@pytest.fixture
def held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> HeldLibrary:
    """A file of which the last row, another system's, is not read yet."""
    # However long the first screen takes: nothing but the test begins the reading.
    monkeypatch.setattr("rubrica.serve.viewer.library._FIRST_SCREEN_SECONDS", None)
    row = {"instance_id": "x", "summarizer_type": "peer", "summary": "A filler."}
    cat = {**row, "instance_id": "d1", "summarizer_id": "first", "summary": "A cat."}
    fillers = ({**row, "summarizer_id": f"s{number}"} for number in range(FIRST_ROWS))
    rows = (cat, *fillers, {**cat, "summarizer_id": "late"})
    (tmp_path / "late.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    library = HeldLibrary(str(tmp_path))
    library.open(str(tmp_path / "late.jsonl"))
    return library


def test_a_row_stays_while_others_are_read(opened: Any, held: HeldLibrary) -> None:
    page = opened(held)
    page.locator('tr[data-at="2"] bdi').first.hover()
    page.mouse.down()
    page.evaluate("globalThis.pressed = document.querySelector('tr[data-at=\"2\"]')")
    held.released.set()
    held.wait()
    # The table is drawn again with the new total.
    pages.until(
        page, f"document.querySelector('.window table').ariaRowCount === '{FIRST_ROWS + 3}'"
    )
    assert page.evaluate("pressed.isConnected")
    page.mouse.up()
    page.wait_for_selector(".view .pane")
    assert page.locator(".view h2").inner_text() == "x · s1"


def test_an_open_sample_gets_what_is_read_later(opened: Any, held: HeldLibrary) -> None:
    page = opened(held, fragment="#input=d1&system=first")
    page.locator(".view .pane", has_text="A cat.").wait_for()
    held.released.set()
    held.wait()
    page.locator(".view .pane", has_text="late").wait_for()


def test_a_sample_is_shown_whole_and_keys_lead_to_disagreements(
    opened: Any, summaries: Library
) -> None:
    summaries.open(str(pages.NEWS / "human.jsonl"))
    page = opened(summaries, fragment="#input=d02&system=lead3&other=abstractor")
    page.wait_for_selector(".view mark.only")
    assert page.locator(".view .source").inner_text().startswith("Freshwater mussels")
    page.get_by_role("heading", name="Reference 3 of 3").wait_for()
    # Every other system has its own text with its own matches.
    pages.until(page, "document.querySelectorAll('.side-by-side .pane:has(mark.hit)').length === 8")
    strip = page.get_by_role("img", name="relevance of lead3: 3.33")
    assert "better than 35" in strip.get_attribute("aria-label")
    page.keyboard.press("j")
    pages.until(page, "document.querySelector('.view h2').textContent === 'd02 · centroid'")
    page.keyboard.press("h")
    pages.until(
        page,
        "document.querySelector('.view [role=status]').textContent.includes('and relevance: 1 of 108')",
    )
    page.wait_for_selector("tr.current")
    first = page.locator(".view h2").inner_text()
    page.keyboard.press("h")
    pages.until(
        page, "document.querySelector('.view [role=status]').textContent.includes(': 2 of 108')"
    )
    pages.until(page, f"document.querySelector('.view h2').textContent !== {json.dumps(first)}")
    page.keyboard.press("d")
    pages.until(
        page,
        "document.querySelector('.view [role=status]').textContent.includes('the systems by rouge-1.f1')",
    )


def test_links_of_an_aligning_metric_are_shown(opened: Any, summaries: Library) -> None:
    page = opened(summaries, fragment="#input=d02&system=lead3&measure=wms")
    page.get_by_text("start the viewer with that metric").wait_for()
    summaries.explainer = Explainer(Metric.from_config({"type": "wms"}), summaries.table)
    page.reload()
    page.wait_for_selector(".explained .band")
    assert page.get_by_label("matches of").input_value() == "wms"
    assert page.get_by_text("start the viewer with that metric").count() == 0
    page.locator(".explained .column.summary .node").first.focus()
    words = page.locator(".explained .info").inner_text()
    assert "in the summary moves to" in words
    assert page.locator(".explained strong").first.inner_text().startswith("wms 0.")
    page.get_by_text("Links as a table").click()
    assert page.locator(".explained tbody tr").count() == 15
    assert violations(page) == []
    page.set_viewport_size({"width": 420, "height": 900})
    assert page.evaluate("document.documentElement.scrollWidth") <= 420
    page.locator("label", has_text="reference").locator("select").select_option("2")
    page.get_by_text("lead3 against reference 2:").wait_for()
    page.get_by_label("matches of").select_option("rouge-1")
    page.wait_for_selector(".view mark.hit")
    assert page.locator(".explained").count() == 0


class Checking(DocumentBasedMetric):
    """Find support for the first sentence only; the second has no answer."""

    name = "checking"
    unit_source = "sentences"

    def score_one(self, summary: Any, documents: Any) -> dict[str, Any]:
        return {"checking": 0.0}

    def check_units(self, summary: Any, **context: Any) -> list[CheckedUnit]:
        first, second, *others = summary
        return [
            CheckedUnit(first, support=1.0, label="yes"),
            CheckedUnit(second),
            *(CheckedUnit(sentence, support=0.25) for sentence in others),
        ]


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (420, "dark")])
def test_sentences_without_support_are_shown(
    opened: Any, summaries: Library, width: int, scheme: str
) -> None:
    summaries.explainer = Explainer(Checking(), summaries.table)
    page = opened(summaries, width, scheme, "#input=d02&system=lead3&measure=checking")
    page.wait_for_selector(".checked .missed")
    words = page.locator(".explained").inner_text()
    assert "checking: 1 of 3 sentences supported." in words
    # (1 + 0.25) / 2, with Wilson's interval.
    assert "Support by weight: 0.63 (95\N{NO-BREAK SPACE}% interval 0.14 to 0.94)." in words
    assert "1 answer could not be read." in words
    items = page.locator(".checked li").all_inner_texts()
    assert items[0].endswith("instruments existed.\nyes")
    assert items[2].startswith("✗")
    assert items[2].endswith("0.25")
    # The source is beside the summary.
    assert page.locator(".side-by-side").first.locator(".source").count() == 1
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_the_whole_source_is_on_paper(opened: Any, tmp_path: Path) -> None:
    library = Library(str(tmp_path))
    document = [f"Sentence {number} of many." for number in range(80)]
    library.table.add([Sample("a", "s1", summary=["It rained."], documents=[document])])
    page = opened(library, fragment="#input=a&system=s1")
    page.wait_for_selector(".source")
    page.emulate_media(media="print")
    cut = "(nodes) => nodes.map((node) => node.scrollHeight > node.clientHeight)"
    assert page.locator(".source").evaluate_all(cut) == [False]
    assert not page.locator(".downloads").is_visible()
    page.emulate_media(media="null")


def test_units_need_no_reference(opened: Any, tmp_path: Path) -> None:
    library = Library(str(tmp_path))
    summary = ["It rained.", "It snowed.", "It froze.", *pages.HOSTILE]
    library.table.add([Sample("a", "s1", summary=summary, documents=["It rained."])])
    library.explainer = Explainer(Checking(), library.table)
    page = opened(library, fragment="#input=a&system=s1")
    page.wait_for_selector(".checked .missed")
    assert page.get_by_label("matches of").input_value() == "checking"
    assert page.locator("main img, main b, main script").count() == 0


def test_texts_without_scores_have_no_controls_of_disagreement(opened: Any, tmp_path: Path) -> None:
    library = Library(str(tmp_path))
    library.open(str(pages.NEWS / "summaries.jsonl"))
    page = opened(library, fragment="#input=d02&system=lead3")
    pages.until(page, "document.querySelector('.view h2').textContent === 'd02 · lead3'")
    page.get_by_role("button", name="Next").wait_for()
    assert not page.get_by_label("disagreement of").is_visible()
    assert not page.get_by_role("button", name="Next disagreement").is_visible()
    assert not page.get_by_role("button", name="Metric against people").is_visible()
    page.keyboard.press("j")
    pages.until(page, "document.querySelector('.view h2').textContent === 'd02 · centroid'")


def test_a_link_opens_the_viewer_at_a_summary(opened: Any, summaries: Library) -> None:
    page = opened(summaries, fragment="#input=d02&system=lead3&find=lead3&measure=rouge-l")
    pages.until(page, "document.querySelector('.view h2')?.textContent === 'd02 · lead3'")
    assert page.get_by_label("find").input_value() == "lead3"
    assert page.get_by_label("matches of").input_value() == "rouge-l"
    assert page.locator("tr.current").inner_text().startswith("d02")
    page.evaluate("location.hash = 'input=d03&system=lead3'")
    pages.until(page, "document.querySelector('.view h2')?.textContent === 'd03 · lead3'")
    assert page.get_by_label("find").input_value() == ""


def test_the_ends_of_a_long_table_are_a_key_away(opened: Any, many: Library) -> None:
    page = opened(many)
    page.wait_for_selector('tr[data-at="0"] bdi')
    page.locator(".window").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("End")
    pages.until(page, "document.querySelector('tr.current')?.dataset.at === '19999'")
    page.keyboard.press("Home")
    pages.until(page, "document.querySelector('tr.current')?.dataset.at === '0'")


def test_pyramids_are_opened_like_summaries(opened: Any, tmp_path: Path) -> None:
    page = opened(Library(str(tmp_path)))
    picker = page.locator("input[type=file]")
    picker.set_input_files(str(pages.NEWS / "pyramid-annotations.jsonl"))
    page.wait_for_selector(".pyramids li")
    assert "drop the pyramid" in page.locator(".pyramids li").first.inner_text()
    picker.set_input_files(str(pages.NEWS / "pyramids.jsonl"))
    page.wait_for_selector(".pyramids a")
    assert page.locator(".pyramids li").first.inner_text() == (
        "d01 12 units, 3 references, 6 annotated summaries"
    )
    assert violations(page) == []
    page.locator(".pyramids a").first.click()
    page.wait_for_selector(".lead")
    assert page.locator("h1").inner_text() == "Pyramid of d01"
    assert "lead3 expresses 6 of 12 content units" in page.locator(".lead").inner_text()


def test_files_can_be_given_to_an_empty_viewer(opened: Any, tmp_path: Path) -> None:
    page = opened(Library(str(tmp_path)))
    page.locator("input[type=file]").set_input_files(str(pages.hostile_summaries()))
    page.wait_for_selector("tr[data-at] bdi")
    for row in page.locator("tr[data-at]").all()[:4]:
        row.click()
        page.wait_for_selector(".view h2")
    assert page.locator("img, b, main script").count() == 0
    bad = tmp_path / "bad.jsonl"
    bad.write_text("nonsense")
    page.locator("input[type=file]").set_input_files(str(bad))
    page.wait_for_selector(".trouble:not(:empty)")
    assert "bad.jsonl" in page.locator(".trouble").inner_text()


@pytest.mark.parametrize(("width", "scheme"), [(1280, "dark"), (420, "light")])
def test_axe_finds_nothing(opened: Any, summaries: Library, width: int, scheme: str) -> None:
    page = opened(summaries, width, scheme)
    page.locator('tr[data-at="1"] bdi').first.click()
    page.wait_for_selector(".view .pane")
    assert violations(page) == []


@pytest.mark.usefixtures("fonts")
def test_nothing_sticks_out_of_the_screen(opened: Any, summaries: Library) -> None:
    page = opened(summaries)
    page.locator('tr[data-at="1"] bdi').first.click()
    page.wait_for_selector(".view .pane")
    for width in (1280, 420):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
