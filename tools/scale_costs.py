"""Writes the measured constants of docs/scale.md from benchmarks/results/scale.json. Run: python tools/scale_costs.py"""

from __future__ import annotations

import json
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BEGIN = "<!-- costs: from benchmarks/results/scale.json by tools/scale_costs.py -->\n"
END = "<!-- end of costs -->\n"
NAMES = {
    "local-1": "`score`, local, 1 worker",
    "local-2": "`score`, local, 2 workers",
    "evaluate-local-1": "`evaluate`, local, 1 worker",
    "evaluate-local-2": "`evaluate`, local, 2 workers",
    "store-fill": "`score`, local, 2 workers, filling a store",
    "store-reuse": "`score`, local, 2 workers, all from the store",
    "ray-1": "`score`, Ray, 1 worker",
    "ray-2": "`score`, Ray, 2 workers",
    "evaluate-ray-2": "`evaluate`, Ray, 2 workers",
    "parts-local-2": "`score OUT/`, local, 2 workers",
    "parts-ray-2": "`score OUT/`, Ray, 2 workers",
}


def costs() -> str:
    """The table and the sentences, in Markdown."""
    made = json.loads((ROOT / "benchmarks/results/scale.json").read_text())
    found = made["summary"]
    rows = max(row["rows"] for row in made["runs"])
    last = {row["way"]: row for row in made["runs"] if row["rows"] == rows}
    lines = [
        f"| `rouge`, two n-gram lengths, 50 words per text, {made['cores']} cores | Start | "
        f"Per million rows | Peak memory at {rows:,} rows: driver, workers |",
        "| --- | --- | --- | --- |",
    ]
    for way, row in last.items():
        lines.append(
            f"| {NAMES[way]} | {found['start_s'][way]:.1f} s | "
            f"{found['s_per_million_rows'][way]:.1f} s | "
            f"{row['driver_peak_mb']:.0f} MB, {row['workers_peak_mb']} MB |"
        )

    def most(key: str, verb: str) -> float:
        of_ways = found[key].items()
        return max(
            value for way, value in of_ways if way.startswith("evaluate") is (verb == "evaluate")
        )

    more = found["ray_overhead_s_per_million_rows"]
    told = [
        f"Beyond its start Ray takes {abs(more):.1f} s {'more' if more > 0 else 'less'} per million rows than the "
        "local engine with as many workers.",
        f"A second worker makes a cheap metric {found['second_worker_cheap']:.2f} times as fast, an expensive one "
        f"(ROUGE-1 to 4, L, W and SU of 400 words) {found['second_worker_dear_local']:.2f} times "
        f"(Ray: {found['second_worker_dear_ray']:.2f}).",
        f"A row costs the driver {most('driver_bytes_per_row', 'score')} bytes of memory at most in `score`, "
        f"{most('driver_bytes_per_row', 'evaluate')} in `evaluate`. Ten times the rows take `score` "
        f"{10 * most('time_over_linear', 'score'):.1f} times as long at most, `evaluate` "
        f"{10 * most('time_over_linear', 'evaluate'):.1f} times.",
    ]
    return "\n".join([*lines, "", *told, ""])


def main() -> None:
    """Replace what stands between the two comments of the page."""
    page = ROOT / "docs/scale.md"
    text = page.read_text("utf-8")
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    page.write_text(f"{before}{BEGIN}\n{costs()}\n{END}{after}", "utf-8")


if __name__ == "__main__":
    main()
