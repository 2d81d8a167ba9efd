"""Metrics with models, made with small random checkpoints: parameters of each for tests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tiny_models import HAS_TORCH, checkpoint

_RUNNING = {"cache_dir": "off", "device": "cpu"}
_SAMPLES: dict[str, Callable[[], dict[str, Any]]] = {
    "bartscore": lambda: {"model": checkpoint("bart")},
    "bertscore": lambda: {"model_type": checkpoint("encoder"), "num_layers": 2},
    "judge": lambda: {"model": checkpoint("gpt"), "scoring": "logprobs"},
    # Without idf: a row's score must not depend on the other rows.
    "moverscore": lambda: {"model_type": checkpoint("encoder"), "idf": "none"},
    "summac": lambda: {"model": checkpoint("nli"), "granularity": "sentence"},
}


def neural_parameters(name: str) -> dict[str, Any]:
    """Parameters of a metric with a model; none for other metrics. Skips where torch is not installed."""
    if name not in _SAMPLES:
        return {}
    if not HAS_TORCH:
        pytest.skip("needs rubrica[neural]")
    return {**_SAMPLES[name](), **_RUNNING}
