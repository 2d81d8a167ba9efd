"""SummaC equals its formula on every pair of chunks."""

from __future__ import annotations

from pathlib import Path

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


def image(document: list[str], summary: list[str], place: int) -> np.ndarray:
    """Probabilities of one class: a row per chunk of the document, a column per chunk of the summary."""
    return np.array([[shares(logits_of("nli", d, s))[place] for s in summary] for d in document])


def test_summac_zs_is_entailment_minus_contradiction() -> None:
    entail = image(DOCUMENT_SENTENCES, SENTENCES, 0)
    contra = image(DOCUMENT_SENTENCES, SENTENCES, 2)
    wanted = {
        (): (entail.max(0) - contra.max(0)).mean(),
        (("op1", "min"), ("op2", "max")): (entail.min(0) - contra.min(0)).max(),
        (("op1", "mean"), ("op2", "min")): (entail.mean(0) - contra.mean(0)).min(),
        (("use_con", False),): entail.max(0).mean(),
        # Without entailment: 1 minus contradiction.
        (("use_ent", False),): (1 - contra.max(0)).mean(),
        (("max_doc_chunks", 2),): (entail[:2].max(0) - contra[:2].max(0)).mean(),
        (("entailment_label", 1), ("contradiction_label", 0)): (
            image(DOCUMENT_SENTENCES, SENTENCES, 1).max(0) - entail.max(0)
        ).mean(),
    }
    assert len({round(one, 4) for one in wanted.values()}) == len(wanted)
    for parameters, expected in wanted.items():
        made = make("summac", **dict(parameters)).score(SUMMARY, [DOCUMENT])["summac"]
        assert made == pytest.approx(expected, abs=1e-5), parameters


def test_its_score_is_made_of_the_chunks_it_shows() -> None:
    metric = make("summac", granularity="sentence", use_con=False)
    units = metric.check_units(SUMMARY, documents=[DOCUMENT])
    assert [unit.text for unit in units] == SENTENCES
    score = metric.score(SUMMARY, [DOCUMENT])["summac"]
    assert np.mean([unit.support for unit in units]) == pytest.approx(score)
    assert [unit.support for unit in metric.check_units(SUMMARY, documents=[""])] == [0, 0]
    assert metric.check_units("", documents=[DOCUMENT]) == []


def test_summac_cuts_texts_as_asked() -> None:
    document = "\n\n".join(DOCUMENT_SENTENCES)
    two = [
        f"{DOCUMENT_SENTENCES[0]} {DOCUMENT_SENTENCES[1]}",
        f"{DOCUMENT_SENTENCES[1]} {DOCUMENT_SENTENCES[2]}",
        DOCUMENT_SENTENCES[2],
    ]
    cuts = {
        None: (DOCUMENT_SENTENCES, [SUMMARY]),
        "document-sentence": ([document], SENTENCES),
        "2sents-document": (two, [SUMMARY]),
        "mixed-sentence": (DOCUMENT_SENTENCES * 2, SENTENCES),
    }
    for granularity, (ours, theirs) in cuts.items():
        expected = (image(ours, theirs, 0).max(0) - image(ours, theirs, 2).max(0)).mean()
        made = make("summac", granularity=granularity).score(SUMMARY, [document])["summac"]
        assert made == pytest.approx(expected, abs=1e-5), granularity


def test_summac_without_a_chunk_is_0() -> None:
    for summary, document in (("", DOCUMENT), ("Too short.", DOCUMENT), (SUMMARY, ""), ("", "")):
        assert make("summac").score(summary, [document])["summac"] == 0


