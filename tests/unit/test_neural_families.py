"""Metrics with models equal a plain, slow computation of their formula on small random checkpoints."""

from __future__ import annotations

import json
import math
import pickle
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from neural_samples import neural_parameters
from rubrica.errors import DataError, DataWarning, MissingResourceError, ParameterError
from rubrica.metrics import Metric
from rubrica.text.checkpoint import find_checkpoint
from rubrica.text.running import Settings
from rubrica.text.seq2seq import Seq2Seq
from tiny_models import checkpoint, needs_torch, with_heads

pytestmark = needs_torch

DOCUMENT = (
    "The island ferry stopped running on Tuesday after engineers found a crack in its main drive shaft. "
    "About four hundred residents rely on the boat for work and school. "
    "The harbour office said a replacement vessel would arrive by Friday."
)
SUMMARY = "The ferry was taken out of service on Tuesday. A replacement ship is expected on Friday."
SENTENCES = SUMMARY.split(". ")
SENTENCES = [SENTENCES[0] + ".", SENTENCES[1]]
DOCUMENT_SENTENCES = [f"{one}." for one in DOCUMENT.rstrip(".").split(". ")]
REFERENCE = "Engineers found a crack in the shaft of the ferry. A new boat comes on Friday."


def make(name: str, **parameters: Any) -> Any:
    return Metric.from_config({"type": name, **neural_parameters(name), **parameters})


def tokenizer_of(kind: str) -> Any:
    from transformers import AutoTokenizer

    return AutoTokenizer.from_pretrained(checkpoint(kind))


def network_of(kind: str, auto: str) -> Any:
    import transformers

    return getattr(transformers, auto).from_pretrained(checkpoint(kind)).eval()


def logits_of(kind: str, *texts: str) -> np.ndarray:
    import torch

    inputs = tokenizer_of(kind)(*texts, return_tensors="pt")
    with torch.no_grad():
        made = network_of(kind, "AutoModelForSequenceClassification")(**inputs).logits[0]
    return np.asarray(made.double().numpy())


def shares(logits: np.ndarray) -> np.ndarray:
    raised = np.exp(logits - logits.max())
    return np.asarray(raised / raised.sum())


# BARTScore.


def likelihood(source: str, target: str) -> float:
    """Token by token, each from its own run of the model."""
    import torch

    tokenizer, model = tokenizer_of("bart"), network_of("bart", "AutoModelForSeq2SeqLM")
    ids = tokenizer(source, return_tensors="pt")["input_ids"]
    wanted = tokenizer(target)["input_ids"]
    given, total = [model.config.decoder_start_token_id], 0.0
    for token in wanted:
        with torch.no_grad():
            logits = model(input_ids=ids, decoder_input_ids=torch.tensor([given])).logits[0, -1]
        total += math.log(shares(logits.double().numpy())[token])
        given.append(token)
    return total / len(wanted)


def test_bartscore_is_the_mean_log_probability() -> None:
    short = "A new boat comes."
    precision = likelihood(REFERENCE, short)
    recall = likelihood(short, REFERENCE)
    scored = {
        mode: make("bartscore", mode=mode).score(short, [REFERENCE])["bartscore"]
        for mode in ("precision", "recall", "f", "faithfulness")
    }
    assert scored["precision"] == pytest.approx(precision, abs=1e-5)
    assert scored["recall"] == pytest.approx(recall, abs=1e-5)
    assert scored["f"] == pytest.approx((precision + recall) / 2, abs=1e-5)
    assert scored["faithfulness"] == pytest.approx(precision, abs=1e-5)


def test_bartscore_combines_references_as_asked() -> None:
    both = [
        make("bartscore", mode="precision").score("A boat.", [r])["bartscore"]
        for r in (REFERENCE, SUMMARY)
    ]
    several = [REFERENCE, SUMMARY]
    mean = make("bartscore", mode="precision").score("A boat.", several)["bartscore"]
    best = make("bartscore", mode="precision", multi_ref="max").score("A boat.", several)[
        "bartscore"
    ]
    assert mean == pytest.approx(sum(both) / 2, abs=1e-6)
    assert best == pytest.approx(max(both), abs=1e-6)


# SummaC.


