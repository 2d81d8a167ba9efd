"""QAEval equals the means of its questions' scores; questions, answers and ratings are computed again here, one by one."""

from __future__ import annotations

import copy
import io
import json
import tarfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rubrica.data.measures import shown_measures
from rubrica.errors import DataError, DataWarning, MissingResourceError
from rubrica.metrics.qa import qaeval
from rubrica.metrics.qa.lerc import AnswerComparison, AnswerPair
from rubrica.metrics.qa.squad import exact_match, token_f1
from rubrica.neural.checkpoint import find_checkpoint
from rubrica.neural.running import Settings
from rubrica.neural.span_qa import SpanAnswer, SpanQA
from support.plain_bert import plain_bert
from support.plain_models import (
    DOCUMENT,
    REFERENCE,
    SUMMARY,
    best_span,
    make,
    network_of,
    tokenizer_of,
)
from support.tensorflow_files import tensorflow_names
from support.tiny_models import checkpoint, needs_torch, with_heads

pytestmark = needs_torch
# Random models do not stop by themselves.
MOST = 8


@pytest.fixture(autouse=True)
def short_questions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(qaeval, "LONGEST_QUESTION", MOST)


def written(sentence: str, beams: int = 4, most: int = MOST) -> str:
    """The question for a marked sentence, by AllenNLP's beam search: ended ones stay, sums of logarithms decide.

    Positions are 0 for the begin token and 2, 3, ... for what was written: the table of a copy is moved.
    """
    import torch

    tokenizer = tokenizer_of("bart")
    model = copy.deepcopy(network_of("bart", "AutoModelForSeq2SeqLM"))
    table = model.model.decoder.embed_positions.weight.data
    table[3:-1] = table[4:].clone()
    ids = tokenizer(sentence, return_tensors="pt")["input_ids"]
    beam: list[tuple[float, list[int]]] = [(0.0, [])]
    for _ in range(most):
        grown = []
        for total, tokens in beam:
            if tokens and tokens[-1] == 2:
                grown.append((total, [*tokens, 2]))
                continue
            with torch.no_grad():
                logits = model(ids, decoder_input_ids=torch.tensor([[0, *tokens]])).logits[0, -1]
            shares = logits.double().log_softmax(-1)
            for token in shares.argsort(descending=True)[:beams].tolist():
                grown.append((total + float(shares[token]), [*tokens, token]))
        beam = sorted(grown, key=lambda one: -one[0])[:beams]
        if all(tokens[-1] == 2 for _, tokens in beam):
            break
    best = beam[0][1]
    while best and best[-1] == 2:
        best = best[:-1]
    return str(tokenizer.decode(best, clean_up_tokenization_spaces=True)).strip()


def test_questions_are_written_as_the_original_writes_them() -> None:
    metric = make("qa-eval", answer_selection_strategy="all")
    asked = metric.questions([REFERENCE])[REFERENCE]
    assert [answer for _, answer in asked] == [
        "Engineers found",
        "crack",
        "shaft",
        "ferry",
        "new boat comes",
        "Friday",
    ]
    marked = "Engineers found a <m> crack </m> in the shaft of the ferry."
    assert asked[1][0] == written(marked)
    assert asked[5][0] == written("A new boat comes on <m> Friday </m>.")
    assert len({question for question, _ in asked}) > 1
    names = make("qa-eval", answer_selection_strategy="ner").questions([REFERENCE])[REFERENCE]
    assert names == [asked[5]]
    # The search of transformers is another one.
    other = make("qa-eval", answer_selection_strategy="all", decoding="transformers")
    assert [q for q, _ in other.questions([REFERENCE])[REFERENCE]] != [q for q, _ in asked]


def rated(context: str, question: str, gold: str, said: str) -> float:
    """LERC in numpy: [CLS] context [SEP] question [SEP] right [SEP] given [SEP], a layer on the first vector."""
    from safetensors.numpy import load_file

    tokenizer = tokenizer_of("encoder")
    parts = [tokenizer.tokenize(one) for one in (context, question, gold, said)]
    room = 512 - 5 - sum(map(len, parts[1:]))
    parts[0] = parts[0][:room]
    tokens = ["[CLS]"]
    for part in parts:
        tokens += [*part, "[SEP]"]
    second = len(parts[2]) + len(parts[3]) + 2
    types = [0] * (len(tokens) - second) + [1] * second
    arrays = tensorflow_names(network_of("encoder", "AutoModel").state_dict())
    ids = tokenizer.convert_tokens_to_ids(tokens)
    vectors = plain_bert(arrays, ids, types, heads=4, tanh=False)
    head = load_file(Path(with_heads("encoder")) / "lerc_head.safetensors")
    return float((head["weight"] @ vectors[0] + head["bias"])[0])


