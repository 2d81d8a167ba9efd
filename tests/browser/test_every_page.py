"""What holds for every page: it opens from disk in silence, is accessible, and keeps texts inert."""

from __future__ import annotations

import csv
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from support import pages

PAGES = {
    "systems": pages.systems_page,
    "meta": pages.meta_page,
    "embeddings": pages.embeddings_page,
    "rouge": pages.rouge_page,
    "pyramid": pages.pyramid_page,
    "bare pyramid": pages.bare_pyramid_page,
    "judge": pages.judge_page,
    "leaderboard": pages.leaderboard_page,
    "index": pages.index_page,
}


def violations(page: Any, *, colours: bool = True) -> list[str]:
    """What axe-core finds, as one line each.

    Contrast takes three quarters of the time: check it once per kind of page and scheme. It depends on the
    stylesheet, not on the texts.
    """
    from axe_playwright_python.sync_playwright import Axe

    options = {"resultTypes": ["violations"], "rules": {"color-contrast": {"enabled": colours}}}
    # The page's policy forbids eval, not what the debugger brings in.
    found = Axe().run(page, options=options).response["violations"]
    return [f"{one['id']}: {node['html'][:120]}" for one in found for node in one["nodes"][:3]]


in_all_fonts = pytest.mark.usefixtures("fonts")


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (420, "dark")])
def test_axe_finds_nothing(visit: Any, name: str, width: int, scheme: str) -> None:
    page = visit(PAGES[name](), width=width, scheme=scheme).open()
    assert violations(page) == []


@in_all_fonts
@pytest.mark.parametrize("name", PAGES)
def test_nothing_sticks_out_of_the_screen(visit: Any, name: str) -> None:
    page = visit(PAGES[name]()).open()
    for width in (1280, 768, 420):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= width


@in_all_fonts
def test_tags_keep_their_words_together_and_stay_inside(visit: Any) -> None:
    page = visit(pages.hostile_pages()["pyramid"], width=420).open()
    boxes = [tag.bounding_box() for tag in page.locator(".tag").all()]
    assert len(boxes) > 8
    assert max(box["height"] for box in boxes) < 24, "one line"
    assert max(box["x"] + box["width"] for box in boxes) <= 420
    long = next(tag for tag in page.locator(".tag").all() if "aaaa" in tag.inner_text())
    assert long.evaluate("node => node.scrollWidth > node.clientWidth"), "cut, not broken"


@pytest.mark.parametrize(
    ("at", "lang", "direction"),
    [
        ("ar", "ar", "rtl"),
        ("ja", "ja", "ltr"),
        ("zh-Hant", "zh-Hant", "ltr"),
        ("none", "", "auto"),
        ("no code", "", "auto"),
    ],
)
def test_texts_are_written_as_their_language_is(
    visit: Any, at: str, lang: str, direction: str
) -> None:
    page = visit(pages.languages_page()).open(f"#input={at}")
    summary, reference = (page.locator(".pane .text").nth(number) for number in (0, 1))
    line = summary.locator("p").first
    assert (summary.get_attribute("lang"), line.get_attribute("dir")) == (lang, direction)
    assert reference.get_attribute("lang") == "th"
    # Where the first letter stands is what people see.
    right = at in ("ar", "none")
    assert line.evaluate(STANDS_RIGHT) is right
    assert violations(page, colours=False) == []


STANDS_RIGHT = """(line) => {
  const walk = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  range.setStart(walk.nextNode(), 0);
  range.setEnd(walk.currentNode, 1);
  const letter = range.getBoundingClientRect(), box = line.getBoundingClientRect();
  return letter.left + letter.width / 2 > box.left + box.width / 2;
}"""


def test_the_theme_follows_the_system_and_can_be_chosen(visit: Any) -> None:
    opened = visit(pages.pyramid_page(), scheme="dark")
    page = opened.open()
    background = "getComputedStyle(document.body).backgroundColor"
    dark = page.evaluate(background)
    page.get_by_role("button", name="Dark").click()
    light = page.evaluate(background)
    assert light != dark
    page = opened.open()
    assert page.evaluate(background) == light, "the choice is remembered"
    assert page.get_by_role("button", name="Dark").get_attribute("aria-pressed") == "false"


def test_the_policy_lets_nothing_else_in(visit: Any) -> None:
    opened = visit(pages.rouge_page())
    page = opened.open()
    html = Path(opened.path).read_text("utf-8")
    assert html.count("<script") == 3
    assert "http://" not in html.replace("http://www.w3.org/2000/svg", "")
    assert "https://" not in html
    refused = page.evaluate(
        """() => new Promise((done) => {
            document.addEventListener("securitypolicyviolation", (event) => done(event.effectiveDirective));
            const script = document.createElement("script");
            script.textContent = "window.injected = true";
            document.body.append(script);
        })"""
    )
    assert refused.startswith("script-src")
    assert page.evaluate("window.injected") is None
    # The browser tells of what it refused, as it should.
    assert all("Content Security Policy" in one for one in opened.troubles)
    opened.troubles.clear()


@pytest.mark.parametrize("kind", ["systems", "meta", "rouge", "pyramid", "embeddings"])
def test_hostile_texts_stay_text(visit: Any, kind: str) -> None:
    opened = visit(pages.hostile_pages()[kind], width=420)
    page = opened.open()
    for _ in range(4):
        page.keyboard.press("ArrowRight")
    for button in page.locator("main button.open, main details summary").all():
        button.click()
    assert page.locator("img, b, main script, iframe, object").count() == 0
    assert page.evaluate("document.title") != "owned"
    assert violations(page, colours=False) == []


