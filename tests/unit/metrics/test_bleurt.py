"""BLEURT equals the regression of each pair, and its checkpoints, BERT and RemBERT, are converted as they were published."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rubrica.errors import DataError, DataWarning, ParameterError
from rubrica.neural.convert.sentencepiece_model import read_sentencepiece
from support.plain_bert import dense, plain_bert, pooled
from support.plain_models import (
    DOCUMENT,
    REFERENCE,
    SUMMARY,
    logits_of,
    make,
    network_of,
    tokenizer_of,
)
from support.tensorflow_files import tensorflow_names, write_checkpoint
from support.tiny_models import checkpoint, needs_torch

pytestmark = needs_torch
GOLDEN = Path(__file__).resolve().parents[2] / "golden" / "neural"
PIECES = GOLDEN / "sentencepiece-tiny"


def test_bleurt_is_the_regression_of_reference_and_summary() -> None:
    values = [float(logits_of("regression", r, SUMMARY)[0]) for r in (REFERENCE, DOCUMENT)]
    made = make("bleurt").score(SUMMARY, [REFERENCE, DOCUMENT])["bleurt"]
    assert made["average"] == pytest.approx(np.mean(values), abs=1e-5)
    assert made["max"] == pytest.approx(max(values), abs=1e-5)
    assert abs(values[0] - values[1]) > 1e-3
    with pytest.raises(DataError, match="3 outputs"):
        make("bleurt", checkpoint=checkpoint("nli")).score(SUMMARY, [REFERENCE])
    with pytest.raises(ParameterError, match="max_length"):
        make("bleurt", max_length=3)


def cut_as_the_original(reference: list[int], candidate: list[int], longest: int) -> Any:
    """Tokens are taken from the reference where it is longer, else from the candidate."""
    reference, candidate = list(reference), list(candidate)
    while len(reference) + len(candidate) > longest - 3:
        (reference if len(reference) > len(candidate) else candidate).pop()
    return reference, candidate


@pytest.mark.parametrize("longest", [16, 17, 24])
def test_a_long_pair_loses_tokens_as_in_the_original(longest: int) -> None:
    """Not as transformers cuts: where the candidate is as long or longer, the reference keeps the odd token."""
    import torch

    tokenizer, model = (
        tokenizer_of("regression"),
        network_of("regression", "AutoModelForSequenceClassification"),
    )
    for reference, summary in (
        (REFERENCE, SUMMARY),
        (SUMMARY, REFERENCE),
        (SUMMARY, SUMMARY),
        ("Boat.", SUMMARY),
    ):
        first, second = (
            tokenizer(text, add_special_tokens=False)["input_ids"] for text in (reference, summary)
        )
        first, second = cut_as_the_original(first, second, longest)
        ids = [
            tokenizer.cls_token_id,
            *first,
            tokenizer.sep_token_id,
            *second,
            tokenizer.sep_token_id,
        ]
        types = [0] * (len(first) + 2) + [1] * (len(second) + 1)
        with torch.no_grad():
            expected = float(
                model(torch.tensor([ids]), token_type_ids=torch.tensor([types])).logits
            )
        with pytest.warns(DataWarning, match=f"1 of 1 inputs have more than {longest} tokens"):
            made = make("bleurt", max_length=longest).score(summary, [reference])["bleurt"]
        assert made["average"] == pytest.approx(expected, abs=1e-5)


def test_empty_texts_are_rated_as_the_model_does() -> None:
    import torch

    tokenizer = tokenizer_of("regression")
    model = network_of("regression", "AutoModelForSequenceClassification")
    ids = [*tokenizer(REFERENCE)["input_ids"], tokenizer.sep_token_id]
    types = [0] * (len(ids) - 1) + [1]
    with torch.no_grad():
        expected = float(model(torch.tensor([ids]), token_type_ids=torch.tensor([types])).logits)
    made = make("bleurt").score("", [REFERENCE])["bleurt"]
    assert made["max"] == pytest.approx(expected, abs=1e-5)


# BLEURT-20: a RemBERT with pieces of SentencePiece.
#
# Origin: `sentencepiece-tiny/sent_piece.model` was trained on sentences of the sample data by sentencepiece 0.2.2
# (unigram, 300 pieces, a few rules of normalisation); `expected.json` has the pieces it cuts texts into.


def test_pieces_are_those_of_sentencepiece(tmp_path: Path) -> None:
    tokenizer = read_sentencepiece(PIECES / "sent_piece.model")
    for case in json.loads((PIECES / "expected.json").read_text("utf-8")):
        made = tokenizer.encode(case["text"], add_special_tokens=False).ids
        assert made == case["ids"], case["text"]
    for wrong in (
        b"",
        b"\x0a\x02\x08",
        b"not a model",
        (PIECES / "sent_piece.model").read_bytes()[:-40],
    ):
        (tmp_path / "wrong.model").write_bytes(wrong)
        with pytest.raises(DataError, match="SentencePiece"):
            read_sentencepiece(tmp_path / "wrong.model")


def rembert() -> Any:
    import torch
    from transformers import RemBertConfig, RemBertForSequenceClassification

    torch.manual_seed(4)
    config = RemBertConfig(
        vocab_size=300,
        input_embedding_size=6,
        output_embedding_size=6,
        hidden_size=16,
        num_hidden_layers=3,
        num_attention_heads=2,
        intermediate_size=24,
        max_position_embeddings=64,
        initializer_range=0.4,
        num_labels=1,
    )
    return RemBertForSequenceClassification(config)


def published(folder: Path, network: Any) -> dict[str, np.ndarray]:
    """A folder like that of BLEURT-20; its weights by name."""
    state = network.state_dict()
    arrays = tensorflow_names(
        {n.removeprefix("rembert."): v for n, v in state.items() if n.startswith("rembert.")}
    )
    arrays["dense/kernel"] = state["classifier.weight"].numpy().T
    arrays["dense/bias"] = state["classifier.bias"].numpy()
    # TensorFlow compresses the table of names.
    write_checkpoint(folder / "variables" / "variables", arrays, compressed=True)
    config = network.config
    described = {
        "vocab_size": config.vocab_size,
        "embedding_size": 6,
        "hidden_size": config.hidden_size,
        "num_hidden_layers": config.num_hidden_layers,
        "num_attention_heads": config.num_attention_heads,
        "intermediate_size": config.intermediate_size,
        "max_position_embeddings": config.max_position_embeddings,
        "type_vocab_size": 2,
        "hidden_act": "gelu",
    }
    (folder / "bert_config.json").write_text(json.dumps(described), "utf-8")
    settings = {
        "name": "tiny-20",
        "bert_config_file": "bert_config.json",
        "max_seq_length": 48,
        "vocab_file": None,
        "do_lower_case": None,
        "sp_model": "sent_piece",
        "dynamic_seq_length": True,
    }
    (folder / "bleurt_config.json").write_text(json.dumps(settings), "utf-8")
    shutil.copy(PIECES / "sent_piece.model", folder / "sent_piece.model")
    return arrays


def rated(
    arrays: dict[str, np.ndarray], reference: list[int], candidate: list[int], *, tanh: bool
) -> float:
    """The rating in numpy: [CLS] is piece 2 and [SEP] piece 3 of the small model."""
    reference, candidate = cut_as_the_original(reference, candidate, 48)
    ids = [2, *reference, 3, *candidate, 3]
    types = [0] * (len(reference) + 2) + [1] * (len(candidate) + 1)
    vectors = plain_bert(arrays, ids, types, heads=2, tanh=tanh)
    return float(dense(arrays, "dense", pooled(arrays, vectors))[0])


@pytest.mark.parametrize("exact", [False, True])
def test_bleurt_20_is_converted(tmp_path: Path, rubrica: Any, exact: bool) -> None:
    arrays = published(tmp_path / "BLEURT-20", rembert())
    if exact:
        # The graph of a checkpoint says which GELU it was trained with.
        (tmp_path / "BLEURT-20" / "saved_model.pb").write_bytes(b"\x0a\x03Erf")
    answer = rubrica("bleurt", "convert-checkpoint", tmp_path / "BLEURT-20", tmp_path / "made")
    assert answer.code == 0, answer.err
    cases = json.loads((PIECES / "expected.json").read_text("utf-8"))
    metric = make("bleurt", checkpoint=str(tmp_path / "made"))
    for one, two in zip(cases, cases[5:], strict=False):
        if len(one["ids"]) + len(two["ids"]) > 45:
            with pytest.warns(DataWarning, match="more than 48 tokens"):
                made = metric.score(two["text"], [one["text"]])["bleurt"]["average"]
        else:
            made = metric.score(two["text"], [one["text"]])["bleurt"]["average"]
        assert made == pytest.approx(
            rated(arrays, one["ids"], two["ids"], tanh=not exact), abs=2e-5
        )
    assert "unigram" in str(metric.signature())


def test_what_is_wrong_with_a_checkpoint_is_told(tmp_path: Path, rubrica: Any) -> None:
    published(tmp_path / "good", rembert())

    def told(name: str, change: Any) -> str:
        copy = tmp_path / name
        shutil.copytree(tmp_path / "good", copy)
        change(copy)
        answer = rubrica("bleurt", "convert-checkpoint", copy, tmp_path / "made")
        assert answer.code == 1
        assert not (tmp_path / "made").exists()
        return str(answer.err)

    def settings(copy: Path, **more: Any) -> None:
        file = copy / "bleurt_config.json"
        file.write_text(json.dumps({**json.loads(file.read_text()), **more}))

    assert "not a SentencePiece model" in told(
        "cut", lambda copy: (copy / "sent_piece.model").write_bytes(b"\x0a\xff")
    )
    assert "not a SentencePiece model" in told(
        "none", lambda copy: (copy / "sent_piece.model").unlink()
    )
    assert "no vocab.txt" in told("vocabulary", lambda copy: settings(copy, sp_model=None))
    assert "max_seq_length" in told("length", lambda copy: settings(copy, max_seq_length="long"))
    # A name with folders in it does not lead out of the checkpoint's own.
    assert "not a SentencePiece model" in told(
        "escape", lambda copy: settings(copy, sp_model="../../../../../etc/passwd")
    )
    described = {
        "hidden_size": 16,
        "num_hidden_layers": 4,
        "num_attention_heads": 2,
        "vocab_size": 300,
    }
    assert "does not fit its configuration" in told(
        "layers", lambda copy: (copy / "bert_config.json").write_text(json.dumps(described))
    )


def test_the_case_of_a_vocabulary_is_kept(tmp_path: Path, rubrica: Any) -> None:
    copy = tmp_path / "cased"
    shutil.copytree(GOLDEN / "bleurt-tiny", copy)
    settings = json.loads((copy / "bleurt_config.json").read_text())
    (copy / "bleurt_config.json").write_text(json.dumps({**settings, "do_lower_case": False}))
    assert rubrica("bleurt", "convert-checkpoint", copy, tmp_path / "made").code == 0
    from transformers import AutoTokenizer

    made = AutoTokenizer.from_pretrained(tmp_path / "made")
    assert made.tokenize("The ferry") == ["[UNK]", "ferry"]
