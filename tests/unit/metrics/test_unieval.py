"""UniEval equals the share of Yes, question by question."""

from __future__ import annotations

import numpy as np
import pytest

from rubrica.errors import DataWarning, ParameterError
from support.plain_models import (
    DOCUMENT,
    REFERENCE,
    SENTENCES,
    SUMMARY,
    make,
    network_of,
    tokenizer_of,
)
from support.tiny_models import needs_torch

pytestmark = needs_torch


def asked(text: str) -> float:
    """P(Yes) / (P(Yes) + P(No)) of the first token, by one run of the model."""
    import torch

    tokenizer, model = tokenizer_of("t5"), network_of("t5", "AutoModelForSeq2SeqLM")
    yes, no = (tokenizer(word)["input_ids"][0] for word in ("Yes", "No"))
    assert yes != no
    ids = tokenizer(text, return_tensors="pt", truncation=True, max_length=1024)["input_ids"]
    with torch.no_grad():
        step = model(input_ids=ids, decoder_input_ids=torch.tensor([[1]])).logits[0, 0].double()
    p = step.softmax(0)
    return float(p[yes] / (p[yes] + p[no]))


def test_unieval_is_the_share_of_yes() -> None:
    expected = {
        "coherence": asked(
            f"question: Is this a coherent summary to the document? </s> summary: {SUMMARY} </s> document: {DOCUMENT}"
        ),
        "consistency": np.mean(
            [
                asked(
                    f"question: Is this claim consistent with the document? </s> claim: {s} </s> document: {DOCUMENT}"
                )
                for s in SENTENCES
            ]
        ),
        "fluency": np.mean(
            [asked(f"question: Is this a fluent paragraph? </s> paragraph: {s}") for s in SENTENCES]
        ),
        "relevance": asked(
            f"question: Is this summary relevant to the reference? </s> summary: {SUMMARY} </s> reference: {REFERENCE}"
        ),
    }
    made = make("unieval").score(SUMMARY, [DOCUMENT], [REFERENCE])["unieval"]
    for name, value in expected.items():
        assert made[name] == pytest.approx(value, abs=1e-5), name
    assert made["overall"] == pytest.approx(np.mean(list(expected.values())), abs=1e-5)
    alone = make("unieval", dimensions=["fluency"])
    assert alone.required_context_fields == ()
    assert alone.score(SUMMARY)["unieval"]["overall"] == pytest.approx(
        expected["fluency"], abs=1e-5
    )


def test_relevance_is_that_to_the_best_reference() -> None:
    question = "question: Is this summary relevant to the reference? </s> summary: "
    values = [asked(f"{question}{SUMMARY} </s> reference: {one}") for one in (REFERENCE, DOCUMENT)]
    metric = make("unieval", dimensions=["relevance"])
    assert metric.required_context_fields == ("references",)
    made = metric.score(SUMMARY, [REFERENCE, DOCUMENT])["unieval"]
    assert values[0] != pytest.approx(values[1], abs=1e-4)
    assert made["relevance"] == pytest.approx(max(values), abs=1e-5)


def test_a_long_document_is_cut_at_1024_tokens() -> None:
    long = " ".join([DOCUMENT] * 30)
    question = "question: Is this a coherent summary to the document? </s> summary: "
    with pytest.warns(DataWarning, match="1 of 1 inputs have more than 1,024 tokens"):
        made = make("unieval", dimensions=["coherence"]).score(SUMMARY, [long])["unieval"]
    expected = asked(f"{question}{SUMMARY} </s> document: {long}")
    assert made["coherence"] == pytest.approx(expected, abs=1e-5)


def test_an_empty_summary_scores_0_and_dimensions_are_checked() -> None:
    made = make("unieval").score(" ", [DOCUMENT], [REFERENCE])["unieval"]
    assert set(made.values()) == {0}
    for wrong in ([], ["fluency", "fluency"]):
        with pytest.raises(ParameterError, match="every dimension once"):
            make("unieval", dimensions=wrong)
