"""Measure `rubrica open` in Chromium: the first screen, scrolling and filtering of a million rows, and memory.

    python benchmarks/bench_viewer.py [--rows 1000000] [--folder DIR]

Writes a file of summaries with scores, starts the command, and drives the page. Needs the extra `browser` and Chromium.
Times are those that a user waits: until the rows asked for are drawn. Results go to results/viewer.json, with the load
average of the machine.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results"
WORDS = "council library levy harbor storm school water report study season goal match vote bridge river".split()
SYSTEMS = ("lead3", "bart", "pegasus", "t5", "llama")
# Each is typed as a whole; the first answer to any of them is not cached.
QUERIES = (
    "bart",
    "rouge-1.f1>60",
    "system=t5 rouge-2.f1<20",
    "d00123",
    "relevance>=4.5 words<20",
    "topic=sport",
    "-type=reference llama",
    "rouge-l.f1>30 rouge-1.f1<40",
    "topic:cit relevance<2",
    "input=d0099999",
)
TEXT_QUERIES = ('summary:"storm levy"', "summary:/storm (levy|vote) bridge/")


def write_rows(path: Path, rows: int) -> None:
    """Write summaries of 12 to 40 words with scores, a topic and ids."""
    rng = random.Random(0)
    with open(path, "w", encoding="utf-8") as stream:
        for number in range(rows):
            row = {
                "instance_id": f"d{number // len(SYSTEMS):07}",
                "summarizer_id": SYSTEMS[number % len(SYSTEMS)],
                "summarizer_type": "peer",
                "topic": rng.choice(("sport", "city", "science")),
                "summary": " ".join(rng.choices(WORDS, k=rng.randint(12, 40))),
                "metrics": {
                    "rouge-1": {"f1": round(rng.uniform(0, 80), 3)},
                    "rouge-2": {"f1": round(rng.uniform(0, 50), 3)},
                    "rouge-l": {"f1": round(rng.uniform(0, 70), 3)},
                    "relevance": round(rng.uniform(1, 5), 2),
                },
            }
            stream.write(json.dumps(row) + "\n")


def memory(process: int, name: str) -> float:
    """Return a field of a process's status, in MB."""
    status = Path(f"/proc/{process}/status").read_text()
    match = re.search(rf"{name}:\s+(\d+)", status)
    return int(match[1]) / 1024 if match else float("nan")


def until(page: Any, expression: str) -> None:
    """Wait until an expression holds in the page, asked once a frame."""
    page.evaluate(
        f"""() => new Promise((done) => {{
          const look = () => ({expression}) ? done() : requestAnimationFrame(look);
          look();
        }})"""
    )


def timed(page: Any, action: str, expression: str) -> float:
    """Return the milliseconds from an action in the page until an expression holds after a frame."""
    milliseconds: float = page.evaluate(
        f"""() => new Promise((done) => {{
          const start = performance.now();
          {action};
          const look = () => ({expression}) ? done(performance.now() - start) : requestAnimationFrame(look);
          requestAnimationFrame(look);
        }})"""
    )
    return milliseconds


