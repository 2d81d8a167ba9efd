"""Lite3Pyramid equals its formula on every unit."""

from __future__ import annotations

import json
import math
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from plain_models import DOCUMENT, REFERENCE, SUMMARY, logits_of, make, shares
from rubrica.errors import DataError
from tiny_models import needs_torch

pytestmark = needs_torch


def test_lite3pyramid_is_the_weighted_share_of_entailed_units(tmp_path: Path) -> None:
    units = [("Engineers found a crack.", 2.0), ("A new boat comes on Friday.", 1.0)]
    rows = []
    for unit, _ in units:
        z = logits_of("nli", SUMMARY, unit)
        two = z[0] - z[1] - z[2]
        rows.append(
            [1 / (1 + math.exp(-two)), float(two >= 0), shares(z)[0], float(z.argmax() == 0)]
        )
    weights = np.array([weight for _, weight in units])
    expected = (np.array(rows) * weights[:, None]).sum(0) / weights.sum()
    file = tmp_path / "units.jsonl"
    listed = [{"unit": text, "weight": weight} for text, weight in units]
    file.write_text(json.dumps({"reference": REFERENCE, "units": listed}) + "\n", "utf-8")
    made = make("lite3pyramid", units=str(file)).score(SUMMARY, [REFERENCE])
    assert [made[key] for key in ("p2c", "l2c", "p3c", "l3c")] == pytest.approx(
        expected.tolist(), abs=1e-5
    )
    with pytest.raises(DataError, match="no units for the reference"):
        make("lite3pyramid", units=str(file)).score(SUMMARY, ["Another reference."])
    file.write_text('{"reference": "x", "units": [{"weight": 1}]}\n', "utf-8")
    with pytest.raises(DataError, match=r"units.jsonl:1: a unit is a text"):
        make("lite3pyramid", units=str(file)).score(SUMMARY, ["x"])


def test_inputs_that_were_cut_are_told(recwarn: Any) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        make("lite3pyramid").score(" ".join([DOCUMENT] * 20), [REFERENCE])
    assert any("more than 400 tokens and were cut" in str(one.message) for one in caught)
