"""Coverage, density and the rest as SummEval's Python computes them, on spaCy's tokens and on words."""

from __future__ import annotations

import pytest

from rubrica.metrics import DataStats
from rubrica.metrics.data_stats import fragments
from support.goldens import golden_cases

CASES = golden_cases("data_stats")


def test_the_fragments_are_the_same_runs() -> None:
    assert len(CASES) == 54
    for case in CASES:
        summary = [token.lower() for token in case["summary_tokens"]]
        found = fragments(summary, [token.lower() for token in case["document_tokens"]])
        assert [list(one) for one in found] == case["expected"]["overlaps"], case["id"]


def test_every_statistic_of_the_same_tokens_is_equal() -> None:
    for case in CASES:
        wanted = {k: v for k, v in case["expected"].items() if k != "overlaps"}
        found = DataStats().statistics(case["summary_tokens"], case["document_tokens"])
        assert {name: found[name] for name in wanted} == pytest.approx(wanted, rel=1e-12), case[
            "id"
        ]


def test_texts_are_cut_into_the_same_tokens() -> None:
    kinds = {"spacy": "english", "split": "whitespace"}
    for case in CASES:
        wanted = {k: v for k, v in case["expected"].items() if k != "overlaps"}
        metric = DataStats(tokenizer=kinds[case["tokenizer"]])  # type: ignore[arg-type]
        found = metric.score(case["summary"], [case["document"]])
        assert {name: found[name] for name in wanted} == pytest.approx(wanted, rel=1e-12), case[
            "id"
        ]
