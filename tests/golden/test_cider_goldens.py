"""CIDEr-D as SummEval's Python computes it, on a corpus of 17 examples."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from rubrica.metrics import Cider

CORPORA = json.loads(
    gzip.decompress((Path(__file__).parent / "metrics" / "cider.json.gz").read_bytes())
)


@pytest.mark.parametrize("corpus", CORPORA, ids=["words", "blanks"])
def test_every_example_of_the_corpus_and_its_mean(corpus) -> None:  # type: ignore[no-untyped-def]
    metric = Cider(tokenize=corpus["tokenize"])
    system, rows = metric.evaluate(corpus["summaries"], corpus["references"])
    assert len(rows) == 17
    assert [row["cider"] for row in rows] == pytest.approx(corpus["expected"], abs=1e-12)
    assert system["cider"] == pytest.approx(corpus["expected_mean"], abs=1e-12)
