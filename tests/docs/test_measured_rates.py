"""Error rates and coverage in the text of pages are those of the last simulation."""

from __future__ import annotations

import json
import re

import pytest

from support.blocks import ROOT

ROWS = json.loads((ROOT / "benchmarks" / "results" / "levels.json").read_text("utf-8"))["results"]
EQUAL_SYSTEMS = r"compare: equal( systems|, skewed|, corpus score)"
TOPICS = "compare: equal, topics"
EQUAL_METRICS = "metrics: equal"
INTERVALS = "correlation: interval"


def text_of(name: str) -> str:
    return " ".join((ROOT / "docs" / name).read_text("utf-8").split())


def percents(experiment: str, *methods: str, size: str = "") -> list[float]:
    """Return the shares of an experiment, in percent."""
    found = [
        row["percent"]
        for row in ROWS
        if re.match(experiment, row["experiment"])
        and row["method"].removesuffix(" (default)") in methods
        and re.search(size, row["size"])
    ]
    assert found
    return found


def span(values: list[float], digits: int = 1) -> str:
    return f"{min(values):.{digits}f} to {max(values):.{digits}f} %"


@pytest.mark.parametrize("page", ["statistics.md", "compare.md"])
def test_how_often_sacrebleus_bootstrap_rejects_equal_systems(page: str) -> None:
    rates = percents(EQUAL_SYSTEMS, "bs-sacrebleu")
    assert f"{min(rates) / 5:.1f} to {max(rates) / 5:.1f} times as often as" in text_of(page)


def test_how_often_tests_reject_equal_systems_if_topics_are_ignored() -> None:
    assert f"in {span(percents(TOPICS, 'ar', 'bs', 't'), 0)} of cases" in text_of("compare.md")


def test_how_often_permutation_tests_reject_equal_metrics() -> None:
    statistics, guide = text_of("statistics.md"), text_of("meta-evaluation.md")
    default = span(percents(EQUAL_METRICS, "permutation-two-way"))
    assert f"rejects equal metrics in {default}" in statistics
    assert f"It rejects {default}" in guide
    largest = f"`permutation-max` rejects up to {max(percents(EQUAL_METRICS, 'permutation-max'))} %"
    both = max(percents(EQUAL_METRICS, "permutation-both"))
    assert f"{largest}, and `permutation-both` up to {both:.0f} %" in guide
    others = percents(
        EQUAL_METRICS, *(f"permutation-{unit}" for unit in ("system", "input", "both"))
    )
    assert f"the other permutation tests up to {max(others):.0f} %" in statistics


def test_how_often_intervals_of_correlations_cover() -> None:
    guide, default = text_of("meta-evaluation.md"), span(percents(INTERVALS, "auto"))
    assert f"The default intervals of correlations cover {default}" in text_of("statistics.md")
    jackknife, bootstrap = (
        span(percents(INTERVALS, method, size="summary|global"))
        for method in ("jackknife", "bootstrap-both")
    )
    assert f"the jackknife covers {jackknife} and `bootstrap-both` {bootstrap}" in guide
    fisher = span(percents(INTERVALS, "fisher", size="system"))
    assert f"Fisher's interval covers {fisher}" in guide
