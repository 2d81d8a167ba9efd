"""Lite3Pyramid equals its formula on every unit."""

from __future__ import annotations

import json
import math
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rubrica.errors import DataError
from support.plain_models import (
    DOCUMENT,
    DOCUMENT_SENTENCES,
    REFERENCE,
    SUMMARY,
    logits_of,
    make,
    shares,
)
from support.tiny_models import checkpoint, needs_torch

pytestmark = needs_torch


KEYS = ("p2c", "l2c", "p3c", "l3c")


def entailed(summary: str, unit: str) -> list[float]:
    """p2c, l2c, p3c, l3c of one unit."""
    z = logits_of("nli", summary, unit)
    two = z[0] - z[1] - z[2]
    return [1 / (1 + math.exp(-two)), float(two >= 0), shares(z)[0], float(z.argmax() == 0)]


def test_lite3pyramid_is_the_weighted_share_of_entailed_units(tmp_path: Path) -> None:
    units = [("Engineers found a crack.", 2.0), ("A new boat comes on Friday.", 1.0)]
    rows = [entailed(SUMMARY, unit) for unit, _ in units]
    weights = np.array([weight for _, weight in units])
    expected = (np.array(rows) * weights[:, None]).sum(0) / weights.sum()
    file = tmp_path / "units.jsonl"
    listed = [{"unit": text, "weight": weight} for text, weight in units]
    file.write_text(json.dumps({"reference": REFERENCE, "units": listed}) + "\n", "utf-8")
    made = make("lite3pyramid", units=str(file)).score(SUMMARY, [REFERENCE])
    assert [made[key] for key in KEYS] == pytest.approx(expected.tolist(), abs=1e-5)
    with pytest.raises(DataError, match="no units for the reference"):
        make("lite3pyramid", units=str(file)).score(SUMMARY, ["Another reference."])
    file.write_text('{"reference": "x", "units": [{"weight": 1}]}\n', "utf-8")
    with pytest.raises(DataError, match=r"units.jsonl:1: a unit is a text"):
        make("lite3pyramid", units=str(file)).score(SUMMARY, ["x"])


def test_without_units_sentences_are_asked_and_references_are_averaged() -> None:
    references = [REFERENCE, DOCUMENT]
    means = []
    for sentences in ([f"{one}." for one in REFERENCE.rstrip(".").split(". ")], DOCUMENT_SENTENCES):
        means.append(np.mean([entailed(SUMMARY, one) for one in sentences], axis=0))
    made = make("lite3pyramid").score(SUMMARY, references)
    assert [made[key] for key in KEYS] == pytest.approx(np.mean(means, axis=0).tolist(), abs=1e-5)


def test_the_four_values_of_given_logits() -> None:
    from rubrica.metrics.pyramid.lite3pyramid import entailments

    # z0 = z1 + z2 counts as entailed with two classes; the largest decides with three.
    made = entailments(
        [np.array([3.0, 1.0, 2.0]), np.array([1.0, 0.5, 2.0]), np.array([2.0, 1.5, 1.0])]
    )
    assert made[0].tolist() == pytest.approx(
        [0.5, 1 / (1 + math.exp(1.5)), 1 / (1 + math.exp(0.5))]
    )
    assert made[1].tolist() == [1, 0, 0]
    assert made[2][0] == pytest.approx(math.exp(3) / (math.exp(3) + math.exp(1) + math.exp(2)))
    assert made[3].tolist() == [1, 0, 1]


def test_empty_texts_score_0_and_other_models_are_told() -> None:
    for summary, reference in (("", REFERENCE), (SUMMARY, " ")):
        assert set(make("lite3pyramid").score(summary, [reference]).values()) == {0}
    with pytest.raises(DataError, match="2 classes; an entailment model has 3"):
        make("lite3pyramid", model=checkpoint("support")).score(SUMMARY, [REFERENCE])


def test_inputs_that_were_cut_are_told(recwarn: Any) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        make("lite3pyramid").score(" ".join([DOCUMENT] * 20), [REFERENCE])
    assert any("more than 400 tokens and were cut" in str(one.message) for one in caught)
