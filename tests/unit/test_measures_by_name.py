"""A measure's name in a file of scores says whose it is, and so which values are better."""

from __future__ import annotations

import pytest

from rubrica.metrics.measures import lower_is_better, metric_of


@pytest.mark.parametrize(
    ("measure", "metric"),
    [
        ("ter", "ter"),
        ("ter_jk", "ter"),
        ("js-2-divergence", "js"),
        ("rouge-1.f1", "rouge"),
        ("rouge-we-1_jk.f1", "rouge-we"),
        ("blanc_help", "blanc"),
        ("unsmoothedJSD", "simetrix"),
        ("mine.KLSummaryInput", "simetrix"),
    ],
)
def test_a_measure_is_of_the_metric_it_is_named_after(measure: str, metric: str) -> None:
    found = metric_of(measure)
    assert found is not None
    assert found.name == metric


@pytest.mark.parametrize("measure", ["relevance", "terse", "expert.coherence", "rougeLsum"])
def test_other_peoples_measures_are_of_no_metric(measure: str) -> None:
    assert metric_of(measure) is None
    assert not lower_is_better(measure)


@pytest.mark.parametrize(
    "measure",
    ["js-1-divergence", "js-2-divergence_jk", "smoothedJSD", "mine.KLInputSummary", "ter"],
)
def test_divergences_are_better_lower(measure: str) -> None:
    assert lower_is_better(measure)


def test_the_negative_divergence_is_better_higher() -> None:
    assert not lower_is_better("js-2")
