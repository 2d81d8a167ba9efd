"""The page of token similarities shows every cosine or distance, and every link."""

from __future__ import annotations

from typing import Any

import pages


def test_the_matrix_equals_the_data(visit: Any) -> None:
    opened = visit(pages.embeddings_page())
    page = opened.open("#summary=1&reference=2")
    one = opened.data()["rows"][1]["alignments"][1]
    assert page.locator(".tokens tbody tr").count() == len(one["summary"])
    assert page.locator("td.linked").count() == len(one["links"])
    for link in one["links"][:5]:
        cell = page.locator(f'td[data-s="{link["summary"]}"][data-r="{link["reference"]}"]')
        shown = one["closeness"][link["summary"]][link["reference"]]
        assert cell.inner_text() == f"{shown:.2f}●"
    assert f"{one['values']['wms']:.4f}" in page.locator(".scores").inner_text()


def test_arrow_keys_go_from_cell_to_cell(visit: Any) -> None:
    opened = visit(pages.embeddings_page())
    page = opened.open()
    one = opened.data()["rows"][0]["alignments"][0]
    page.locator('td[data-s="0"][data-r="0"]').focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    told = page.locator(".info").inner_text()
    assert one["summary"][1] in told
    assert one["reference"][1] in told
    assert page.locator("th.lit").count() == 2


def test_a_summary_can_be_chosen_and_is_in_the_address(visit: Any) -> None:
    page = visit(pages.embeddings_page()).open()
    page.locator("#summary").select_option("2")
    assert "summary=2" in page.url
    page.locator("#reference").select_option("3")
    assert page.locator("#reference").input_value() == "3"
