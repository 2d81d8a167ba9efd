"""Profiles against the packages they are named after, on the texts of the official goldens.

Equality is to the last bit. The packages are test dependencies; py-rouge and torchmetrics have
recorded values instead (test_rouge_recorded.py): the one shares its import name with `rouge`, the
other needs torch.
"""

from __future__ import annotations

import gzip
import json
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rubrica.errors import RubricaWarning
from rubrica.metrics import Rouge
from rubrica.metrics.rouge.bootstrap import rouge_score_intervals

GOLDENS = Path(__file__).parent.parent / "golden" / "rouge" / "rouge155.jsonl.gz"
Case = tuple[str, list[str]]


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    with gzip.open(GOLDENS, "rt", encoding="utf-8") as lines:
        rows = {row["case"]: row for row in map(json.loads, lines)}
    return [(row["hyp"], row["refs"]) for row in rows.values()]


def ours(cases: Sequence[Case], **parameters: Any) -> list[Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RubricaWarning)
        metric = Rouge(**parameters)
        return metric.score_all([s for s, _ in cases], [refs for _, refs in cases])


@pytest.mark.parametrize("stem", [False, True])
def test_rouge_score(cases: list[Case], stem: bool) -> None:
    rouge_scorer = pytest.importorskip("rouge_score.rouge_scorer")
    names = ["rouge1", "rouge2", "rouge3", "rougeL", "rougeLsum"]
    scorer = rouge_scorer.RougeScorer(names, use_stemmer=stem)
    found = ours(
        cases,
        profile="rouge-score",
        max_ngram=3,
        compute_rouge_l=True,
        compute_rouge_lsum=True,
        use_porter_stemmer=stem,
    )
    for (summary, references), scores in zip(cases, found, strict=True):
        expected = scorer.score_multi(references, summary)
        for name, (precision, recall, f1) in expected.items():
            key = name.replace("rouge", "rouge-").lower()
            assert scores[key] == {"recall": recall, "precision": precision, "f1": f1}, summary


def test_rouge_score_intervals_given_its_random_state(cases: list[Case]) -> None:
    scoring = pytest.importorskip("rouge_score.scoring")
    found = ours(cases[:60], profile="rouge-score", max_ngram=1)
    values = np.array([[s["rouge-1"][p] for p in ("precision", "recall", "f1")] for s in found])
    aggregator = scoring.BootstrapAggregator()
    for row in values:
        aggregator.add_scores({"rouge1": scoring.Score(*row)})
    state = np.random.get_state()
    expected = aggregator.aggregate()["rouge1"]
    random = np.random.RandomState()
    random.set_state(state)
    intervals = rouge_score_intervals(values, random=random)
    assert intervals.tolist() == [list(expected.low), list(expected.mid), list(expected.high)]


@pytest.mark.parametrize("exclusive", [True, False])
def test_rouge_by_pltrdy(cases: list[Case], exclusive: bool) -> None:
    # Not "rouge": the folder of goldens would be found under that name as well.
    rouge = pytest.importorskip("rouge.rouge")
    metrics = ["rouge-1", "rouge-2", "rouge-3", "rouge-l"]
    scorer = rouge.Rouge(metrics, exclusive=exclusive)
    # The package raises on texts without sentences, and runs out of stack on long ones.
    single = [
        (summary, [reference])
        for summary, references in cases
        for reference in references
        if summary.strip(".") and reference.strip(".") and len(summary.split()) < 200
    ]
    profile = "rouge" if exclusive else "rouge-nonexclusive"
    found = ours(single, profile=profile, max_ngram=3, compute_rouge_l=True)
    for (summary, (reference,)), scores in zip(single, found, strict=True):
        expected = scorer.get_scores(summary, reference)[0]
        for key, score in expected.items():
            assert scores[key] == {
                "recall": score["r"],
                "precision": score["p"],
                "f1": score["f"],
            }, summary


@pytest.mark.parametrize("best", [False, True])
@pytest.mark.parametrize("alpha", [0.5, 0.2])
def test_rouge_metric(cases: list[Case], best: bool, alpha: float) -> None:
    rouge_metric = pytest.importorskip("rouge_metric")
    scorer = rouge_metric.PyRouge(
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
    expected = scorer.evaluate([s for s, _ in cases], [refs for _, refs in cases])
    found = ours(
        cases,
        profile="rouge-metric",
        compute_rouge_l=True,
        wlcs_weight=1.2,
        skip_bigram_gap_length=4,
        scoring_function="max" if best else "average",
        alpha=alpha,
    )
    for (summary, _), wanted, scores in zip(cases, expected, found, strict=True):
        for key, score in wanted.items():
            assert scores[key] == {
                "recall": score["r"],
                "precision": score["p"],
                "f1": score["f"],
            }, (key, summary)


def test_rouge_metric_forms_f_from_mean_recall_and_precision(cases: list[Case]) -> None:
    rouge_metric = pytest.importorskip("rouge_metric")
    summaries, references = [s for s, _ in cases], [refs for _, refs in cases]
    expected = rouge_metric.PyRouge().evaluate(summaries, references)
    metric = Rouge(2, compute_rouge_l=True, profile="rouge-metric")
    found, _ = metric.evaluate(summaries, references)
    for key, score in expected.items():
        # The package adds up one after the other; our sums are exact.
        assert found[key]["f1"] == pytest.approx(score["f"], rel=1e-13)
