"""Identical texts never score 0, whatever they are written in, unless a ROUGE profile is named."""

from __future__ import annotations

import warnings

from hypothesis import given
from hypothesis import strategies as st

from rubrica.errors import ComparabilityWarning
from rubrica.metrics import Rouge
from rubrica.metrics.rouge.non_ascii import mostly_dropped

TEXTS = st.text(max_size=40).filter(lambda text: any(map(str.isalnum, text)))
USUAL = Rouge(2, compute_rouge_l=True)
EXACT = Rouge(2, compute_rouge_l=True, profile="rouge-1.5.5")


@given(TEXTS)
def test_a_text_with_a_letter_or_a_digit_is_like_itself(text: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ComparabilityWarning)
        scores = USUAL.score(text, [text])
    assert scores["rouge-1"] == scores["rouge-l"] == {"recall": 100, "precision": 100, "f1": 100}


@given(st.text(max_size=40), st.lists(st.text(max_size=40), min_size=1, max_size=3))
def test_texts_that_the_profile_reads_keep_its_numbers(summary: str, references: list[str]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ComparabilityWarning)
        if not any(map(mostly_dropped, (summary, *references))):
            assert USUAL.score(summary, references) == EXACT.score(summary, references)
        alone = [USUAL.score(summary, [one]) for one in references]
        together = USUAL.score_multi_all([[summary]] * len(references), [[r] for r in references])
    assert [row for (row,) in together] == alone
