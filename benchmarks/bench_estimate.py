"""Coverage of `estimate` by replay: draw labelled and unlabelled items, count how often the truth is covered.

    python benchmarks/bench_estimate.py FOLDER [--labels 20 30 50] [--items 100] [--replays 100]

FOLDER holds human_annotations.json and llm_annotations.json (annotator -> document__system__aspect -> score, as
SummEval in the data of the alternative annotator test). The population is what people labelled: every system x
aspect x judge. Items are drawn with replacement, so that the truth is the mean over all of them. Writes
results/estimate.json and prints the table of docs/estimate.md.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np

from rubrica.meta.judges.estimate import estimate_systems

RESULTS = Path(__file__).parent / "results" / "estimate.json"
METHODS = {"estimate": "yes", "people_only": "no"}


def tables(folder: Path) -> dict[tuple[str, str, str], tuple[np.ndarray, np.ndarray]]:
    """Return mean human scores and the judge's scores of all documents, by judge, system and aspect."""
    people = json.loads((folder / "human_annotations.json").read_text())
    judges = json.loads((folder / "llm_annotations.json").read_text())
    cells: dict[tuple[str, str, str], list[tuple[float, float]]] = {}
    for judge, scores in judges.items():
        for item, score in scores.items():
            labels = [own[item] for own in people.values() if item in own]
            if labels:
                _, system, aspect = item.rsplit("__", 2)
                cells.setdefault((judge, system, aspect), []).append((np.mean(labels), score))
    return {key: tuple(np.array(rows).T) for key, rows in cells.items()}


def replay(data: dict, labels: int, items: int, replays: int) -> list[dict]:
    """Return coverage and mean width by method and aspect ("all" is every aspect)."""
    rng = np.random.default_rng(12345)
    systems = sorted({system for _, system, _ in data})
    outcomes: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for judge, aspect in sorted({(judge, aspect) for judge, _, aspect in data}):
        people = np.array([data[judge, system, aspect][0] for system in systems])
        scores = np.array([data[judge, system, aspect][1] for system in systems])
        truth = dict(zip(systems, people.mean(axis=1), strict=True))
        for _ in range(replays):
            drawn = rng.integers(0, people.shape[1], items)
            labelled = people[:, drawn].copy()
            labelled[:, labels:] = np.nan
            estimates = estimate_systems(labelled, scores[:, drawn], systems)
            for method in METHODS:
                for system in estimates.systems:
                    mean = getattr(system, method)
                    covered = mean.lower <= truth[system.system] <= mean.upper
                    for group in ("all", aspect):
                        outcomes.setdefault((method, group), []).append(
                            (covered, mean.upper - mean.lower)
                        )
    rows = []
    for (method, group), pairs in sorted(outcomes.items()):
        coverage, width = np.mean(pairs, axis=0)
        rows.append(
            {
                "labels": labels,
                "method": method,
                "aspect": group,
                "coverage": coverage,
                "width": width,
            }
            | {"intervals": len(pairs)}
        )
    return rows


def markdown(rows: list[dict]) -> str:
    """Return the table of docs/estimate.md."""
    aspects = [
        row["aspect"]
        for row in rows
        if (row["labels"], row["method"]) == (rows[0]["labels"], "estimate")
    ]
    lines = [
        f"| Labels | Judge | {' | '.join(aspect.capitalize() for aspect in aspects)} | Mean width |",
        f"| {' | '.join(['---'] * (len(aspects) + 3))} |",
    ]
    for labels in dict.fromkeys(row["labels"] for row in rows):
        for method, judge in METHODS.items():
            by_aspect = {
                row["aspect"]: row
                for row in rows
                if (row["labels"], row["method"]) == (labels, method)
            }
            coverage = " | ".join(
                f"{100 * by_aspect[aspect]['coverage']:.1f} %" for aspect in aspects
            )
            lines.append(f"| {labels} | {judge} | {coverage} | {by_aspect['all']['width']:.3f} |")
    return "\n".join(lines)


def main() -> None:
    """Replay for every number of labels."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--labels", type=int, nargs="+", default=[20, 30, 50])
    parser.add_argument("--items", type=int, default=100)
    parser.add_argument("--replays", type=int, default=100)
    arguments = parser.parse_args()
    data = tables(arguments.folder)
    rows = [
        row
        for labels in arguments.labels
        for row in replay(data, labels, arguments.items, arguments.replays)
    ]
    result = {"items": arguments.items, "replays": arguments.replays, "rows": rows}
    RESULTS.write_text(json.dumps(result, indent=1) + "\n")
    print(markdown(rows))


if __name__ == "__main__":
    main()
