"""A browser for the pages: Debian's Chromium through Playwright, pages opened from disk.

Tests of layout ask for `fonts` and run once with each set of fonts: a page must not depend on which are installed.
Without a browser the tests are skipped, and one line says so; with RUBRICA_TEST_BROWSER=required they fail instead.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
# The shell without windows first: the same engine, at a quarter of the cost of a tab.
CHROMIUM = next(
    (
        path
        for name in ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
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

# Wide letters, as a bare Debian has them, and narrow ones, with the metrics of Arial and Times.
FONT_SETS = {
    "DejaVu": Path("/usr/share/fonts/truetype/dejavu"),
    "Liberation": Path("/usr/share/fonts/truetype/liberation"),
}
FONT_PACKAGES = {"DejaVu": "fonts-dejavu-core", "Liberation": "fonts-liberation"}
FONT_CONFIGURATION = """<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>{folder}</dir>
  <cachedir>{cache}</cachedir>
  <alias><family>sans-serif</family><prefer><family>{name} Sans</family></prefer></alias>
  <alias><family>serif</family><prefer><family>{name} Serif</family></prefer></alias>
  <alias><family>monospace</family><prefer><family>{name} Sans Mono</family><family>{name} Mono</family></prefer></alias>
</fontconfig>
"""


def missing() -> str | None:
    """What is not installed, with the command that installs it."""
    if find_spec("playwright") is None or find_spec("axe_playwright_python") is None:
        return "playwright and axe-core (pip install 'rubrica[browser]')"
    return None if CHROMIUM else "Chromium (apt-get install chromium-headless-shell)"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Without a browser one test stays and is skipped for all: one line says what is missing.

    Where RUBRICA_TEST_BROWSER is `required`, tests fail instead.
    """
    need = missing()
    if need is None or os.environ.get("RUBRICA_TEST_BROWSER") == "required":
        return
    ours = [item for item in items if HERE in item.path.parents]
    if not ours:
        return
    reason = f"{len(ours)} browser tests need {need}"
    ours[0].add_marker(pytest.mark.skip(reason=reason))
    left_out = set(ours[1:])
    items[:] = [item for item in items if item not in left_out]
    config.hook.pytest_deselected(items=ours[1:])


class Browsers:
    """Browsers that see one set of fonts each, started when a test first asks for them."""

    def __init__(self, playwright: Any, folder: Path) -> None:
        self._playwright, self._folder = playwright, folder
        self._started: dict[str, Any] = {}

    def with_fonts(self, fonts: str | None) -> Any:
        """Return the browser for a set of fonts; None stands for the first set that is installed."""
        installed = [name for name, folder in FONT_SETS.items() if folder.is_dir()]
        name = fonts or (installed[0] if installed else "system")
        if name not in self._started:
            self._started[name] = self._launch(name)
        return self._started[name]

    def _launch(self, name: str) -> Any:
        environment = {key: value for key, value in os.environ.items() if key != "FONTCONFIG_FILE"}
        if name in FONT_SETS:
            home = self._folder / name
            home.mkdir()
            (home / "fonts.conf").write_text(
                FONT_CONFIGURATION.format(folder=FONT_SETS[name], cache=home / "cache", name=name),
                encoding="utf-8",
            )
            environment["FONTCONFIG_FILE"] = str(home / "fonts.conf")
        return self._playwright.chromium.launch(
            executable_path=CHROMIUM, args=SWITCHES, env=environment
        )

    def close(self) -> None:
        """Stop all of them."""
        for browser in self._started.values():
            browser.close()


@pytest.fixture(scope="session")
def browsers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browsers]:
    """One browser per set of fonts, for all tests."""
    if need := missing():
        pytest.fail(f"browser tests need {need}")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browsers = Browsers(playwright, tmp_path_factory.mktemp("fonts"))
        yield browsers
        browsers.close()


@pytest.fixture(params=list(FONT_SETS))
def fonts(request: pytest.FixtureRequest) -> str:
    """Each set of fonts in turn: for tests of layout."""
    name: str = request.param
    if not FONT_SETS[name].is_dir():
        pytest.skip(f"needs {name} fonts (apt-get install {FONT_PACKAGES[name]})")
    return name


@pytest.fixture
def browser(browsers: Browsers, request: pytest.FixtureRequest) -> Any:
    """The browser, with the set of fonts that the test asks for."""
    asked = "fonts" in request.fixturenames
    return browsers.with_fonts(request.getfixturevalue("fonts") if asked else None)


class Visit:
    """A page that was opened from disk, and everything it should not have done."""

    def __init__(self, page: Any, path: Path) -> None:
        self.page, self.path = page, path
        self.troubles: list[str] = []
        self.requests: list[str] = []
        self._listeners: dict[str, Callable[[Any], None]] = {
            "console": lambda message: self.troubles.append(message.text),
            "pageerror": lambda error: self.troubles.append(str(error)),
            "dialog": lambda dialog: self.troubles.append(f"dialog: {dialog.message}"),
            "request": lambda request: self.requests.append(request.url),
        }
        for event, listener in self._listeners.items():
            page.on(event, listener)

    def open(self, fragment: str = "") -> Any:
        """Open it, at a deep link if one is given."""
        if self.page.url != "about:blank":
            # Another fragment of the page at hand would not load it again.
            self.page.goto("about:blank")
        self.page.goto(f"{self.path.as_uri()}{fragment}")
        return self.page

    def data(self) -> Any:
        """The data that the page draws."""
        return json.loads(self.page.locator("#data").text_content())

    def leave(self) -> None:
        """Stop listening."""
        for event, listener in self._listeners.items():
            self.page.remove_listener(event, listener)

    def check(self) -> None:
        """No message in the console, and no request but for the file itself."""
        assert self.troubles == []
        here = self.path.as_uri()
        others = [url for url in self.requests if not url.startswith((here, "about:", "blob:"))]
        assert others == []


class Tabs:
    """Tabs of one browser. The first of a test is shared by all tests: a new one takes a second of processor time."""

    def __init__(self, browser: Any) -> None:
        self._browser, self._pages = browser, []  # type: ignore[var-annotated]

    def open(self, width: int = 1280, scheme: str = "light") -> Any:
        """Return an empty tab."""
        if not self._pages and not hasattr(self._browser, "shared_page"):
            self._browser.shared_page = self._new()
        page = self._new() if self._pages else self._browser.shared_page
        self._pages.append(page)
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(media="null", color_scheme=scheme)
        return page

    def _new(self) -> Any:
        page = self._browser.new_context(accept_downloads=True).new_page()
        page.set_default_timeout(100_000)
        return page

    def close(self) -> None:
        """Leave nothing to the next test: no cookie, nothing stored, no page."""
        for at, page in enumerate(self._pages):
            if page.url != "about:blank":
                page.evaluate("try { localStorage.clear(); sessionStorage.clear() } catch {}")
                page.goto("about:blank")
            page.context.clear_cookies()
            if at:
                page.context.close()
        self._pages.clear()


@pytest.fixture
def tabs(browser: Any) -> Iterator[Tabs]:
    """Tabs that are left as if new."""
    tabs = Tabs(browser)
    yield tabs
    tabs.close()


@pytest.fixture
def visit(tabs: Tabs) -> Iterator[Callable[..., Visit]]:
    """Open a page from disk; afterwards it must have been quiet."""
    visits: list[Visit] = []

    def make(path: Path, *, width: int = 1280, scheme: str = "light") -> Visit:
        visits.append(Visit(tabs.open(width, scheme), path))
        return visits[-1]

    yield make
    for opened in visits:
        opened.leave()
        opened.check()
