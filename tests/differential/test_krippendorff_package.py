"""Krippendorff's alpha equals the PyPI package of that name."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rubrica.meta.judges.agreement import SCALES, krippendorff_alpha

package = pytest.importorskip("krippendorff")


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("seed", range(10))
def test_alpha_equals_the_package(scale: Any, seed: int) -> None:
    rng = np.random.default_rng(seed)
    table = rng.integers(1, 6, size=(4, 30)).astype(float)
    table[rng.random(table.shape) < 0.3] = np.nan
    expected = package.alpha(reliability_data=table, level_of_measurement=scale)
    found = krippendorff_alpha(table, scale=scale, resampling=None)
    assert found.value == pytest.approx(expected)
