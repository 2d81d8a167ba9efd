"""SummaQA equals its formula, question by question."""

from __future__ import annotations

import numpy as np
import pytest

from rubrica.errors import DataWarning
from rubrica.metrics.qa.squad import token_f1
from rubrica.metrics.qa.summaqa import _f1
from support.plain_models import (
    DOCUMENT,
    DOCUMENT_SENTENCES,
    REFERENCE,
    SUMMARY,
    make,
    network_of,
    tokenizer_of,
)
from support.tiny_models import needs_torch

pytestmark = needs_torch


def answered(question: str, summary: str) -> tuple[str, float]:
    """The likeliest start and end, each by itself, among the tokens after the question; all in segment 0."""
    import torch

    tokenizer, model = tokenizer_of("qa"), network_of("qa", "AutoModelForQuestionAnswering")
    tokens = ["[CLS]", *tokenizer.tokenize(question), "[SEP]"]
    outside = len(tokens)
    tokens += [*tokenizer.tokenize(summary), "[SEP]"]
    with torch.no_grad():
        made = model(torch.tensor([tokenizer.convert_tokens_to_ids(tokens)]))
    start, end = (one[0].double().softmax(0) for one in (made.start_logits, made.end_logits))
    start[:outside] = end[:outside] = 0
    a, b = int(start.argmax()), int(end.argmax())
    return " ".join(tokens[a : b + 1]), float(start[a] * end[b])


def test_summaqa_multiplies_the_best_start_and_end() -> None:
    metric = make("summaqa")
    asked = metric.questions(DOCUMENT)
    assert [gold for _, gold in asked] == ["Tuesday", "Friday"]
    assert asked[1][0] == DOCUMENT_SENTENCES[2].replace("Friday", "MASKED")
    for summary in (SUMMARY, REFERENCE, "Tuesday Friday."):
        rows = []
        for question, gold in asked:
            said, share = answered(question, summary)
            rows.append([share, token_f1(said, gold)])
        made = metric.score(summary, [DOCUMENT])["summaqa"]
        assert [made["avg_prob"], made["avg_fscore"]] == pytest.approx(
            np.mean(rows, axis=0).tolist(), abs=1e-5
        )


def test_summaqa_is_0_without_questions_or_a_summary() -> None:
    for summary, document in (("", DOCUMENT), (SUMMARY, ""), (SUMMARY, "no names here.")):
        made = make("summaqa").score(summary, [document])["summaqa"]
        assert made == {"avg_prob": 0, "avg_fscore": 0}


def test_a_name_of_articles_and_marks_has_no_words_to_find() -> None:
    """SQuAD gives 1 where both sides have none; SummaQA's own F1 gives 0."""
    assert token_f1("the", "The") == 1
    assert _f1("the", "The") == 0
    assert _f1("main drive shaft", "drive shaft") == pytest.approx(0.8)


def test_the_beginning_of_a_long_summary_is_read() -> None:
    long = " ".join([SUMMARY] * 40)
    with pytest.warns(DataWarning, match="2 of 2 inputs have more than 512 tokens"):
        made = make("summaqa").score(long, [DOCUMENT])["summaqa"]
    tokenizer = tokenizer_of("qa")
    rows = []
    for question, gold in make("summaqa").questions(DOCUMENT):
        room = 512 - 3 - len(tokenizer.tokenize(question))
        offsets = tokenizer(long, add_special_tokens=False, return_offsets_mapping=True)[
            "offset_mapping"
        ]
        said, share = answered(question, long[: offsets[room - 1][1]])
        rows.append([share, token_f1(said, gold)])
    assert list(made.values()) == pytest.approx(np.mean(rows, axis=0).tolist(), abs=1e-5)
