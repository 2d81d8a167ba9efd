"""Coverage of `estimate` by replay: draw labelled and unlabelled items, count how often the truth is covered.

    python benchmarks/bench_estimate.py FOLDER [--labels 30] [--unlabelled 100] [--replays 100]

FOLDER holds human_annotations.json and llm_annotations.json (annotator -> document__system__aspect -> score, as
SummEval in the data of the alternative annotator test). The population is what people labelled: every system x
aspect x judge. Items are drawn with replacement, so that the truth is the mean over all of them.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np

from rubrica.meta.judges.estimate import estimate_systems


def tables(folder: Path) -> dict[tuple[str, str, str], tuple[np.ndarray, np.ndarray]]:
    """Mean human score and judge's score of every document, by judge, system and aspect."""
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


def main() -> None:
    """Print coverage and width by method and aspect."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--labels", type=int, default=30)
    parser.add_argument("--unlabelled", type=int, default=70)
    parser.add_argument("--replays", type=int, default=20)
    arguments = parser.parse_args()
    rng = np.random.default_rng(12345)
    data = tables(arguments.folder)
    systems = sorted({system for _, system, _ in data})
    found: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for judge, aspect in sorted({(judge, aspect) for judge, _, aspect in data}):
        people = np.array([data[judge, system, aspect][0] for system in systems])
        scores = np.array([data[judge, system, aspect][1] for system in systems])
        truth = dict(zip(systems, people.mean(axis=1), strict=True))
        for _ in range(arguments.replays):
            at = rng.integers(0, people.shape[1], arguments.labels + arguments.unlabelled)
            labels = people[:, at].copy()
            labels[:, arguments.labels :] = np.nan
            made = estimate_systems(labels, scores[:, at], systems)
            for name in ("estimate", "people_only"):
                for one in made.systems:
                    mean = getattr(one, name)
                    hit = mean.lower <= truth[one.system] <= mean.upper
                    for group in ("all", aspect):
                        found.setdefault((name, group), []).append((hit, mean.upper - mean.lower))
    print("| method | aspect | coverage | mean width |\n| --- | --- | --- | --- |")
    for (name, group), rows in sorted(found.items()):
        hits, widths = np.array(rows).T
        print(f"| {name} | {group} | {100 * hits.mean():.1f} % | {widths.mean():.3f} |")


if __name__ == "__main__":
    main()
