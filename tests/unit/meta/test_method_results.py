"""Results of all methods: frozen, with a signature that knows data and choices, and JSON-able."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from rubrica.formatting.jsonable import to_jsonable
from rubrica.meta.correlation.correlation import correlate
from rubrica.meta.correlation.differences import difference_pearson
from rubrica.meta.correlation.partial import (
    length_baseline,
    partial_given_length,
    partial_given_system,
)
from rubrica.meta.correlation.unpaired import unpaired_correlation, unpaired_interval
from rubrica.meta.judges.agreement import krippendorff_alpha
from rubrica.meta.judges.ceiling import noise_ceiling
from rubrica.meta.judges.kappa import cohen_kappa, fleiss_kappa
from rubrica.meta.power import power_of_correlations, power_of_means
from rubrica.meta.ranking.calibration import calibrate_ties
from rubrica.meta.ranking.decisions import decide_pairs, decision_agreement
from rubrica.meta.ranking.pairs import close_pairs, pairs_tau, top_systems
from rubrica.meta.ranking.preferences import bradley_terry, preference_agreement
from rubrica.meta.ranking.soft_pairwise import soft_pairwise_accuracy
from rubrica.meta.ranking.stability import ranking_stability
from rubrica.meta.ranking.thresholds import balanced_accuracy, choose_threshold, roc_auc
from rubrica.meta.ranking.ties import kendall_like, tau_with_ties
from rubrica.signature import parse_signature
from rubrica.statistics.intervals import Resampling

R = Resampling(rounds=20, seed=9)


def labels(z: np.ndarray) -> np.ndarray:
    return (z > np.median(z)).astype(float)


# Each takes metric and human (5 systems x 6 inputs); what its signature must tell beside the data.
METHODS: dict[str, tuple[Callable[[Any, Any], Any], set[str]]] = {
    "correlation": (correlate, {"level", "coef", "ties", "undefined"}),
    "unpaired": (unpaired_correlation, {"level", "coef", "ties", "absent"}),
    "unpaired interval": (
        lambda x, z: unpaired_interval(x, z, resampling=R),
        {"level", "coef", "over", "bs", "seed"},
    ),
    "pairs": (pairs_tau, {"level", "coef", "ties", "lower", "upper"}),
    "close pairs": (lambda x, z: close_pairs(x, z)[0], {"level", "coef", "ties", "step"}),
    "top": (lambda x, z: top_systems(x, z)[0], {"level", "coef", "ties", "chosen"}),
    "decisions": (lambda x, z: decide_pairs(x, resampling=R), {"ties", "bs", "seed"}),
    "decision agreement": (
        lambda x, z: decision_agreement(x, z, resampling=R),
        {"level", "ties", "bs", "seed", "confidence"},
    ),
    "stability": (lambda x, z: ranking_stability(x, resampling=R)[0], {"coef", "bs", "seed"}),
    "ties": (tau_with_ties, {"coef", "by", "epsilon", "undefined"}),
    "kendall-like": (kendall_like, {"by", "gap", "ties"}),
    "calibration": (calibrate_ties, {"coef", "by", "epsilon"}),
    "spa": (lambda x, z: soft_pairwise_accuracy(x, z, resampling=R), {"perms", "seed", "p"}),
    "differences": (difference_pearson, {"coef", "by"}),
    "given system": (partial_given_system, {"level", "coef", "given"}),
    "given length": (lambda x, z: partial_given_length(x, z, x + z), {"level", "coef", "given"}),
    "baseline": (lambda x, z: length_baseline(x, z, x + z).metric, {"level", "coef"}),
    "ceiling": (
        lambda x, z: noise_ceiling(np.stack([x, z]), resampling=R),
        {"level", "coef", "split", "splits", "seed"},
    ),
    "power of means": (
        lambda x, z: power_of_means(x[0], x[1], [5], resampling=R),
        {"test", "alpha", "bs", "seed"},
    ),
    "power of correlations": (
        lambda x, z: power_of_correlations(x, -x, z, [5], resampling=R),
        {"level", "coef", "over", "alpha", "bs", "seed"},
    ),
    "threshold": (lambda x, z: choose_threshold(x, labels(z)), {"tried", "best"}),
    "accuracy": (
        lambda x, z: balanced_accuracy(x, labels(z), 0.0, resampling=R),
        {"threshold", "interval", "bs", "seed"},
    ),
    "roc area": (
        lambda x, z: roc_auc(x, labels(z), resampling=R),
        {"ties", "bs", "seed"},
    ),
    "alpha": (
        lambda x, z: krippendorff_alpha([np.round(x[0]), np.round(x[1])], resampling=R),
        {"scale", "bs", "seed"},
    ),
    "cohen": (lambda x, z: cohen_kappa(np.round(x[0]), np.round(x[1])), {"weights"}),
    "fleiss": (lambda x, z: fleiss_kappa(np.round(x)), {"absent"}),
    "preferences": (
        lambda x, z: preference_agreement(x[0], x[1], np.sign(z[0] - z[1]), resampling=R),
        {"epsilon", "bs", "seed"},
    ),
    "bradley-terry": (
        lambda x, z: bradley_terry([("a", "b", float(np.sign(x[0, 0]))), ("a", "b", 0)]),
        {"ties"},
    ),
}


def scores(seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    z = np.round(rng.normal(size=(5, 6)) * 2)
    return z + rng.normal(size=z.shape), z


@pytest.mark.parametrize("name", METHODS)
def test_a_result_is_frozen_and_tells_how_it_was_made(name: str) -> None:
    method, choices = METHODS[name]
    found = method(*scores())
    with pytest.raises(dataclasses.FrozenInstanceError):
        found.signature = None
    _, parts = parse_signature(str(found.signature))
    assert choices | {"v", "core", "data"} <= set(parts)


@pytest.mark.parametrize("name", METHODS)
def test_the_digest_is_that_of_the_scores(name: str) -> None:
    method = METHODS[name][0]
    x, z = scores()
    one, same = method(x, z).signature, method(x.copy(), z.copy()).signature
    assert one == same
    assert method(x * -1.5 + 1, z).signature.data != one.data


@pytest.mark.parametrize("name", METHODS)
def test_a_result_is_json(name: str) -> None:
    found = METHODS[name][0](*scores())
    made = json.loads(json.dumps(to_jsonable(found), allow_nan=False))
    assert made["signature"] == str(found.signature)
    assert set(made) == {field.name for field in dataclasses.fields(found)}


def test_plain_leaves_out_what_is_named_and_has_no_nan() -> None:
    found = calibrate_ties(*scores())
    assert not {"thresholds", "values"} & set(to_jsonable(found, without=("thresholds", "values")))
    assert to_jsonable({"a": [np.float64("nan"), np.int64(3), np.array([1.0])]}) == {
        "a": [None, 3, [1.0]]
    }
