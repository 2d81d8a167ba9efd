"""SummaQA equals its formula, question by question."""

from __future__ import annotations

import numpy as np
import pytest

from plain_models import DOCUMENT, SUMMARY, make, network_of, tokenizer_of
from tiny_models import needs_torch

pytestmark = needs_torch


def test_summaqa_multiplies_the_best_start_and_end() -> None:
    import torch

    from rubrica.metrics.qa.squad import token_f1

    metric = make("summaqa")
    asked = metric.questions(DOCUMENT)
    assert [gold for _, gold in asked] == ["Tuesday", "Friday"]
    assert asked[0][0].count("MASKED") == 1
    tokenizer, model = tokenizer_of("qa"), network_of("qa", "AutoModelForQuestionAnswering")
    rows = []
    for question, gold in asked:
        inputs = tokenizer(question, SUMMARY, return_tensors="pt")
        with torch.no_grad():
            made = model(**inputs)
        segment = inputs["token_type_ids"][0]
        start = made.start_logits[0].double().softmax(0) * segment
        end = made.end_logits[0].double().softmax(0) * segment
        a, b = int(start.argmax()), int(end.argmax())
        tokens = tokenizer.convert_ids_to_tokens(inputs["input_ids"][0][a : b + 1])
        rows.append([float(start[a] * end[b]), token_f1(" ".join(tokens), gold)])
    scored = metric.score(SUMMARY, [DOCUMENT])["summaqa"]
    assert [scored["avg_prob"], scored["avg_fscore"]] == pytest.approx(
        np.mean(rows, axis=0).tolist(), abs=1e-5
    )
