"""Paired tests of systems: what they find, what they must not find, and what is undefined."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from rubrica.comparison import Plan, compare
from rubrica.comparison.paired import bootstrap_p, exchanged_scores, randomization_p, worse_p
from rubrica.comparison.samples import Sample
from rubrica.data import MetricsDict
from rubrica.errors import MismatchError, ParameterError, UnknownNameError
from rubrica.metrics import ReferenceBasedMetric, Rouge, SentBleu

REFERENCES = ["the ferry left late", "rain fell on the town", "the mayor spoke", "it was over"] * 3
GOOD = [text.replace("the", "a") for text in REFERENCES]
BAD = ["nothing of this", "rain", "the", "spoke"] * 3


def sample_of(one: list[float], other: list[float]) -> Sample:
    values = np.array([one, other])[:, :, None]
    return Sample.of(SentBleu(), ("sent-bleu",), values)


def test_randomization_is_the_exact_test_when_all_exchanges_are_tried() -> None:
    one, other = [1.0, 3.0, 2.0, 5.0], [2.0, 2.5, 4.0, 6.0]
    first, second = exchanged_scores(sample_of(one, other), [(0, 1)], 20_000, 1)
    observed = np.mean(other) - np.mean(one)
    exact = []
    for signs in product((1, -1), repeat=4):
        exact.append(abs(np.mean(np.multiply(signs, np.subtract(other, one)))))
    expected = np.mean([value >= abs(observed) - 1e-12 for value in exact])
    found = randomization_p((second - first)[0], np.array([observed]))
    assert found[0] == pytest.approx(expected, abs=0.02)


def test_identical_systems_are_not_different() -> None:
    found = compare({"a": GOOD, "b": GOOD}, REFERENCES, [Rouge(1)], workers=1)
    assert found.tests[0].p_value == 1.0
    assert found.tests[0].difference == 0.0
    plan = Plan(methods={"ar": 1000}, p_rule="sacrebleu")
    # sacrebleu's count takes two equal systems for different ones; this is why it is not the default.
    theirs = compare({"a": GOOD, "b": GOOD}, REFERENCES, [Rouge(1)], plan=plan, workers=1)
    assert theirs.tests[0].p_value == pytest.approx(1 / 1001)


def test_a_difference_that_rests_on_one_input_is_not_significant() -> None:
    other = [*GOOD[:-1], "quite another thing"]
    found = compare({"a": GOOD, "b": other}, REFERENCES, [Rouge(1)], workers=1)
    assert found.tests[0].p_value == 1.0


def test_the_better_system_is_found_and_the_order_of_systems_does_not_matter() -> None:
    plan = Plan(methods={"ar": 2000, "bs": 500})
    one = compare({"bad": BAD, "good": GOOD}, REFERENCES, [Rouge(1)], plan=plan, workers=1)
    two = compare({"good": GOOD, "bad": BAD}, REFERENCES, [Rouge(1)], plan=plan, workers=1)
    for a, b in zip(one.tests, two.tests, strict=True):
        assert a.difference == -b.difference > 0
        assert a.p_value is not None
        assert a.p_value == b.p_value
        assert a.p_value < 0.05
        assert one.significant(a)


def test_all_pairs_are_corrected_over_the_pairs_of_a_measure() -> None:
    plan = Plan(methods={"ar": 500}, all_pairs=True, correction="holm")
    systems = {"a": GOOD, "b": BAD, "c": REFERENCES}
    found = compare(systems, REFERENCES, ["sent-bleu"], plan=plan, workers=1)
    assert [(t.system, t.baseline) for t in found.tests] == [("b", "a"), ("c", "a"), ("c", "b")]
    assert all(t.adjusted >= t.p_value for t in found.tests if t.adjusted and t.p_value)


def test_a_baseline_by_name_comes_first() -> None:
    found = compare(
        {"a": GOOD, "b": BAD}, REFERENCES, plan=Plan(methods={"ar": 100}, baseline="b"), workers=1
    )
    assert found.systems == ["b", "a"]
    assert {one.baseline for one in found.tests} == {"b"}
    with pytest.raises(UnknownNameError, match="no system 'c'"):
        compare({"a": GOOD}, REFERENCES, plan=Plan(methods={}, baseline="c"), workers=1)


class Sometimes(ReferenceBasedMetric):
    """Undefined for some summaries."""

    def score_one(self, summary: str, references: list[str]) -> dict[str, float | None]:
        return {"sometimes": None if summary == "rain" else float(len(summary))}


def test_undefined_values_are_left_out_of_both_systems_means() -> None:
    found = compare({"a": GOOD, "b": BAD}, REFERENCES, [Sometimes()], workers=1)
    lengths = [len(text) for text in BAD if text != "rain"]
    test = found.tests[0]
    mean_a = np.mean([len(text) for text in GOOD])
    assert test.difference == pytest.approx(np.mean(lengths) - mean_a)
    assert found.evaluation.systems["b"].undefined == {"sometimes": 3}
    assert test.p_value is not None


class Never(ReferenceBasedMetric):
    """Undefined."""

    def score_one(self, summary: str, references: list[str]) -> MetricsDict:
        return MetricsDict({"never": None})


def test_a_measure_that_is_never_defined_has_no_p_value() -> None:
    found = compare({"a": GOOD, "b": BAD}, REFERENCES, [Never()], workers=1)
    assert found.tests[0].p_value is None
    assert not found.significant(found.tests[0])


def test_systems_must_have_the_same_inputs() -> None:
    with pytest.raises(MismatchError, match="b has 3 summaries and there are references of 12"):
        compare({"a": GOOD, "b": GOOD[:3]}, REFERENCES, workers=1)


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({"alpha": 0}, "alpha must lie between"),
        ({"correction": "x"}, "no correction 'x'"),
        ({"methods": {"ar": 0}}, "at least one round"),
        ({"methods": {"t": 5}}, "no paired test 't'"),
        ({"baseline": "a", "all_pairs": True}, "no baseline"),
    ],
)
def test_a_plan_that_means_nothing_is_refused(more: dict[str, object], told: str) -> None:
    with pytest.raises(ParameterError, match=told):
        Plan(**{"methods": {"ar": 10}, **more})  # type: ignore[arg-type]


def test_p_values_by_hand() -> None:
    drawn = np.array([[1.0], [-2.0], [3.0], [0.5]])
    assert randomization_p(drawn, np.array([2.0]))[0] == (2 + 1) / 5
    assert randomization_p(drawn, np.array([2.0]), "sacrebleu")[0] == (1 + 1) / 5
    assert worse_p(drawn, np.array([-2.0]))[0] == (1 + 1) / 5
    assert bootstrap_p(drawn, np.array([1.0]), "two-sided")[0] == (2 + 1) / 5
    # |d| less its mean 1.625: -0.625, 0.375, 1.375, -1.125.
    assert bootstrap_p(drawn, np.array([1.0]))[0] == (1 + 1) / 5


@pytest.mark.slow
def test_false_positives_are_as_many_as_alpha_for_randomization_and_more_for_sacrebleus_bootstrap() -> (
    None
):
    rng = np.random.default_rng(11)
    found = {"ar": 0, "bs": 0, "bs two-sided": 0}
    simulations = 400
    for _ in range(simulations):
        one, other = rng.normal(size=(2, 30))
        sample = sample_of(one.tolist(), other.tolist())
        observed = sample.observed()[1] - sample.observed()[0]
        first, second = exchanged_scores(sample, [(0, 1)], 200, 1)
        found["ar"] += randomization_p((second - first)[0], observed)[0] <= 0.05
        counts = rng.multinomial(30, np.full(30, 1 / 30), size=200)
        differences = (counts @ (other - one) / 30)[:, None]
        found["bs"] += bootstrap_p(differences, observed)[0] <= 0.05
        found["bs two-sided"] += bootstrap_p(differences, observed, "two-sided")[0] <= 0.05
    shares = {name: count / simulations for name, count in found.items()}
    assert 0.02 <= shares["ar"] <= 0.08
    assert 0.02 <= shares["bs two-sided"] <= 0.09
    assert shares["bs"] > 0.08