def test_summac_cuts_the_longer_text_of_a_long_pair() -> None:
    """At 500 tokens, one by one from the longer of the two, as the original's tokenizer does."""
    import torch

    long = " ".join(["The harbour office said a replacement vessel would arrive by Friday"] * 40)
    rows = []
    for premise, claim in ((long, SUMMARY), (SUMMARY, long)):
        made = [
            tokenizer_of("nli")(t, add_special_tokens=False)["input_ids"] for t in (premise, claim)
        ]
        while len(made[0]) + len(made[1]) > 497:
            made[len(made[1]) >= len(made[0])].pop()
        ids = [2, *made[0], 3, *made[1], 3]
        types = [0] * (len(made[0]) + 2) + [1] * (len(made[1]) + 1)
        assert ids[:1] + ids[-1:] == tokenizer_of("nli")("")["input_ids"]
        with torch.no_grad():
            network = network_of("nli", "AutoModelForSequenceClassification")
            logits = network(torch.tensor([ids]), token_type_ids=torch.tensor([types])).logits[0]
        rows.append(shares(logits.double().numpy()))
    with pytest.warns(DataWarning, match="1 of 1 inputs have more than 500 tokens"):
        made = make("summac", granularity="document").score(SUMMARY, [long])["summac"]
    assert made == pytest.approx(rows[0][0] - rows[0][2], abs=1e-5)
    with pytest.warns(DataWarning, match="were cut"):
        made = make("summac", granularity="document").score(long, [SUMMARY])["summac"]
    assert made == pytest.approx(rows[1][0] - rows[1][2], abs=1e-5)


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
    entail = image(DOCUMENT_SENTENCES, SENTENCES, 0)
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
    # Ten rows at most; without a pair one row of nothing.
    short = [float(entail[0][0])] * 12
    assert metric._conv.score(np.array([short])) == metric._conv.score(np.array([short[:10]]))
    nothing = weights["mlp.weight"][0, 0] + weights["mlp.bias"][0]
    bare = weights["layer_final.weight"].sum(1) * nothing + weights["layer_final.bias"]
    made = metric.score("", [DOCUMENT])["summac"]
    assert made == pytest.approx(float(bare.softmax(0)[1]), abs=1e-5)


def test_the_percentile_bins_are_the_original_s() -> None:
    from rubrica.metrics.entailment.summac_conv import ConvolutionWeights

    edges = ConvolutionWeights("none", "percentile").edges
    assert len(edges) == 24
    assert edges[:9] == [0, 0.01, 0.02, 0.03, 0.04, 0.07, 0.13, 0.37, 0.9]
    assert edges[9:14] == [0.91, 0.92, 0.93, 0.94, 0.95]
    assert edges[14:] == pytest.approx([0.955 + 0.005 * step for step in range(10)])
    assert len(ConvolutionWeights("none", "even50").edges) == 51
    with pytest.raises(ParameterError, match="percentile or evenN"):
        ConvolutionWeights("none", "percentiles")


def test_summac_conv_wants_its_weights(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match=r"summac_conv_vitc_sent_perc_e\.bin"):
        make("summac", variant="conv")
    wrong = tmp_path / "wrong.bin"
    wrong.write_bytes(b"not weights")
    with pytest.raises(DataError, match="not a file of weights"):
        make("summac", variant="conv", conv_weights=str(wrong)).score(SUMMARY, [DOCUMENT])


def test_summac_granularities() -> None:
    from rubrica.metrics.entailment.summac import chunks_of

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
    with pytest.raises(DataError, match="2 classes, none of them number 2"):
        make(
            "summac", model=checkpoint("support"), entailment_label=0, contradiction_label=2
        ).score(SUMMARY, [DOCUMENT])
    with pytest.raises(ParameterError, match="one of use_ent and use_con"):
        make("summac", use_ent=False, use_con=False)


def test_the_names_of_the_original_s_models_are_known() -> None:
    from rubrica.metrics.entailment.summac import MODELS

    assert MODELS["vitc"] == ("tals/albert-xlarge-vitaminc-mnli", 0, 1)
    assert MODELS["mnli"] == ("roberta-large-mnli", 2, 0)
    assert MODELS["anli"] == ("ynie/roberta-large-snli_mnli_fever_anli_R1_R2_R3-nli", 0, 2)
    for name, (card, _, _) in MODELS.items():
        assert make("summac", model=name).checkpoint_names() == {"model": card}
