"""Every score that the official ROUGE-1.5.5.pl gave for the golden cases (see rouge155_check.py)."""

from __future__ import annotations

import pytest

from rubrica.core import kernels
from rubrica.core.python.rouge import rouge_counts as plain_counts
from support.rouge155_check import compare


@pytest.mark.parametrize(
    ("name", "triples"), [("rouge155", 54720), ("rouge155_empty_exceptions", 4830)]
)
def test_every_official_score_is_met(name: str, triples: int) -> None:
    assert compare(name) == (triples, [])


@pytest.mark.slow
@pytest.mark.skipif(kernels.IMPLEMENTATION == "python", reason="the run above was the plain one")
def test_the_plain_definition_meets_a_sample_of_them() -> None:
    triples, differences = compare("rouge155", count=plain_counts, every=7)
    assert triples > 7000
    assert differences == []
