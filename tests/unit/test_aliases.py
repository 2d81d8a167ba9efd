"""Names that people type mean the metrics, measures and data sets that they know."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from rubrica.aliases import find_measure
from rubrica.cli.scoring.metric_spec import metrics_of
from rubrica.comparison.measures import metrics_for, rename_lsum, rouge_parameters
from rubrica.data import Metrics, MetricsDict
from rubrica.data.table import ScoreTable
from rubrica.datasets.base import DATASETS
from rubrica.errors import UnknownNameError
from rubrica.metrics.base.metric import METRICS, Metric, load
from rubrica.metrics.base.metric_like import resolve_metrics

MEASURES = [
    "rouge-1.recall",
    "rouge-1.f1",
    "rouge-2.f1",
    "rouge-l.f1",
    "rouge-lsum.f1",
    "bertscore.f1",
]


@pytest.mark.parametrize(
    ("name", "measure"),
    [
        ("rouge1", "rouge-1.f1"),
        ("rouge2", "rouge-2.f1"),
        ("rougeL", "rouge-l.f1"),
        ("ROUGE-L", "rouge-l.f1"),
        ("rouge-l", "rouge-l.f1"),
        ("rougeLsum", "rouge-lsum.f1"),
        ("rougeL_fmeasure", "rouge-l.f1"),
        ("rouge-1_f1", "rouge-1.f1"),
        ("rouge1_recall", "rouge-1.recall"),
        ("bertscore_f1", "bertscore.f1"),
        ("BERTScore", "bertscore.f1"),
        ("rouge-3", None),
    ],
)
def test_a_measure_is_found_by_the_names_of_other_libraries(name: str, measure: str | None) -> None:
    assert find_measure(name, MEASURES) == measure


def test_an_exact_name_wins_and_an_ambiguous_one_means_nothing() -> None:
    assert find_measure("rougeL", ["rouge-l.f1", "rougeL"]) == "rougeL"
    assert find_measure("rougel", ["rouge-l", "rougeL"]) is None


@pytest.mark.parametrize(
    ("alias", "name"),
    [
        ("bert-score", "bertscore"),
        ("BERTScore", "bertscore"),
        ("sacrebleu", "bleu"),
        ("BLEU", "bleu"),
        ("chrF", "chrf"),
        ("qaeval", "qa-eval"),
        ("mover_score", "moverscore"),
        ("rouge", "rouge"),
    ],
)
def test_a_metric_is_found_by_another_spelling(alias: str, name: str) -> None:
    assert METRICS.resolve(alias) == name
    assert alias in METRICS


@pytest.mark.parametrize(
    ("alias", "name"),
    [
        ("summeval", "fabbri2020"),
        ("SummEval", "fabbri2020"),
        ("realsumm", "bhandari2020"),
        ("cnn_dailymail", "cnndm"),
    ],
)
def test_a_data_set_is_found_by_its_usual_name(alias: str, name: str) -> None:
    assert DATASETS.load(alias) is DATASETS.load(name)


def test_metrics_that_rows_name_are_not_looked_up_by_alias() -> None:
    assert METRICS.find("BLEU") is None
    assert METRICS.find("bleu") is METRICS.load("bleu")


def test_the_metric_of_a_measure_is_known_by_its_alias() -> None:
    metrics = metrics_for(["rougeL", "rouge-3.f1", "chrF"])
    assert metrics["rougeL"] is metrics["rouge-3.f1"]
    names = metrics["rougeL"].score("the cat", ["the cat sat"]).measure_names()
    assert {"rouge-3.f1", "rouge-l.f1"} <= set(names)
    assert metrics["chrF"].label == "chrf"


def test_rouge_lsum_is_rouge_l_where_that_is_computed_over_sentences() -> None:
    assert list(metrics_for(["rougeLsum_f1"])) == ["rouge-l_f1"]
    assert rename_lsum("rougeLsum", [load("rouge")]) == "rouge-l"
    assert rename_lsum("rougeLsum", [load("rouge", profile="rouge-score")]) == "rougeLsum"
    assert rouge_parameters("rougeLsum", "rouge-score") == {"compute_rouge_lsum": True}
    assert rouge_parameters("rougeLsum") == {}


def test_tables_of_scores_take_aliases() -> None:
    scores = {"rouge-l": {"f1": 0.5, "recall": 0.25}, "rougeX": 1.0}
    row = Metrics("1", "a", "peer", MetricsDict(scores))
    table = ScoreTable.from_metrics([row], ["rougeL", "rouge-l_recall"])
    assert table.values.tolist() == [[[0.5, 0.25]]]
    assert ScoreTable.from_metrics([row]).matrix("ROUGE-L").tolist() == [[0.5]]
    with pytest.raises(UnknownNameError):
        ScoreTable.from_metrics([row], ["rougeM"])


@pytest.mark.parametrize("resolve", [resolve_metrics, metrics_of], ids=["python", "command"])
def test_measures_of_rouge_are_one_metric(resolve: Callable[[list[str]], list[Metric]]) -> None:
    (metric,) = resolve(["rouge1", "rougeL", "rouge-su4", "rouge_w-1.2", "rouge-3"])
    names = metric.score("the cat", ["the cat sat"])
    assert [*names] == ["rouge-1", "rouge-2", "rouge-3", "rouge-l", "rouge-w-1.2", "rouge-su4"]
    (twice,) = resolve(["rouge-su4", "rouge"])
    assert [*twice.score("the cat", ["the cat sat"])] == [
        "rouge-1", "rouge-2", "rouge-l", "rouge-su4"
    ]  # fmt: skip


@pytest.mark.parametrize("resolve", [resolve_metrics, metrics_of], ids=["python", "command"])
def test_measures_that_no_rouge_computes_together_are_several(
    resolve: Callable[[list[str]], list[Metric]],
) -> None:
    metrics = resolve(["rouge-su4", "rouge-su9", "chrf", "rouge-w-1.2"])
    assert [metric.label for metric in metrics] == ["rouge", "rouge", "chrf"]
    assert [*metrics[0].score("the cat", ["the cat sat"])][-2:] == ["rouge-w-1.2", "rouge-su4"]