def test_summac_zs_is_entailment_minus_contradiction() -> None:
    entail = np.array(
        [[shares(logits_of("nli", d, s))[0] for s in SENTENCES] for d in DOCUMENT_SENTENCES]
    )
    contra = np.array(
        [[shares(logits_of("nli", d, s))[2] for s in SENTENCES] for d in DOCUMENT_SENTENCES]
    )
    expected = (entail.max(0) - contra.max(0)).mean()
    made = make("summac").score(SUMMARY, [DOCUMENT])["summac"]
    assert made == pytest.approx(expected, abs=1e-5)
    least = make("summac", op1="min", op2="max", use_con=False).score(SUMMARY, [DOCUMENT])["summac"]
    assert least == pytest.approx(entail.min(0).max(), abs=1e-5)


def test_summac_conv_is_a_histogram_through_two_layers(tmp_path: Path) -> None:
    import torch

    draw = torch.Generator().manual_seed(3)
    weights = {
        "mlp.weight": torch.randn(1, 5, generator=draw),
        "mlp.bias": torch.randn(1, generator=draw),
        "layer_final.weight": torch.randn(2, 3, generator=draw),
        "layer_final.bias": torch.randn(2, generator=draw),
    }
    file = tmp_path / "conv.bin"
    torch.save(weights, file)
    entail = np.array(
        [[shares(logits_of("nli", d, s))[0] for s in SENTENCES] for d in DOCUMENT_SENTENCES]
    )
    outputs = []
    for column in entail.T:
        counts = [
            sum(low <= v < low + 0.2 or (v == 1 and low > 0.7) for v in column)
            for low in (0, 0.2, 0.4, 0.6, 0.8)
        ]
        outputs.append(
            float(
                weights["mlp.weight"][0] @ torch.tensor(counts, dtype=torch.float)
                + weights["mlp.bias"][0]
            )
        )
    feature = torch.full((3,), sum(outputs) / len(outputs))
    logits = weights["layer_final.weight"] @ feature + weights["layer_final.bias"]
    metric = make("summac", variant="conv", conv_weights=str(file), bins="even5")
    assert metric.score(SUMMARY, [DOCUMENT])["summac"] == pytest.approx(
        float(logits.softmax(0)[1]), abs=1e-4
    )
    assert f"conv_weights:{metric._conv.digest()}" in str(metric.signature())


def test_summac_conv_wants_its_weights(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match=r"summac_conv_vitc_sent_perc_e\.bin"):
        make("summac", variant="conv")
    wrong = tmp_path / "wrong.bin"
    wrong.write_bytes(b"not weights")
    with pytest.raises(DataError, match="not a file of weights"):
        make("summac", variant="conv", conv_weights=str(wrong)).score(SUMMARY, [DOCUMENT])


def test_summac_granularities() -> None:
    from rubrica.metrics.summac import chunks_of

    text = "First sentence here. Second sentence here.\n\nAnother paragraph here. Tiny."
    assert chunks_of(text, "paragraph") == [
        "First sentence here. Second sentence here.",
        "Another paragraph here. Tiny.",
    ]
    assert chunks_of(text, "sentence") == [
        "First sentence here.",
        "Second sentence here.",
        "Another paragraph here.",
    ]
    assert chunks_of(text, "2sents")[0] == "First sentence here. Second sentence here."
    assert chunks_of(text, "document") == [text]
    with pytest.raises(ParameterError, match="granularity"):
        make("summac", granularity="word")


def test_an_nli_checkpoint_must_say_which_class_is_which() -> None:
    with pytest.raises(ParameterError, match="entailment_label and contradiction_label"):
        make("summac", model=checkpoint("support")).score(SUMMARY, [DOCUMENT])


# MiniCheck.


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
    assert len(metric.chunks(DOCUMENT)) == 3
    made = metric.score(SUMMARY, [DOCUMENT])["minicheck"]
    assert made["mean"] == pytest.approx(np.mean(expected), abs=1e-5)
    assert made["min"] == pytest.approx(min(expected), abs=1e-5)


def test_minicheck_with_an_encoder_is_its_second_class() -> None:
    metric = make("minicheck", model=checkpoint("support"), claims="summary")
    expected = shares(logits_of("support", f"{DOCUMENT}[SEP]{SUMMARY}"))[1]
    assert metric.score(SUMMARY, [DOCUMENT])["minicheck"]["mean"] == pytest.approx(
        expected, abs=1e-5
    )


