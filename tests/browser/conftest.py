"""A browser for the pages: Debian's Chromium through Playwright, pages opened from disk.

Without one the tests are skipped, and one line says so; with CI=true they fail instead.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = next(
    (
        path
        for name in ("chromium", "chromium-browser", "google-chrome")
        if (path := shutil.which(name))
    ),
    None,
)
SWITCHES = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def _missing(what: str) -> None:
    message = f"browser tests need {what}"
    if os.environ.get("CI") == "true":
        pytest.fail(message)
    pytest.skip(message)


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """One browser for all tests."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        _missing("playwright: pip install 'rubrica[browser]'")
    if CHROMIUM is None:
        _missing("chromium: apt-get install chromium")
    with sync_playwright() as playwright:
        made = playwright.chromium.launch(executable_path=CHROMIUM, args=SWITCHES)
        yield made
        made.close()


class Visit:
    """A page that was opened from disk, and everything it should not have done."""

    def __init__(self, page: Any, path: Path) -> None:
        self.page, self.path = page, path
        self.troubles: list[str] = []
        self.requests: list[str] = []
        page.on("console", lambda message: self.troubles.append(message.text))
        page.on("pageerror", lambda error: self.troubles.append(str(error)))
        page.on("dialog", lambda dialog: self.troubles.append(f"dialog: {dialog.message}"))
        page.on("request", lambda request: self.requests.append(request.url))

    def open(self, fragment: str = "") -> Any:
        """Open it, at a deep link if one is given."""
        self.page.goto("about:blank")
        self.page.goto(f"{self.path.as_uri()}{fragment}")
        return self.page

    def data(self) -> Any:
        """The data that the page draws."""
        return json.loads(self.page.locator("#data").text_content())

    def check(self) -> None:
        """No message in the console, and no request but for the file itself."""
        assert self.troubles == []
        here = self.path.as_uri()
        others = [url for url in self.requests if not url.startswith((here, "about:", "blob:"))]
        assert others == []


@pytest.fixture
def visit(browser: Any) -> Iterator[Callable[..., Visit]]:
    """Open a page in a context of its own; afterwards it must have been quiet."""
    visits: list[Visit] = []

    def make(path: Path, *, width: int = 1280, scheme: str = "light") -> Visit:
        context = browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme=scheme, accept_downloads=True
        )
        page = context.new_page()
        page.set_default_timeout(10_000)
        visits.append(Visit(page, path))
        return visits[-1]

    yield make
    for one in visits:
        one.page.context.close()
    for one in visits:
        one.check()
