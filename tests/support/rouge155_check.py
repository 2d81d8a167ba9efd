"""Compares the engine with score files that the official ROUGE-1.5.5.pl wrote."""

from __future__ import annotations

import gzip
import json
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from rubrica.core import kernels
from rubrica.core.rouge_options import RougeOptions
from rubrica.metrics.rouge.profiles import PROFILES
from rubrica.metrics.rouge.scorer import REFERENCE, RougeScorer

HERE = Path(__file__).resolve().parents[1] / "golden" / "rouge"
NAMES = {
    **{f"n{n}": f"ROUGE-{n}" for n in range(1, 5)},
    "lsum": "ROUGE-L",
    "w": "ROUGE-W-1.2",
    "s*": "ROUGE-S*",
    "s4": "ROUGE-S4",
    "su*": "ROUGE-SU*",
    "su4": "ROUGE-SU4",
}


def golden_rows(name: str) -> Iterator[dict[str, Any]]:
    with gzip.open(HERE / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def engine_for(argv: tuple[str, ...], *, exceptions: bool) -> RougeScorer:
    """The engine that the official command-line options ask for."""
    given = dict(zip(argv, (*argv[1:], ""), strict=False))
    options = RougeOptions(
        stemmer="porter-rouge" if "-m" in given else "none",
        exceptions=exceptions,
        stopwords="-s" in given,
        newline_units=True,
        max_words=int(given["-l"]) if "-l" in given else None,
        max_bytes=int(given["-b"]) if "-b" in given else None,
        ngrams=(1, 2, 3, 4),
        lcs_union=True,
        wlcs_weight=1.2,
        skip_gaps=(None, 4),
        skip_unigram_gaps=(None, 4),
    )
    profile = PROFILES["rouge-1.5.5"]
    best = given.get("-f") == "B"
    return RougeScorer(
        profile=profile, options=options, combination=profile.combine["max" if best else "average"]
    )


def compare(
    name: str,
    *,
    count: Callable[..., Any] = kernels.rouge_counts,
    every: int = 1,
) -> tuple[int, list[str]]:
    """How many score triples were compared, and a line for each that differs."""
    by_options = defaultdict(list)
    for number, row in enumerate(golden_rows(name)):
        if number % every == 0:
            by_options[tuple(row["opts"])].append(row)
    triples, differences = 0, []
    for argv, rows in by_options.items():
        engine = engine_for(argv, exceptions=rows[0].get("exceptions_db") != "empty")
        sizes = [len(row["refs"]) for row in rows]
        owners = np.repeat(np.arange(len(rows)), sizes)
        pairs = np.stack([owners, np.arange(len(owners))], axis=1).astype(np.int64)
        references = [reference for row in rows for reference in row["refs"]]
        counts = count(engine.options, [row["hyp"] for row in rows], references, pairs)
        starts = np.cumsum([0, *sizes])[:-1]
        scores = (engine.score(counts, starts) / engine.profile.scale).round(5)
        w = engine.options.measures.index("w")
        w_dies = np.maximum.reduceat(counts[:, w, REFERENCE] == 0, starts)
        for row, found, dies in zip(rows, scores.tolist(), w_dies, strict=True):
            for measure, triple in zip(engine.options.measures, found, strict=True):
                expected = row["scores"].get(NAMES[measure])
                triples += 1
                if measure == "w" and dies:
                    triple = None
                if expected != triple:
                    place = f"{row['case']} {' '.join(argv)} {NAMES[measure]}"
                    differences.append(f"{place}: official {expected}, ours {triple}")
    return triples, differences
