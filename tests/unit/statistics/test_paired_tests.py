"""Paired tests of systems: what they find, what they must not find, and what is undefined."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy import stats

from rubrica.comparison import TestPlan, compare
from rubrica.data import MetricsDict
from rubrica.data.clusters import Clusters
from rubrica.errors import DataError, MismatchError, ParameterError, UnknownNameError
from rubrica.metrics import ReferenceBasedMetric, Rouge, SentBleu
from rubrica.metrics.base.sample import Sample
from rubrica.statistics.intervals import wilson_bounds
from rubrica.statistics.paired import exchanged_scores
from rubrica.statistics.significance import PAIRED_TESTS, sign_test_p, tail_p

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
    found = tail_p((second - first)[0], np.array([observed]), "two-sided")
    assert found[0] == pytest.approx(expected, abs=0.02)


def test_identical_systems_are_not_different() -> None:
    found = compare({"a": GOOD, "b": GOOD}, REFERENCES, [Rouge(1)], workers=1)
    assert found.tests[0].p_value == 1.0
    assert found.tests[0].difference == 0.0
    plan = TestPlan(methods={"ar-sacrebleu": 1000})
    # sacrebleu's count takes two equal systems for different ones; this is why it is not the default.
    theirs = compare({"a": GOOD, "b": GOOD}, REFERENCES, [Rouge(1)], plan=plan, workers=1)
    assert theirs.tests[0].p_value == pytest.approx(1 / 1001)


def test_a_difference_that_rests_on_one_input_is_not_significant() -> None:
    other = [*GOOD[:-1], "quite another thing"]
    found = compare({"a": GOOD, "b": other}, REFERENCES, [Rouge(1)], workers=1)
    assert found.tests[0].p_value == 1.0


def test_the_better_system_is_found_and_the_order_of_systems_does_not_matter() -> None:
    plan = TestPlan(methods={"ar": 2000, "bs": 500})
    one = compare({"bad": BAD, "good": GOOD}, REFERENCES, [Rouge(1)], plan=plan, workers=1)
    two = compare({"good": GOOD, "bad": BAD}, REFERENCES, [Rouge(1)], plan=plan, workers=1)
    for a, b in zip(one.tests, two.tests, strict=True):
        assert a.difference == -b.difference > 0
        assert a.p_value is not None
        assert a.p_value == b.p_value
        assert a.p_value < 0.05
        assert one.significant(a)


def test_all_pairs_are_corrected_over_the_pairs_of_a_measure() -> None:
    plan = TestPlan(methods={"ar": 500}, all_pairs=True, correction="holm")
    systems = {"a": GOOD, "b": BAD, "c": REFERENCES}
    found = compare(systems, REFERENCES, ["sent-bleu"], plan=plan, workers=1)
    assert [(t.system, t.baseline) for t in found.tests] == [("b", "a"), ("c", "a"), ("c", "b")]
    assert all(t.adjusted >= t.p_value for t in found.tests if t.adjusted and t.p_value)


def test_a_baseline_by_name_comes_first() -> None:
    found = compare(
        {"a": GOOD, "b": BAD},
        REFERENCES,
        plan=TestPlan(methods={"ar": 100}, baseline="b"),
        workers=1,
    )
    assert found.systems == ["b", "a"]
    assert {one.baseline for one in found.tests} == {"b"}
    with pytest.raises(UnknownNameError, match="no system 'c'"):
        compare({"a": GOOD}, REFERENCES, plan=TestPlan(methods={}, baseline="c"), workers=1)


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
        ({"methods": {"ar": 2**61}}, "more than 10,000,000 rounds"),
        ({"methods": {"z": 5}}, "no paired test 'z'"),
        ({"baseline": "a", "all_pairs": True}, "have no baseline"),
    ],
)
def test_a_plan_that_means_nothing_is_refused(more: dict[str, object], told: str) -> None:
    with pytest.raises((ParameterError, UnknownNameError), match=told):
        TestPlan(**{"methods": {"ar": 10}, **more})  # type: ignore[arg-type]


def test_p_values_by_hand() -> None:
    null = np.array([[1.0], [-2.0], [3.0], [0.5]])
    assert tail_p(null, np.array([2.0]), "two-sided")[0] == (2 + 1) / 5
    assert tail_p(null, np.array([-2.0]), "lower")[0] == (1 + 1) / 5
    assert tail_p(null, np.array([1.0]), "higher")[0] == (2 + 1) / 5


def test_the_t_test_of_means_is_the_paired_t_test() -> None:
    random = np.random.default_rng(4)
    one, other = random.normal(size=(2, 9))
    sample = sample_of(one.tolist(), (other + 0.7).tolist())
    test = PAIRED_TESTS["t"].function
    for tail, alternative in (("two-sided", "two-sided"), ("lower", "less"), ("higher", "greater")):
        expected = stats.ttest_rel(other + 0.7, one, alternative=alternative).pvalue
        found = test(sample, [(0, 1)], 0, 1, tail).p_values  # type: ignore[arg-type]
        assert found[0, 0] == pytest.approx(expected, rel=1e-9)


def test_the_bootstrap_of_few_inputs_agrees_with_the_t_test() -> None:
    random = np.random.default_rng(4)
    one, other = random.normal(size=(2, 8))
    sample = sample_of(one.tolist(), (other + 1.0).tolist())
    p = {
        name: PAIRED_TESTS[name].function(sample, [(0, 1)], 20_000, 1, "two-sided").p_values[0, 0]
        for name in ("bs", "t")
    }
    assert p["bs"] == pytest.approx(p["t"], abs=0.02)


@pytest.mark.parametrize("name", PAIRED_TESTS)
def test_every_test_gives_the_same_p_whichever_system_comes_first(name: str) -> None:
    random = np.random.default_rng(4)
    sample = sample_of(*random.normal(size=(2, 12)).tolist())
    method = PAIRED_TESTS[name]
    p_values = method.function(sample, [(0, 1), (1, 0)], 300, 1, "two-sided").p_values
    assert p_values[0] == pytest.approx(p_values[1])
    if method.one_sided:
        low = method.function(sample, [(0, 1)], 300, 1, "lower").p_values
        high = method.function(sample, [(1, 0)], 300, 1, "higher").p_values
        assert low == pytest.approx(high)


def test_clusters_are_exchanged_together() -> None:
    """Four inputs in two clusters: of the four exchanges two give the observed size."""
    values = np.array([[1.0, 1.0, 1.0, 1.0], [2.0, 2.0, 3.0, 3.0]])[:, :, None]
    plain = Sample.of(SentBleu(), ("x",), values)
    clustered = Sample.of(SentBleu(), ("x",), values, ["a", "a", "b", "b"])
    test = PAIRED_TESTS["ar"].function
    assert test(plain, [(0, 1)], 4000, 1, "two-sided").p_values[0, 0] < 0.16
    p = test(clustered, [(0, 1)], 4000, 1, "two-sided").p_values[0, 0]
    assert p == pytest.approx(0.5, abs=0.03)


def test_a_cluster_of_its_own_for_each_input_changes_nothing() -> None:
    clusters = {str(number): f"topic {number}" for number in range(1, 13)}
    plan = TestPlan(methods={"ar": 500, "bs": 300, "t": 0})
    plain = compare({"a": GOOD, "b": BAD}, REFERENCES, ["chrf", "bleu"], plan=plan, workers=1)
    same = compare(
        {"a": GOOD, "b": BAD}, REFERENCES, ["chrf", "bleu"], plan=plan, workers=1, clusters=clusters
    )
    assert same.clusters == 12
    assert [test.p_value for test in plain.tests] == pytest.approx([t.p_value for t in same.tests])
    for system in ("a", "b"):
        expected, found = plain.evaluation.systems[system], same.evaluation.systems[system]
        for measure, interval in expected.scores.items():
            assert found.scores[measure].value == interval.value
            assert found.scores[measure].lower == pytest.approx(interval.lower)
            assert found.scores[measure].upper == pytest.approx(interval.upper)


def test_inputs_without_a_cluster_and_a_single_cluster_are_errors() -> None:
    with pytest.raises(DataError, match="no cluster for input '4'"):
        compare(
            {"a": GOOD}, REFERENCES, workers=1, clusters={str(number): "x" for number in (1, 2, 3)}
        )
    with pytest.raises(ParameterError, match="all 12 inputs are in one cluster"):
        compare({"a": GOOD}, REFERENCES, workers=1, clusters=Clusters.by_id("^"))


def test_the_old_rule_for_p_still_works_with_a_warning() -> None:
    with pytest.warns(DeprecationWarning, match="ar-sacrebleu"):
        plan = TestPlan(methods={"ar": 10}, p_rule="sacrebleu")
    assert plan.methods == {"ar-sacrebleu": 10}


@pytest.mark.parametrize(("successes", "count"), [(0, 9), (3, 9), (9, 9), (480, 1000)])
def test_the_interval_of_a_share_and_the_sign_test_are_scipys(successes: int, count: int) -> None:
    binomial = stats.binomtest(successes, count)
    expected = binomial.proportion_ci(0.9, method="wilson")
    assert wilson_bounds(successes / count, count, 90) == pytest.approx(
        (expected.low, expected.high), abs=1e-12
    )
    assert sign_test_p(successes, count - successes) == pytest.approx(binomial.pvalue, rel=1e-12)
