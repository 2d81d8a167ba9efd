"""The page of pyramids: units, texts and the score's arithmetic."""

from __future__ import annotations

from typing import Any

from support import pages


def test_scores_equal_the_data_and_their_sums(visit: Any) -> None:
    opened = visit(pages.pyramid_page())
    for view in (opened.open(), opened.data())[1]["pyramids"]:
        for peer in view["peers"]:
            page = opened.open(f"#input={view['instance']}&text={peer['name']}")
            assert page.locator(".big").inner_text() == f"{peer['score']:.4f}"
            told = page.locator(".arithmetic").inner_text()
            assert f"{peer['found']} ⁄ {peer['ideal']['total']}" in told
            assert page.locator(".block.held").count() == len(peer["contributions"])
        break


def test_a_unit_lights_up_in_every_text(visit: Any) -> None:
    opened = visit(pages.pyramid_page())
    page = opened.open("#text=lead3")
    unit = opened.data()["pyramids"][0]["units"][0]
    page.locator(".unit").first.click()
    assert f"unit={unit['id']}" in page.url
    lit = page.locator(".pane", has=page.locator("mark.lit"))
    assert lit.count() == unit["weight"] + 1
    page.locator(".unit").first.click()
    page.mouse.move(0, 0)
    assert "unit=" not in page.url


def test_missing_units_can_be_singled_out(visit: Any) -> None:
    opened = visit(pages.pyramid_page())
    page = opened.open("#text=headliner")
    page.get_by_label("missing", exact=True).check()
    held = len(opened.data()["pyramids"][0]["peers"][5]["contributions"])
    assert page.locator(".unit").count() == 12 - held


def test_texts_are_shown_letter_by_letter(visit: Any) -> None:
    opened = visit(pages.hostile_pages()["pyramid"])
    page = opened.open()
    texts = [one["text"] for one in opened.data()["pyramids"][0]["references"]]
    shown = page.locator(".pane .text p").all_text_contents()
    assert [text for text in shown if text.strip() and text != " (empty)"] == [
        text for text in texts if text.strip()
    ]


def test_it_works_without_annotations(visit: Any) -> None:
    opened = visit(pages.bare_pyramid_page())
    page = opened.open()
    assert "no annotations" in page.locator(".facts").inner_text()
    assert page.locator(".unit").count() == 12
    page.keyboard.press("ArrowRight")
    assert "text=B" in page.url


def test_the_result_is_told_in_a_sentence(visit: Any) -> None:
    page = visit(pages.pyramid_page()).open("#text=lead3")
    assert page.locator(".lead").inner_text() == (
        "lead3 expresses 6 of 12 content units, with a weight of 15; "
        "an ideal summary of average size has 19: score 0.7895."
    )
