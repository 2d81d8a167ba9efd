"""Position bias and consistency of pairwise judges: planted biases, and LLMBar's published statistics."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rubrica.errors import DataError
from rubrica.meta import audit_pairs, cohen_kappa, read_pairs
from rubrica.meta.judges.pair_audit import JudgedPair
from rubrica.statistics.intervals import Resampling

FEW = Resampling(rounds=200)
# A copy of princeton-nlp/LLMBar.
LLMBAR = os.environ.get("RUBRICA_LLMBAR")


def planted(bias: float, count: int = 2000, skill: float = 0.8) -> list[JudgedPair]:
    """A judge that answers by place in a share of `bias` of the cases, else by its skill."""
    rng = np.random.default_rng(1)
    pairs = []
    for at in range(count):
        label = int(rng.integers(1, 3))
        verdict = label if rng.random() < skill else 3 - label
        original = 1 if rng.random() < bias else verdict
        swapped = 2 if rng.random() < bias else verdict
        pairs.append(JudgedPair(str(at), original, swapped, label))
    return pairs


@pytest.mark.parametrize("bias", [0.0, 0.1, 0.3, 1.0])
def test_a_planted_preference_for_the_first_place_is_found_at_its_size(bias: float) -> None:
    audit = audit_pairs(planted(bias), resampling=FEW)
    assert audit.first is not None
    assert audit.first.value == pytest.approx(0.5 + bias / 2, abs=0.02)
    if bias:
        assert audit.position_p_value is not None
        assert audit.position_p_value < 1e-6
        assert audit.prefers_second == 0
        assert "prefers the first place" in audit.verdict()
    else:
        assert audit.position_p_value is None
        assert audit.consistent.value == 1.0


def test_noise_without_a_preferred_place_is_no_bias() -> None:
    rng = np.random.default_rng(2)
    drawn = rng.integers(1, 3, (500, 2)).tolist()
    pairs = [JudgedPair(str(at), one, other) for at, (one, other) in enumerate(drawn)]
    audit = audit_pairs(pairs, resampling=FEW)
    assert audit.position_p_value is not None
    assert audit.position_p_value > 0.05
    assert "no position bias was shown" in audit.verdict()
    assert audit.correct_average is None


def test_a_judge_who_never_changes_shows_no_sign_of_position_bias() -> None:
    same = [JudgedPair(str(at), 1 + at % 2, 1 + at % 2, 1) for at in range(40)]
    ties = [JudgedPair(f"tie {at}", "tie", "tie", 1) for at in range(10)]
    assert audit_pairs([*same, *ties], resampling=FEW).verdict() == (
        "The judge gives the same verdict in both orders for 100.0 % of pairs; no sign of position "
        "bias in the 40 pairs decided in both orders. It is right in 40.0 % of decisions."
    )
    lone = audit_pairs([JudgedPair("a", 2, 2)], resampling=FEW).verdict()
    assert lone.endswith("no sign of position bias in the 1 pair decided in both orders.")


def test_without_pairs_decided_in_both_orders_position_bias_is_not_tested() -> None:
    for pair in (
        JudgedPair("a", "tie", "tie"),
        JudgedPair("a", 1, "tie"),
        JudgedPair("a", 1, None),
    ):
        verdict = audit_pairs([pair] * 5, resampling=FEW).verdict()
        assert verdict.endswith(
            "it decided no pair in both orders, so position bias cannot be tested."
        )
    mixed = [JudgedPair("a", 1, 1)] * 5 + [JudgedPair("b", 1, "tie")] * 5
    assert (
        audit_pairs(mixed, resampling=FEW)
        .verdict()
        .endswith(
            "no sign of position bias in the 5 pairs decided in both orders, but with ties and missing "
            "verdicts, 62.5 % of decisions are for the first place."
        )
    )


def test_ties_and_missing_verdicts_are_counted_and_do_not_decide() -> None:
    pairs = [
        JudgedPair("a", "tie", "tie", 1),
        JudgedPair("b", None, 1, 1),
        JudgedPair("c", 1, 1, 1),
        JudgedPair("d", None, None, 2),
    ]
    audit = audit_pairs(pairs, resampling=FEW)
    assert (audit.ties, audit.undecided) == (2, 3)
    assert audit.first is not None
    # tie: 1/2; b chose text 1 in the second place: 0; c once each: 1/2; d not at all.
    assert audit.first.value == pytest.approx(1 / 3)
    assert audit.correct_both is not None
    assert audit.correct_both.value == 0.25


def test_files_with_wrong_verdicts_are_refused_with_their_line(tmp_path: Path) -> None:
    path = tmp_path / "pairs.jsonl"
    path.write_text('{"original": 1, "swapped": 2}\n{"original": 3, "swapped": 2}\n')
    with pytest.raises(DataError, match=r"pairs.jsonl:2: a verdict is 1, 2, tie or empty, not 3"):
        read_pairs(path)
    path.write_text('{"original": 1}\n')
    with pytest.raises(DataError, match="no 'swapped'"):
        read_pairs(path)
    broken = tmp_path / "result.json"
    broken.write_text('[{"label": 1}]')
    with pytest.raises(DataError, match="not a list of LLMBar's results"):
        read_pairs(broken)
    with pytest.raises(DataError, match="no pairs"):
        audit_pairs([])


def _percent(count: float, pairs: int) -> str:
    return f"{round(count)} / {pairs} = {round(count) / pairs * 100}%"


@pytest.mark.skipif(LLMBAR is None, reason="set RUBRICA_LLMBAR to a clone of princeton-nlp/LLMBar")
def test_every_published_statistic_of_llmbar_is_reproduced() -> None:
    files = sorted(Path(str(LLMBAR)).rglob("evaluators/*/*/statistics.json"))
    assert len(files) == 499
    for file in files:
        published: dict[str, Any] = json.loads(file.read_text())
        pairs = read_pairs(file.with_name("result.json"))
        audit = audit_pairs(pairs, resampling=Resampling(rounds=0))
        n = audit.pairs
        assert audit.correct_original is not None
        assert audit.correct_swapped is not None
        assert audit.correct_both is not None
        first, second = audit.correct_original.value * n, audit.correct_swapped.value * n
        assert published["correct_False"] == _percent(first, n), file
        assert published["correct_True"] == _percent(second, n), file
        assert published["correct_both"] == _percent(audit.correct_both.value * n, n), file
        assert published["equal"] == _percent(audit.consistent.value * n, n), file
        average = (round(first) + round(second)) / 2 / n * 100
        assert published["correct_average"] == f"{average}%", file
        # As the authors coded verdicts: 1 stays, everything else is 0, against labels 1 and 2.
        original = [int(pair.original == 1) for pair in pairs]
        swapped = [int(pair.swapped == 1) for pair in pairs]
        labels = [pair.label for pair in pairs]
        columns: dict[str, tuple[list[Any], list[Any]]] = {
            "kappa_False": (original, labels),
            "kappa_True": (swapped, labels),
            "kappa_agreement": (original, swapped),
        }
        kappas: dict[str, float] = {}
        for key, (one, other) in columns.items():
            kappa = cohen_kappa(one, other).value
            # None where both sides use one label; the authors' program wrote NaN.
            expected = pytest.approx(published[key], abs=1e-14, nan_ok=True)
            kappas[key] = float("nan") if kappa is None else kappa
            assert kappas[key] == expected, (file, key)
        average = (kappas["kappa_False"] + kappas["kappa_True"]) / 2
        expected = pytest.approx(published["kappa_average"], abs=1e-14, nan_ok=True)
        assert average == expected, file
