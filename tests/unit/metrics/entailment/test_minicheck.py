"""MiniCheck equals its formula on every chunk and claim."""

from __future__ import annotations

import numpy as np
import pytest

from rubrica.errors import DataError, DataWarning, ParameterError
from support.plain_models import (
    DOCUMENT,
    DOCUMENT_SENTENCES,
    SENTENCES,
    SUMMARY,
    logits_of,
    make,
    network_of,
    shares,
    tokenizer_of,
)
from support.tiny_models import checkpoint, needs_torch

pytestmark = needs_torch


def test_minicheck_with_t5_is_the_probability_of_its_token() -> None:
    import torch

    tokenizer, model = tokenizer_of("t5"), network_of("t5", "AutoModelForSeq2SeqLM")
    expected = []
    for claim in SENTENCES:
        values = []
        # Chunks of at most 20 words: one sentence each but for the last two.
        for chunk in (
            DOCUMENT_SENTENCES[0],
            " ".join(DOCUMENT_SENTENCES[1:2]),
            DOCUMENT_SENTENCES[2],
        ):
            ids = tokenizer(f"predict: {chunk}</s>{claim}", return_tensors="pt")["input_ids"]
            start = torch.tensor([[model.config.decoder_start_token_id]])
            with torch.no_grad():
                step = model(input_ids=ids, decoder_input_ids=start).logits[0, 0].double()
            values.append(float(step[[3, 209]].softmax(0)[1]))
        expected.append(max(values))
    metric = make("minicheck", chunk_size=17)
    assert len(metric.split_document(DOCUMENT)) == 3
    made = metric.score(SUMMARY, [DOCUMENT])["minicheck"]
    assert made["mean"] == pytest.approx(np.mean(expected), abs=1e-5)
    assert made["min"] == pytest.approx(min(expected), abs=1e-5)


def test_minicheck_with_an_encoder_is_its_second_class() -> None:
    metric = make("minicheck", model=checkpoint("support"), claims="summary")
    expected = shares(logits_of("support", f"{DOCUMENT}[SEP]{SUMMARY}"))[1]
    assert metric.score(SUMMARY, [DOCUMENT])["minicheck"]["mean"] == pytest.approx(
        expected, abs=1e-5
    )


def test_its_score_is_made_of_the_sentences_it_shows() -> None:
    metric = make("minicheck", chunk_size=17)
    units = metric.check_units(SUMMARY, documents=[DOCUMENT])
    assert [unit.text for unit in units] == SENTENCES
    scores = metric.score(SUMMARY, [DOCUMENT])["minicheck"]
    assert np.mean([unit.support for unit in units]) == pytest.approx(scores["mean"])
    assert min(unit.support for unit in units) == scores["min"]
    assert metric.check_units(SUMMARY, documents=[""])[0].support == 0


def packed(items: list[str], lengths: list[int], limit: int) -> list[str]:
    """Chunks of the original: sentences and ends of lines as items, joined by blanks."""
    chunks, current, size = [], list[str](), 0
    for item, length in zip(items, lengths, strict=True):
        if size + length > limit:
            chunks.append(" ".join(current))
            current, size = [item], length
        else:
            current.append(item)
            size += length
    chunks.append(" ".join(current))
    cleaned = [chunk.replace(" \n ", "\n").strip() for chunk in chunks]
    return [chunk for chunk in cleaned if chunk]


@pytest.mark.parametrize("limit", [1, 17, 20, 30, 500])
def test_chunks_are_those_of_the_original(limit: int) -> None:
    one, two, three = DOCUMENT_SENTENCES
    text = f"{one} {two}\n{three}\n\n{one}\n\n\n{two}\n"
    items = [one, two, "\n", three, "\n", "\n", one, "\n", "\n", "\n", two, "\n"]
    words = [len(item.split()) for item in items]
    assert make("minicheck", chunk_size=limit).split_document(text) == packed(items, words, limit)
    tokenizer = tokenizer_of("support")
    tokens = [len(tokenizer.tokenize(item)) for item in items]
    metric = make("minicheck", chunk_size=limit, model=checkpoint("support"))
    assert metric.split_document(text) == packed(items, tokens, limit)


def test_chunks_have_500_words_or_400_tokens() -> None:
    sentences = [f"Sentence number {at} has exactly seven words." for at in range(200)]
    text = " ".join(sentences)
    sizes = [len(chunk.split()) for chunk in make("minicheck").split_document(text)]
    assert sizes == [497, 497, 406]
    tokenizer = tokenizer_of("support")
    lengths = [len(tokenizer.tokenize(one)) for one in sentences]
    metric = make("minicheck", model=checkpoint("support"))
    assert metric.split_document(text) == packed(sentences, lengths, 400)


def test_minicheck_scores_nothing_without_texts() -> None:
    for summary, document in (("", DOCUMENT), (SUMMARY, ""), (" ", "\n")):
        made = make("minicheck").score(summary, [document])["minicheck"]
        assert made == {"mean": 0, "min": 0}


def test_a_model_of_another_kind_is_told() -> None:
    with pytest.raises(DataError, match="3 classes; a MiniCheck model has 2"):
        make("minicheck", model=checkpoint("nli")).score(SUMMARY, [DOCUMENT])
    with pytest.raises(ParameterError, match="chunk_size"):
        make("minicheck", chunk_size=0)


# transformers' DeBERTa is compiled when it is imported.
@pytest.mark.filterwarnings("ignore:.*torch.jit.script:DeprecationWarning")
def test_deberta_reads_2048_tokens_at_a_time() -> None:
    """It has relative positions: the number in its configuration is no limit."""
    metric = make(
        "minicheck", model=checkpoint("deberta-support"), claims="summary", chunk_size=5000
    )
    long = " ".join([DOCUMENT] * 8)
    assert 512 < len(tokenizer_of("deberta-support").tokenize(long)) < 2000
    expected = shares(logits_of("deberta-support", f"{long}[SEP]{SUMMARY}"))[1]
    made = metric.score(SUMMARY, [long])["minicheck"]["mean"]
    assert made == pytest.approx(expected, abs=1e-5)
    with pytest.warns(DataWarning, match="more than 2,048 tokens"):
        metric.score(SUMMARY, [" ".join([DOCUMENT] * 60)])