# AlignScore.


def aligned(chunk: str, claim: str, head: str, place: int) -> float:
    import torch
    from safetensors.torch import load_file

    inputs = tokenizer_of("encoder")(chunk, claim, return_tensors="pt")
    heads = load_file(Path(with_heads("encoder")) / "alignscore_heads.safetensors")
    with torch.no_grad():
        pooled = network_of("encoder", "AutoModel")(**inputs).pooler_output[0]
    logits = heads[f"{head}.weight"] @ pooled + heads[f"{head}.bias"]
    return float(logits.double().softmax(0)[place])


def test_alignscore_takes_the_best_chunk_of_each_sentence() -> None:
    # Fewer than 350 words: the document is one chunk.
    expected = np.mean([aligned(DOCUMENT, s, "nli", 0) for s in SENTENCES])
    assert make("alignscore").score(SUMMARY, [DOCUMENT])["alignscore"] == pytest.approx(
        expected, abs=1e-5
    )
    whole = make("alignscore", mode="bin").score(SUMMARY, [DOCUMENT])["alignscore"]
    assert whole == pytest.approx(aligned(DOCUMENT, SUMMARY, "bin", 1), abs=1e-5)


def test_alignscore_chunks_have_about_350_words() -> None:
    from rubrica.metrics.alignscore import chunks_of

    document = " ".join(["The harbour office said a new vessel would arrive."] * 100)
    chunks = chunks_of(document)
    # 900 words: 900 // 350 + 1 = 3 parts of 100 // 3 = 33 sentences, and what is left.
    assert [len(chunk.split()) // 9 for chunk in chunks] == [33, 33, 33, 1]


def test_alignscore_converts_a_lightning_file(tmp_path: Path) -> None:
    import torch
    from safetensors.torch import load_file

    from rubrica.metrics.alignscore_convert import convert

    encoder = network_of("encoder", "AutoModel")
    heads = load_file(Path(with_heads("encoder")) / "alignscore_heads.safetensors")
    state = {f"base_model.{name}": value for name, value in encoder.state_dict().items()}
    for theirs, ours in (("tri_layer", "nli"), ("bin_layer", "bin")):
        state |= {f"{theirs}.{part}": heads[f"{ours}.{part}"] for part in ("weight", "bias")}
    torch.save({"state_dict": state, "epoch": 1}, tmp_path / "align.ckpt")
    convert(str(tmp_path / "align.ckpt"), checkpoint("encoder"), str(tmp_path / "made"))
    made = make("alignscore", model=str(tmp_path / "made")).score(SUMMARY, [DOCUMENT])
    assert made == make("alignscore").score(SUMMARY, [DOCUMENT])
    torch.save({"state_dict": {"x": torch.ones(1)}}, tmp_path / "other.ckpt")
    with pytest.raises(DataError, match="no AlignScore checkpoint"):
        convert(str(tmp_path / "other.ckpt"), checkpoint("encoder"), str(tmp_path / "no"))


def test_a_checkpoint_that_is_not_converted_is_told() -> None:
    with pytest.raises(DataError, match="convert-checkpoint"):
        make("alignscore", model=checkpoint("encoder")).score(SUMMARY, [DOCUMENT])


# UniEval.


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


# Lite3Pyramid.


def test_lite3pyramid_is_the_weighted_share_of_entailed_units(tmp_path: Path) -> None:
    units = [("Engineers found a crack.", 2.0), ("A new boat comes on Friday.", 1.0)]
    rows = []
    for unit, _ in units:
        z = logits_of("nli", SUMMARY, unit)
        two = z[0] - z[1] - z[2]
        rows.append(
            [1 / (1 + math.exp(-two)), float(two >= 0), shares(z)[0], float(z.argmax() == 0)]
        )
    weights = np.array([weight for _, weight in units])
    expected = (np.array(rows) * weights[:, None]).sum(0) / weights.sum()
    file = tmp_path / "units.jsonl"
    listed = [{"unit": text, "weight": weight} for text, weight in units]
    file.write_text(json.dumps({"reference": REFERENCE, "units": listed}) + "\n", "utf-8")
    made = make("lite3pyramid", units=str(file)).score(SUMMARY, [REFERENCE])
    assert [made[key] for key in ("p2c", "l2c", "p3c", "l3c")] == pytest.approx(
        expected.tolist(), abs=1e-5
    )
    with pytest.raises(DataError, match="no units for the reference"):
        make("lite3pyramid", units=str(file)).score(SUMMARY, ["Another reference."])
    file.write_text('{"reference": "x", "units": [{"weight": 1}]}\n', "utf-8")
    with pytest.raises(DataError, match=r"units.jsonl:1: a unit is a text"):
        make("lite3pyramid", units=str(file)).score(SUMMARY, ["x"])


# BLANC.


def test_blanc_hides_what_is_long_enough() -> None:
    from rubrica.metrics.blanc.masking import eligible, even_maskings, fitted
    from rubrica.text.pieces import Piece

    words = [
        Piece("the", "the", False),
        Piece("harbour", "harbour", False),
        Piece("fe", "fe", False),
    ]
    words += [
        Piece("##rry", "rry", True),
        Piece("a", "a", False),
        Piece("b", "b", False),
        Piece("##oat", "oat", True),
    ]
    assert eligible(words) == [1, 2]
    assert even_maskings(words, 2) == [[2], [1]]
    assert even_maskings(words, 1) == [[1, 2]]
    assert even_maskings(words[:1], 6) == []
    sentence, summary = list(range(150)), [[1] * 30, [2] * 30, [3] * 30]
    assert fitted(sentence, summary, 300, 100) == (sentence, [1] * 30 + [2] * 30 + [3] * 30)
    assert fitted(sentence, summary, 200, 100) == (sentence[:110], [1] * 30 + [2] * 30 + [3] * 30)
    assert fitted(sentence, summary, 165, 100) == (sentence[:100], [1] * 30 + [2] * 30)
    assert fitted(sentence, summary, 120, 100) == (sentence[:100], [1] * 20)


def test_blanc_help_counts_what_the_summary_helps_to_guess(monkeypatch: pytest.MonkeyPatch) -> None:
    """A scripted model that repeats hidden words of the summary: the counting is what is tested."""
    from rubrica.text.masked_lm import MaskedLM

    seen: list[tuple[list[int], list[int]]] = []

    def repeat(self: Any, inputs: Any) -> Any:
        made = []
        for ids, places in inputs:
            seen.append((list(ids), list(places)))
            known = [one for one in ids if one > 4]
            # The sentence's words are all different: the hidden one is guessed if the summary has it.
            made.append(
                np.array(
                    [
                        next((o for o in summary_ids if o in known and o not in ids[place:]), -1)
                        for place in places
                    ]
                )
            )
        return made

    tokenizer = tokenizer_of("masked")
    summary, document = "residents", "residents waited"
    summary_ids = tokenizer(summary, add_special_tokens=False)["input_ids"][:1]
    monkeypatch.setattr(MaskedLM, "predictions", repeat)
    metric = make("blanc", gap=1)
    made = metric.score(summary, [document])["blanc_help"]
    helped, filled = seen
    dot = tokenizer.convert_tokens_to_ids(".")
    width = len(tokenizer(summary, add_special_tokens=False)["input_ids"])
    assert helped[0][1 : 1 + width] == tokenizer(summary, add_special_tokens=False)["input_ids"]
    assert filled[0][1 : 1 + width] == [dot] * width
    assert helped[1] == filled[1]
    assert all(helped[0][place] == tokenizer.mask_token_id for place in helped[1])
    assert made == pytest.approx(1 / len(helped[1]))


def test_blanc_measures_are_those_of_the_paper() -> None:
    from rubrica.metrics.blanc.metric import measured

    counts = [[10, 6], [2, 12]]
    assert measured(counts, "relative") == pytest.approx(4 / 30)
    assert measured(counts, "improve") == pytest.approx(6 / 28)
    assert measured([[0, 0], [0, 0]], "relative") == 0


def test_blanc_tune_learns_the_summary_and_leaves_the_model_alone() -> None:
    import torch

    from rubrica.metrics.blanc.tuning import Tuning, tuned

    tokenizer, model = tokenizer_of("masked"), network_of("masked", "AutoModelForMaskedLM")
    before = {name: value.clone() for name, value in model.state_dict().items()}
    ids = tokenizer(SUMMARY, add_special_tokens=False)["input_ids"]

    def loss(network: Any) -> float:
        rows = torch.tensor([[tokenizer.cls_token_id, *ids, tokenizer.sep_token_id]])
        masked = rows.clone()
        masked[0, 2::3] = tokenizer.mask_token_id
        with torch.no_grad():
            return float(network(input_ids=masked, labels=rows).loss)

    for evenly in (True, False):
        learned = tuned(model, tokenizer, ids, Tuning(10, evenly, 2, 0.15, 1), "cpu")
        assert loss(learned) < loss(model)
        again = tuned(model, tokenizer, ids, Tuning(10, evenly, 2, 0.15, 1), "cpu")
        assert loss(again) == loss(learned)
    assert all(torch.equal(before[name], value) for name, value in model.state_dict().items())
    scored = make("blanc", blanc_type="blanc_tune", finetune_epochs=2).score(SUMMARY, [DOCUMENT])
    assert -1 <= scored["blanc_tune"] <= 1


# SUPERT.


def test_supert_matches_tokens_of_the_first_sentences() -> None:
    import torch

    from rubrica.text.stopwords import stopwords

    tokenizer, model = tokenizer_of("encoder"), network_of("encoder", "AutoModel")

    def vectors(sentences: list[str]) -> np.ndarray:
        rows = []
        for sentence in sentences:
            inputs = tokenizer(sentence, return_tensors="pt")
            with torch.no_grad():
                states = model(**inputs).last_hidden_state[0].numpy()
            tokens = tokenizer.convert_ids_to_tokens(inputs["input_ids"][0])
            rows += [
                v
                for v, t in zip(states, tokens, strict=True)
                if t not in stopwords("nltk") and t not in ("[CLS]", "[SEP]")
            ]
        return np.array([row / np.linalg.norm(row) for row in rows])

    cosines = vectors(SENTENCES) @ vectors(DOCUMENT_SENTENCES).T
    p, r = cosines.max(1).mean(), cosines.max(0).mean()
    made = make("supert").score(SUMMARY, [DOCUMENT])["supert"]
    assert made == pytest.approx(2 * p * r / (p + r), abs=1e-5)


def test_supert_has_a_pseudo_reference_per_document_where_there_is_enough() -> None:
    metric = make("supert", first_sentences=3)
    assert metric.pseudo_references([DOCUMENT, REFERENCE]) == [
        DOCUMENT_SENTENCES,
        [f"{one}." for one in REFERENCE.rstrip(".").split(". ")],
    ]
    assert len(metric.pseudo_references([REFERENCE])) == 1
    assert metric.pseudo_references([""]) == []


# Question answering.


def best_span(question: str, text: str) -> tuple[str, float, float]:
    """Every span of one window, by hand."""
    import torch

    inputs = tokenizer_of("qa")(question, text, return_tensors="pt", return_offsets_mapping=True)
    offsets = inputs.pop("offset_mapping")[0].tolist()
    owners = inputs.sequence_ids(0)
    with torch.no_grad():
        made = network_of("qa", "AutoModelForQuestionAnswering")(**inputs)
    start, end = made.start_logits[0].double().numpy(), made.end_logits[0].double().numpy()
    top_starts, top_ends = (
        set(np.argsort(-start)[:20].tolist()),
        set(np.argsort(-end)[:20].tolist()),
    )
    spans = [
        (start[a] + end[b], text[offsets[a][0] : offsets[b][1]])
        for a in range(len(start))
        for b in range(a, min(a + 30, len(start)))
        if owners[a] == owners[b] == 1 and a in top_starts and b in top_ends
    ]
    spans = sorted(spans, key=lambda one: -one[0])[:20]
    p = shares(np.array([*(score for score, _ in spans), start[0] + end[0]]))
    return spans[0][1], float(p[0]), float(p[-1])


def test_a_span_is_the_best_of_all_with_its_share() -> None:
    from rubrica.text.checkpoint import find_checkpoint
    from rubrica.text.running import Settings
    from rubrica.text.span_qa import SpanQA

    model = SpanQA(
        find_checkpoint(checkpoint("qa"), remedy=""), Settings(device="cpu", cache_dir="off")
    )
    for question in ("Who found a crack?", "When does the vessel arrive?"):
        answer = model.answers([(question, DOCUMENT)])[0]
        text, share, null = best_span(question, DOCUMENT)
        assert answer.text == text
        assert answer.probability == pytest.approx(share, abs=1e-5)
        assert answer.null_probability == pytest.approx(null, abs=1e-5)
        assert answer.answered is (share > null)


def test_a_long_text_is_read_in_windows_and_a_long_question_is_cut() -> None:
    from rubrica.text.checkpoint import find_checkpoint
    from rubrica.text.running import Settings
    from rubrica.text.span_qa import SpanQA

    model = SpanQA(
        find_checkpoint(checkpoint("qa"), remedy=""), Settings(device="cpu", cache_dir="off")
    )
    windows = model.features("Who found it?", " ".join([DOCUMENT] * 12))
    assert len(windows) > 2
    assert all(len(one.ids) <= 384 for one in windows)
    assert len(model.features("word " * 2000, DOCUMENT)[0].ids) <= 384


def test_qaeval_asks_about_every_phrase_and_averages() -> None:
    from rubrica.metrics.qa.squad import exact_match, token_f1

    metric = make("qa-eval")
    asked = metric.questions([REFERENCE])[REFERENCE]
    assert [answer for _, answer in asked] == ["Friday"]
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
    rows = []
    for question, gold in asked:
        text, share, null = best_span(question, SUMMARY)
        said = share > null
        rows.append([float(said), exact_match(text, gold) * said, token_f1(text, gold) * said])
    made = metric.score(SUMMARY, [REFERENCE])["qa-eval"]
    expected = np.mean(rows, axis=0)
    assert [made[key] for key in ("is_answered", "em", "f1")] == pytest.approx(
        expected.tolist(), abs=1e-6
    )


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


def test_questeval_is_the_mean_of_both_directions(monkeypatch: pytest.MonkeyPatch) -> None:
    """The models' answers are taken from the metric; how they are put together is computed by hand."""
    from rubrica.metrics import questeval

    # The weighter's token in a vocabulary of a few hundred.
    monkeypatch.setattr(questeval, "UNIMPORTANT", 17)
    metric = make("questeval", weighter_model=checkpoint("bart"))
    made = metric.score(SUMMARY, [DOCUMENT])["questeval"]
    questions = metric._questions([SUMMARY, DOCUMENT])
    assert questions[SUMMARY]
    on_summary = metric._answered([(q, SUMMARY) for q in questions[DOCUMENT]])
    on_document = metric._answered([(q, DOCUMENT) for q in questions[SUMMARY]])
    weights = metric._weights([(q, DOCUMENT) for q in questions[DOCUMENT]])
    factors = [weights[q, DOCUMENT] for q in questions[DOCUMENT]]
    assert all(0 < one < 1 for one in factors)
    recall = np.mean([w * v for w, values in zip(factors, on_summary, strict=True) for v in values])
    precision = np.mean(on_document)
    assert made["recall"] == pytest.approx(recall)
    assert made["precision"] == pytest.approx(precision)
    assert made["fscore"] == pytest.approx((recall + precision) / 2)


def test_questeval_takes_the_best_of_document_and_references() -> None:
    both = make("questeval", against=["documents", "references"])
    made = both.score(SUMMARY, [DOCUMENT], [REFERENCE])["questeval"]["fscore"]
    alone = make("questeval").score(SUMMARY, [DOCUMENT])["questeval"]["fscore"]
    other = make("questeval", against=["references"]).score(SUMMARY, [REFERENCE])["questeval"][
        "fscore"
    ]
    assert made == pytest.approx(max(alone, other), abs=1e-6)


@pytest.mark.parametrize(
    ("prediction", "gold", "em", "f1"),
    [
        ("The Crack!", "a crack", 1, 1),
        ("the main drive shaft", "drive shaft", 0, 0.8),
        ("boat", "ferry", 0, 0),
        ("the", "a", 1, 1),
        ("", "ferry", 0, 0),
    ],
)
def test_answers_are_compared_as_squad_does(
    prediction: str, gold: str, em: float, f1: float
) -> None:
    from rubrica.metrics.qa.squad import exact_match, token_f1

    assert exact_match(prediction, gold) == em
    assert token_f1(prediction, gold) == pytest.approx(f1)


def test_a_spacy_pipeline_that_is_not_there_is_told() -> None:
    with pytest.raises(MissingResourceError, match="rule"):
        make("qa-eval", answer_selector="no_such_pipeline").score(SUMMARY, [REFERENCE])


# BLEURT and SumQE.


def test_bleurt_is_the_regression_of_reference_and_summary() -> None:
    values = [float(logits_of("regression", r, SUMMARY)[0]) for r in (REFERENCE, DOCUMENT)]
    made = make("bleurt").score(SUMMARY, [REFERENCE, DOCUMENT])["bleurt"]
    assert made["average"] == pytest.approx(np.mean(values), abs=1e-5)
    assert made["max"] == pytest.approx(max(values), abs=1e-5)
    with pytest.warns(DataWarning, match="more than 16 tokens and were cut"):
        make("bleurt", max_length=16).score(SUMMARY, [REFERENCE])
    with pytest.raises(DataError, match="3 outputs"):
        make("bleurt", checkpoint=checkpoint("nli")).score(SUMMARY, [REFERENCE])


def tensorflow_names(state: dict[str, Any]) -> dict[str, np.ndarray]:
    """A BERT's weights as TensorFlow's programs call them."""
    made = {}
    for name, value in state.items():
        if "position_ids" in name:
            continue
        array = value.numpy()
        path = name.replace("encoder.layer.", "encoder/layer_").replace(".", "/")
        if name.endswith("embeddings.weight"):
            path = path.removesuffix("/weight")
        elif "LayerNorm" in name:
            path = path.replace("/weight", "/gamma").replace("/bias", "/beta")
        elif name.endswith("weight"):
            path, array = path.removesuffix("weight") + "kernel", array.T
        made[f"bert/{path}"] = array
    return made


def test_sumqe_is_a_linear_layer_on_the_first_vector(tmp_path: Path) -> None:
    import torch
    from safetensors.torch import load_file

    from rubrica.metrics.bert_convert import convert_sumqe

    inputs = tokenizer_of("encoder")(SUMMARY, return_tensors="pt")
    model = network_of("encoder", "AutoModel")
    head = load_file(Path(with_heads("encoder")) / "sumqe_head.safetensors")
    with torch.no_grad():
        first = model(**inputs).last_hidden_state[0, 0]
    expected = (head["weight"] @ first + head["bias"]).tolist()
    made = make("sum-qe").score(SUMMARY)["SumQE"]
    assert [made[f"Q{n}"] for n in range(1, 6)] == pytest.approx(expected, abs=1e-5)
    # The same from weights as Keras names them.
    arrays = {
        f"BERT/module/{name}:0": value
        for name, value in tensorflow_names(model.state_dict()).items()
    }
    arrays |= {"out/kernel:0": head["weight"].numpy().T, "out/bias:0": head["bias"].numpy()}
    np.savez(tmp_path / "weights.npz", **arrays)
    convert_sumqe(
        str(tmp_path / "weights.npz"), Path(checkpoint("encoder")), str(tmp_path / "made")
    )
    again = make("sum-qe", model=str(tmp_path / "made")).score(SUMMARY)["SumQE"]
    assert [again[f"Q{n}"] for n in range(1, 6)] == pytest.approx(expected, abs=1e-5)


def test_a_file_that_could_run_code_is_not_read(tmp_path: Path) -> None:
    from rubrica.text.named_arrays import read_named_arrays

    np.save(tmp_path / "weights.npy", np.array([{"a": 1}], dtype=object))
    with pytest.raises(DataError, match="could run code"):
        read_named_arrays(tmp_path / "weights.npy")
    np.savez(tmp_path / "weights.npz", a=np.array([{"a": 1}], dtype=object))
    with pytest.raises(DataError, match="plain arrays"):
        read_named_arrays(tmp_path / "weights.npz")


def test_inputs_that_were_cut_are_told(recwarn: Any) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        make("lite3pyramid").score(" ".join([DOCUMENT] * 20), [REFERENCE])
    assert any("more than 400 tokens and were cut" in str(one.message) for one in caught)


def test_what_a_model_wrote_is_not_pickled() -> None:
    found = find_checkpoint(checkpoint("bart"), remedy="")
    model = Seq2Seq(found, Settings(device="cpu", cache_dir="off"))
    written = model.generate(["a storm"], longest=64, new_tokens=4)
    assert model._caches
    other = pickle.loads(pickle.dumps(model))
    assert not other._caches
    assert other.generate(["a storm"], longest=64, new_tokens=4) == written
