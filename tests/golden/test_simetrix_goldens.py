"""SIMetrix's features as the Java program prints them.

Its background files have no licence and are not here: RUBRICA_SIMETRIX_ROOT names a checkout of
SIMetrix, with which the four features that need them are compared too.
"""

from __future__ import annotations

import gzip
import json
import os
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from rubrica.metrics import SIMetrix

GOLDENS = Path(__file__).parent / "metrics" / "simetrix.jsonl.gz"
ROOT = os.environ.get("RUBRICA_SIMETRIX_ROOT")


@cache
def cases() -> list[dict[str, Any]]:
    lines = gzip.decompress(GOLDENS.read_bytes()).decode().splitlines()
    return [json.loads(line) for line in lines]


def differing(**given: Any) -> list[tuple[str, str, float, float]]:
    metrics = {
        (stem, stop): SIMetrix(use_stemmer=stem, remove_stopwords=stop, **given)
        for stem in (True, False)
        for stop in (True, False)
    }
    found = []
    for case in cases():
        metric = metrics[case["params"]["use_stemmer"], case["params"]["remove_stopwords"]]
        scores = metric.score(case["summary"], case["documents"])
        found += [
            (case["id"], name, value, case["expected"][name])
            for name, value in scores.items()
            if value != case["expected"][name]
        ]
    return found


def test_the_features_without_background_have_the_digits_of_the_program() -> None:
    assert len(cases()) == 172
    assert differing() == []


@pytest.mark.skipif(ROOT is None, reason="set RUBRICA_SIMETRIX_ROOT to a checkout of SIMetrix")
def test_all_ten_features_have_the_digits_of_the_program() -> None:
    assert differing(simetrix_root=ROOT) == []
