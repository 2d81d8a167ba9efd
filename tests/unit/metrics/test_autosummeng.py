"""AutoSummENG: what the numbers mean, beside the golden ones."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rubrica.core import kernels
from rubrica.core.python import graph as kernels_py_graph
from rubrica.errors import ParameterError
from rubrica.metrics import AutoSummENG

texts = st.text("ab \n\r", max_size=12) | st.text(max_size=30)


@pytest.mark.slow
@given(
    st.lists(texts | st.just("\U0001f600\U0001f601 \ud83d"), max_size=3),
    st.lists(texts, max_size=4),
    st.integers(1, 5),
    st.integers(0, 4),
    st.integers(1, 5),
)
def test_compiled_graphs_equal_their_definition(
    summaries: list[str], references: list[str], min_n: int, more: int, window: int
) -> None:
    chosen = (min_n, min_n + more, window)
    fast = kernels.graph_similarities(summaries, references, *chosen)
    plain = kernels_py_graph.graph_similarities(summaries, references, *chosen)
    np.testing.assert_array_equal(fast, plain)


@given(texts.filter(lambda text: len(text) > 3))
def test_a_text_is_wholly_like_itself(text: str) -> None:
    found = kernels.graph_similarities([text], [text, text, text], 3, 3, 3)
    assert (found == (1.0 if len(text.encode("utf-16-le", "surrogatepass")) > 6 else 0.0)).all()


@given(texts, texts)
def test_value_similarity_is_symmetric_and_a_share(one: str, other: str) -> None:
    forth = kernels.graph_similarities([one], [other], 2, 3, 3)[0, 1]
    back = kernels.graph_similarities([other], [one], 2, 3, 3)[0, 1]
    assert forth == pytest.approx(back, abs=1e-12)
    assert ((forth >= 0) & (forth <= 1 + 1e-12)).all()


def test_as_released_the_order_of_references_matters_as_published_it_does_not() -> None:
    summary, references = "The ferry stopped.", ["The ferry stopped sailing.", "A boat was out."]
    released, published = AutoSummENG(), AutoSummENG(variant="published")
    assert released.score(summary, references) != released.score(summary, references[::-1])
    assert published.score(summary, references)["AutoSummENG"] == pytest.approx(
        published.score(summary, references[::-1])["AutoSummENG"], abs=1e-6
    )


def test_line_ends_are_all_alike_and_the_last_one_is_added() -> None:
    metric = AutoSummENG()
    reference = ["One line.\nAnother line."]
    scores = metric.score_multi(
        [
            "One line.\r\nAnother line.",
            "One line.\rAnother line.\r",
            ["One line.", "Another line."],
            "One line.\nAnother line.\n",
        ],
        reference,
    )
    assert [one["AutoSummENG"] for one in scores] == [1.0] * 4


def test_npower_moves_with_its_scale() -> None:
    assert AutoSummENG(min_score=1, max_score=5).score("", ["Something here."])["NPowER"] == (
        pytest.approx(1 + 4 * 0.05866)
    )


@pytest.mark.parametrize(
    "given",
    [
        {"min_n": 0},
        {"min_n": 4},
        {"d_window": 0},
        {"min_score": 1e308},
        {"max_score": math.inf},
        {"max_score": math.nan},
    ],
)
def test_impossible_graphs_and_scales_are_refused(given: dict[str, float]) -> None:
    with pytest.raises(ParameterError, match=next(iter(given))):
        AutoSummENG(**given)  # type: ignore[arg-type]
