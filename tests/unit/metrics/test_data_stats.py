"""Data statistics: what counts as a fragment, and what empty texts give."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rubrica.errors import ParameterError
from rubrica.metrics import DataStats
from rubrica.metrics.data_stats import fragments

tokens = st.lists(st.sampled_from("abc"), max_size=14)


def textbook(summary: list[str], document: list[str]) -> list[tuple[int, int, int]]:
    """The procedure of the paper's program, token by token."""
    found, i = [], 0
    while i < len(summary):
        best, j = (i, 0, 0), 0
        while j < len(document):
            if summary[i] != document[j]:
                j += 1
                continue
            k = 0
            while (
                i + k < len(summary) and j + k < len(document) and summary[i + k] == document[j + k]
            ):
                k += 1
            if k > best[2]:
                best = (i, j, k)
            j += k
        if best[2]:
            found.append(best)
        i += max(1, best[2])
    return found


@given(tokens, tokens)
def test_fragments_are_those_of_the_plain_procedure(
    summary: list[str], document: list[str]
) -> None:
    assert [tuple(one) for one in fragments(summary, document)] == textbook(summary, document)


@given(tokens, tokens)
def test_fragments_cover_each_token_at_most_once(summary: list[str], document: list[str]) -> None:
    covered = [i + k for i, _, length in fragments(summary, document) for k in range(length)]
    assert len(covered) == len(set(covered))
    assert {summary[i] for i in covered} == set(summary) & set(document)


def test_a_copied_summary_and_a_new_one() -> None:
    metric = DataStats()
    document = ["Rain fell on the town all day. Nobody went out."]
    copied = metric.score("Rain fell on the town.", document)
    assert (copied["coverage"], copied["density"]) == (1.0, (25 + 1) / 6)
    assert copied["compression"] == 12 / 6
    assert copied["percentage_novel_2-gram"] == 1 / 5
    fresh = metric.score("Snow, snow, snow!", document)
    assert (fresh["coverage"], fresh["density"], fresh["summary_length"]) == (0, 0, 6)
    # Of the four tokens Snow , snow ! two stand twice.
    assert fresh["percentage_repeated_1-gram_in_summ"] == 2 / 4


def test_capitals_count_in_ngrams_and_on_demand_in_fragments() -> None:
    document = ["Rain fell."]
    assert DataStats().score("rain", document)["coverage"] == 1
    assert DataStats().score("rain", document)["percentage_novel_1-gram"] == 1
    assert DataStats(case=True).score("rain", document)["coverage"] == 0


def test_empty_texts() -> None:
    empty = DataStats(n_gram=1).score("", ["Rain."])
    assert empty == {
        "coverage": 0,
        "density": 0,
        "compression": 0,
        "summary_length": 0,
        "percentage_novel_1-gram": None,
        "percentage_repeated_1-gram_in_summ": None,
    }
    nothing = DataStats(n_gram=1).score("Rain.", [""])
    assert (nothing["coverage"], nothing["compression"]) == (0, 0)
    assert nothing["percentage_novel_1-gram"] == 1


def test_several_documents_are_taken_as_one() -> None:
    metric = DataStats()
    assert metric.score("Rain fell. Snow fell.", ["Rain fell.", ["Snow fell."]])["coverage"] == 1


@pytest.mark.parametrize("n_gram", [0, 1001, 2**31])
def test_ngrams_are_of_a_length_that_can_be_counted(n_gram: int) -> None:
    with pytest.raises(ParameterError, match=f"n_gram must lie between 1 and 1,000, not {n_gram}"):
        DataStats(n_gram=n_gram)
