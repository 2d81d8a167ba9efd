"""The page of token similarities shows every cosine or distance, and every link."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import pytest

from support import pages


def test_the_matrix_equals_the_data(visit: Any) -> None:
    opened = visit(pages.embeddings_page())
    page = opened.open("#system=centroid&reference=2")
    row = opened.data()["rows"][1]
    one = row["alignments"][1]
    assert row["system"] == "centroid"
    assert page.locator(".tokens tbody tr").count() == len(one["summary"])
    assert page.locator("td.linked").count() == len(one["links"])
    for link in one["links"][:5]:
        cell = page.locator(f'td[data-s="{link["summary"]}"][data-r="{link["reference"]}"]')
        shown = one["closeness"][link["summary"]][link["reference"]]
        assert cell.inner_text() == f"{shown:.2f}●"
    told = page.locator(".lead").inner_text()
    assert told.startswith(f"centroid against reference 2 of 3: wms {one['values']['wms']:.4f}.")


def test_the_flow_has_a_band_for_every_link_as_wide_as_its_weight(visit: Any) -> None:
    opened = visit(pages.embeddings_page())
    page = opened.open()
    one = opened.data()["rows"][0]["alignments"][0]
    assert page.locator(".column.summary .node").all_inner_texts() == one["summary"]
    assert sorted(page.locator(".column.reference .node").all_inner_texts()) == sorted(
        one["reference"]
    )
    bands = page.locator(".bands path")
    assert bands.count() == len(one["links"])
    # A path is M0 a C... b v WIDTH ...; widths are weights on one scale.
    widths = sorted(float(p.split("v")[1].split("C")[0]) for p in _attributes(bands, "d"))
    weights = sorted(link["amount"] for link in one["links"])
    scale = 24 * max(len(one["summary"]), len(one["reference"]))
    assert widths == pytest.approx([max(1, weight * scale) for weight in weights], rel=1e-6)


def _attributes(found: Any, name: str) -> list[str]:
    values: list[str] = found.evaluate_all(
        f"nodes => nodes.map(node => node.getAttribute('{name}'))"
    )
    return values


def test_the_reference_can_be_read_in_its_own_order(visit: Any) -> None:
    opened = visit(pages.embeddings_page())
    page = opened.open("#order=text")
    one = opened.data()["rows"][0]["alignments"][0]
    assert page.locator(".column.reference .node").all_inner_texts() == one["reference"]
    page.get_by_label("reference’s tokens").select_option("untangled")
    assert page.locator(".column.reference .node").all_inner_texts() != one["reference"]
    assert "order" not in page.url


def test_keys_follow_the_flow_and_words_tell_it(visit: Any) -> None:
    opened = visit(pages.embeddings_page())
    page = opened.open()
    one = opened.data()["rows"][0]["alignments"][0]
    info = page.locator(".info").first
    page.locator(".column.summary .node").first.focus()
    page.keyboard.press("ArrowDown")
    assert info.inner_text().startswith(
        f"“\u2068{one['summary'][1]}\u2069” in the summary moves to"
    )
    assert page.locator(".node:focus").get_attribute("data-at") == "1"
    lit = [link for link in one["links"] if link["summary"] == 1]
    assert page.locator(".bands .lit").count() == len(lit)
    page.keyboard.press("ArrowRight")
    best = max(lit, key=lambda link: link["amount"])
    assert page.locator(".node:focus").inner_text() == one["reference"][best["reference"]]
    assert "comes from" in info.inner_text()
    page.keyboard.press("Tab")
    assert page.locator(".bands .lit").count() == 0


def test_arrow_keys_go_from_cell_to_cell(visit: Any) -> None:
    opened = visit(pages.embeddings_page())
    page = opened.open()
    one = opened.data()["rows"][0]["alignments"][0]
    page.locator('td[data-s="0"][data-r="0"]').focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    told = page.locator(".info").last.inner_text()
    assert one["summary"][1] in told
    assert one["reference"][1] in told
    assert page.locator("th.lit").count() == 2


def test_what_costs_most_comes_first(visit: Any) -> None:
    opened = visit(pages.embeddings_page())
    page = opened.open()
    one = opened.data()["rows"][0]["alignments"][0]

    def cost(link: dict[str, Any]) -> float:
        return link["amount"] * one["closeness"][link["summary"]][link["reference"]]

    most = max(one["links"], key=cost)
    shown = page.locator("section", has_text="What costs most").locator("tbody tr").first
    cells = shown.locator("th, td").all_inner_texts()
    assert cells[:2] == [one["summary"][most["summary"]], one["reference"][most["reference"]]]
    assert cells[4].strip() == f"{100 * cost(most) / sum(map(cost, one['links'])):.1f}\u00a0%"


@pytest.mark.usefixtures("fonts")
def test_two_systems_stand_beside_each_other(visit: Any) -> None:
    opened = visit(pages.embeddings_page())
    page = opened.open()
    page.get_by_label("compare with").select_option("abstractor")
    assert page.url.endswith("compare=abstractor")
    assert page.locator(".flow").count() == page.locator(".tokens").count() == 2
    assert page.locator(".lead").count() == 2
    left, right = (page.locator(".pair").nth(at).bounding_box() for at in (0, 1))
    assert left["y"] == right["y"]
    assert right["x"] >= left["x"] + left["width"]
    texts = page.locator(".flow").nth(1).locator(".column.summary .node").all_inner_texts()
    assert texts == opened.data()["rows"][2]["alignments"][0]["summary"]


def test_a_choice_is_in_the_address_and_the_address_is_followed(visit: Any) -> None:
    page = visit(pages.embeddings_page()).open()
    page.locator("#system").select_option("centroid")
    page.locator("#reference").select_option("3")
    assert "system=centroid" in page.url
    assert "reference=3" in page.url
    page.evaluate("location.hash = 'system=lead3'")
    pages.until(page, "document.querySelector('#system').value === 'lead3'")
    assert page.locator("#reference").input_value() == "1"


def test_links_can_be_taken_along(visit: Any) -> None:
    opened = visit(pages.embeddings_page())
    page = opened.open()
    with page.expect_download() as download:
        page.get_by_role("button", name="Links (CSV)").click()
    rows = list(csv.DictReader(io.StringIO(Path(download.value.path()).read_text("utf-8"))))
    data = opened.data()
    assert len(rows) == sum(len(a["links"]) for row in data["rows"] for a in row["alignments"])
    assert float(rows[0]["weight"]) == data["rows"][0]["alignments"][0]["links"][0]["amount"]


def test_precision_and_recall_have_flows_of_their_own(visit: Any) -> None:
    opened = visit(pages.greedy_page())
    page = opened.open()
    one = opened.data()["rows"][0]["alignments"][0]
    assert {link["kind"] for link in one["links"]} == {"precision", "recall"}
    assert page.locator(".bands path").count() == len(one["summary"])
    page.locator("label", has_text="recall").click()
    assert "kind=recall" in page.url
    assert page.locator(".bands path").count() == len(one["reference"])
    page.locator(".column.reference .node").first.focus()
    assert "is matched with" in page.locator(".info").first.inner_text()
    assert page.locator("td sup").all_inner_texts().count("R") == len(one["reference"])


def test_a_large_matrix_has_cells_only_where_one_looks(visit: Any) -> None:
    page = visit(pages.large_matrix_page()).open()
    assert page.locator(".tokens tbody tr").count() == 200
    pages.until(page, "document.querySelectorAll('td[data-s]').length > 200")
    assert page.locator("td[data-s]").count() < 200 * 100
    page.locator(".grid-scroller").evaluate("node => node.scrollTo(0, node.scrollHeight)")
    last = page.locator('td[data-s="199"][data-r="199"]')
    last.wait_for()
    assert last.inner_text() == "1.00P"
    pages.until(page, "document.querySelector('td[data-s=\"5\"]') === null")
    last.focus()
    page.keyboard.press("ArrowUp")
    told = page.locator(".info.live").inner_text()
    assert "word198" in told
    assert told.endswith("cosine 0.500")


def test_a_small_matrix_is_printed_with_readable_letters(visit: Any) -> None:
    page = visit(pages.embeddings_page()).open()
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    cells = page.locator(".tokens td")
    sizes = cells.evaluate_all(
        "(cells) => cells.map((cell) => parseFloat(getComputedStyle(cell).fontSize)"
        " * Number(getComputedStyle(cell.closest('table')).getPropertyValue('--fit') || 1) * 0.75)"
    )
    assert min(sizes) >= 6
    cut = "(cells) => cells.filter((cell) => cell.scrollWidth > cell.clientWidth).length"
    assert cells.evaluate_all(cut) == 0
