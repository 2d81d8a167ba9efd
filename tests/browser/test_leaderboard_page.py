"""The leaderboard's filters leave the measures that fit, count them, and say why none is left."""

from __future__ import annotations

from typing import Any

import pytest

from support import pages


@pytest.fixture
def page(visit: Any) -> Any:
    return visit(pages.leaderboard_page()).open()


def control(page: Any, name: str) -> Any:
    return page.locator(f"select[data-name={name}]")


def choices(page: Any, name: str) -> list[str]:
    return list(control(page, name).locator("option").all_inner_texts())


def choose(page: Any, name: str, value: str) -> None:
    control(page, name).select_option(value)


def measures(page: Any) -> int:
    return int(page.locator("main tbody tr").count())


def test_filters_leave_what_fits_and_count_it(page: Any) -> None:
    shown = page.locator(".count")
    assert (shown.inner_text(), measures(page)) == ("8 of 8 measures", 8)
    assert choices(page, "needs") == [
        "any (8)",
        "reference summaries (4)",
        "source documents (4)",
    ]
    choose(page, "needs", "references")
    assert (shown.inner_text(), measures(page)) == ("4 of 8 measures", 4)
    choose(page, "cost", "neural")
    assert (shown.inner_text(), measures(page)) == ("1 of 8 measures", 1)
    assert "source documents (0)" in choices(page, "needs")


def test_an_empty_result_says_why_and_leads_back(page: Any) -> None:
    choose(page, "needs", "documents")
    choose(page, "cost", "neural")
    assert page.locator("table").count() == 0
    assert (
        page.locator(".empty")
        .inner_text()
        .startswith(
            "None of the 8 measures of this comparison needs source documents only and costs “neural”."
        )
    )
    page.get_by_role("button", name="Show all measures").click()
    assert measures(page) == 8


def test_a_language_leaves_its_comparisons(page: Any) -> None:
    assert choices(page, "language") == ["any (4)", "en (2)", "es (2)"]
    choose(page, "language", "es")
    assert choices(page, "comparison") == [
        "conjunto: h, system level",
        "conjunto: h, summary level",
    ]
    assert page.locator("caption").inner_text() == "conjunto: h, system level"


def test_an_address_with_unknown_choices_shows_everything(visit: Any) -> None:
    page = visit(pages.leaderboard_page()).open("#comparison=none&language=xx&needs=x&cost=y")
    assert page.locator(".count").inner_text() == "8 of 8 measures"


def test_long_names_of_measures_stay_in_their_column(page: Any) -> None:

    overflow = page.locator("tbody th").evaluate_all(
        "cells => cells.map(cell => cell.scrollWidth - cell.clientWidth)"
    )
    assert overflow
    assert max(overflow) <= 1
