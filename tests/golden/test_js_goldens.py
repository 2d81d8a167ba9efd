"""JS-1 and JS-2 as the Python of REALSumm and Peyrard computes them (NLTK's stemmer and stop words)."""

from __future__ import annotations

import pytest

from rubrica.metrics import JensenShannon
from support.goldens import golden_cases

CASES = golden_cases("js")


@pytest.mark.parametrize("n", [1, 2])
def test_the_divergence_from_each_reference_from_all_and_from_the_document(n: int) -> None:
    metric = JensenShannon(divergence=True)
    document = JensenShannon(divergence=True, against="documents")
    key = f"js-{n}-divergence"
    assert len(CASES) == 60
    for case in CASES:
        summary, expected = case["summary"], case["expected"]
        singles = [metric.score(summary, [one])[key] for one in case["references"]]
        assert singles == pytest.approx(expected[f"JS-{n}_per_ref"], abs=1e-12), case["id"]
        mean = metric.score(summary, case["references"])[key]
        assert mean == pytest.approx(expected[f"JS_eval_{n}"], abs=1e-12), case["id"]
        if f"JS-{n}_vs_doc" in expected:
            against = document.score(summary, [case["document"]])[key]
            assert against == pytest.approx(expected[f"JS-{n}_vs_doc"], abs=1e-12), case["id"]


def test_the_sign_is_realsumms() -> None:
    case = CASES[0]
    assert JensenShannon().score(case["summary"], case["references"][:1]) == pytest.approx(
        {f"js-{n}": -case["expected"][f"JS-{n}_per_ref"][0] for n in (1, 2)}, abs=1e-12
    )
