"""The page of ROUGE matches: what is highlighted is what was counted."""

from __future__ import annotations

import csv
import re
from pathlib import Path
from typing import Any

import pytest

from support import pages


@pytest.fixture
def opened(visit: Any) -> Any:
    return visit(pages.rouge_page())


@pytest.mark.parametrize("measure", ["rouge-1", "rouge-l"])
def test_the_words_marked_are_the_hits(opened: Any, measure: str) -> None:
    page = opened.open(f"#measure={measure}&system=abstractor&reference=2")
    data = opened.data()
    row = next(r for r in data["rows"] if (r["instance"], r["system"]) == ("d01", "abstractor"))
    at = data["variants"][0]["measures"].index(measure)
    hits, in_reference, in_summary = row["pairs"][0][1]["counts"][at]
    reference = page.locator(".pane").nth(1)
    assert reference.locator("mark.hit").count() == hits
    if measure == "rouge-1":
        assert page.locator(".pane").first.locator("mark.hit").count() == hits
    shown = page.locator(".scores").inner_text()
    assert f"{hits:.0f} ⁄ {in_reference:.0f}" in shown
    assert f"{hits:.0f} ⁄ {in_summary:.0f}" in shown
    assert f"{row['pairs'][0][1]['scores'][at][2]:.2f}" in shown


@pytest.mark.usefixtures("fonts")
def test_all_columns_of_the_implementations_fit_beside_the_list(visit: Any) -> None:
    page = visit(pages.rouge_page()).open()
    scroller = page.locator(".implementations .scroller")
    assert scroller.evaluate("node => node.scrollWidth - node.clientWidth") == 0


def test_pointing_at_a_word_shows_its_partner(opened: Any) -> None:
    page = opened.open("#measure=rouge-1")
    page.locator(".pane").first.locator("mark.hit", has_text="Marlow").hover()
    partners = page.locator(".pane").nth(1).locator(".partner")
    assert partners.all_inner_texts() == ["Marlow"]
    assert "Marlow" in page.locator(".info").inner_text()


def test_arrow_keys_go_through_matches_and_summaries(opened: Any) -> None:
    page = opened.open("#measure=rouge-1")
    page.locator(".reading").first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert page.locator(".active").count() == 1
    assert "↔" in page.locator("#said").inner_text()
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("ArrowRight")
    assert "centroid" in page.locator("#view-title").inner_text()
    assert "system=centroid" in page.url
    page.keyboard.press("ArrowLeft")
    assert "lead3" in page.locator("#view-title").inner_text()


def test_deep_links_open_what_they_say(opened: Any) -> None:
    page = opened.open(
        "#input=d02&system=rambler&measure=rouge-2&profile=rouge-score&reference=3&compare=lead3"
    )
    assert page.locator("#view-title").inner_text() == "d02 · rambler and lead3"
    assert page.locator("#profile").input_value() == "rouge-score"
    assert page.locator("#reference").input_value() == "3"
    assert page.locator(".comparison").count() == 2
    assert page.locator("input[name=measure]:checked").input_value() == "rouge-2"
    assert page.locator("a[aria-current]").get_attribute("data-system") == "rambler"


def test_nonsense_in_the_address_does_no_harm(opened: Any) -> None:
    page = opened.open("#input=nowhere&measure=%00&profile=x&reference=-7&part=z&compare=lead3")
    assert page.locator(".comparison").count() >= 1


def test_the_list_sorts_by_score_and_filters(opened: Any) -> None:
    page = opened.open()
    listed = page.locator(".list")
    listed.get_by_role("button", name="rouge-1 F1").click()
    values = [float(x) for x in listed.locator("tbody td.number").all_inner_texts()]
    assert values == sorted(values, reverse=True)
    page.get_by_label("find").fill("d02 >30")
    rows = listed.locator("tbody tr").all_inner_texts()
    assert rows
    assert all(row.startswith("d02") for row in rows)
    assert all(float(row.split()[-1]) > 30 for row in rows)


