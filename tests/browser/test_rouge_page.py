"""The page of ROUGE matches: what is highlighted is what was counted."""

from __future__ import annotations

from typing import Any

import pages
import pytest


@pytest.fixture
def opened(visit: Any) -> Any:
    return visit(pages.rouge_page())


def test_every_count_is_the_number_of_matches_drawn(opened: Any) -> None:
    page = opened.open()
    wrong = page.evaluate(
        """() => {
            const wrong = [];
            const data = JSON.parse(document.getElementById("data").textContent);
            const size = (kind) => kind.startsWith("n") ? 2 : kind.startsWith("su") ? 2 : 4;
            for (const row of data.rows) data.variants.forEach((variant, v) => {
                for (const pair of row.pairs[v]) variant.kinds.forEach((kind, m) => {
                    const packed = pair.matches[m][0];
                    let found;
                    if (/^(n|s)/.test(kind)) found = packed.length / size(kind);
                    else if (kind === "w") found = null;
                    else found = packed.length;
                    if (kind.startsWith("su")) found += pair.counts[variant.kinds.indexOf(kind.replace("su", "s"))][0];
                    if (found !== null && found !== pair.counts[m][0]) wrong.push([variant.name, kind, found, pair.counts[m][0]]);
                });
            });
            return wrong;
        }"""
    )
    assert wrong == []


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
    page.get_by_label("find").fill("rouge-9>0")
    assert page.locator(".list tbody tr").count() == 0


def test_implementations_can_be_switched_and_say_where_they_differ(opened: Any) -> None:
    page = opened.open("#measure=rouge-1&profile=rouge-1.5.5%3Ano-stop-words")
    assert page.locator(".pane .dropped").count() > 5
    page.locator("#profile").select_option("rouge-1.5.5")
    assert page.locator(".pane .dropped").count() == 0
    table = page.locator(".implementations tbody tr")
    assert table.count() == 5
    assert "shown above" in table.first.inner_text()
    assert "−" in table.nth(1).locator("td").last.inner_text(), "words matched only by their stems"


def test_stems_are_shown_on_demand(opened: Any) -> None:
    page = opened.open("#measure=rouge-1")
    assert page.locator("rt").count() == 0
    page.get_by_label("show stems").check()
    assert "librari" in page.locator("rt").all_inner_texts()


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
