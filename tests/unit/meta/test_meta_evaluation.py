"""Many metrics at once give what `correlate`, `interval` and `compare` give one by one."""

from __future__ import annotations

import json
from dataclasses import FrozenInstanceError, replace
from typing import Any

import numpy as np
import pytest

import rubrica as rb
from rubrica.data.metrics import Metrics, MetricsDict
from rubrica.data.table import ScoreTable
from rubrica.errors import DataWarning, RubricaError
from rubrica.formatting.jsonable import to_jsonable
from rubrica.meta import (
    MetaEvaluation,
    benjamini_hochberg,
    compare_metrics,
    correlate,
    holm,
    interval,
    meta_evaluate,
    rank_clusters,
)
from rubrica.meta.correlation.levels import Level
from rubrica.meta.ranking.pairs import close_pairs, top_systems
from rubrica.meta.ranking.tables import WRITERS

NAMES = ("good", "fair", "poor", "flat")
FEW: dict[str, Any] = {"rounds": 199, "seed": 5}


@pytest.fixture(scope="module")
def table() -> ScoreTable:
    """Four metrics of falling quality, the last constant, and two human scores with ties."""
    rng = np.random.default_rng(3)
    quality = rng.normal(size=(7, 1))
    truth = quality + rng.normal(size=(7, 12))
    made = [truth + size * rng.normal(size=(7, 12)) for size in (0.3, 1.0, 4.0)]
    made += [np.ones((7, 12)), np.round(truth), np.round(truth + rng.normal(size=(7, 12)))]
    return ScoreTable.from_array(np.stack(made, axis=2), measures=[*NAMES, "human", "other"])


@pytest.fixture(scope="module")
def whole(table: ScoreTable) -> MetaEvaluation:
    return meta_evaluate(table, humans=["human", "other"], metrics=NAMES, **FEW)


def test_every_number_is_that_of_one_by_one(table: ScoreTable, whole: MetaEvaluation) -> None:
    assert len(whole.rankings) == 2 * 3 * 3
    for ranking in whole.rankings:
        z, at = table.matrix(ranking.human), (ranking.level, ranking.coefficient)
        for a, one in enumerate(ranking.standings):
            x = table.matrix(one.metric)
            found, span = correlate(x, z, *at), interval(x, z, *at, **FEW)
            assert (one.value, one.n, one.undefined) == (found.value, found.n, found.undefined)
            assert (one.lower, one.upper) == (span.lower, span.upper)
            assert one.undefined_rounds == span.undefined_rounds
            for b, other in enumerate(ranking.standings):
                if a != b:
                    test = compare_metrics(x, table.matrix(other.metric), z, *at, **FEW)
                    assert ranking.p_values[a][b] == test.p_value


@pytest.mark.parametrize(
    "options",
    [
        {"test": "bootstrap-both"},
        {"test": "bootstrap-input", "test_tails": 2},
        {"test": "permutation-system", "p_rule": "ratio"},
        {"test": "permutation-both", "scheme": "rows-columns"},
        {"test": "williams", "signed": True},
    ],
)
def test_every_test_is_that_of_compare(table: ScoreTable, options: dict[str, Any]) -> None:
    made = meta_evaluate(table, humans=["human"], metrics=NAMES[:3], **options, **FEW)
    words = {"method": options["test"], "tails": options.get("test_tails", 1)}
    words |= {key: options[key] for key in ("scheme", "p_rule", "signed") if key in options}
    for ranking in made.rankings:
        first, *_, last = (table.matrix(one.metric) for one in ranking.standings)
        human, level, coefficient = table.matrix("human"), ranking.level, ranking.coefficient
        for p, a, b in (
            (ranking.p_values[0][-1], first, last),
            (ranking.p_values[-1][0], last, first),
        ):
            test = compare_metrics(a, b, human, level, coefficient, **words, **FEW)
            assert p == test.p_value


@pytest.mark.parametrize("method", ["none", "fisher", "bootstrap-system", "bca"])
def test_every_interval_is_that_of_interval(table: ScoreTable, method: str) -> None:
    words: dict[str, Any] = {"bounds": "bca"} if method == "bca" else {"interval_method": method}
    made = meta_evaluate(
        table, humans=["human"], levels=["system"], metrics=NAMES, test="williams", **words, **FEW
    )
    words["method"] = words.pop("interval_method", "bootstrap-both")
    for ranking in made.rankings:
        for one in ranking.standings:
            x, z = table.matrix(one.metric), table.matrix("human")
            span = interval(x, z, "system", ranking.coefficient, **words, **FEW)
            assert (one.lower, one.upper) == (span.lower, span.upper)


