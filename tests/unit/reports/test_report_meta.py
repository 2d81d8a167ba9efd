"""The report of a meta-evaluation holds the result's numbers, and refuses other scores."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any, get_args

import numpy as np
import pytest

from rubrica.cli.meta.results import result_of
from rubrica.data.table import ScoreTable
from rubrica.errors import DataError, MismatchError
from rubrica.meta.correlation.significance import Test
from rubrica.meta.evaluation import meta_evaluate
from rubrica.meta.join import join_scores
from rubrica.meta.ranking.rankings import MetaEvaluation
from rubrica.meta.ranking.tables import object_of
from rubrica.reports.meta import meta_report
from rubrica.reports.meta_method import method_text
from rubrica.reports.scored_texts import SummaryTexts
from rubrica.statistics.corrections import CORRECTIONS


def scores() -> ScoreTable:
    rng = np.random.default_rng(4)
    people = rng.normal(size=(5, 7))
    values = np.stack(
        [people + rng.normal(size=(5, 7)) * spread for spread in (0.3, 1, 4)] + [people], axis=2
    )
    values[1, 2, 0] = np.nan
    names = tuple(f"s{n}" for n in range(5)), tuple(f"d{n}" for n in range(7))
    return ScoreTable(*names, ("near", "far", "noise", "people"), values)


def evaluated(table: ScoreTable, **options: Any) -> MetaEvaluation:
    metrics = ["near", "far", "noise"]
    return meta_evaluate(table, humans=["people"], metrics=metrics, rounds=40, **options)


def test_a_result_read_again_is_the_result() -> None:
    made = evaluated(scores(), lower_is_better=["noise"])
    written = object_of(made, {"metrics": ["near", "far", "noise"]})
    again, config = result_of(_plain(written), "meta.json")
    assert object_of(again, config) == written
    assert again == made


def _plain(values: Any) -> Any:
    import msgspec

    return msgspec.json.decode(msgspec.json.encode(values))


@pytest.mark.parametrize(
    "broken",
    [
        {"rankings": []},
        {"rankings": "none"},
        {"alpha": "small"},
        {"curves": [{"human": "x", "metric": "y", "top_systems": [], "close_pairs": []}]},
    ],
)
def test_what_is_not_a_result_is_refused_with_its_file(broken: dict[str, Any]) -> None:
    values = _plain(object_of(evaluated(scores()), {})) | broken
    with pytest.raises(DataError, match=r"meta\.json"):
        result_of(values, "meta.json")


def test_other_scores_than_those_of_the_result_are_refused() -> None:
    table = scores()
    made = evaluated(table)
    changed = table.values.copy()
    changed[0, 0, 1] += 1e-9
    with pytest.raises(MismatchError, match="--scores"):
        meta_report(made, replace(table, values=changed))


def test_the_report_holds_the_numbers_of_the_result() -> None:
    table = scores()
    made = evaluated(table, lower_is_better=["noise"])
    report = meta_report(made, table)
    assert [one.standings for one in report.rankings] == [one.standings for one in made.rankings]
    assert report.means[3][0].value == pytest.approx(np.mean(table.values[0, :, 3]))
    assert report.values[0][1][2] is None
    assert report.agreement[0][0][2] is not None, "four systems are left of that input"
    assert any("1 cell left out" in line for line in report.audit)


def test_agreement_within_inputs_averages_to_the_summary_level() -> None:
    table = scores()
    table.values[1, 2, 0] = 0.5
    made = evaluated(table, lower_is_better=["noise"])
    report = meta_report(made, table)
    for metric, inputs in zip(report.metrics, report.agreement[0], strict=True):
        standings = made.ranking("people", "summary", "kendall").standings
        value = next(one.value for one in standings if one.metric == metric)
        assert np.mean([x for x in inputs if x is not None]) == pytest.approx(value)


def test_texts_of_other_summaries_are_refused() -> None:
    table = scores()
    with pytest.raises(DataError, match="none of the 1 texts"):
        meta_report(evaluated(table), table, SummaryTexts({("x", "y"): "text"}))


def test_matches_are_those_of_the_first_inputs_only() -> None:
    table = scores()
    keys = list(product(table.inputs, table.systems))
    texts = SummaryTexts(dict.fromkeys(keys, "a cat sat"), {key: ["the cat sat"] for key in keys})
    report = meta_report(evaluated(table), table, texts, max_instances=2)
    assert report.matches is not None
    assert {row.instance for row in report.matches.rows} == {"d0", "d1"}
    assert len(report.texts or ()) == 5


@pytest.mark.parametrize("test", get_args(Test))
@pytest.mark.parametrize("correction", CORRECTIONS)
def test_the_method_names_what_was_run(test: Any, correction: str) -> None:
    made = evaluated(
        scores(),
        test=test,
        correction=correction,
        levels=["system"],
        coefficients=["pearson"],
        seed=77,
    )
    told = " ".join(method_text(made))
    assert ("Fisher" in told) == ("jackknife" not in told)
    assert ("Williams" in told) == (test == "williams")
    assert ("permutation test" in told) == test.startswith("permutation")
    assert ("paired bootstrap" in told) == test.startswith("bootstrap")
    assert ("Holm" in told) == (correction == "holm")
    assert ("not corrected" in told) == (correction == "none")
    assert "Pearson's r" in told
    assert "Kendall" not in told
    assert "summary level" not in told
    assert ("seed 77" in told) == (test != "williams")


def test_the_method_tells_of_choices_that_change_numbers() -> None:
    plain = " ".join(method_text(evaluated(scores(), interval_method="none")))
    assert "confidence intervals" not in plain
    other = evaluated(
        scores(), bounds="bca", tails=1, confidence=90, clusters="layers", undefined="zero"
    )
    told = " ".join(method_text(other))
    for words in (
        "one-sided 90 % confidence",
        "BCa",
        "counted as zero",
        "p ≤ 0.1",
        "no other metric",
    ):
        assert words in told


def test_the_join_is_told(tmp_path: Any) -> None:
    file = tmp_path / "scores.jsonl"
    row = '{{"instance_id": "{0}", "summarizer_id": "{1}", "summarizer_type": "{2}", "metrics": {{"a": {3}, "b": {4}}}}}\n'
    file.write_text(
        "".join(
            row.format(f"d{i}", f"s{s}", "reference" if s == 3 else "peer", i + s * i, s - i)
            for i in range(3)
            for s in range(4)
        )
    )
    table, join = join_scores([str(file)], ["a", "b"], "peer")
    made = meta_evaluate(table, humans=["b"], rounds=10, join=join)
    assert "9 summaries of 3 systems for 3 inputs" in method_text(made)[0]
    assert "3 further summaries" in method_text(made)[0]
    assert any("dropped 3 of 12" in line for line in meta_report(made, table).audit)


def test_the_audit_says_the_same_thing_once() -> None:
    made = evaluated(scores())
    rankings = [
        replace(
            one,
            standings=tuple(
                replace(standing, undefined=0, undefined_rounds=count)
                for standing, count in zip(one.standings, counts, strict=True)
            ),
        )
        for one, counts in zip(made.rankings[:3], ((1, 1, 1), (1, 1, 1), (0, 2, 0)), strict=True)
    ]
    first, second, third = (f"{one.level.value} {one.coefficient.value}" for one in rankings)
    odd = rankings[2].standings[1].metric
    audit = meta_report(replace(made, rankings=tuple(rankings)), scores()).audit
    told = [line for line in audit if "bootstrap" in line]
    assert told == [
        f"people: all metrics: undefined in 1 round of the bootstrap ({first}, {second})",
        f"people: {odd}: undefined in 2 rounds of the bootstrap ({third})",
    ]
