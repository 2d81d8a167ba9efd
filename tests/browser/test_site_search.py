"""The documentation's search works on a site that was opened from the file system, where browsers start no worker."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from support import pages

SHIM = Path(__file__).resolve().parents[2] / "docs" / "assets" / "iframe-worker.js"
PAGE = """<!doctype html><meta charset="utf-8"><title>search</title>
<script src="iframe-worker.js"></script><body><script>
const worker = new Worker("worker.js");
worker.addEventListener("message", ({ data }) => (document.title = data.answer));
worker.postMessage({ question: 20 });
</script></body>
"""
WORKER = (
    'addEventListener("message", ({ data }) => postMessage({ answer: `${data.question + 1}` }));\n'
)


def test_a_worker_answers_on_a_page_from_the_file_system(
    visit: Callable[..., Any], tmp_path: Path
) -> None:
    (tmp_path / "iframe-worker.js").write_bytes(SHIM.read_bytes())
    (tmp_path / "worker.js").write_text(WORKER)
    (tmp_path / "page.html").write_text(PAGE)
    opened = visit(tmp_path / "page.html")
    page = opened.open()
    pages.until(page, "document.title === '21'")
    page.evaluate("worker.terminate()")
    assert page.locator("iframe").count() == 0
    # The page loads its own two scripts, and nothing else.
    loaded = [Path(url).name for url in opened.requests]
    assert sorted(loaded) == ["iframe-worker.js", "page.html", "worker.js"]
    opened.requests.clear()
