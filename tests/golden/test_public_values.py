"""Published values of the originals, for people who have the weights: RUBRICA_MODELS=FOLDER, a checkpoint per name in it.

Origins: BLANC's README and SacreROUGE's tests (bert-base-uncased); BARTScore's README (bart-large-cnn).
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from rubrica.metrics import Metric
from tiny_models import needs_torch

pytestmark = needs_torch
DOCUMENT = "Jack drove his minivan to the bazaar to purchase milk and honey for his large family."


def weights(name: str) -> str:
    root = os.environ.get("RUBRICA_MODELS")
    if not root or not (Path(root) / name / "config.json").is_file():
        pytest.skip(f"needs the weights of {name} in $RUBRICA_MODELS")
    return str(Path(root) / name)


def score(config: dict[str, Any], *fields: Any) -> Any:
    return Metric.from_config({**config, "cache_dir": "off"}).score(*fields)


@pytest.mark.parametrize(("gap", "expected"), [(2, 2 / 9), (6, 1 / 9)])
def test_blanc(gap: int, expected: float) -> None:
    made = score(
        {"type": "blanc", "model": weights("bert-base-uncased"), "gap": gap},
        "Jack bought milk and honey.",
        [DOCUMENT],
    )
    assert made["blanc_help"] == pytest.approx(expected, abs=1e-6)


def test_bartscore() -> None:
    made = score(
        {"type": "bartscore", "model": weights("bart-large-cnn"), "mode": "precision"},
        "This is fun.",
        ["This is interesting."],
    )
    assert made["bartscore"] == pytest.approx(-2.510652780532837, abs=1e-4)