def test_the_list_is_filtered_by_any_score(opened: Any) -> None:
    page = opened.open()
    data = opened.data()
    at = data["variants"][0]["measures"].index("rouge-2")
    expected = [
        row["system"]
        for row in data["rows"]
        if row["scores"][0][at][0] <= 8 and row["type"] == "peer"
    ]
    assert expected
    page.get_by_label("find").fill("peer rouge-2.recall<=8")
    listed = page.locator(".list tbody td:nth-child(2)").all_inner_texts()
    assert listed == expected


def test_an_empty_list_says_why(opened: Any) -> None:
    page = opened.open("#find=rouge-9>0")
    assert page.locator(".list tbody tr").count() == 0
    note = page.locator(".list .empty")
    assert "rouge-1.5.5 has no measure “\u2068rouge-9\u2069”; it has rouge-1, " in note.inner_text()
    page.get_by_label("find").fill("nobody")
    assert note.inner_text() == "No summary matches “\u2068nobody\u2069”."
    page.get_by_label("find").fill("lead3")
    assert note.count() == 0


def test_the_order_of_the_list_is_in_the_address(opened: Any) -> None:
    page = opened.open()
    page.locator(".list thead th").nth(1).click(position={"x": 2, "y": 2})
    assert "list=system.asc" in page.url
    page = opened.open("#list=system.desc")
    names = page.locator(".list tbody td:nth-child(2)").all_inner_texts()
    assert names == sorted(names, key=str.lower, reverse=True)
    assert len(set(names)) > 1


@pytest.mark.usefixtures("fonts")
def test_compared_texts_start_at_one_height(opened: Any) -> None:
    page = opened.open("#compare=abstractor&measure=rouge-1")
    # A title and scores of several lines on one side only.
    page.evaluate("document.querySelector('.pane h3').append(' with a long title'.repeat(9))")
    page.evaluate("document.querySelector('.scores dd').append(' 1234'.repeat(40))")
    tops = [box.bounding_box()["y"] for box in page.locator(".pane .reading").all()]
    assert tops[0] == pytest.approx(tops[2], abs=1)
    assert tops[1] == pytest.approx(tops[3], abs=1)
    page = opened.open("#measure=rouge-1")
    page.evaluate("document.querySelector('.pane h3').append(' with a long title'.repeat(9))")
    tops = [box.bounding_box()["y"] for box in page.locator(".pane .reading").all()]
    assert len(tops) == 2
    assert tops[0] == pytest.approx(tops[1], abs=1)


@pytest.mark.parametrize(("profile", "scale"), [("rouge-1.5.5", 100), ("rouge-score", 1)])
def test_all_implementations_are_on_the_scale_of_the_chosen(
    opened: Any, profile: str, scale: int
) -> None:
    page = opened.open(f"#profile={profile}&measure=rouge-1")
    data = opened.data()
    assert {variant["scale"] for variant in data["variants"]} == {1, 100}
    table = page.locator(".implementations")
    assert f"F1 (0–{scale})" in table.locator("thead").inner_text()
    shown = [
        float(row.locator("td").nth(3).inner_text()) for row in table.locator("tbody tr").all()
    ]
    expected = [
        pair[0]["scores"][variant["measures"].index("rouge-1")][2] / variant["scale"] * scale
        for variant, pair in zip(data["variants"], data["rows"][0]["pairs"], strict=True)
    ]
    assert shown == pytest.approx(expected, abs=0.0051 if scale > 1 else 0.000051)
    assert f"All F1 are on the scale of {profile}." in page.locator(".view").inner_text()


def test_implementations_can_be_switched_and_say_where_they_differ(opened: Any) -> None:
    page = opened.open("#measure=rouge-1&profile=rouge-1.5.5%3Ano-stop-words")
    assert page.locator(".pane .dropped").count() > 5
    page.locator("#profile").select_option("rouge-1.5.5")
    assert page.locator(".pane .dropped").count() == 0
    table = page.locator(".implementations tbody tr")
    assert table.count() == 5
    assert "shown above" in table.first.inner_text()
    assert "−" in table.nth(1).locator("td").last.inner_text(), "words matched only by their stems"


