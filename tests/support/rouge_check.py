"""Pairs of (a package's scores, ours), on the texts of the official goldens.

Each function yields ("what and where", expected, found); the tests and docs/make_rouge_exactness.py
read them. Scores are triples of recall, precision and F.
"""

from __future__ import annotations

import gzip
import importlib
import json
import warnings
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from rubrica.errors import RubricaWarning
from rubrica.metrics import Rouge

HERE = Path(__file__).resolve().parents[1] / "differential"
GOLDENS = HERE.parent / "golden" / "rouge" / "rouge155.jsonl.gz"
Case = tuple[str, list[str]]
Comparison = Iterator[tuple[str, list[float], list[float]]]


def read(path: Path) -> list[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


@cache
def cases() -> dict[str, Case]:
    return {row["case"]: (row["hyp"], row["refs"]) for row in read(GOLDENS)}


def ours(texts: list[Case], **parameters: Any) -> list[dict[str, list[float]]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RubricaWarning)
        rows = Rouge(**parameters).score_all([s for s, _ in texts], [refs for _, refs in texts])
    return [
        {key: [one["recall"], one["precision"], one["f1"]] for key, one in row.items()}
        for row in rows
    ]


def rouge_score(stem: bool, split_summaries: bool = False) -> Comparison:
    names = ["rouge1", "rouge2", "rouge3", "rougeL", "rougeLsum"]
    module = importlib.import_module("rouge_score.rouge_scorer")
    scorer = module.RougeScorer(names, use_stemmer=stem, split_summaries=split_summaries)
    texts = list(cases().values())
    found = ours(
        texts,
        split_summaries=split_summaries,
        profile="rouge-score",
        max_ngram=3,
        compute_rouge_l=True,
        compute_rouge_lsum=True,
        use_porter_stemmer=stem,
    )
    for (summary, references), scores in zip(texts, found, strict=True):
        for name, (precision, recall, f1) in scorer.score_multi(references, summary).items():
            key = name.replace("rouge", "rouge-").lower()
            yield f"{key}: {summary}", [recall, precision, f1], scores[key]


def pltrdy(exclusive: bool) -> Comparison:
    module = importlib.import_module("rouge.rouge")
    scorer = module.Rouge(["rouge-1", "rouge-2", "rouge-3", "rouge-l"], exclusive=exclusive)
    # The package raises on texts without sentences, and runs out of stack on long ones.
    single = [
        (summary, [reference])
        for summary, references in cases().values()
        for reference in references
        if summary.strip(".") and reference.strip(".") and len(summary.split()) < 200
    ]
    profile = "rouge" if exclusive else "rouge-nonexclusive"
    found = ours(single, profile=profile, max_ngram=3, compute_rouge_l=True)
    for (summary, (reference,)), scores in zip(single, found, strict=True):
        for key, score in scorer.get_scores(summary, reference)[0].items():
            yield f"{key}: {summary}", [score["r"], score["p"], score["f"]], scores[key]


def rouge_metric(best: bool, alpha: float) -> Comparison:
    module = importlib.import_module("rouge_metric")
    scorer = module.PyRouge(
        rouge_n=4,
        rouge_l=True,
        rouge_w=True,
        rouge_w_weight=1.2,
        rouge_su=True,
        skip_gap=4,
        multi_ref_mode="best" if best else "average",
        alpha=alpha,
        mode="individual",
    )
    texts = list(cases().values())
    expected = scorer.evaluate([s for s, _ in texts], [refs for _, refs in texts])
    found = ours(
        texts,
        profile="rouge-metric",
        compute_rouge_l=True,
        wlcs_weight=1.2,
        skip_bigram_gap_length=4,
        scoring_function="max" if best else "average",
        alpha=alpha,
    )
    for (summary, _), wanted, scores in zip(texts, expected, found, strict=True):
        for key, score in wanted.items():
            yield f"{key}: {summary}", [score["r"], score["p"], score["f"]], scores[key]


def py_rouge(function: str, stem: bool, limit: str) -> Comparison:
    """Against recorded values; `limit` is "665 bytes" (its default), "10 words" or "60 bytes"."""
    key = f"{function} {'stem' if stem else 'plain'} {limit}"
    rows = [row for row in read(HERE / "recorded_py-rouge.jsonl.gz")[1:] if key in row]
    size = int(limit.split()[0])
    found = ours(
        [cases()[row["case"]] for row in rows],
        profile="py-rouge",
        use_porter_stemmer=stem,
        scoring_function=function,
        compute_rouge_l=True,
        wlcs_weight=1.2,
        max_words=size if limit.endswith("words") else None,
        max_bytes=size if limit == "60 bytes" else None,
    )
    for row, scores in zip(rows, found, strict=True):
        for name, expected in row[key].items():
            ours_name = "rouge-w-1.2" if name == "rouge-w" else name
            yield f"{key} {name}: {row['case']}", expected, scores[ours_name]


def torchmetrics(accumulate: str, stem: bool) -> Comparison:
    """Against recorded values; sentences are lines."""
    rows = read(HERE / "recorded_torchmetrics.jsonl.gz")[1:]
    found = ours(
        [cases()[row["case"]] for row in rows],
        max_ngram=2,
        profile="torchmetrics",
        use_porter_stemmer=stem,
        scoring_function="max" if accumulate == "best" else "average",
        compute_rouge_l=True,
        compute_rouge_lsum=True,
    )
    key = f"{accumulate} {'stem' if stem else 'plain'}"
    for row, scores in zip(rows, found, strict=True):
        for name, expected in row[key].items():
            ours_name = name.replace("rouge", "rouge-").lower()
            yield f"{key} {name}: {row['case']}", expected, scores[ours_name]
