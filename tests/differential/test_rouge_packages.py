"""Profiles against the packages they are named after, to the last bit (see rouge_check.py).

rouge-score, rouge and rouge-metric run live, as test dependencies. py-rouge shares its import name
with rouge, and torchmetrics needs torch: their values are recorded (record_rouge_packages.py, run
with py-rouge 1.1 and torchmetrics 1.9.0 on torch 2.15.0).
"""

from __future__ import annotations

import sys

import numpy as np
import pytest

from rubrica.metrics import Rouge
from rubrica.metrics.rouge.bootstrap import rouge_score_intervals
from rubrica.metrics.rouge.tokens import punkt_sentences
from rubrica.text.sentences import punkt_tokenizer
from support import rouge_check


def check(comparison: rouge_check.Comparison, at_least: int = 1500, rel: float = 0.0) -> None:
    count = 0
    for where, expected, found in comparison:
        count += 1
        assert found == (pytest.approx(expected, rel=rel, abs=0) if rel else expected), where
    assert count >= at_least


@pytest.mark.parametrize("stem", [False, True])
def test_rouge_score(stem: bool) -> None:
    pytest.importorskip("rouge_score")
    check(rouge_check.rouge_score(stem))


def test_rouge_score_with_split_summaries(monkeypatch: pytest.MonkeyPatch) -> None:
    # What NLTK does where its model has been downloaded.
    monkeypatch.setattr("nltk.sent_tokenize", punkt_tokenizer())
    check(rouge_check.rouge_score(stem=True, split_summaries=True))


def test_the_punkt_model_knows_abbreviations() -> None:
    text = "Dr. Smith of Acme Corp. paid $4.2 million\nto the U.S. on Monday. It was late."
    assert punkt_sentences(text) == [
        "Dr. Smith of Acme Corp. paid $4.2 million to the U.S. on Monday.",
        "It was late.",
    ]


@pytest.mark.parametrize("exclusive", [True, False])
def test_rouge_by_pltrdy(exclusive: bool) -> None:
    # Not "rouge": the folder of goldens would be found under that name as well.
    pytest.importorskip("rouge.rouge")
    check(rouge_check.pltrdy(exclusive))


@pytest.mark.parametrize("best", [False, True])
@pytest.mark.parametrize("alpha", [0.5, 0.2])
def test_rouge_metric(best: bool, alpha: float) -> None:
    pytest.importorskip("rouge_metric")
    # It adds with sum(), which compensates rounding errors since Python 3.12: other last bits than before.
    check(rouge_check.rouge_metric(best, alpha), rel=1e-14 if sys.version_info >= (3, 12) else 0.0)


@pytest.mark.parametrize("function", ["average", "max"])
@pytest.mark.parametrize("stem", [True, False])
@pytest.mark.parametrize("limit", ["665 bytes", "10 words", "60 bytes"])
def test_py_rouge(function: str, stem: bool, limit: str) -> None:
    check(rouge_check.py_rouge(function, stem, limit))


@pytest.mark.parametrize("accumulate", ["best", "avg"])
@pytest.mark.parametrize("stem", [True, False])
def test_torchmetrics(accumulate: str, stem: bool) -> None:
    check(rouge_check.torchmetrics(accumulate, stem))


def test_rouge_score_intervals_given_its_random_state() -> None:
    scoring = pytest.importorskip("rouge_score.scoring")
    texts = list(rouge_check.cases().values())[:60]
    found = rouge_check.ours(texts, profile="rouge-score", max_ngram=1)
    values = np.array([row["rouge-1"] for row in found])
    aggregator = scoring.BootstrapAggregator()
    for row in values:
        aggregator.add_scores({"rouge1": scoring.Score(*row)})
    state = np.random.get_state()  # the package draws from numpy's global generator
    expected = aggregator.aggregate()["rouge1"]
    random = np.random.RandomState()
    random.set_state(state)
    intervals = rouge_score_intervals(values, random=random)
    assert intervals.tolist() == [list(expected.low), list(expected.mid), list(expected.high)]


def test_rouge_metric_forms_f_from_mean_recall_and_precision() -> None:
    rouge_metric = pytest.importorskip("rouge_metric")
    texts = list(rouge_check.cases().values())
    summaries, references = [s for s, _ in texts], [refs for _, refs in texts]
    expected = rouge_metric.PyRouge().evaluate(summaries, references)
    metric = Rouge(2, compute_rouge_l=True, profile="rouge-metric")
    found, _ = metric.evaluate(summaries, references)
    for key, score in expected.items():
        # The package adds up one after the other; our sums are exact.
        assert found[key]["f1"] == pytest.approx(score["f"], rel=1e-13)
