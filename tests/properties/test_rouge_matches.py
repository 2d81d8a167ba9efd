"""What `matches` lists is what the kernels count: for random texts, every measure, every profile."""

from __future__ import annotations

import warnings
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rubrica.errors import RubricaWarning
from rubrica.metrics.rouge.metric import Rouge
from rubrica.metrics.rouge.profiles import PROFILES
from support.examples import half_as_many
from support.rouge_matches import matches

WORDS = ["a", "b", "the", "Cat", "cats", "running", "ran", "2.5", "İ", "naïve", "x.y", "gimme", "."]
SENTENCE = st.lists(st.sampled_from(WORDS), max_size=9).map(" ".join)
TEXT = st.lists(SENTENCE, min_size=1, max_size=4) | SENTENCE


def every_measure(profile: str, **more: Any) -> Rouge:
    lacks = PROFILES[profile].unsupported
    parameters: dict[str, Any] = {"max_ngram": 4, "compute_rouge_l": True}
    parameters |= {
        name: value
        for name, value in {
            # Elsewhere ROUGE-L itself is the union over sentences.
            "compute_rouge_lsum": PROFILES[profile].rouge_l == "l",
            "wlcs_weight": 1.2,
            "skip_bigram_gap_length": 2,
        }.items()
        if name not in lacks
    }
    return Rouge(profile=profile, **{**parameters, **more})


def assert_equal_to_the_kernel(metric: Rouge, summary: Any, reference: Any) -> None:
    engine = metric.engine
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RubricaWarning)
        one, other = metric.prepare([summary]), metric.prepare([reference])
        counted = engine.count(one, other, np.zeros((1, 2), dtype=np.int64))[0]
    ours, theirs = engine.tokens_of(one[0]), engine.tokens_of(other[0])
    found = matches(engine, ours, theirs)
    assert [one.hits for one in found] == counted[:, 0].tolist()
    for measure, listed in zip(engine.options.measures, found, strict=True):
        if measure.startswith(("n", "s")):
            for match in listed.counted:
                assert [ours.whole[i] for i in match.summary] == [
                    theirs.whole[i] for i in match.reference
                ]
            for side in ("summary", "reference"):
                places = [getattr(match, side) for match in listed.counted]
                assert max(Counter(places).values(), default=1) == 1, "an occurrence is used once"


@pytest.mark.parametrize("profile", sorted(PROFILES))
@half_as_many
@given(summary=TEXT, reference=TEXT)
def test_matches_add_up_to_the_kernels_hits(profile: str, summary: Any, reference: Any) -> None:
    assert_equal_to_the_kernel(every_measure(profile), summary, reference)


@given(
    summary=TEXT,
    reference=TEXT,
    stem=st.booleans(),
    stop=st.booleans(),
    unigrams=st.booleans(),
    gap=st.sampled_from([-1, 0, 1, 4]),
    weight=st.sampled_from([1.0, 1.2, 2.0]),
    limit=st.sampled_from([{}, {"max_words": 5}, {"max_bytes": 12}]),
)
def test_matches_add_up_whatever_the_options(
    summary: Any,
    reference: Any,
    stem: bool,
    stop: bool,
    unigrams: bool,
    gap: int,
    weight: float,
    limit: dict[str, int],
) -> None:
    metric = every_measure(
        "rouge-1.5.5",
        use_porter_stemmer=stem,
        remove_stopwords=stop,
        skip_unigrams=unigrams,
        skip_bigram_gap_length=gap,
        wlcs_weight=weight,
        **limit,
    )
    assert_equal_to_the_kernel(metric, summary, reference)
