"""Make the pictures of the pages in docs/: reports, the audit of a judge and the study's page, in real Chromium.

    python tools/make_pictures.py [NAME ...]            (needs the extras `browser` and `serve`, and Chromium)

The commands are those of docs/reports.md, docs/judge-audit.md and docs/study.md, on the sample data.
"""

from __future__ import annotations

import json
import re
import shutil
import socket
import subprocess
import sys
import tempfile
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PICTURES = ROOT / "docs" / "assets"
NEWS = ROOT / "examples" / "news"
SUMMARIES = str(NEWS / "summaries.jsonl")
RUBRICA = [sys.executable, "-m", "rubrica"]
WIDTH = 1100
TO_WEBP = """async (address) => {
  const image = new Image();
  image.src = address;
  await image.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [image.width, image.height];
  canvas.getContext("2d").drawImage(image, 0, 0);
  return canvas.toDataURL("image/webp", 0.85);
}"""
# The largest file that a page should have to load.
MAX_BYTES = 120_000


def run(folder: Path, *words: str) -> None:
    """Run a command of Rubrica in the folder."""
    subprocess.run([*RUBRICA, *words, "-q"], cwd=folder, check=True, capture_output=True)


@contextmanager
def systems(folder: Path) -> Iterator[str]:
    """Yield the address of the page of systems."""
    run(folder, "evaluate", SUMMARIES, "-m", "rouge", "chrf", "--rows-output", "micro.jsonl")
    documents = str(NEWS / "documents.jsonl")
    words = ["--summaries", SUMMARIES, "--documents", documents, "-o", "systems.html"]
    run(folder, "report", "systems", "micro.jsonl", *words)
    yield (folder / "systems.html").as_uri()


@contextmanager
def rouge(folder: Path) -> Iterator[str]:
    """Yield the address of the page of one metric's matches."""
    run(folder, "report", "rouge", SUMMARIES, "--max-instances", "2", "-o", "rouge.html")
    yield (folder / "rouge.html").as_uri()


@contextmanager
def meta(folder: Path) -> Iterator[str]:
    """Yield the address of the page of metrics against people."""
    run(folder, "evaluate", SUMMARIES, "-m", "rouge", "chrf", "--rows-output", "micro.jsonl")
    scores = ["--scores", "micro.jsonl", str(NEWS / "human.jsonl"), "--summarizer-type", "peer"]
    run(folder, "meta-evaluate", *scores, "--human", "relevance", "--output", "meta.json")
    run(folder, "report", "meta", "meta.json", "--summaries", SUMMARIES, "-o", "meta.html")
    yield (folder / "meta.html").as_uri()


@contextmanager
def judge_audit(folder: Path) -> Iterator[str]:
    """Yield the address of the page of a judge's audit, on the ratings that its page of documentation makes."""
    text = (ROOT / "docs" / "judge-audit.md").read_text("utf-8")
    block = re.search(r"^```python\n(# make_audit\.py\n.*?)^```", text, re.MULTILINE | re.DOTALL)
    if block is None:
        raise SystemExit("docs/judge-audit.md has no make_audit.py")
    subprocess.run([sys.executable, "-c", block[1]], cwd=folder, check=True)
    words = ["--human", "relevance", "--judges", "judge", "fair", "--length", "words"]
    words += ["--repeat", "again", "--own-systems", "system3", "--scores", "scores.jsonl"]
    run(folder, "judge-audit", *words, "--html", "audit.html")
    yield (folder / "audit.html").as_uri()


@contextmanager
def study(folder: Path) -> Iterator[str]:
    """Yield the address of an annotator's page."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    rows = [json.loads(line) for line in Path(SUMMARIES).read_text("utf-8").splitlines()]
    texts = (NEWS / "documents.jsonl").read_text("utf-8").splitlines()
    documents = {row["instance_id"]: [row["document"]] for row in map(json.loads, texts)}
    lines = [json.dumps(row | {"documents": documents[row["instance_id"]]}) for row in rows]
    (folder / "rows.jsonl").write_text("\n".join(lines), "utf-8")
    form = str(ROOT / "examples" / "study" / "forms" / "likert.toml")
    words = ["study", "serve", "study.db", "--form", form, "--summaries", "rows.jsonl"]
    words += ["--port", port]
    quiet: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    server = subprocess.Popen([*RUBRICA, *words], cwd=folder, text=True, **quiet)
    try:
        assert server.stdout is not None
        line = next((line for line in server.stdout if "http" in line), "")
        yield line[line.index("http") :].split()[0]
    finally:
        server.terminate()
        server.wait()


def begin_task(tab: Any) -> None:
    """Go to the first task and answer its first question."""
    tab.get_by_role("link", name="Begin").click()
    tab.wait_for_load_state("networkidle")
    tab.keyboard.press("4")


# Name of the picture -> the page, its height, and what to do on it first.
Picture = tuple[Callable[[Path], Any], int, Callable[[Any], None]]
SHOWN: dict[str, Picture] = {
    "report-systems": (systems, 790, lambda tab: None),
    "report-rouge": (rouge, 700, lambda tab: None),
    "report-meta": (meta, 760, lambda tab: None),
    "judge-audit": (judge_audit, 812, lambda tab: None),
    "study-task": (study, 760, begin_task),
}


def smaller(browser: Any, png: bytes) -> bytes:
    """Return a picture as WebP, encoded by the browser."""
    tab = browser.new_page()
    encoded = tab.evaluate(TO_WEBP, f"data:image/png;base64,{b64encode(png).decode()}")
    tab.close()
    return b64decode(encoded.partition(",")[2])


def main() -> int:
    """Take the pictures that were named, or all."""
    from playwright.sync_api import sync_playwright

    browser_path = shutil.which("chromium") or shutil.which("chromium-headless-shell")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browser_path, args=["--no-sandbox"])
        for name in sys.argv[1:] or SHOWN:
            page, height, prepare = SHOWN[name]
            path = PICTURES / f"{name}.webp"
            with tempfile.TemporaryDirectory() as folder, page(Path(folder)) as address:
                tab = browser.new_page(viewport={"width": WIDTH, "height": height})
                tab.goto(address)
                tab.wait_for_load_state("networkidle")
                prepare(tab)
                shot = tab.screenshot(animations="disabled")
                tab.close()
            path.write_bytes(smaller(browser, shot))
            size = path.stat().st_size
            print(f"{path.relative_to(ROOT)}: {size / 1e3:.0f} kB")
            if size > MAX_BYTES:
                raise SystemExit(f"{path.name} is larger than {MAX_BYTES / 1e3:.0f} kB")
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
