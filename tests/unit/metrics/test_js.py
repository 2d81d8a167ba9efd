"""JS: bounds, empty texts, what counts as a stop word, and what it is measured against."""

from __future__ import annotations

import math
from typing import Any

import pytest

from rubrica.errors import ParameterError, UnknownNameError
from rubrica.metrics import JensenShannon

LN_2 = math.log(2)


def js(summary: Any, reference: Any, **parameters: Any) -> dict[str, float]:
    return dict(JensenShannon(**parameters).score(summary, [reference]))


def test_equal_texts_have_none_and_disjoint_ones_ln_2() -> None:
    assert js("Rain fell on harbour towns.", "Rain fell on harbour towns.") == {
        "js-1": 0,
        "js-2": 0,
    }
    assert js("Rain fell.", "Towns slept.") == pytest.approx({"js-1": -LN_2, "js-2": -LN_2})


def test_empty_texts() -> None:
    assert js("", "Rain fell.") == pytest.approx({"js-1": -LN_2 / 2, "js-2": -LN_2 / 2})
    assert js("Rain fell.", "") == pytest.approx({"js-1": -LN_2 / 2, "js-2": -LN_2 / 2})
    assert js("", "") == {"js-1": 0, "js-2": 0}
    # One word has no bigram.
    assert js("Rain", "Rain")["js-2"] == 0


def test_stop_words_are_looked_up_as_stems() -> None:
    # "this" is its own stem and dropped; "very" becomes "veri", which is on no list.
    assert js("this rain", "rain")["js-1"] == 0
    assert js("very rain", "rain")["js-1"] < 0
    assert js("very rain", "rain", stemmer=None)["js-1"] == 0
    assert js("this rain", "rain", stop_list=None)["js-1"] < 0


def test_bigrams_cross_sentences_and_need_one_word_that_is_no_stop_word() -> None:
    assert js(["Rain fell", "towns slept"], "Rain fell towns slept")["js-2"] == 0
    assert js("of the rain", "of the rain of the", ngram_orders=[2])["js-2"] < 0
    assert js("of the", "of the rain", ngram_orders=[2])["js-2"] == pytest.approx(-LN_2 / 2)


def test_several_references_count_by_their_mean() -> None:
    metric = JensenShannon(ngram_orders=[1])
    both = metric.score("rain fell", ["rain fell", "towns slept"])["js-1"]
    assert both == pytest.approx(-LN_2 / 2)


def test_several_documents_are_one_text() -> None:
    metric = JensenShannon(against="documents")
    assert metric.required_context_fields == ("documents",)
    assert not metric.requires_jackknifing
    split = metric.score("Rain fell.", [["Rain fell."], "Towns slept."])
    assert split == metric.score("Rain fell.", ["Rain fell. Towns slept."])


def test_the_divergence_is_lower_when_better() -> None:
    assert js("rain", "towns", divergence=True, ngram_orders=[1]) == pytest.approx(
        {"js-1-divergence": LN_2}
    )
    assert JensenShannon.direction_of("js-1-divergence") == "lower"
    assert JensenShannon.direction_of("js-1_jk") == "higher"


def test_mistyped_names_are_told_at_once() -> None:
    with pytest.raises(UnknownNameError, match="porter2"):
        JensenShannon(stemmer="porter-2")
    with pytest.raises(UnknownNameError, match="nltk"):
        JensenShannon(stop_list="nlkt")
    with pytest.raises(ParameterError, match="ngram_orders"):
        JensenShannon(ngram_orders=[0])


def test_the_command_takes_documents(rubrica, news, tmp_path) -> None:  # type: ignore[no-untyped-def]
    out = tmp_path / "rows.jsonl"
    answer = rubrica(
        "js", "score", out, "--against", "documents", "--dataset-reader", "split-document-based",
        "--input-files", news / "documents.jsonl", news / "summaries.jsonl", "--silent",
    )  # fmt: skip
    assert answer.code == 0, answer.err
    assert '"js-2":' in out.read_text()
