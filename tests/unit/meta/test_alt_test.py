"""The alternative annotator test: hand-computed values, its rules, and the authors' own results."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rubrica.errors import DataError, ParameterError
from rubrica.meta import (
    alt_test,
    alt_test_power,
    benjamini_yekutieli,
    compare_judges,
    read_annotations,
)
from rubrica.meta.judges.similarity import similarity_scorer
from rubrica.statistics.intervals import Resampling

FEW = Resampling(rounds=200)
# Annotations of the paper's repository (nitaytech/AltTest), data/TASK/{human,llm}_annotations.json.
PAPER = os.environ.get("RUBRICA_ALTTEST_DATA")
EXPECTED = Path(__file__).parents[2] / "golden" / "alt_test.json"


def people(count: int = 40, annotators: int = 3, noise: float = 0.2) -> dict[str, dict[str, int]]:
    rng = np.random.default_rng(3)
    truth = rng.integers(1, 6, count)
    return {
        f"a{who}": {
            f"i{at}": int(np.clip(truth[at] + (rng.random() < noise), 1, 5)) for at in range(count)
        }
        for who in range(annotators)
    }


def truth_of(humans: dict[str, dict[str, int]]) -> dict[str, int]:
    return {
        item: int(np.median([labels[item] for labels in humans.values()]))
        for item in next(iter(humans.values()))
    }


def test_the_judge_and_the_annotator_are_scored_against_all_others() -> None:
    humans = {
        "a": {1: "x", 2: "y", 3: "x"},
        "b": {1: "x", 2: "y", 3: "y"},
        "c": dict.fromkeys((1, 2, 3), "x"),
    }
    result = alt_test({1: "x", 2: "x", 3: "x"}, humans, min_items=2, resampling=FEW)
    against_a, against_b, against_c = result.annotators
    # Left out a: others say xx, yx, yx; a says x, y, x: equal, equal (1 of 2 each), equal.
    assert (against_a.advantage, against_a.human_advantage) == (1.0, 1.0)
    # Left out b: others xx, yx, xx; b is worse on the last item.
    assert (against_b.advantage, against_b.human_advantage) == (1.0, 2 / 3)
    # Left out c: others xx, yy, xy; c says what the judge says.
    assert (against_c.advantage, against_c.human_advantage) == (1.0, 1.0)
    assert result.advantage_probability == 1.0
    assert result.lower == result.upper == 1.0


def test_a_judge_like_the_majority_passes_and_a_random_one_does_not() -> None:
    humans = people()
    rng = np.random.default_rng(1)
    good = alt_test(truth_of(humans), humans, scoring="neg_rmse", epsilon=0.2, resampling=FEW)
    noise = {item: int(rng.integers(1, 6)) for item in truth_of(humans)}
    bad = alt_test(noise, humans, scoring="neg_rmse", epsilon=0.2, resampling=FEW)
    assert good.passed
    assert good.winning_rate == 1.0
    assert not bad.passed
    assert bad.winning_rate == 0.0
    assert bad.advantage_probability < 0.5 < good.advantage_probability
    assert bad.lower is not None
    assert bad.lower < bad.advantage_probability < (bad.upper or 0)


def test_accuracy_and_a_function_of_equality_agree() -> None:
    humans = people()
    judge = truth_of(humans)
    named = alt_test(judge, humans, scoring="accuracy", resampling=FEW)
    own = alt_test(
        judge,
        humans,
        scoring=lambda label, others: sum(label == one for one in others) / len(others),
        resampling=FEW,
    )
    assert named.annotators == own.annotators


def test_texts_can_be_compared_by_a_metric() -> None:
    humans = {
        name: {f"i{at}": f"the {animal} sat on mat {at}" for at in range(30)}
        for name, animal in {"a": "cat", "b": "cat", "c": "dog"}.items()
    }
    judge = {f"i{at}": f"the cat sat on mat {at}" for at in range(30)}
    result = alt_test(
        judge, humans, scoring=similarity_scorer("rouge", "rouge-1.f1"), resampling=FEW
    )
    assert [one.human_advantage for one in result.annotators] == [1.0, 1.0, 0.0]
    with pytest.raises(ParameterError, match="references only"):
        similarity_scorer("simetrix", "x")


def test_items_with_too_few_people_are_dropped_and_annotators_with_too_few_items_skipped() -> None:
    humans = people()
    humans["a2"] = {item: label for item, label in humans["a2"].items() if item in ("i0", "i1")}
    humans["a1"]["extra"] = 3
    judge = truth_of(people())
    result = alt_test(judge, humans, resampling=FEW)
    assert result.skipped_annotators == ("a2",)
    assert result.dropped_items == 1
    assert [one.annotator for one in result.annotators] == ["a0", "a1"]
    assert [one.items for one in result.annotators] == [40, 40]


def test_equal_outcomes_everywhere_give_p_of_0_1_or_none() -> None:
    humans = {name: {f"i{at}": "x" for at in range(30)} for name in "ab"}
    same = alt_test({f"i{at}": "x" for at in range(30)}, humans, epsilon=0.0, resampling=FEW)
    assert [one.p_value for one in same.annotators] == [None, None]
    assert same.winning_rate == 0.0
    better = alt_test({f"i{at}": "x" for at in range(30)}, humans, epsilon=0.1, resampling=FEW)
    assert better.winning_rate == 1.0
    worse = alt_test({f"i{at}": "y" for at in range(30)}, humans, epsilon=0.1, resampling=FEW)
    assert [one.p_value for one in worse.annotators] == [1.0, 1.0]


def test_bad_input_is_refused_with_a_remedy() -> None:
    humans = people(count=10)
    with pytest.raises(DataError, match=r"10 such items.*`min_items"):
        alt_test(truth_of(humans), humans)
    labels = {"a": {"i": "x", "j": "y"}, "b": {"i": "x", "j": "y"}}
    with pytest.raises(DataError, match="needs numbers"):
        alt_test({"i": "x", "j": "y"}, labels, scoring="neg_rmse", min_items=2)
    for wrong in ({"epsilon": 2.0}, {"alpha": 0.0}, {"scoring": "kappa"}, {"min_annotators": 1}):
        with pytest.raises(ParameterError):
            alt_test(truth_of(humans), humans, min_items=5, **wrong)  # type: ignore[arg-type]


def test_benjamini_yekutieli_scales_by_the_harmonic_number() -> None:
    adjusted = benjamini_yekutieli([0.01, None, 0.04, 0.03])
    harmonic = 1 + 1 / 2 + 1 / 3
    assert adjusted[1] is None
    assert adjusted[0] == pytest.approx(0.01 * 3 * harmonic)
    # 0.03 * 3 / 2 is larger than 0.04 * 3 / 3, which bounds it.
    assert adjusted[2] == adjusted[3] == pytest.approx(0.04 * harmonic)
    assert benjamini_yekutieli([0.9, 0.8]) == [1.0, 1.0]


def test_judges_are_compared_on_the_items_they_share() -> None:
    humans = people(80)
    rng = np.random.default_rng(1)
    good = truth_of(humans)
    bad = {item: int(rng.integers(1, 6)) for item in list(good)[:60]}
    both = compare_judges({"bad": bad, "good": good}, humans, scoring="neg_rmse", resampling=FEW)
    assert [test.judge for test in both.tests] == ["good", "bad"]
    assert both.shared_items == 60
    [difference] = both.differences
    assert (difference.judge, difference.best) == ("bad", "good")
    assert difference.upper is not None
    assert difference.upper < 0
    assert both.verdict().startswith("At epsilon 0.2, 1 of 2 judges pass (good).")


def test_the_verdict_covers_every_epsilon() -> None:
    humans = people(80, noise=0.4)
    judges = {"good": truth_of(humans), "constant": dict.fromkeys(truth_of(humans), 1)}
    both = compare_judges(
        judges, humans, scoring="neg_rmse", epsilons=(0.9, 0.1, 0.05), resampling=FEW
    )
    passed = {(test.judge, test.epsilon): test.passed for test in both.tests}
    assert passed["good", 0.1]
    assert passed["constant", 0.9]
    assert both.verdict().startswith(
        "At epsilon 0.05 and 0.1, 1 of 2 judges pass (good). At epsilon 0.9, 2 of 2 judges pass "
        "(good, constant). good has the highest advantage probability, "
    )
    alone = compare_judges(
        {"constant": judges["constant"]},
        humans,
        scoring="neg_rmse",
        epsilons=(0.1, 0.9),
        resampling=FEW,
    )
    assert alone.verdict() == (
        "At epsilon 0.1, constant does not pass: it wins against 0 of 3 annotators. "
        "At epsilon 0.9, constant passes: it wins against 3 of 3 annotators."
    )


def test_power_rises_with_the_number_of_items() -> None:
    humans = people(100, noise=0.4)
    points = alt_test_power(
        truth_of(humans), humans, [30, 60, 200], epsilon=0.1, scoring="neg_rmse", resampling=FEW
    )
    powers = [point.power for point in points]
    assert powers == sorted(powers)
    assert powers[-1] > 0.95
    with pytest.raises(ParameterError, match="at least 2"):
        alt_test_power(truth_of(humans), humans, [1])


@pytest.mark.skipif(
    PAPER is None, reason="set RUBRICA_ALTTEST_DATA to the data of a clone of nitaytech/AltTest"
)
@pytest.mark.parametrize("task", json.loads(EXPECTED.read_text()))
def test_the_results_of_the_authors_code_are_reproduced(task: str) -> None:
    folder = Path(str(PAPER)) / task
    humans: Any = json.loads((folder / "human_annotations.json").read_text())
    judges: Any = json.loads((folder / "llm_annotations.json").read_text())
    for row in json.loads(EXPECTED.read_text())[task]:
        result = alt_test(
            judges[row["llm"]],
            humans,
            scoring=row["scoring"],
            epsilon=row["epsilon"],
            resampling=Resampling(rounds=0),
        )
        assert result.winning_rate == row["winning_rate"], row
        assert result.advantage_probability == row["advantage_probability"], row


def test_a_table_without_named_annotators_says_how_to_name_them(tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_text('{"instance_id": "d", "summarizer_id": "s", "metrics": {"relevance": 3}}\n')
    with pytest.raises(DataError, match=r"rows.jsonl: no labels by two annotators; .*`annotator="):
        read_annotations([file])
