"""Exchanges by sums that are computed once give what the general kernel gives."""

from __future__ import annotations

from itertools import combinations, product
from typing import Any

import numpy as np
import pytest

from rubrica.errors import MismatchError, ParameterError
from rubrica.meta import Coefficient, Level, compare_metrics, interval, swap_correlations
from rubrica.meta.correlation import global_ranks
from rubrica.meta.correlation.exchanges import ScoreExchange
from rubrica.meta.correlation.masks import Masks
from rubrica.meta.correlation.significance import TestOptions, standardised
from rubrica.meta.evaluation import ALL_COEFFICIENTS

WHOLE = product(Level, Coefficient, ("systems", "inputs"), ("drop", "zero"))
CELLS = (
    (level, coefficient, exchange, undefined)
    for level, coefficient in product(Level, ALL_COEFFICIENTS)
    for exchange, undefined in (("cells", "drop"), ("rows-columns", "zero"))
)
CASES = [*WHOLE, *CELLS]


def scores(kind: str) -> tuple[Any, Any]:
    """Four metrics and human grades: continuous metrics, metrics with ties, or with ties and gaps."""
    rng = np.random.default_rng(3)
    human = np.round(rng.normal(size=(7, 9)) + rng.normal(size=(7, 1)))
    metrics = human + rng.normal(size=(4, 7, 9))
    if kind != "continuous":
        metrics[1], metrics[2] = np.round(metrics[1]), np.round(metrics[2], 1)
        metrics[3] = np.clip(metrics[3], 0, 1)
    if kind == "gaps":
        gap = rng.random(human.shape) < 0.2
        metrics[:, gap] = human[gap] = np.nan
    return metrics, human


@pytest.mark.parametrize("kind", ["continuous", "ties", "gaps"])
@pytest.mark.parametrize("limit", [None, 10], ids=["counted", "compared"])
def test_products_give_what_the_kernel_gives(
    kind: str, limit: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(global_ranks, "_COUNT_COST", 0)
    if limit is not None:
        monkeypatch.setattr(global_ranks, "_MAX_COUNTS", limit)
    metrics, human = scores(kind)
    pairs = list(combinations(range(4), 2))
    for level, coefficient, axis, undefined in CASES:
        options = TestOptions(method="permutation-max", rounds=99, seed=5, undefined=undefined)  # type: ignore[arg-type]
        shared: dict[Any, Any] = {}
        exchange = ScoreExchange(
            np.stack([standardised(metric) for metric in metrics]),
            human,
            level,
            coefficient,
            Masks(human.shape, axis, options, shared),  # type: ignore[arg-type]
            undefined == "zero",
            shared,
        )
        words: dict[str, Any] = {"exchange": axis, "pairs": pairs, "rounds": 99, "seed": 5}
        both = swap_correlations(metrics, human, level, coefficient, undefined=undefined, **words)  # type: ignore[arg-type]
        expected = (both[:, :, 0] - both[:, :, 1]).T
        differences = np.stack(list(exchange.differences(pairs)))
        np.testing.assert_allclose(differences, expected, atol=1e-12, rtol=0)


@pytest.mark.parametrize(("level", "coefficient"), list(product(Level, ("pearson", "kendall"))))
def test_the_two_way_test_is_the_larger_test_with_the_wider_distribution_scaled(
    level: Level, coefficient: str
) -> None:
    metrics, human = scores("ties")
    first, second = metrics[0], metrics[3]
    pair = np.stack([first, second])
    words: dict[str, Any] = {"rounds": 199, "seed": 4}
    found = compare_metrics(first, second, human, level, coefficient, **words)
    deltas = {
        exchange: np.diff(
            swap_correlations(pair, human, level, coefficient, exchange=exchange, **words)
        )[:, 0, 0]
        for exchange in ("systems", "inputs", "cells")
    }
    variances = {exchange: float(np.nanmean(own**2)) for exchange, own in deltas.items()}
    both = variances["systems"] + variances["inputs"] - variances["cells"]
    larger = "systems" if variances["systems"] > variances["inputs"] else "inputs"
    deltas[larger] *= np.sqrt(max(1.0, both / variances[larger]))
    assert found.difference is not None
    p_values = [
        # Exchanged differences are second minus first.
        (int((-deltas[exchange] >= found.difference - 1e-12).sum()) + 1)
        / (int((~np.isnan(deltas[exchange])).sum()) + 1)
        for exchange in ("systems", "inputs")
    ]
    assert found.p_value == pytest.approx(max(p_values))
    assert found.method == "permutation-two-way"


@pytest.mark.parametrize("level", list(Level))
def test_the_two_way_test_is_never_less_strict_than_the_larger_of_its_parts(level: Level) -> None:
    for kind in ("continuous", "ties", "gaps"):
        metrics, human = scores(kind)
        for first, second in combinations(range(4), 2):
            two_way, larger = (
                compare_metrics(
                    metrics[first], metrics[second], human, level, method=method, rounds=199
                )
                for method in ("permutation-two-way", "permutation-max")
            )
            assert two_way.p_value is not None
            assert larger.p_value is not None
            assert two_way.p_value >= larger.p_value


def test_inputs_of_a_cluster_are_exchanged_left_out_and_drawn_together() -> None:
    metrics, human = scores("continuous")
    repeated = np.repeat(metrics, 3, axis=2), np.repeat(human, 3, axis=1)
    labels = [f"topic {number // 3}" for number in range(27)]
    for level in ("summary", "global"):
        for method in ("permutation-input", "bootstrap-input", "permutation-both"):
            words: dict[str, Any] = {"level": level, "method": method, "rounds": 199}
            plain = compare_metrics(metrics[0], metrics[1], human, **words)
            x, y = repeated[0][:2]
            clustered = compare_metrics(x, y, repeated[1], **words, clusters=labels)
            assert clustered.p_value == plain.p_value, "nine documents, each there three times"
        one = interval(metrics[0], human, level)
        many = interval(repeated[0][0], repeated[1], level, clusters=labels)
        assert (many.lower, many.upper) == pytest.approx((one.lower, one.upper))
        assert "|clusters:9|" in str(many.signature)
    with pytest.raises(MismatchError, match="26 cluster labels for 27 inputs"):
        compare_metrics(x, y, repeated[1], clusters=labels[1:])
    with pytest.raises(ParameterError, match="one cluster"):
        interval(x, repeated[1], clusters=["all"] * 27)