def test_one_implementation_alone_is_not_compared(visit: Any) -> None:
    page = visit(pages.languages_page()).open()
    assert page.locator(".implementations").count() == 0
    assert page.get_by_role("heading", name="Why implementations differ").count() == 0
    assert page.get_by_role("heading", name="All measures of this pair").count() == 1


def test_stems_are_shown_on_demand(opened: Any) -> None:
    page = opened.open("#measure=rouge-1")
    assert page.locator("rt").count() == 0
    page.get_by_label("show stems").check()
    assert "librari" in page.locator("rt").all_inner_texts()


def test_matches_can_be_taken_along(opened: Any) -> None:
    page = opened.open("#measure=rouge-2&system=abstractor&profile=rouge-1.5.5%3Ano-stemming")
    with page.expect_download() as download:
        page.get_by_role("button", name="Matches shown (CSV)").click()
    rows = list(csv.DictReader(Path(download.value.path()).read_text("utf-8").splitlines()))
    data = opened.data()
    row = next(r for r in data["rows"] if (r["instance"], r["system"]) == ("d01", "abstractor"))
    assert sum(float(one["value"]) for one in rows) == row["pairs"][1][0]["counts"][1][0] > 3
    assert all(len(one["summary"].split()) == 2 for one in rows)
    assert [one["summary"].lower() for one in rows] == [one["in_reference"].lower() for one in rows]


def test_nothing_is_marked_that_does_not_add_up(visit: Any, tmp_path: Path) -> None:
    """A page whose count is one more than its texts give."""
    html = pages.rouge_page().read_text("utf-8")
    counts = re.search(r'"pairs":\[\[\{"counts":\[\[(\d+)', html)
    assert counts is not None
    start, end = counts.span(1)
    wrong = tmp_path / "wrong.html"
    wrong.write_text(f"{html[:start]}{int(counts[1]) + 1}{html[end:]}", "utf-8")
    page = visit(wrong).open("#measure=rouge-1")
    assert "none are marked" in page.locator(".trouble").inner_text()
    assert page.locator(".pane mark").count() == 0
    page.locator("label", has_text="rouge-2").click()
    assert page.locator(".trouble").count() == 0
    assert page.locator(".pane mark.hit").count() > 0


def test_clipping_is_told(opened: Any) -> None:
    page = opened.open("#measure=rouge-1")
    assert "5 in the summary, 3 in the reference" in page.locator(".scores").inner_text()
    assert page.locator(".pane").first.locator(".clipped").count() == 5
    assert page.locator(".pane").nth(1).locator(".clipped").count() == 3


def test_the_result_is_told_in_a_sentence(visit: Any) -> None:
    opened = visit(pages.rouge_page())
    page = opened.open("#measure=rouge-2&reference=2&compare=abstractor")
    data = opened.data()
    for lead, row in zip(
        page.locator(".lead").all(), (data["rows"][0], data["rows"][2]), strict=True
    ):
        pair = row["pairs"][0][1]
        hits, inside, _ = pair["counts"][1]
        assert lead.inner_text() == (
            f"{row['system']} has {hits:.0f} of the {inside:.0f} word pairs of reference 2: "
            f"rouge-2 F1 {pair['scores'][1][2]:.2f}."
        )


@pytest.mark.usefixtures("fonts")
def test_signs_stand_before_words_from_right_to_left(visit: Any) -> None:
    """Arabic that one implementation counts and the other drops: the minus is at the word's left."""
    page = visit(pages.dropped_arabic_page()).open()
    lost = page.locator(".lost").first
    assert lost.inner_text().startswith("−")
    word, whole = lost.locator("bdi").bounding_box(), lost.bounding_box()
    assert word["x"] > whole["x"]
