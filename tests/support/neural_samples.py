"""Metrics with models, made with small random checkpoints: parameters of each for tests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from support.tiny_models import HAS_TORCH, checkpoint, with_heads

_RUNNING = {"cache_dir": "off", "device": "cpu"}
# What a small model writes costs by the step, not by the token: many texts in a batch.
_WRITING = {"batch_tokens": 32768}
_SAMPLES: dict[str, Callable[[], dict[str, Any]]] = {
    "alignscore": lambda: {"model": with_heads("encoder")},
    "bartscore": lambda: {"model": checkpoint("bart")},
    "bertscore": lambda: {"model_type": checkpoint("encoder"), "num_layers": 2},
    "blanc": lambda: {"model": checkpoint("masked")},
    "bleurt": lambda: {"checkpoint": checkpoint("regression")},
    "judge": lambda: {"model": checkpoint("gpt"), "scoring": "logprobs"},
    "likelihood": lambda: {"model": checkpoint("gpt"), "context": "documents"},
    "lite3pyramid": lambda: {"model": checkpoint("nli")},
    "minicheck": lambda: {"model": checkpoint("t5")},
    # Without idf: a row's score must not depend on the other rows.
    "moverscore": lambda: {"model_type": checkpoint("encoder"), "idf": "none"},
    "qa-eval": lambda: {
        "generation_model": checkpoint("bart"),
        "answering_model": checkpoint("qa"),
        "answer_selection_strategy": "ner",
        **_WRITING,
    },
    "questeval": lambda: {
        "generation_model": checkpoint("bart"),
        "answering_model": checkpoint("bart"),
        "bertscore_model": checkpoint("encoder"),
        "bertscore_layer": 2,
        **_WRITING,
    },
    "sum-qe": lambda: {"model": with_heads("encoder")},
    "summac": lambda: {"model": checkpoint("nli"), "granularity": "sentence"},
    "summaqa": lambda: {"model": checkpoint("qa")},
    "supert": lambda: {"model_type": checkpoint("encoder")},
    "unieval": lambda: {"model": checkpoint("t5")},
}

MODEL_METRICS = frozenset(_SAMPLES)


def neural_parameters(name: str, *, terse: bool = False) -> dict[str, Any]:
    """Parameters of a metric with a model; none for other metrics. Skips where torch is not installed.

    With `terse`, models that write questions stop after a few tokens: enough where only agreement matters.
    """
    if name not in _SAMPLES:
        return {}
    if not HAS_TORCH:
        pytest.skip("needs rubrica[neural]")
    parameters = {**_SAMPLES[name](), **_RUNNING}
    if terse and name in ("qa-eval", "questeval"):
        writer, other = checkpoint("bart"), checkpoint("terse-bart")
        parameters = {key: other if value == writer else value for key, value in parameters.items()}
    return parameters
