"""QAEval equals the means of its questions' scores."""

from __future__ import annotations

import numpy as np
import pytest

from plain_models import REFERENCE, SUMMARY, best_span, make
from rubrica.errors import MissingResourceError
from tiny_models import needs_torch

pytestmark = needs_torch


def test_qaeval_asks_about_every_phrase_and_averages() -> None:
    from rubrica.metrics.qa.squad import exact_match, token_f1

    metric = make("qa-eval")
    asked = metric.questions([REFERENCE])[REFERENCE]
    assert [answer for _, answer in asked] == ["Friday"]
    metric = make("qa-eval", answer_selection_strategy="all")
    asked = metric.questions([REFERENCE])[REFERENCE]
    assert [answer for _, answer in asked] == [
        "Engineers found",
        "crack",
        "shaft",
        "ferry",
        "new boat comes",
        "Friday",
    ]
    rows = []
    for question, gold in asked:
        text, share, null = best_span(question, SUMMARY)
        said = share > null
        rows.append([float(said), exact_match(text, gold) * said, token_f1(text, gold) * said])
    made = metric.score(SUMMARY, [REFERENCE])["qa-eval"]
    expected = np.mean(rows, axis=0)
    assert [made[key] for key in ("is_answered", "em", "f1")] == pytest.approx(
        expected.tolist(), abs=1e-6
    )


def test_a_spacy_pipeline_that_is_not_there_is_told() -> None:
    with pytest.raises(MissingResourceError, match="rule"):
        make("qa-eval", answer_selector="no_such_pipeline").score(SUMMARY, [REFERENCE])
