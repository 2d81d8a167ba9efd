"""What holds for every page: it opens from disk in silence, is accessible, and keeps texts inert."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pages
import pytest

PAGES = {
    "systems": pages.systems_page,
    "meta": pages.meta_page,
    "embeddings": pages.embeddings_page,
    "rouge": pages.rouge_page,
    "pyramid": pages.pyramid_page,
    "bare pyramid": pages.bare_pyramid_page,
}


def violations(page: Any) -> list[str]:
    """What axe-core finds, as one line each."""
    from axe_playwright_python.sync_playwright import Axe

    # The page's policy forbids eval, not what the debugger brings in.
    found = Axe().run(page).response["violations"]
    return [f"{one['id']}: {node['html'][:120]}" for one in found for node in one["nodes"][:3]]


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (420, "dark")])
def test_axe_finds_nothing_and_nothing_sticks_out(
    visit: Any, name: str, width: int, scheme: str
) -> None:
    page = visit(PAGES[name](), width=width, scheme=scheme).open()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert violations(page) == []


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
    assert page.evaluate("document.documentElement.scrollWidth") <= 420
    assert violations(page) == []


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