def test_qaeval_averages_over_questions_and_then_over_references() -> None:
    metric = make(
        "qa-eval",
        answer_selection_strategy="all",
        use_lerc=True,
        lerc_model=with_heads("encoder"),
    )
    means = []
    for reference in (REFERENCE, DOCUMENT):
        rows = []
        for question, gold in metric.questions([reference])[reference]:
            text, share, null = best_span(question, SUMMARY)
            if share <= null:
                rows.append([0.0] * 4)
                continue
            values = [1.0, exact_match(text, gold), token_f1(text, gold)]
            rows.append([*values, rated(SUMMARY, question, gold, text)])
        means.append(np.mean(rows, axis=0))
    made = metric.score(SUMMARY, [REFERENCE, DOCUMENT])["qa-eval"]
    assert list(made) == ["is_answered", "em", "f1", "lerc"]
    assert list(made.values()) == pytest.approx(np.mean(means, axis=0).tolist(), abs=1e-4)
    assert means[0].tolist() != pytest.approx(means[1].tolist(), abs=1e-3)
    # Without LERC its key is not there, and no checkpoint is asked for.
    plain = make("qa-eval", answer_selection_strategy="all").score(SUMMARY, [REFERENCE, DOCUMENT])
    assert plain["qa-eval"] == {key: made[key] for key in ("is_answered", "em", "f1")}
    assert type(metric).range_of("qa-eval_jk.lerc")[1] > 5
    assert type(metric).range_of("qa-eval.f1") == (0, 1)