@in_all_fonts
@pytest.mark.parametrize("kind", ["systems", "meta", "rouge", "pyramid", "embeddings"])
def test_hostile_texts_do_not_stick_out(visit: Any, kind: str) -> None:
    page = visit(pages.hostile_pages()[kind], width=420).open()
    assert page.evaluate("document.documentElement.scrollWidth") <= 420


def test_hostile_texts_are_shown_as_they_are(visit: Any) -> None:
    opened = visit(pages.hostile_pages()["rouge"])
    page = opened.open()
    data = opened.data()
    for number, row in enumerate(data["rows"]):
        if row["instance"].startswith("<!--"):
            continue  # a NUL cannot be in an address
        page.locator("a[data-input]").nth(number).click()
        lines = page.locator(".pane .text").first.locator("p").all_text_contents()
        expected = [unit or "\u00a0" for unit in data["texts"][row["text"]]]
        assert [line for line in lines if not line.startswith("(no words")] == expected


# Every chart with its name for people who do not see it, and the files that its section offers.
CHARTS = """async () => {
  const files = [];
  URL.createObjectURL = (blob) => (files.push(blob.text()), "blob:none");
  HTMLAnchorElement.prototype.click = () => {};
  const nameOf = (node) => {
    const named = node.closest("[aria-label]:not(section)");
    return node.tagName === "TABLE" ? node.caption.textContent : named?.getAttribute("aria-label");
  };
  const charts = [];
  for (const node of document.querySelectorAll("main :is(.chart, svg.plot, .flow, .tiers, table.heat, table.matrix, table.tokens)")) {
    const buttons = [...node.closest("section").querySelectorAll("button")];
    files.length = 0;
    for (const button of buttons.filter((one) => one.textContent.endsWith("(CSV)"))) button.click();
    charts.push([node.className.baseVal ?? node.className, nameOf(node) ?? "", await Promise.all(files)]);
  }
  return charts;
}"""
WITH_CHARTS = {name: make for name, make in PAGES.items() if name not in ("rouge", "index")}


@pytest.mark.parametrize("name", WITH_CHARTS)
def test_every_chart_has_words_and_a_file_of_its_numbers(visit: Any, name: str) -> None:
    page = visit(WITH_CHARTS[name]()).open()
    if name == "meta":
        pages.until(page, "!document.querySelector('.chart:not([data-drawn])')")
    charts = page.evaluate(CHARTS)
    assert charts
    for kind, words, tables in charts:
        assert words.strip(), kind
        assert tables, f"{kind}: nothing to download"
        for table in tables:
            head, *rows = csv.reader(StringIO(table, newline=""))
            assert rows, kind
            assert {len(row) for row in rows} == {len(head)}, kind


PRINTED = {
    **PAGES,
    "many metrics": pages.many_metrics_page,
    "wide embeddings": pages.wide_embeddings_page,
}
RIGHT_EDGES = (
    "[...document.querySelectorAll('table, svg')].map((node) => node.getBoundingClientRect().right)"
)


@in_all_fonts
@pytest.mark.parametrize("name", PRINTED)
def test_nothing_is_cut_off_on_paper(visit: Any, name: str) -> None:
    page = visit(PRINTED[name]()).open()
    page.set_viewport_size({"width": 1280, "height": 900})
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 700, "height": 1000})
    assert max(page.evaluate(RIGHT_EDGES), default=0) <= 701
    flow = page.locator(".flow-scroller")
    if flow.count():
        assert flow.bounding_box()["height"] < 1000


def test_wide_tables_are_printed_in_parts_with_readable_letters(visit: Any) -> None:
    page = visit(pages.many_metrics_page()).open()
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 700, "height": 1000})
    fits = page.evaluate(
        """[...document.querySelectorAll('.scroller > table')].filter((one) => one.checkVisibility())
            .map((one) => Number(one.style.getPropertyValue('--fit') || 1))"""
    )
    assert min(fits) >= 0.5
    texts = page.evaluate(
        """[...document.querySelectorAll('table.in-parts')].map((table) => {
            const parts = [];
            for (let next = table.nextElementSibling; next?.matches('.part'); next = next.nextElementSibling)
                parts.push(next);
            const cells = (one) => [...one.querySelectorAll('td, thead th:not(:first-child)')].map(
                (cell) => cell.textContent);
            return [cells(table), parts.flatMap(cells)];
        })"""
    )
    assert texts, "the matrix of metrics is wide"
    for whole, parts in texts:
        assert sorted(whole) == sorted(parts)
    page.emulate_media(media="null")
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.locator("table.part").count() == 0


def test_texts_longer_than_a_page_are_no_grid_on_paper(visit: Any) -> None:
    """Chromium draws a cell of a grid that goes on over pages on top of what follows."""
    page = visit(pages.rouge_page()).open()
    page.emulate_media(media="print")
    shown = page.locator(".pane, .panes").evaluate_all(
        "nodes => nodes.map(node => getComputedStyle(node).display)"
    )
    assert shown
    assert "grid" not in shown


def test_the_contents_of_an_audit_lead_to_its_sections(visit: Any) -> None:
    """An audit of several judges is long."""
    page = visit(pages.judge_page()).open()
    links = page.get_by_role("navigation", name="Contents").get_by_role("link")
    titles = page.locator("section > h2").all_inner_texts()
    assert links.all_inner_texts() == titles
    links.last.press("Enter")
    assert page.evaluate("document.activeElement.textContent") == titles[-1]
    assert "at=method" in page.evaluate("location.hash")
