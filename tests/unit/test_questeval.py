"""QuestEval equals the mean of both directions."""

from __future__ import annotations

import numpy as np
import pytest

from plain_models import DOCUMENT, REFERENCE, SUMMARY, make
from tiny_models import checkpoint, needs_torch

pytestmark = needs_torch


def test_questeval_is_the_mean_of_both_directions(monkeypatch: pytest.MonkeyPatch) -> None:
    """The models' answers are taken from the metric; how they are put together is computed by hand."""
    from rubrica.metrics import questeval

    # The weighter's token in a vocabulary of a few hundred.
    monkeypatch.setattr(questeval, "UNIMPORTANT", 17)
    metric = make("questeval", weighter_model=checkpoint("bart"))
    made = metric.score(SUMMARY, [DOCUMENT])["questeval"]
    questions = metric._questions([SUMMARY, DOCUMENT])
    assert questions[SUMMARY]
    on_summary = metric._answered([(q, SUMMARY) for q in questions[DOCUMENT]])
    on_document = metric._answered([(q, DOCUMENT) for q in questions[SUMMARY]])
    weights = metric._weights([(q, DOCUMENT) for q in questions[DOCUMENT]])
    factors = [weights[q, DOCUMENT] for q in questions[DOCUMENT]]
    assert all(0 < one < 1 for one in factors)
    recall = np.mean([w * v for w, values in zip(factors, on_summary, strict=True) for v in values])
    precision = np.mean(on_document)
    assert made["recall"] == pytest.approx(recall)
    assert made["precision"] == pytest.approx(precision)
    assert made["fscore"] == pytest.approx((recall + precision) / 2)


def test_questeval_takes_the_best_of_document_and_references() -> None:
    both = make("questeval", against=["documents", "references"])
    made = both.score(SUMMARY, [DOCUMENT], [REFERENCE])["questeval"]["fscore"]
    alone = make("questeval").score(SUMMARY, [DOCUMENT])["questeval"]["fscore"]
    other = make("questeval", against=["references"]).score(SUMMARY, [REFERENCE])["questeval"][
        "fscore"
    ]
    assert made == pytest.approx(max(alone, other), abs=1e-6)