def test_with_two_tails_the_matrix_is_symmetric(table: ScoreTable) -> None:
    made = meta_evaluate(table, humans=["human"], test_tails=2, **FEW)
    for ranking in made.rankings:
        for square in (ranking.p_values, ranking.adjusted):
            assert square == tuple(zip(*square, strict=True))
        p = [ranking.p_values[a][b] for a in range(5) for b in range(a + 1, 5)]
        adjusted = [ranking.adjusted[a][b] for a in range(5) for b in range(a + 1, 5)]
        assert adjusted == holm(p)


def test_with_one_tail_all_ordered_pairs_are_corrected_together(table: ScoreTable) -> None:
    made = meta_evaluate(
        table, humans=["human"], metrics=NAMES[:3], correction="benjamini-hochberg", **FEW
    )
    cells = [(a, b) for a in range(3) for b in range(3) if a != b]
    for ranking in made.rankings:
        expected = sorted(benjamini_hochberg([ranking.p_values[a][b] for a, b in cells]), key=float)  # type: ignore[arg-type]
        assert sorted((ranking.adjusted[a][b] for a, b in cells), key=float) == expected  # type: ignore[arg-type]


def test_order_clusters_and_undefined(table: ScoreTable) -> None:
    result = meta_evaluate(table, humans=["human"], metrics=NAMES, test="permutation-max", **FEW)
    first = result.ranking("human", Level.GLOBAL, "pearson")
    assert [one.metric for one in first.standings] == ["good", "fair", "poor", "flat"]
    assert first.standings[0].beats[-1] == "poor"
    assert [one.cluster for one in first.standings] == [1, 2, 3, None]
    assert first.standings[3].value is None
    assert set(first.p_values[3]) == {None}
    with pytest.raises(RubricaError, match="no ranking for 'humans'"):
        result.ranking("humans", "global")
    with pytest.raises(FrozenInstanceError):
        first.left_out = 3  # type: ignore[misc]


def matrix(number: int, *wins: tuple[int, int]) -> list[list[bool]]:
    return [[(a, b) in wins for b in range(number)] for a in range(number)]


@pytest.mark.parametrize(
    ("beats", "wmt", "layers"),
    [
        (matrix(0), [], []),
        (matrix(3), [1, 1, 1], [1, 1, 1]),
        (matrix(3, (0, 1), (0, 2), (1, 2)), [1, 2, 3], [1, 2, 3]),
        # Beaten by the first, the second ends the cluster for all below, beaten or not.
        (matrix(3, (0, 1)), [1, 2, 2], [1, 2, 1]),
        # The fourth is beaten by none of the current cluster.
        (matrix(4, (0, 2), (0, 3)), [1, 1, 2, 2], [1, 1, 2, 2]),
        (matrix(4, (1, 2), (0, 3), (2, 3)), [1, 1, 2, 3], [1, 1, 2, 3]),
    ],
)
def test_rules_of_clusters(beats: list[list[bool]], wmt: list[int], layers: list[int]) -> None:
    assert rank_clusters(beats) == wmt
    assert rank_clusters(beats, "layers") == layers


@pytest.mark.parametrize(
    ("p_values", "expected"),
    [
        ([[0, 1, 0, 1], [0, 0, 1, 1], [0, 0, 0, 1], [0, 0, 0, 0]], [1, 1, 2, 2]),
        ([[0, 0, 1, 1], [0, 0, 1, 1], [0, 0, 0, 0], [0, 0, 0, 0]], [1, 2, 2, 3]),
        ([[0, 1, 1, 1], [0, 0, 1, 1], [0, 0, 0, 1], [0, 0, 0, 0]], [1, 1, 1, 1]),
    ],
)
def test_clusters_are_those_of_mt_metrics_eval(
    p_values: list[list[float]], expected: list[int]
) -> None:
    """Examples of its own unit test of AssignRanks, at p <= 0.5; only the upper half counts there."""
    beats = [[b > a and p <= 0.5 for b, p in enumerate(row)] for a, row in enumerate(p_values)]
    assert rank_clusters(beats) == expected


