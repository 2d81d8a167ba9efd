"""In files that do not say it, a measure's name or signature tells whose it is and which values are better."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from rubrica.data.metrics import Metrics, MetricsDict
from rubrica.metrics.base.measures import Measures, metric_for_measure
from rubrica.metrics.base.metric import METRICS


def lower_is_better(measure: str) -> bool:
    return Measures().group(measure.split(".")).direction == "lower"


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
    found = metric_for_measure(measure)
    assert found is not None
    assert found.name == metric


@pytest.mark.parametrize("measure", ["relevance", "terse", "expert.coherence", "rougeLsum"])
def test_other_peoples_measures_are_of_no_metric(measure: str) -> None:
    assert metric_for_measure(measure) is None
    assert not lower_is_better(measure)


@pytest.mark.parametrize(
    "measure",
    ["js-1-divergence", "js-2-divergence_jk", "smoothedJSD", "mine.KLInputSummary", "ter"],
)
def test_divergences_are_better_lower(measure: str) -> None:
    assert lower_is_better(measure)


def test_the_negative_divergence_is_better_higher() -> None:
    assert not lower_is_better("js-2")


def old_row(*signatures: str, **metrics: float) -> Metrics:
    return Metrics("d1", "s", "peer", MetricsDict(metrics), signatures)


def test_the_only_signature_tells_whose_measures_a_row_has() -> None:
    group = Measures([old_row("ter|case:mixed|v:0.1.0", mine=1.0)]).group(["mine"])
    assert (group.metric, group.direction, group.sentence_level) == ("ter", "lower", True)


def test_of_two_signatures_none_is_chosen_but_means_are_suspected() -> None:
    group = Measures([old_row("ter|v:0.1.0", "rouge|v:0.1.0", mine=1.0)]).group(["mine"])
    assert (group.metric, group.direction, group.sentence_level) == ("", "higher", True)


def test_a_signature_says_nothing_of_measures_in_other_rows() -> None:
    rows = [old_row("ter|v:0.1.0", ter=1.0), old_row(relevance=3.0)]
    group = Measures(rows).group(["relevance"])
    assert (group.metric, group.direction, group.sentence_level) == ("", "higher", False)


def test_what_a_row_says_comes_before_its_name() -> None:
    from rubrica.data.measures import MeasureGroup

    own = MeasureGroup("mine:Metric", ("ter",), range=(0.0, 1.0))
    row = Metrics("d1", "s", "peer", MetricsDict({"ter": 1.0}), ("ter|v:0.1.0",), (own,))
    assert Measures([row]).group(["ter"]) is own


@pytest.mark.parametrize("name", ["evil_module:Thing", "evil_module%3AThing", "evil_module"])
def test_a_file_of_scores_imports_nothing(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rubrica: Any
) -> None:
    # A module that fails is no longer in `sys.modules`, so it leaves a file.
    mark = tmp_path / "imported"
    (tmp_path / "evil_module.py").write_text(f"open({str(mark)!r}, 'w').close()\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    ids = {"summarizer_id": "s", "summarizer_type": "peer", "signatures": [f"{name}|v:0.1.0"]}
    about: dict[str, Any] = {"metric": name, "names": ["bleu"], "sentence_level": True}
    for more in (
        {},
        {"measures": [about]},
        {"measures": [about | {"metric": "evil_module:Thing"}]},
        {"measures": [about | {"sentence_level": False}]},
    ):
        rows = [
            {"instance_id": str(n), **ids, **more, "metrics": {"bleu": n, "evil_module:Thing": 1}}
            for n in range(3)
        ]
        file = tmp_path / "rows.jsonl"
        file.write_text("".join(json.dumps(one) + "\n" for one in rows))
        for measure in ("bleu", "evil_module:Thing"):
            rubrica("gate", file, "--baseline", file, "--measures", measure)
        rubrica("report", "systems", file, "-o", tmp_path / "page.html")
        rubrica("compare", file)
        words = ["--scores", file, "--summarizer-type", "peer"]
        rubrica("correlate", *words, "--measures", "bleu", "evil_module:Thing")
    assert not mark.exists()
    assert "evil_module" not in sys.modules
    assert METRICS.find("evil_module:Thing") is None
