"""The page of a meta-evaluation shows its data in tables and charts, and leads to the texts."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rubrica.reports.page import inert_json
from support import pages


@pytest.fixture
def opened(visit: Any) -> Any:
    return visit(pages.meta_page())


def part(page: Any, heading: str) -> Any:
    return page.locator("section", has=page.get_by_role("heading", name=heading, exact=True))


def ranking(data: Any, human: str, level: str, coefficient: str) -> Any:
    wanted = human, level, coefficient
    return next(
        one
        for one in data["rankings"]
        if (one["human"], one["level"], one["coefficient"]) == wanted
    )


def test_the_ranking_equals_the_data_at_every_level(opened: Any) -> None:
    page = opened.open()
    data = opened.data()
    for level in ("system", "summary", "global"):
        page.get_by_role("radio", name=level).check()
        assert ("level=" in page.url) == (level != "system")
        expected = ranking(data, "relevance", level, "kendall")["standings"]
        rows = part(page, "Metrics").locator("tbody tr").all()
        for row, one in zip(rows, expected, strict=True):
            cells = row.locator("th, td").all_inner_texts()
            assert cells[0] == one["metric"]
            assert float(cells[1].replace("−", "-")) == pytest.approx(one["value"], abs=0.00051)
            assert cells[3] == str(one["cluster"])


def test_the_contents_lead_to_sections_and_keep_the_selection(opened: Any) -> None:
    page = opened.open("#level=summary")
    links = page.get_by_role("navigation", name="Contents").get_by_role("link")
    assert links.all_inner_texts() == page.locator("section > h2").all_inner_texts()
    links.get_by_text("Data audit").click()
    assert page.evaluate("document.activeElement.id") == "data-audit"
    assert "level=summary" in page.url
    assert "at=data-audit" in page.url
    page = opened.open("#at=data-audit")
    assert page.evaluate("document.activeElement.id") == "data-audit"
    page.wait_for_function("document.getElementById('data-audit').getBoundingClientRect().y < 900")


def test_the_head_names_the_data_and_the_date(opened: Any) -> None:
    page = opened.open()
    assert page.title() == page.locator("h1").inner_text()
    assert page.title().startswith("Meta-evaluation: ")
    assert f"scores of {opened.data()['date']}" in page.locator(".facts").inner_text()


def test_the_ranking_marks_the_column_it_is_sorted_by(opened: Any) -> None:
    page = opened.open()
    table = part(page, "Metrics").locator("table")
    names = [
        one["metric"]
        for one in ranking(opened.data(), "relevance", "system", "kendall")["standings"]
    ]
    assert table.locator("[aria-sort=descending]").inner_text() == "kendall"
    assert table.locator("tbody th").all_inner_texts() == names
    page.get_by_role("button", name="metric", exact=True).click()
    assert table.locator("[aria-sort=ascending]").inner_text() == "metric"
    shown = table.locator("tbody th").all_inner_texts()
    assert sorted(shown) == sorted(names)
    assert shown != names


def test_the_first_table_shows_metrics_by_human_scores(opened: Any) -> None:
    page = opened.open("#level=summary")
    data = opened.data()
    assert page.locator("main table").first.get_attribute("class") == "heat"
    heat = part(page, "Metrics and people")
    assert heat.locator("thead th").all_inner_texts() == ["metric", *data["humans"]]
    columns = [ranking(data, human, "summary", "kendall") for human in data["humans"]]
    order = [one["metric"] for one in columns[0]["standings"]]
    for row, metric in zip(heat.locator("tbody tr").all(), order, strict=True):
        assert row.locator("th").inner_text() == metric
        for cell, column in zip(row.locator("td").all(), columns, strict=True):
            one = next(s for s in column["standings"] if s["metric"] == metric)
            value, interval = cell.inner_text().replace("−", "-").split("\n")
            assert float(value) == pytest.approx(one["value"], abs=0.0051)
            assert interval.split(" · ")[0] == f"{one['lower']:.2f} … {one['upper']:.2f}"
            # The better metric and people agree, the stronger the colour.
            shade = int(re.findall(r"(?:shade|cool)-(\d)", cell.get_attribute("class"))[0])
            assert (shade - 1) / 5 <= abs(one["value"]) <= shade / 5


def test_the_name_of_a_human_score_orders_the_metrics_by_it(opened: Any) -> None:
    page = opened.open()
    heat = part(page, "Metrics and people")
    heat.get_by_role("button", name="fluency").click()
    chosen = heat.get_by_role("button", name="fluency", pressed=True)
    chosen.wait_for()
    assert page.evaluate("document.activeElement.textContent") == "fluency"
    expected = ranking(opened.data(), "fluency", "system", "kendall")["standings"]
    assert heat.locator("tbody th").all_inner_texts() == [one["metric"] for one in expected]


def test_of_a_single_human_score_all_levels_are_shown(visit: Any) -> None:
    page = visit(pages.many_metrics_page()).open()
    heads = part(page, "Metrics and people").locator("thead th").all_inner_texts()
    assert heads == ["metric", "summary level", "system level", "global level"]


def test_every_test_is_in_the_matrix(opened: Any) -> None:
    page = opened.open("#human=fluency&coefficient=pearson&level=summary")
    one = ranking(opened.data(), "fluency", "summary", "pearson")
    rows = part(page, "Pairs of metrics").locator("tbody tr").all()
    for a, row in enumerate(rows):
        for b, cell in enumerate(row.locator("td").all()):
            p = one["adjusted"][a][b]
            if a == b:
                assert cell.inner_text() == ""
                continue
            shown = cell.inner_text().split()[0]
            assert float(shown) == pytest.approx(p, abs=0.00051)
            beats = one["standings"][b]["metric"] in one["standings"][a]["beats"]
            assert ("▲" in cell.inner_text()) == beats


@pytest.mark.usefixtures("fonts")
def test_names_in_the_matrix_are_broken_only_between_their_parts(visit: Any) -> None:
    page = visit(pages.many_metrics_page()).open()
    lines = page.locator("table.tests thead bdi").evaluate_all(
        """nodes => nodes.flatMap(node => [...node.childNodes]
            .filter(part => part.nodeType === Node.TEXT_NODE && !part.data.includes("-"))
            .map(part => {
              const range = document.createRange();
              range.selectNode(part);
              return [part.data, range.getClientRects().length];
            }))"""
    )
    assert len(lines) > 8
    assert [part for part, count in lines if count > 1] == []


def test_charts_are_drawn_and_named(opened: Any) -> None:
    page = opened.open()
    charts = page.locator(".chart[data-drawn]")
    pages.until(page, "document.querySelectorAll('.chart[data-drawn] svg').length === 4")
    assert all("Kendall" in chart.get_attribute("aria-label") for chart in charts.all())
    scatter = part(page, "Metric against people").locator(".chart")
    for system in opened.data()["systems"]:
        assert scatter.locator("text", has_text=system).count() == 1
    assert scatter.locator(".mark-symbol path").count() == 6
    page.get_by_role("radio", name="global").check()
    pages.until(
        page,
        "document.querySelectorAll('.chart')[1].querySelectorAll('.mark-symbol.role-mark path').length === 72",
    )


def test_charts_follow_the_theme(opened: Any) -> None:
    page = opened.open()
    page.wait_for_selector(".chart[data-drawn] svg .mark-symbol path")
    fill = "document.querySelector('.chart .mark-symbol path').getAttribute('fill')"
    light = page.evaluate(fill)
    page.get_by_role("button", name="Dark").click()
    pages.until(page, f"{fill} !== {light!r}")


def test_an_input_leads_to_texts_and_matches(opened: Any) -> None:
    page = opened.open()
    inputs = part(page, "Inputs")
    inputs.get_by_role("button", name="d06", exact=True).click()
    inputs.get_by_role("button", name="abstractor", exact=True).click()
    assert "input=d06" in page.url
    row = next(
        one
        for one in opened.data()["matches"]["rows"]
        if (one["instance"], one["system"]) == ("d06", "abstractor")
    )
    inputs.get_by_label("matches of").select_option("rouge-1")
    hits = row["pairs"][0][0]["counts"][0][0]
    assert inputs.locator(".pane").first.locator("mark.hit").count() == hits
    page = opened.open("#" + page.url.partition("#")[2])
    assert page.locator(".drill .pane").count() == 2, "a link opens it again"


def test_the_first_input_is_the_one_of_least_agreement(opened: Any) -> None:
    page = opened.open("#metric=rouge-1.f1")
    data = opened.data()
    at = data["metrics"].index("rouge-1.f1")
    least = min(x for x in data["agreement"][0][at] if x is not None)
    shown = part(page, "Inputs").locator("tbody tr").first.locator("td").first.inner_text()
    assert float(shown.replace("−", "-")) == pytest.approx(least, abs=0.00051)


@pytest.mark.parametrize(
    ("name", "rows"),
    [
        ("Correlations", 3 * 3 * 3 * 6),
        ("Tests", 27 * 30),
        ("Every summary", 72),
        ("Systems", 6 * 9),
    ],
)
def test_all_numbers_can_be_taken_along(opened: Any, name: str, rows: int) -> None:
    page = opened.open()
    with page.expect_download() as waiting:
        page.get_by_role("button", name=f"{name} (CSV)").click()
    found = list(csv.DictReader(Path(waiting.value.path()).read_text("utf-8").splitlines()))
    assert len(found) == rows


def test_audit_and_method_are_told(opened: Any) -> None:
    page = opened.open()
    assert "dropped 36 of 108 summaries" in part(page, "Data audit").inner_text()
    told = part(page, "Method").inner_text()
    assert "72 summaries of 6 systems for 12 inputs" in told
    assert "200 rounds, seed 12345" in told


def test_nonsense_in_the_address_does_no_harm(opened: Any) -> None:
    page = opened.open("#human=x&level=y&coefficient=z&metric=w&input=v&system=u&reference=-3")
    assert part(page, "Metrics").locator("tbody tr").count() == 6


@pytest.mark.parametrize("rounds", [200, 9999])
def test_the_result_is_told_in_a_sentence(visit: Any, tmp_path: Path, rounds: int) -> None:
    """Before everything else; it says so where no test could have succeeded with so few rounds."""

    def change(data: Any) -> None:
        data["config"]["rounds"] = rounds

    opened = visit(changed_page(tmp_path, change))
    page = opened.open("#level=summary&coefficient=pearson")
    first_node = page.locator("main > *").first
    assert first_node.evaluate(
        "node => node.querySelector('.lead') !== null || node.matches('.lead')"
    )
    (ranking,) = [
        one
        for one in opened.data()["rankings"]
        if (one["human"], one["level"], one["coefficient"]) == ("relevance", "summary", "pearson")
    ]
    first = ranking["standings"][0]
    told = page.locator(".lead").inner_text()
    assert told.startswith(
        f"{first['metric']} agrees best with relevance at the summary level: "
        f"Pearson’s r {first['value']:.3f} ({first['lower']:.3f}\u00a0…\u00a0{first['upper']:.3f})."
    )
    few = "200 rounds are too few to tell 6 metrics apart: no adjusted p can reach 0.05."
    beaten = any(one["beats"] for one in ranking["standings"])
    assert (f"{few} --rounds 1000 would do." in told) is (rounds == 200 and not beaten)
    if rounds == 9999:
        assert "significantly better than" in told
        assert ("is not significantly" in told) is (not first["beats"])


def changed_page(folder: Path, change: Callable[[Any], None]) -> Path:
    """The page of a meta-evaluation whose data were changed."""
    html = pages.meta_page().read_text("utf-8")
    found = re.search(r'id="data">(.*?)</script>', html, re.DOTALL)
    assert found is not None
    data = json.loads(found[1])
    change(data)
    path = folder / "changed.html"
    path.write_text(html.replace(found[1], inert_json(data)), "utf-8")
    return path


def test_metrics_that_lead_together_are_told_together(visit: Any, tmp_path: Path) -> None:
    """Two metrics with the same highest value, neither of which beats another."""
    names = []

    def tie(data: Any) -> None:
        data["config"]["rounds"] = 9999
        one = ranking(data, "relevance", "system", "kendall")
        first, second = one["standings"][:2]
        second["value"] = first["value"]
        assert one["standings"][2]["value"] < first["value"]
        first["beats"] = second["beats"] = []
        names.extend([first["metric"], second["metric"]])

    tied = changed_page(tmp_path, tie)
    told = visit(tied).open().locator(".lead").inner_text()
    assert told.startswith(f"{names[0]} and {names[1]} agree best with relevance")
    assert told.endswith("None of them is significantly better than any other metric.")


@pytest.mark.usefixtures("fonts")
def test_names_in_the_scatter_do_not_cover_each_other(visit: Any) -> None:
    page = visit(pages.meta_page(), width=420).open("#level=system")
    pages.until(page, "document.querySelectorAll('.chart .mark-text text').length > 0")
    boxes = [
        box
        for text in page.locator("section", has_text="Metric against people")
        .locator(".role-mark.mark-text text")
        .all()
        if text.text_content() and (box := text.bounding_box())
    ]
    assert boxes
    for at, one in enumerate(boxes):
        for other in boxes[:at]:
            apart = (
                one["x"] >= other["x"] + other["width"]
                or other["x"] >= one["x"] + one["width"]
                or one["y"] >= other["y"] + other["height"]
                or other["y"] >= one["y"] + one["height"]
            )
            assert apart


def test_points_tell_their_system_and_its_numbers(visit: Any) -> None:
    """Where many systems are close, only some names fit."""
    opened = visit(pages.meta_page())
    page = opened.open("#level=system")
    chart = page.locator("section", has_text="Metric against people").locator(".chart")
    points = chart.locator(".mark-symbol.role-mark path")
    points.first.wait_for()
    systems = opened.data()["systems"]
    assert points.count() == len(systems)
    points.first.scroll_into_view_if_needed()
    points.first.hover()
    tip = page.locator(".tip")
    tip.wait_for()
    assert tip.inner_text().startswith(f"{systems[0]}: ")
    assert "relevance" in tip.inner_text()
    page.mouse.move(1, 1)
    tip.wait_for(state="hidden")


def test_of_many_curves_one_is_highlighted_and_the_address_has_it(visit: Any) -> None:
    opened = visit(pages.many_metrics_page())
    page = opened.open()
    metrics = opened.data()["metrics"]
    chart = page.locator(".chart").nth(-2)

    def strong() -> int:
        chart.locator(".mark-symbol.role-mark path").first.wait_for()
        return int(
            chart.locator(".mark-symbol.role-mark path").evaluate_all(
                "nodes => nodes.filter(node => (node.getAttribute('opacity') ?? '1') === '1').length"
            )
        )

    curves = {one["metric"]: one["top"] for one in opened.data()["curves"]}
    best = page.locator("#curve").input_value()
    assert best == page.locator("#metric").input_value()
    assert strong() == len([point for point in curves[best] if point[1] is not None])
    shapes = chart.locator(".mark-symbol.role-mark path").evaluate_all(
        "nodes => nodes.map(node => [node.getAttribute('opacity') ?? '1', node.getBoundingClientRect().width])"
    )
    widest = max(width for opacity, width in shapes if opacity != "1")
    assert widest < min(width for opacity, width in shapes if opacity == "1")
    page.locator("#curve").select_option(metrics[-1])
    assert f"curve={metrics[-1]}" in page.evaluate("location.hash")
    drawn = chart.get_attribute("data-drawn")
    page.locator("#curve").select_option("all")
    pages.until(page, f"document.querySelectorAll('.chart')[2].dataset.drawn !== '{drawn}'")
    assert strong() == chart.locator(".mark-symbol.role-mark path").count()


def test_curves_of_many_metrics_share_one_legend_where_each_looks_different(visit: Any) -> None:
    opened = visit(pages.many_metrics_page())
    page = opened.open()
    metrics = opened.data()["metrics"]
    assert len(metrics) > 8
    for number in (-2, -1):
        curve = page.locator(".chart").nth(number)
        curve.locator(".role-legend-label text").first.wait_for()
        labels = curve.locator(".role-legend-label text").all_text_contents()
        assert sorted(name for label in labels for name in named(label)) == sorted(metrics)
        looks = curve.locator(".role-legend-symbol path").evaluate_all(
            "nodes => nodes.map(node => node.getAttribute('fill') + node.getAttribute('d'))"
        )
        assert len(set(looks)) == len(labels)
        ticks = curve.locator(".role-axis-label text").all_text_contents()
        whole = [tick for tick in ticks if tick.isdigit()]
        assert len(whole) == len(set(whole)) > 2


def named(label: str) -> list[str]:
    """The metrics of an entry in a legend, which may stand in several lines."""
    return [name.strip() for name in label.split("=")]


@pytest.mark.parametrize(("number", "key"), [(-2, "top"), (-1, "close")])
def test_no_curve_hides_another(visit: Any, number: int, key: str) -> None:
    """Metrics with the same curve share an entry; where curves run together, all can be seen."""
    opened = visit(pages.many_metrics_page())
    page = opened.open("#curve=all")
    curves = {one["metric"]: tuple(map(tuple, one[key])) for one in opened.data()["curves"]}
    chart = page.locator(".chart").nth(number)
    chart.locator(".role-legend-label text").first.wait_for()
    labels = chart.locator(".role-legend-label text").all_text_contents()
    groups = [named(label) for label in labels]
    assert any(len(group) > 1 for group in groups), "the sample data has some"
    assert len(groups) == len({curves[group[0]] for group in groups})
    for group in groups:
        assert len({curves[name] for name in group}) == 1
    assert all(
        ", ".join(group) in chart.get_attribute("aria-label") for group in groups if group[1:]
    )
    points = [point for group in groups for point in curves[group[0]] if point[1] is not None]
    shapes = chart.locator(".mark-symbol.role-mark path").evaluate_all(
        """nodes => nodes.map(node => [
            node.getAttribute("transform"), node.getAttribute("d"), node.getBoundingClientRect().width
        ])"""
    )
    assert len(shapes) == len(points)
    drawn = {(place, outline) for place, outline, _ in shapes}
    assert len(set(points)) < len(points), "some curves meet"
    assert len(drawn) == len(shapes), "what lies below is larger"
    for x in {place for place, _ in drawn}:
        sizes = [width for place, _, width in shapes if place == x]
        assert sizes == sorted(sizes, reverse=True), "and drawn before"


def test_charts_are_drawn_for_paper(visit: Any) -> None:
    """As wide as a page, in letters of the usual size, and light whatever the screen is."""
    page = visit(pages.meta_page(), scheme="dark", width=1500).open()
    pages.until(page, "document.querySelectorAll('.chart[data-drawn] svg').length === 4")
    size = "[...document.querySelectorAll('.chart svg')].map((one) => one.width.baseVal.value)"
    fill = "document.querySelector('.chart .role-axis-label text').getAttribute('fill')"
    screen = page.evaluate(size), page.evaluate(fill)
    assert max(screen[0]) > 1000
    # A page is printed when its listeners are done, promises included; timers and frames come too late.
    promises = "for (let turn = 0; turn < 5000; turn += 1) await null;"
    paper = page.evaluate(
        f"async () => {{ dispatchEvent(new Event('beforeprint')); {promises} return [{size}, {fill}]; }}"
    )
    assert max(paper[0]) <= 650
    assert min(paper[0]) > 600
    assert paper[1] != screen[1]
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    pages.until(page, f"Math.max(...{size}) > 1000")
    assert page.evaluate(fill) == screen[1]


def test_heads_of_printed_tables_hold_no_buttons(opened: Any) -> None:
    """Chromium repeats a head on every page without the buttons in it, so their words stand alone."""
    page = opened.open()
    page.emulate_media(media="print")
    shown = (
        "[...document.querySelectorAll('thead button')].map((one) => getComputedStyle(one).display)"
    )
    assert set(page.evaluate(shown)) == {"contents"}