def test_curves_are_those_of_the_system_level(table: ScoreTable, whole: MetaEvaluation) -> None:
    x, z = table.matrix("fair"), table.matrix("human")
    curve = next(one for one in whole.curves if (one.human, one.metric) == ("human", "fair"))
    assert curve.top == top_systems(x, z)
    assert curve.close == close_pairs(x, z)
    kendall = whole.ranking("human", "system", "kendall").standings
    assert curve.top[0].value == next(one.value for one in kendall if one.metric == "fair")
    assert not meta_evaluate(table, humans=["human"], levels=["global"], **FEW).curves


def test_a_whole_result_is_json(whole: MetaEvaluation) -> None:
    made = json.loads(json.dumps(to_jsonable(whole), allow_nan=False))
    assert len(made["rankings"]) == 18
    assert made["rankings"][0]["signature"] == str(whole.rankings[0].signature)


def test_one_name_is_a_list_of_one(table: ScoreTable) -> None:
    human = table.measures[-1]
    options: dict[str, Any] = {"rounds": 9, "interval_method": "none"}
    plain: dict[str, Any] = {
        "humans": human,
        "metrics": table.measures[0],
        "levels": "system",
        "coefficients": "kendall",
        "lower_is_better": table.measures[0],
    }
    listed: dict[str, Any] = {name: [value] for name, value in plain.items()}
    assert (
        meta_evaluate(table, **plain, **options).to_json()
        == meta_evaluate(table, **listed, **options).to_json()
    )


def test_the_seed_decides_and_threads_do_not(table: ScoreTable, whole: MetaEvaluation) -> None:
    def run(**more: Any) -> MetaEvaluation:
        return meta_evaluate(table, humans=["human", "other"], metrics=NAMES, **{**FEW, **more})

    assert run(threads=1) == run(threads=3) == whole
    assert run(seed=6) != whole


@pytest.mark.parametrize("reversed_measure", ["good", "human"])
def test_rankings_and_tests_reverse_a_lower_measure_and_correlations_stay_plain(
    table: ScoreTable, reversed_measure: str
) -> None:
    flips = np.array([-1.0 if name == reversed_measure else 1.0 for name in table.measures])
    flipped = replace(table, values=table.values * flips)
    words: dict[str, Any] = {"humans": ["human"], "metrics": NAMES, **FEW}
    made = meta_evaluate(flipped, lower_is_better=[reversed_measure], **words)
    assert made.lower_is_better == (reversed_measure,)
    for one, other in zip(made.rankings, meta_evaluate(table, **words).rankings, strict=True):
        assert (one.p_values, one.adjusted) == (other.p_values, other.adjusted)
        for here, there in zip(one.standings, other.standings, strict=True):
            assert (here.metric, here.cluster, here.beats) == (
                there.metric,
                there.cluster,
                there.beats,
            )
            assert here.sign == (-1 if reversed_measure in (here.metric, "human") else 1)
            plain_value = correlate(
                flipped.matrix(here.metric), flipped.matrix("human"), one.level, one.coefficient
            ).value
            assert here.value == plain_value
            assert there.value is None or here.value == here.sign * there.value


def test_all_metrics_are_compared_on_the_same_cells(table: ScoreTable) -> None:
    values = table.values.copy()
    values[2, 3, 0] = np.nan
    gap = replace(table, values=values)
    one = meta_evaluate(gap, humans=["human"], metrics=NAMES, **FEW).rankings[2]
    assert one.left_out == 1
    values[2, 3] = np.nan
    both = meta_evaluate(replace(table, values=values), humans=["human"], metrics=NAMES, **FEW)
    assert one.standings == both.rankings[2].standings
    assert both.rankings[2].left_out == 0


