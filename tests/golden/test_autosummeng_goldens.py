"""AutoSummENG, MeMoG and NPowER as the Java program prints them (JInsect with NPowERBatch, Java 17)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rubrica.core import kernels
from rubrica.core.python import graph as kernels_py_graph
from rubrica.metrics import AutoSummENG
from rubrica.metrics.autosummeng import _document
from support.goldens import golden_cases

DAN = "Dan walked to the bakery this morning.", ["Dan went to buy scones earlier this morning."]

CASES = golden_cases("autosummeng")


def test_every_case_has_the_digits_of_the_program() -> None:
    differing = [
        case["id"]
        for case in CASES
        if AutoSummENG(**case["params"]).score(case["summary"], case["references"])
        != case["expected"]
    ]
    assert len(CASES) == 156
    assert differing == []


@pytest.mark.parametrize("kernel", [kernels, kernels_py_graph])
def test_every_graph_is_as_similar_as_in_the_program(kernel: Any) -> None:
    for case in CASES:
        chosen = case["params"]
        found = kernel.graph_similarities(
            [_document(case["summary"])],
            [_document(text) for text in case["references"]],
            chosen["min_n"],
            chosen["max_n"],
            chosen["d_window"],
        )[0]
        graphs = case["graph_similarity"]
        wanted = [
            [one[name] for name in ("VS", "SS", "Size")]
            for one in (graphs["merged"], *graphs["per_reference"])
        ]
        # Java adds in the order of a hash table: the last bits are not its own either.
        np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-14, err_msg=case["id"])


def test_the_papers_variant_is_made_of_the_programs_graphs() -> None:
    for case in CASES:
        found = AutoSummENG(**case["params"], variant="published", full_precision=True).score(
            case["summary"], case["references"]
        )
        graphs = case["graph_similarity"]
        mean = np.mean([one["VS"] for one in graphs["per_reference"]])
        assert found["AutoSummENG"] == pytest.approx(mean, abs=1e-14)
        assert found["MeMoG"] == pytest.approx(graphs["merged"]["VS"], abs=1e-14)


def test_the_example_of_sacrerouges_page() -> None:
    assert AutoSummENG().score(*DAN) == {
        "AutoSummENG": 0.300813,
        "MeMoG": 0.300813,
        "NPowER": 0.308208,
    }
