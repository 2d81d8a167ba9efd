"""The page of systems shows its data, sorts, filters and remembers."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from rubrica.comparison import TestPlan
from rubrica.reports.scored_texts import ScoredRows
from rubrica.reports.systems import systems_report
from rubrica.statistics.intervals import Resampling
from support import pages


@pytest.fixture
def opened(visit: Any) -> Any:
    return visit(pages.systems_page())


def board(page: Any) -> list[list[str]]:
    rows = page.locator("section").first.locator("tbody tr").all()
    return [row.locator("th, td").all_inner_texts() for row in rows]


def test_the_leaderboard_equals_the_data(opened: Any) -> None:
    page = opened.open()
    data = opened.data()
    shown = {row[0].strip(): [float(cell.strip(" *")) for cell in row[1:]] for row in board(page)}
    headlines = [m for m, measure in enumerate(data["measures"]) if measure["headline"]]
    expected = {
        system: [round(data["intervals"][s][m]["value"], 2) for m in headlines]
        for s, system in enumerate(data["systems"])
    }
    assert shown == {name: pytest.approx(values, abs=0.0051) for name, values in expected.items()}


def test_columns_sort_both_ways(opened: Any) -> None:
    page = opened.open()
    names = [row[0] for row in board(page)]
    assert names[0] == "abstractor"
    head = page.locator("section").first.get_by_role("button", name="rouge-1.f1")
    head.click()
    assert [row[0] for row in board(page)] == names[::-1]
    assert head.locator("..").get_attribute("aria-sort") == "ascending"
    page.locator("section").first.get_by_role("button", name="system").click()
    assert [row[0] for row in board(page)] == sorted(names)


def test_whole_header_cells_sort_and_the_address_has_the_order(opened: Any) -> None:
    page = opened.open()
    names = [row[0] for row in board(page)]
    cell = page.locator("section").first.locator("thead th").nth(1)
    cell.click(position={"x": 2, "y": 2})
    assert cell.get_attribute("aria-sort") == "ascending"
    assert "board=rouge-1.f1.asc" in page.url
    cell.locator("button").press("Enter")
    assert cell.get_attribute("aria-sort") == "descending"
    page = opened.open("#board=system.desc&inputs=input.asc")
    assert [row[0] for row in board(page)] == sorted(names, reverse=True)
    inputs = page.locator("section", has=page.get_by_role("heading", name="Inputs"))
    assert inputs.locator("tbody th").first.inner_text() == opened.data()["inputs"][0]
    page = opened.open("#board=nonsense.asc")
    assert [row[0] for row in board(page)] == names


def test_an_interval_has_its_numbers_on_hover_and_on_focus(opened: Any) -> None:
    page = opened.open()
    tip = page.locator(".tip")
    plots = page.locator("section").first.locator("td .plot")
    assert tip.count() == 0
    plots.first.hover()
    assert tip.inner_text() == plots.first.get_attribute("aria-label")
    assert "95\u00a0% interval" in tip.inner_text()
    plots.first.focus()
    page.keyboard.press("ArrowDown")
    columns = page.locator("section").first.locator("thead th").count() - 1
    assert plots.nth(columns).evaluate("node => node === document.activeElement")
    assert tip.inner_text() == plots.nth(columns).get_attribute("aria-label")
    page.keyboard.press("Escape")
    assert not tip.is_visible()


def test_the_contents_lead_to_sections_and_keep_the_selection(opened: Any) -> None:
    page = opened.open("#measure=rouge-2.recall")
    page.get_by_role("navigation").get_by_role("link", name="Inputs").click()
    assert page.evaluate("document.activeElement.id") == "inputs"
    assert page.locator("#inputs").bounding_box()["y"] < 900
    assert "measure=rouge-2.recall" in page.url
    assert "at=inputs" in page.url
    titles = page.locator("section > h2").all_inner_texts()
    assert page.get_by_role("navigation").get_by_role("link").all_inner_texts() == titles
    page = opened.open("#at=inputs")
    assert page.evaluate("document.activeElement.id") == "inputs"


def test_the_head_names_the_data_and_the_date(opened: Any) -> None:
    page = opened.open()
    assert page.locator("h1").inner_text() == page.title() == "Systems: news/summaries"
    assert f"scores of {opened.data()['date']}" in page.locator(".facts").inner_text()


def test_finding_a_system_is_in_the_address(opened: Any) -> None:
    page = opened.open()
    page.get_by_label("find a system").fill("lead")
    assert [row[0] for row in board(page)] == ["lead3"]
    assert "find=lead" in page.url
    page.get_by_label("find a system").fill("nobody")
    assert page.locator("section .empty").inner_text() == "No system matches “\u2068nobody\u2069”."
    page = opened.open("#find=ramb&measure=rouge-2.recall&baseline=centroid")
    assert [row[0] for row in board(page)] == ["rambler"]
    assert page.locator("#measure").input_value() == "rouge-2.recall"
    assert page.locator("#baseline").input_value() == "centroid"


def test_the_page_begins_with_the_baseline_of_compare(opened: Any) -> None:
    page = opened.open()
    assert page.locator("#baseline").input_value() == opened.data()["systems"][0]


def test_the_test_against_a_baseline_equals_the_data(opened: Any) -> None:
    page = opened.open("#baseline=lead3")
    data = opened.data()
    at = next(m for m, one in enumerate(data["measures"]) if one["name"] == "rouge-1.f1")
    lead3 = data["systems"].index("lead3")
    tests = {(p["one"], p["other"]): p for p in data["pairs"][at]}
    section = page.locator("section", has=page.get_by_role("heading", name="One measure"))
    for row in section.locator("tbody tr").all():
        cells = row.locator("th, td").all_inner_texts()
        system = data["systems"].index(cells[0].strip())
        if system == lead3:
            assert cells[4] == "baseline"
            continue
        pair = tests.get((system, lead3)) or tests[lead3, system]
        assert float(cells[4].replace("−", "-")) == pytest.approx(
            pair["difference"] * (1 if pair["one"] == system else -1), abs=0.0051
        )
        p = 0.0005 if cells[5].startswith("<") else float(cells[5])
        assert p == pytest.approx(pair["p"], abs=0.00051)


def test_texts_open_best_first(opened: Any) -> None:
    page = opened.open()
    page.get_by_role("button", name="d10", exact=True).click()
    names = page.locator(".below h3 bdi").all_inner_texts()
    assert names[0] == "centroid"
    assert len(names) == 6


def test_an_input_opens_with_source_references_and_all_scores(opened: Any) -> None:
    page = opened.open()
    data = opened.data()
    at = data["inputs"].index("d10")
    page.get_by_role("button", name="d10", exact=True).click()
    below = page.locator(".below")
    texts = data["input_texts"][at]
    titles = below.locator("h3").all_inner_texts()
    count = len(texts["references"])
    expected = ["Source document"]
    expected += [f"Reference {number} of {count}" for number in range(1, count + 1)]
    assert titles[: count + 2] == [*expected, "All scores"]
    shown = below.locator(".text")
    for number, text in enumerate([texts["document"], *texts["references"]]):
        assert shown.nth(number).locator("p").all_text_contents() == text.split("\n")
    scores = below.locator("table")
    assert scores.locator("thead th").count() == 1 + len(data["measures"])
    for row in scores.locator("tbody tr").all():
        name, *values = row.locator("th, td").all_inner_texts()
        expected_values = data["values"][data["systems"].index(name)][at]
        assert [float(value) for value in values] == pytest.approx(expected_values, abs=0.0051)


def test_without_texts_an_input_opens_with_its_scores(visit: Any, tmp_path: Path) -> None:
    page = visit(_many(tmp_path, 3, rounds=100)).open()
    page.get_by_role("button", name="d3", exact=True).click()
    assert page.locator(".below h3").all_inner_texts() == ["All scores"]
    assert page.locator(".below tbody tr").count() == 3


def test_all_numbers_can_be_taken_along(opened: Any) -> None:
    page = opened.open()
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Scores (CSV)").click()
    rows = list(csv.DictReader(Path(waiting.value.path()).read_text("utf-8").splitlines()))
    data = opened.data()
    assert len(rows) == len(data["systems"]) * len(data["measures"])
    assert float(rows[0]["score"]) == data["intervals"][0][0]["value"]


@pytest.mark.parametrize(
    ("button", "columns", "rows"),
    [
        ("Leaderboard (CSV)", ["system", "measure", "score", "lower", "upper"], 6 * 2),
        ("This measure (CSV)", ["system", "input", "measure", "score"], 6 * 12),
        ("These pairs (CSV)", ["measure", "system", "other", "inputs"], 15),
    ],
)
def test_every_chart_gives_its_data(
    opened: Any, button: str, columns: list[str], rows: int
) -> None:
    page = opened.open("#measure=rouge-2.f1")
    with page.expect_download() as waiting:
        page.get_by_role("button", name=button).click()
    head, *lines = csv.reader(Path(waiting.value.path()).read_text("utf-8").splitlines())
    assert head[: len(columns)] == columns
    assert len(lines) == rows
    measures = {line[head.index("measure")] for line in lines}
    shown = {"rouge-1.f1", "rouge-2.f1"} if "lower" in columns else {"rouge-2.f1"}
    assert measures == shown


def test_every_plot_has_its_words(opened: Any) -> None:
    page = opened.open()
    plots = page.locator("td .plot").all()
    assert len(plots) == 6 * 3
    assert all("interval" in plot.get_attribute("aria-label") for plot in plots)


def test_paper_has_every_row_and_what_is_open(visit: Any, tmp_path: Path) -> None:
    page = visit(_many(tmp_path, 2, inputs=40, rounds=0)).open()
    inputs = page.locator("section", has=page.get_by_role("heading", name="Inputs"))
    inputs.locator("button.open").first.click()
    rows = inputs.locator("button.open")
    assert rows.count() == 25
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert rows.count() == 40
    assert inputs.locator(".below").count() == 1


def test_a_table_that_scrolls_has_a_shadow_until_its_end(visit: Any) -> None:
    page = visit(pages.systems_page(), width=420).open()
    layers = page.locator(".scroller").first.evaluate(
        "node => [getComputedStyle(node).backgroundAttachment, node.scrollWidth > node.clientWidth]"
    )
    assert layers == ["local, scroll, scroll", True]


def test_measures_can_be_chosen(opened: Any) -> None:
    page = opened.open()
    page.get_by_text("measures shown").click()
    page.get_by_role("checkbox", name="rouge-2.precision").check()
    heads = page.locator("section").first.locator("thead button").all_inner_texts()
    assert heads == ["system", "rouge-1.f1", "rouge-2.precision", "rouge-2.f1"]


def test_the_result_is_told_in_a_sentence(opened: Any) -> None:
    page = opened.open()
    data = opened.data()
    told = page.locator(".lead").inner_text()
    best = data["intervals"][data["systems"].index("abstractor")][
        [m["name"] for m in data["measures"]].index("rouge-1.f1")
    ]
    assert told.startswith(f"abstractor has the highest rouge-1.f1, {best['value']:.2f} (95\u00a0%")
    assert "significantly better than all 5 other systems" in told
    page.locator("#measure").select_option("rouge-2.recall")
    assert "the highest rouge-2.recall" in page.locator(".lead").inner_text()


def _many(
    tmp_path: Path, systems: int, plan: TestPlan | None = None, inputs: int = 8, **options: Any
) -> Path:
    """Systems 0 and 1 are alike on every input, the others worse by steps."""
    rows = [
        {
            "instance_id": f"d{i}",
            "summarizer_id": f"a-long-name-of-a-system-{s}",
            "summarizer_type": "peer",
            "metrics": {"x": 50.0 + i % 5 - 3 * max(1, s), "y": float(i + max(1, s))},
        }
        for s in range(systems)
        for i in range(inputs)
    ]
    report = systems_report(
        ScoredRows.read([str(_written(tmp_path, rows))]),
        resampling=Resampling(**options),
        plan=plan,
    )
    path = tmp_path / "many.html"
    path.write_bytes(report.page())
    return path


def _written(tmp_path: Path, rows: list[dict[str, Any]]) -> Path:
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_systems_that_lead_together_are_told_together(visit: Any, tmp_path: Path) -> None:
    page = visit(_many(tmp_path, 4, rounds=1000)).open()
    told = page.locator(".lead").inner_text()
    first, second = (f"a-long-name-of-a-system-{number}" for number in (0, 1))
    assert told.startswith(f"{first} and {second} have the highest x, 48.63, significantly")
    assert "It leads" not in told
    rows = page.locator("section").first.locator("tbody tr")
    starred = [row.locator("td").first.locator(".best").count() for row in rows.all()]
    assert starred == [1, 1, 0, 0]


def test_without_texts_systems_with_equal_scores_are_told(visit: Any, tmp_path: Path) -> None:
    page = visit(_many(tmp_path, 3, rounds=100)).open()
    told = page.locator(".duplicates li").all_inner_texts()
    assert len(told) == 1
    assert told[0].startswith(
        "a-long-name-of-a-system-0 and a-long-name-of-a-system-1 on 8 of 8 inputs: d0, d1"
    )
    assert "all 2 measures" in page.locator("section", has_text="Equal outputs").inner_text()


def test_rounds_that_are_too_few_are_told(visit: Any, tmp_path: Path) -> None:
    page = visit(_many(tmp_path, 12, plan=TestPlan(methods={"ar": 200}))).open()
    told = page.locator(".lead").inner_text()
    assert "200 rounds are too few to tell 12 systems apart" in told
    assert "--rounds 1000 would do" in told
    pairs = page.locator("section", has=page.get_by_role("heading", name="Pairs of systems"))
    assert "200 rounds are too few to tell all 66 pairs apart" in pairs.inner_text()
    assert "--rounds 3000 would do" in pairs.inner_text()
    name = page.locator("tbody th bdi").first.bounding_box()
    assert name["height"] < 30, "a name of this length is not broken"


def test_only_facts_in_the_table_are_described(opened: Any, visit: Any) -> None:
    heading = "Lengths and copying"
    for page, known in (
        (opened.open(), True),
        (visit(pages.systems_page_without_documents()).open(), False),
    ):
        section = page.locator("section", has=page.get_by_role("heading", name=heading))
        assert section.locator("th", has_text="novel 2-grams").count() == known
        assert ("Longest copy:" in section.inner_text()) == known
        assert ("--documents" in section.inner_text()) != known


def test_inputs_that_are_too_few_are_told(visit: Any, tmp_path: Path) -> None:
    told = visit(_many(tmp_path, 3, inputs=4)).open().locator(".lead").inner_text()
    assert "4 inputs are too few to tell systems apart: no p can be below 0.125." in told


@pytest.mark.usefixtures("fonts")
def test_names_of_columns_wrap_in_the_matrix_of_pairs(visit: Any, tmp_path: Path) -> None:
    page = visit(_many(tmp_path, 20, rounds=20, plan=TestPlan(methods={"ar": 20}))).open()
    heads = page.locator("table.matrix thead th.number")
    widths = heads.evaluate_all("nodes => nodes.map(node => node.getBoundingClientRect().width)")
    assert len(widths) == 20
    assert max(widths) < 150


def test_a_single_system_has_a_page(visit: Any, tmp_path: Path) -> None:
    page = visit(_many(tmp_path, 1, rounds=100)).open()
    assert page.locator(".lead").inner_text().startswith("a-long-name-of-a-system-0: x 48.6")
    text = page.locator("main").inner_text()
    for nothing_to_compare in ("Pairs of systems", "best", "worst", "baseline", "difference", "*"):
        assert nothing_to_compare not in text
    ticks = page.locator(".axis text").all_text_contents()
    assert len(ticks) == len(set(ticks)) > 2


@pytest.mark.usefixtures("fonts")
def test_long_names_do_not_make_tall_rows_on_a_narrow_screen(visit: Any) -> None:
    page = visit(pages.long_names_page()).open()
    page.set_viewport_size({"width": 420, "height": 900})
    rows = page.locator("section", has=page.get_by_role("heading", name="Inputs")).locator("tr")
    heights = [row.bounding_box()["height"] for row in rows.all()]
    assert len(heights) > 1
    assert max(heights) < 140