@pytest.mark.parametrize("format", ["text", "markdown", "latex"])
def test_metrics_by_human_scores_come_first_with_intervals_and_clusters(
    table: ScoreTable, whole: MetaEvaluation, format: str
) -> None:
    text = WRITERS[format](whole)
    first, then = "all human scores, summary level", "human, summary level"
    if format == "latex":
        first, then = "Pearson correlations with human", "Correlations with human at the summary"
    assert text.index(first) < text.index(then)
    for human in whole.humans:
        ranking = whole.ranking(human, "summary")
        best = ranking.standings[0]
        assert len({standing.cluster for standing in ranking.standings}) > 1
        cell = f"{best.value:.3f} [{best.lower:.3f}, {best.upper:.3f}] ({best.cluster})"
        bold = {"text": cell, "markdown": cell.replace("[", "\\[").replace("]", "\\]")}
        shown = bold.get(format, rf"\textbf{{{cell}}}")
        assert shown in text
    assert "n parentheses: the cluster" in text
    one = meta_evaluate(table, humans=["human"], metrics=NAMES, **FEW)
    assert "all human scores" not in WRITERS[format](one)


def test_rows_and_a_single_metric_will_do() -> None:
    rows = [
        Metrics(f"d{i}", f"s{s}", "peer", MetricsDict({"m": s + i % 2, "h": [s, s]}))
        for s in range(4)
        for i in range(3)
    ]
    made = meta_evaluate(rows, humans=["h"], **FEW)
    assert made.metrics == ("m",)
    assert made.rankings[0].standings[0].cluster == 1
    assert made.rankings[0].p_values == ((None,),)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ({"humans": []}, "at least one human score"),
        ({"metrics": []}, "at least one metric"),
        ({"humans": ["humen"]}, "did you mean 'human'"),
        ({"metrics": ["good", "good"]}, "named twice"),
        ({"metrics": ["human"]}, "as a metric and as a human score"),
        ({"correction": "bonferroni"}, "no correction 'bonferroni'"),
        ({"clusters": "all"}, "no rule for clusters 'all'"),
        ({"test": "t"}, "no test 't'"),
        ({"interval_method": "x"}, "no interval 'x'"),
        ({"levels": ["sytem"]}, "no level 'sytem'"),
        ({"lower_is_better": ["x"]}, "no measure 'x'"),
    ],
)
def test_mistakes(table: ScoreTable, words: dict[str, Any], told: str) -> None:
    with pytest.raises(RubricaError, match=told):
        meta_evaluate(table, **{"humans": ["human"], **FEW, **words})


def test_without_names_variants_of_a_measure_are_left_out() -> None:
    rows = [
        Metrics(
            str(i),
            f"s{s}",
            "peer",
            MetricsDict(
                {
                    "rouge-1": {"precision": s + i, "recall": s - i, "f1": 2 * s},
                    "rouge-1_jk": {"precision": s + i, "recall": s - i, "f1": 2 * s},
                    "recall-only": {"recall": s * i},
                    "relevance": s,
                }
            ),
        )
        for s in range(4)
        for i in range(3)
    ]
    result = meta_evaluate(rows, humans=["relevance"], rounds=20)
    assert result.metrics == ("rouge-1.f1", "recall-only.recall")


def test_a_jackknifed_value_stays_where_summaries_lack_the_plain_one() -> None:
    rows = [
        Metrics(
            str(i),
            f"s{s}",
            "reference" if s == 0 else "peer",
            MetricsDict(
                {"rouge-1_jk": {"f1": s * i}, "relevance": s}
                | ({"rouge-1": {"f1": s}} if s else {})
            ),
        )
        for s in range(4)
        for i in range(3)
    ]
    with pytest.warns(DataWarning, match=r"summaries lack them: rouge-1\.f1; name metrics"):
        result = meta_evaluate(rows, humans=["relevance"], rounds=20, summarizer_type="all")
    assert result.metrics == ("rouge-1_jk.f1",)
    peers = meta_evaluate(rows, humans=["relevance"], rounds=20)
    assert peers.metrics == ("rouge-1.f1",)


def test_registered_metrics_declare_that_lower_is_better_in_python_too():
    rows = [
        rb.Metrics(
            str(i),
            f"s{s}",
            "peer",
            MetricsDict({"ter": -3 * s - i, "weak": s * i % 4, "relevance": s + i % 2}),
        )
        for s in range(4)
        for i in range(5)
    ]
    result = rb.meta_evaluate(rows, humans=["relevance"], rounds=20)
    assert result.lower_is_better == ("ter",)
    best = result.ranking("relevance", "system", "pearson").standings[0]
    assert best.metric == "ter"
    assert best.value is not None
    assert best.value < 0
