"""Every result can be printed, shown in a notebook, converted, plotted, written as a page and read."""

from __future__ import annotations

import json
import pickle
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rubrica import Comparison, EvalInstance, Evaluation, Fields, ScoreTable, compare, evaluate
from rubrica.comparison import TestPlan
from rubrica.errors import MissingResourceError, ParameterError, UnknownNameError
from rubrica.formatting.result import Result
from rubrica.formatting.table import Table
from rubrica.meta import MetaEvaluation, alt_test, compare_judges, estimate_systems, meta_evaluate
from rubrica.reports.api import report

INPUTS = range(4)
REFERENCES = ["the cat sat on the mat", "rain fell all day", "dogs bark loudly", "it was cold"]
SYSTEMS = {
    "<b>lead</b>": REFERENCES,
    "worse": ["a cat", "rain fell all day", "birds", "it was"],
}


def instances() -> list[EvalInstance]:
    return [
        EvalInstance(f"d{n}", name, "peer", Fields(summary=texts[n], references=[REFERENCES[n]]))
        for name, texts in SYSTEMS.items()
        for n in INPUTS
    ]


def evaluation() -> Evaluation:
    return evaluate(instances(), [{"type": "rouge", "max_ngram": 1}])[0]


def comparison(**plan: Any) -> Comparison:
    return compare(SYSTEMS, REFERENCES, [{"type": "rouge", "max_ngram": 1}], plan=TestPlan(**plan))


def meta_evaluation() -> MetaEvaluation:
    values = np.random.default_rng(1).normal(size=(4, 5, 4))
    systems, inputs = [f"<b>s{n}</b>" for n in range(4)], [f"d{n}" for n in range(5)]
    table = ScoreTable(tuple(systems), tuple(inputs), ("<b>m</b>", "n", "people", "crowd"), values)
    return meta_evaluate(table, humans=["people", "crowd"], rounds=20, lower_is_better=["n"])


def labels() -> tuple[dict[str, int], dict[str, dict[str, int]]]:
    rng = np.random.default_rng(2)
    people = {
        name: {f"i{n}": int(rng.integers(3)) for n in range(6)} for name in ("<b>ann</b>", "bo")
    }
    return {f"i{n}": int(rng.integers(3)) for n in range(6)}, people


def one_judge() -> Result:
    judge, people = labels()
    return alt_test(judge, people, min_items=3, name="<b>judge</b>")


def judges() -> Result:
    judge, people = labels()
    return compare_judges({"<b>x</b>": judge, "y": people["bo"]}, people, min_items=3)


def estimates() -> Result:
    rng = np.random.default_rng(3)
    human, judge = rng.normal(size=(2, 3, 6))
    human[:, 4:] = np.nan
    return estimate_systems(human, judge, ["<b>a</b>", "b", "c"])


RESULTS: dict[str, Callable[[], Result]] = {
    "evaluation": evaluation,
    "comparison": comparison,
    "comparison of all pairs": lambda: comparison(all_pairs=True),
    "meta-evaluation": meta_evaluation,
    "alt-test": one_judge,
    "alt-test of judges": judges,
    "estimates": estimates,
}


@pytest.fixture(scope="module", params=RESULTS)
def result(request: pytest.FixtureRequest) -> Result:
    return RESULTS[request.param]()


def test_printing_gives_a_table(result: Result) -> None:
    assert "---" in repr(result)
    assert str(result) == repr(result)


def test_html_has_no_script_and_no_markup_of_names(result: Result) -> None:
    html = result._repr_html_()
    assert html.count("<table") == len(result.to_tables())
    assert "<script" not in html
    assert "<b>" not in html
    assert "&lt;b&gt;" in html
    # The colours of the page around it, light or dark.
    assert "color:" not in html


def test_frames_csv_and_json_have_every_record(result: Result) -> None:
    records = result.records()
    assert list(result.to_pandas().columns) == list(records[0])
    assert result.to_polars().to_dicts() == records
    assert len(result.to_csv().splitlines()) == len(records) + 1
    assert json.loads(result.to_json())


