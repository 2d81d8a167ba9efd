"""BLEURT equals the regression of each pair."""

from __future__ import annotations

import numpy as np
import pytest

from plain_models import DOCUMENT, REFERENCE, SUMMARY, logits_of, make
from rubrica.errors import DataError, DataWarning
from tiny_models import checkpoint, needs_torch

pytestmark = needs_torch


def test_bleurt_is_the_regression_of_reference_and_summary() -> None:
    values = [float(logits_of("regression", r, SUMMARY)[0]) for r in (REFERENCE, DOCUMENT)]
    made = make("bleurt").score(SUMMARY, [REFERENCE, DOCUMENT])["bleurt"]
    assert made["average"] == pytest.approx(np.mean(values), abs=1e-5)
    assert made["max"] == pytest.approx(max(values), abs=1e-5)
    with pytest.warns(DataWarning, match="more than 16 tokens and were cut"):
        make("bleurt", max_length=16).score(SUMMARY, [REFERENCE])
    with pytest.raises(DataError, match="3 outputs"):
        make("bleurt", checkpoint=checkpoint("nli")).score(SUMMARY, [REFERENCE])