def test_unanswered_questions_count_0_and_are_not_rated(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every second answer is less likely than none; LERC rates the others."""
    said = ["the crack!", "boat", "shaft", "x", "new boat", "Monday"]
    likely = [(0.5, 0.4), (0.4, 0.4), (0.9, 0.0), (0.1, 0.2), (0.5, 0.4), (0.2, 0.3)]
    compared: list[AnswerPair] = []

    def answers(_: Any, asked: Any) -> list[SpanAnswer]:
        return [
            SpanAnswer(text, *pair)
            for (text, pair), _ in zip(zip(said, likely, strict=True), asked, strict=True)
        ]

    def ratings(_: Any, asked: list[AnswerPair]) -> list[float]:
        compared.extend(asked)
        return [float(at + 2) for at in range(len(asked))]

    monkeypatch.setattr(SpanQA, "answers", answers)
    monkeypatch.setattr(AnswerComparison, "ratings", ratings)
    metric = make(
        "qa-eval", answer_selection_strategy="all", use_lerc=True, lerc_model=with_heads("encoder")
    )
    made = metric.score(SUMMARY, [REFERENCE])["qa-eval"]
    golds = ["Engineers found", "crack", "shaft", "ferry", "new boat comes", "Friday"]
    # Answered are the first, the third and the fifth.
    assert made["is_answered"] == 3 / 6
    assert made["em"] == 1 / 6
    assert made["f1"] == pytest.approx((1 + 0.8) / 6)
    assert made["lerc"] == pytest.approx((2 + 3 + 4) / 6)
    assert [(one.reference, one.candidate) for one in compared] == [
        (golds[at], said[at]) for at in (0, 2, 4)
    ]
    assert {one.context for one in compared} == {SUMMARY}


def test_a_reference_without_questions_counts_as_0() -> None:
    metric = make("qa-eval", answer_selection_strategy="ner")
    alone = metric.score(SUMMARY, [REFERENCE])["qa-eval"]
    both = metric.score(SUMMARY, [REFERENCE, "nothing here."])["qa-eval"]
    assert both == {key: value / 2 for key, value in alone.items()}
    lerc = {"use_lerc": True, "lerc_model": with_heads("encoder")}
    for summary, reference in (("", REFERENCE), (" ", REFERENCE), (SUMMARY, "")):
        made = make("qa-eval", **lerc).score(summary, [reference])["qa-eval"]
        assert made == dict.fromkeys(("is_answered", "em", "f1", "lerc"), 0)


def test_a_long_context_loses_its_end_and_not_the_answers() -> None:
    found = find_checkpoint(with_heads("encoder"), remedy="")
    model = AnswerComparison(found, Settings(device="cpu", cache_dir="off"))
    long = " ".join([DOCUMENT] * 20)
    with pytest.warns(DataWarning, match="1 of 2 inputs have more than 512 tokens"):
        made = model.ratings(
            [
                AnswerPair(long, "Who?", "engineers", "residents"),
                AnswerPair(SUMMARY, "Who?", "a", "b"),
            ]
        )
    assert made[0] == pytest.approx(rated(long, "Who?", "engineers", "residents"), abs=1e-4)
    assert made[1] == pytest.approx(rated(SUMMARY, "Who?", "a", "b"), abs=1e-4)
    # A question that fills the model by itself is cut too.
    with pytest.warns(DataWarning, match="were cut"):
        assert np.isfinite(model.ratings([AnswerPair(SUMMARY, long, "a", "b")])[0])


def test_an_encoder_without_the_head_is_told() -> None:
    metric = make(
        "qa-eval", answer_selection_strategy="all", use_lerc=True, lerc_model=checkpoint("encoder")
    )
    with pytest.raises(DataError, match="qa-eval convert-checkpoint"):
        metric.score(SUMMARY, [REFERENCE])


def test_a_spacy_pipeline_that_is_not_there_is_told() -> None:
    with pytest.raises(MissingResourceError, match="rule"):
        make("qa-eval", answer_selector="no_such_pipeline").score(SUMMARY, [REFERENCE])


# The original's archives.


def archive(path: Path, state: dict[str, Any]) -> Path:
    import torch

    content = io.BytesIO()
    torch.save(state, content)
    with tarfile.open(path, "w:gz") as file:
        for name, data in (
            ("config.json", json.dumps({"model": {"type": "x"}}).encode()),
            ("vocabulary/non_padded_namespaces.txt", b"tokens"),
            ("weights.th", content.getvalue()),
        ):
            member = tarfile.TarInfo(name)
            member.size = len(data)
            file.addfile(member, io.BytesIO(data))
    return path


def test_lerc_is_converted(tmp_path: Path, rubrica: Any) -> None:
    import torch
    from safetensors.torch import load_file

    network = network_of("encoder", "AutoModel")
    head = load_file(Path(with_heads("encoder")) / "lerc_head.safetensors")
    state = {f"bert.{name}": value for name, value in network.state_dict().items()}
    state["bert.embeddings.position_ids"] = torch.arange(8).reshape(1, -1)
    state |= {f"score_layer.{part}": value for part, value in head.items()}
    source = archive(tmp_path / "lerc.tar.gz", state)
    base = ("--base", checkpoint("encoder"))
    answer = rubrica("qa-eval", "convert-checkpoint", source, tmp_path / "lerc", *base)
    assert answer.code == 0, answer.err
    assert "--lerc_model" in answer.out
    model = AnswerComparison(
        find_checkpoint(str(tmp_path / "lerc"), remedy=""), Settings(device="cpu", cache_dir="off")
    )
    made = model.ratings([AnswerPair(SUMMARY, "Who?", "engineers", "residents")])
    assert made == pytest.approx([rated(SUMMARY, "Who?", "engineers", "residents")], abs=1e-4)
    # What is there is not written over; other archives are told.
    again = rubrica("qa-eval", "convert-checkpoint", source, tmp_path / "lerc", *base)
    assert "already exists" in again.err
    for name, wrong in (
        ("other", {"x": torch.ones(1)}),
        ("part", {k: v for k, v in state.items() if "layer.1" not in k}),
    ):
        source = archive(tmp_path / f"{name}.tar.gz", wrong)
        answer = rubrica("qa-eval", "convert-checkpoint", source, tmp_path / name, *base)
        assert answer.code == 1
        assert "neither" in answer.err or "weights are missing" in answer.err
        assert not (tmp_path / name).exists()


def test_the_generator_is_converted_with_its_marks(tmp_path: Path, rubrica: Any) -> None:
    import torch

    network = copy.deepcopy(network_of("bart", "AutoModelForSeq2SeqLM"))
    torch.manual_seed(3)
    network.resize_token_embeddings(len(tokenizer_of("bart")) + 2)
    # As transformers 3 saved it: the table of words three times, no output layer.
    state = {f"bart.{n}": v for n, v in network.state_dict().items() if n != "lm_head.weight"}
    source = archive(tmp_path / "model.tar.gz", state)
    base = ("--base", checkpoint("bart"))
    answer = rubrica("qa-eval", "convert-checkpoint", source, tmp_path / "made", *base)
    assert answer.code == 0, answer.err
    assert "--generation_model" in answer.out
    from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(tmp_path / "made")
    ids = tokenizer("A <m> boat </m> comes")["input_ids"]
    first = len(tokenizer_of("bart"))
    # Each mark is one token, and takes the blanks around it.
    parts = [
        tokenizer_of("bart")(one, add_special_tokens=False)["input_ids"]
        for one in ("A", "boat", "comes")
    ]
    assert ids == [0, *parts[0], first, *parts[1], first + 1, *parts[2], 2]
    made = AutoModelForSeq2SeqLM.from_pretrained(tmp_path / "made").eval()
    asked = torch.tensor([ids])
    with torch.no_grad():
        expected = network(asked, decoder_input_ids=torch.tensor([[0, 5, 6]])).logits
        assert torch.allclose(
            made(asked, decoder_input_ids=torch.tensor([[0, 5, 6]])).logits, expected, atol=1e-5
        )
    metric = make(
        "qa-eval", generation_model=str(tmp_path / "made"), answer_selection_strategy="all"
    )
    assert metric.score(SUMMARY, [REFERENCE])["qa-eval"]
    # A base with another vocabulary does not fit.
    wrong = archive(tmp_path / "wrong.tar.gz", {"bart.model.shared.weight": torch.ones(7, 32)})
    answer = rubrica("qa-eval", "convert-checkpoint", wrong, tmp_path / "no", *base)
    assert "does not fit tiny-bart" in answer.err


def test_a_table_shows_all_values_of_qaeval_and_leaves_out_precision_and_recall_only() -> None:
    values = [f"qa-eval.{key}" for key in ("is_answered", "em", "f1", "lerc")]
    assert shown_measures(values) == values
    parts = [f"rouge-1_jk.{key}" for key in ("recall", "precision", "f1")]
    assert shown_measures([*parts, "js-1"]) == ["rouge-1_jk.f1", "js-1"]