def test_papers_get_markdown_and_latex(result: Result) -> None:
    assert "| ---" in result.to_markdown()
    assert r"\toprule" in result.to_latex()


def test_a_plot_has_a_point_per_value(result: Result) -> None:
    chart = json.dumps(result.plot().to_dict())
    for panel in result.panels():
        assert json.dumps(panel.title) in chart
    values = [p.value for panel in result.panels() for p in panel.points if p.value is not None]
    assert chart.count('"value": ') == len(values)


def test_a_page_is_written(result: Result, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The library of charts takes seconds to bundle; the tests of pages draw with it.
    monkeypatch.setattr("rubrica.reports.meta.vega_library", lambda: "")
    path = tmp_path / "page.html"
    assert result.report(path, title="A & B") == str(path)
    assert "<title>A &amp; B</title>" in path.read_text("utf-8")


def test_a_result_survives_pickle(result: Result) -> None:
    assert repr(pickle.loads(pickle.dumps(result))) == repr(result)


def test_a_missing_plot_library_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "altair", None)
    with pytest.raises(MissingResourceError, match=r"rubrica\[plots\]"):
        evaluation().plot()


def test_the_worst_summaries_come_with_their_texts() -> None:
    worst = evaluation().worst(2, system="worse")
    assert [(e.input, e.summary, e.reference) for e in worst.examples] == [
        ("d2", "birds", "dogs bark loudly"),
        ("d0", "a cat", "the cat sat on the mat"),
    ]
    assert "birds" in repr(worst)
    assert "dogs bark loudly" in worst._repr_html_()
    assert worst.to_pandas()["value"].tolist() == [e.value for e in worst.examples]


def test_a_comparison_shows_the_largest_losses_against_the_baseline() -> None:
    worst = comparison().worst(1, measure="rouge-1")
    assert [(e.input, e.system, e.value, e.summary) for e in worst.examples] == [
        ("3", "worse", -100.0, "birds")
    ]


def test_a_sample_is_the_same_for_a_seed() -> None:
    assert evaluation().sample(3, seed=7) == evaluation().sample(3, seed=7)
    assert len(comparison().sample(100).examples) == 8


def test_a_meta_evaluation_shows_where_metric_and_people_disagree() -> None:
    result = meta_evaluation()
    texts = [EvalInstance("d0", "<b>s0</b>", "peer", Fields(summary="the text"))]
    worst = result.worst(20, metric="n", human="crowd", summaries=texts)
    differences = [abs(example.value) for example in worst.examples]
    assert differences == sorted(differences, reverse=True)
    assert [e.summary for e in worst.examples if (e.input, e.system) == ("d0", "<b>s0</b>")] == [
        "the text"
    ]


def test_examples_need_rows_known_systems_and_a_number(tmp_path: Path) -> None:
    written = evaluate(instances(), ["rouge"], output=str(tmp_path / "rows.jsonl"))[0]
    with pytest.raises(ParameterError, match="without output"):
        written.worst()
    with pytest.raises(ParameterError, match="without output"):
        written.report(tmp_path / "page.html")
    with pytest.raises(UnknownNameError):
        evaluation().worst(system="nobody")
    with pytest.raises(ParameterError, match="at least 1"):
        evaluation().sample(0)


def test_the_page_of_a_comparison_has_the_texts(tmp_path: Path) -> None:
    page = Path(comparison().report(tmp_path / "page.html")).read_text("utf-8")
    assert "dogs bark loudly" in page


def test_tables_of_many_rankings_are_folded() -> None:
    assert "<summary>12 more tables</summary>" in meta_evaluation()._repr_html_()


def test_only_results_have_pages(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="no page for Table"):
        report(Table(["a"], []), tmp_path / "page.html")
    with pytest.raises(ParameterError, match="no page for Examples"):
        evaluation().worst().report(tmp_path / "page.html")
