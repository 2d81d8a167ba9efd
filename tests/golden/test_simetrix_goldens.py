"""SIMetrix's features as the Java program prints them.

Its background files have no licence and are not here: RUBRICA_SIMETRIX_ROOT names a checkout of
SIMetrix, with which the four features that need them are compared too.
"""

from __future__ import annotations

import os
from typing import Any

import pytest

from rubrica.metrics import SIMetrix
from support.goldens import golden_cases

ROOT = os.environ.get("RUBRICA_SIMETRIX_ROOT")

CASES = golden_cases("simetrix")


def differing(**given: Any) -> list[tuple[str, str, float, float]]:
    metrics = {
        (stem, stop): SIMetrix(use_stemmer=stem, remove_stopwords=stop, **given)
        for stem in (True, False)
        for stop in (True, False)
    }
    found = []
    for case in CASES:
        metric = metrics[case["params"]["use_stemmer"], case["params"]["remove_stopwords"]]
        scores = metric.score(case["summary"], case["documents"])
        found += [
            (case["id"], name, value, case["expected"][name])
            for name, value in scores.items()
            if value != case["expected"][name]
        ]
    return found


def test_the_features_without_background_have_the_digits_of_the_program() -> None:
    assert len(CASES) == 172
    assert differing() == []


@pytest.mark.skipif(ROOT is None, reason="set RUBRICA_SIMETRIX_ROOT to a checkout of SIMetrix")
def test_all_ten_features_have_the_digits_of_the_program() -> None:
    assert differing(simetrix_root=ROOT) == []