def summary(name: str, times: list[float]) -> dict[str, int]:
    """Return median, 95th percentile and maximum of times in milliseconds, and print them."""
    ordered = sorted(times)
    p95 = ordered[max(0, -(-95 * len(ordered) // 100) - 1)]
    values = {"median": statistics.median(ordered), "p95": p95, "max": ordered[-1]}
    tell(
        f"{name:28} "
        + "   ".join(f"{key} {value:7.0f} ms" for key, value in values.items())
        + f"   n {len(ordered)}"
    )
    return {**{key: round(value) for key, value in values.items()}, "n": len(ordered)}


def measure_scroll(page: Any) -> list[float]:
    """Jump to places all over the table."""
    rng = random.Random(1)
    times = []
    for _ in range(60):
        action = (
            "const box = document.querySelector('.window'); "
            "const total = () => box.querySelector('table').ariaRowCount - 1; "
            "const height = () => box.scrollHeight - box.clientHeight; "
            f"box.scrollTop = {rng.random()} * (total() - 30) / total() * height()"
        )
        # Rows that arrive while the file is read move every place: asked anew in each frame.
        drawn = (
            "[...box.querySelectorAll('tr[data-at]')].some("
            "(row) => Math.abs(row.dataset.at - box.scrollTop / height() * total()) < 40 "
            "&& row.querySelector('bdi')) && !box.querySelector('tr[data-at] th[colspan]')"
        )
        times.append(timed(page, action, drawn))
    return times


def measure_queries(page: Any, queries: tuple[str, ...]) -> list[float]:
    """Type each query; the time includes the pause that the page waits for more letters."""
    times = []
    for query in queries:
        drawn = "document.body.dataset.answered"
        action = (
            "delete document.body.dataset.answered; const box = document.getElementById('find'); "
            f"box.value = {json.dumps(query)}; box.dispatchEvent(new Event('input'))"
        )
        times.append(timed(page, action, drawn))
    return times


def tell(text: str) -> None:
    """Print a line at once."""
    print(text, flush=True)


def main() -> int:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--folder", help="where the file of rows is, or is written")
    arguments = parser.parse_args()
    from playwright.sync_api import sync_playwright

    folder = Path(arguments.folder or tempfile.mkdtemp(prefix="viewer-benchmark-"))
    path = folder / f"rows-{arguments.rows}.jsonl"
    if not path.exists():
        write_rows(path, arguments.rows)
    chromium = shutil.which("chromium-headless-shell") or shutil.which("chromium")
    load = round(os.getloadavg()[0], 1)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page()
        page.set_default_timeout(300_000)
        start = time.monotonic()
        command = [sys.executable, "-m", "rubrica", "open", "--no-browser", str(path)]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        try:
            assert server.stdout is not None
            page.goto(server.stdout.readline().strip())
            until(page, "document.querySelector('tr[data-at=\"0\"] bdi')")
            tell(f"{path.name}: {path.stat().st_size / 1e6:,.0f} MB")
            first = time.monotonic() - start
            tell(f"first screen               {first:7.2f} s after the command was started")
            times = {"scroll while reading": summary("scroll while reading", measure_scroll(page))}
            until(page, f"!document.querySelector('.facts').textContent.includes('reading') && document.querySelector('.facts').textContent.startsWith('{arguments.rows:,}')")  # fmt: skip
            everything = time.monotonic() - start
            tell(f"all rows                   {everything:7.2f} s")
            # Queries are timed by the next answer of the server that is drawn.
            page.evaluate("() => new MutationObserver(() => (document.body.dataset.answered = 1)).observe(document.querySelector('.facts'), { childList: true, characterData: true, subtree: true })")  # fmt: skip
            times["scroll"] = summary("scroll", measure_scroll(page))
            times["filter"] = summary("filter", measure_queries(page, QUERIES))
            again = measure_queries(page, QUERIES)
            times["filter, asked again"] = summary("filter, asked again", again)
            searched = measure_queries(page, TEXT_QUERIES)
            times["search in texts"] = summary("search in texts", searched)
            peak, now = (memory(server.pid, name) for name in ("VmHWM", "VmRSS"))
            tell(f"memory of the server       {now:7.0f} MB now, {peak:,.0f} MB at most")
            result = {
                "rows": arguments.rows,
                "file_mb": round(path.stat().st_size / 1e6),
                "cores": os.cpu_count(),
                "load_before": load,
                "load_after": round(os.getloadavg()[0], 1),
                "first_screen_s": round(first, 2),
                "all_rows_s": round(everything, 1),
                "milliseconds": times,
                "server_peak_mb": round(peak),
            }
            RESULTS.joinpath("viewer.json").write_text(json.dumps(result, indent=2) + "\n")
        finally:
            server.terminate()
            server.wait()
            browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
