"""UniEval equals the share of Yes, question by question."""

from __future__ import annotations

import numpy as np
import pytest

from plain_models import DOCUMENT, REFERENCE, SENTENCES, SUMMARY, make, network_of, tokenizer_of
from tiny_models import needs_torch

pytestmark = needs_torch


def test_unieval_is_the_share_of_yes() -> None:
    import torch

    tokenizer, model = tokenizer_of("t5"), network_of("t5", "AutoModelForSeq2SeqLM")
    yes, no = (tokenizer(word)["input_ids"][0] for word in ("Yes", "No"))

    def asked(text: str) -> float:
        ids = tokenizer(text, return_tensors="pt")["input_ids"]
        with torch.no_grad():
            step = model(input_ids=ids, decoder_input_ids=torch.tensor([[1]])).logits[0, 0].double()
        p = step.softmax(0)
        return float(p[yes] / (p[yes] + p[no]))

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
