"""Make docs/assets/overview.png, the picture of the README: a table in a terminal beside the page of the same systems.

python tools/make_overview.py            (needs the extra `browser` and Chromium)
"""

from __future__ import annotations

import base64
import html
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PLAIN = ROOT / "examples" / "news" / "plain"
PICTURE = ROOT / "docs" / "assets" / "overview.png"
SYSTEMS = ["lead3.txt", "abstractor.txt", "headliner.txt"]
WIDTH, HEIGHT = 1560, 560

PAGE = """<!doctype html><meta charset="utf-8"><style>
body {{ margin: 0; display: flex; gap: 20px; padding: 20px; background: #fff; font-family: sans-serif }}
pre {{ flex: 0 0 760px; margin: 0; padding: 18px; border-radius: 8px; background: #1d1f24; color: #e6e3dd; font: 13px/1.5 monospace;
  white-space: pre-wrap; overflow: hidden }}
b {{ color: #e8917f }}
img {{ flex: 1; min-width: 0; height: 520px; object-fit: cover; object-position: top left; border: 1px solid #ccc; border-radius: 8px }}
</style><pre><b>$ {command}</b>

{output}</pre><img src="data:image/png;base64,{page}">"""


def main() -> int:
    """Run the command, take both pictures, and write one."""
    from playwright.sync_api import sync_playwright

    browser_path = shutil.which("chromium") or shutil.which("chromium-headless-shell")
    words = ["compare", "-r", "references.A.txt", *SYSTEMS, "-m", "rouge", "chrf"]
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        page = Path(folder) / "systems.html"
        rubrica = [sys.executable, "-m", "rubrica"]
        command = [*rubrica, *words, "--html", str(page)]
        run = subprocess.run(command, cwd=PLAIN, capture_output=True, text=True, check=True)
        table = run.stdout.rpartition("\n\n")[0]
        browser = playwright.chromium.launch(executable_path=browser_path, args=["--no-sandbox"])
        tab = browser.new_page(viewport={"width": 980, "height": 820}, device_scale_factor=1.5)
        tab.goto(page.as_uri())
        tab.wait_for_timeout(500)
        shot = base64.b64encode(tab.screenshot()).decode()
        tab = browser.new_page(
            viewport={"width": WIDTH, "height": HEIGHT}, device_scale_factor=1.25
        )
        shown = PAGE.format(
            command=html.escape("rubrica " + " ".join(words)), output=html.escape(table), page=shot
        )
        tab.set_content(shown)
        PICTURE.parent.mkdir(exist_ok=True)
        tab.screenshot(path=PICTURE)
        browser.close()
    print(f"{PICTURE.relative_to(ROOT)}: {PICTURE.stat().st_size / 1e3:.0f} kB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
