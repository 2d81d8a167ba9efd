"""AlignScore equals its formula on every chunk and sentence."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rubrica.errors import DataError, DataWarning
from support.plain_models import DOCUMENT, SENTENCES, SUMMARY, make, network_of, tokenizer_of
from support.tiny_models import checkpoint, needs_torch, with_heads

pytestmark = needs_torch


def aligned(chunk: str, claim: str, head: str, place: int) -> float:
    import torch
    from safetensors.torch import load_file

    inputs = tokenizer_of("encoder")(
        chunk, claim, return_tensors="pt", truncation="only_first", max_length=512
    )
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
    # Each of the other modes: another head, another place, or texts that are not split.
    for mode, claims, head, place in (
        ("nli", [SUMMARY], "nli", 0),
        ("bin", [SUMMARY], "bin", 1),
        ("bin_sp", SENTENCES, "bin", 1),
    ):
        expected = np.mean([aligned(DOCUMENT, claim, head, place) for claim in claims])
        made = make("alignscore", mode=mode).score(SUMMARY, [DOCUMENT])["alignscore"]
        assert made == pytest.approx(expected, abs=1e-5), mode


def test_its_score_is_made_of_the_sentences_it_shows() -> None:
    metric = make("alignscore")
    units = metric.check_units(SUMMARY, documents=[DOCUMENT])
    assert [unit.text for unit in units] == SENTENCES
    score = metric.score(SUMMARY, [DOCUMENT])["alignscore"]
    assert np.mean([unit.support for unit in units]) == pytest.approx(score)


@pytest.mark.filterwarnings("ignore::rubrica.errors.DataWarning")
def test_alignscore_takes_the_best_of_several_chunks() -> None:
    # 36 sentences of 10 words: 360 // 350 + 1 = 2 chunks of 18 sentences.
    sentences = [
        f"Boat {at} left the harbour with residents on Friday morning."
        if at < 18
        else f"Children at school {at} wait for engineers and a shaft."
        for at in range(36)
    ]
    chunks = [" ".join(sentences[:18]), " ".join(sentences[18:])]
    values = [[aligned(chunk, claim, "nli", 0) for chunk in chunks] for claim in SENTENCES]
    assert all(abs(a - b) > 1e-4 for a, b in values)
    made = make("alignscore").score(SUMMARY, [" ".join(sentences)])["alignscore"]
    assert made == pytest.approx(np.mean([max(row) for row in values]), abs=1e-5)


def test_alignscore_cuts_the_document_and_not_the_claim() -> None:
    # One sentence is one chunk, however long it is.
    long = " ".join(["the harbour office said a new vessel would arrive and"] * 80) + " it came."
    expected = np.mean([aligned(long, claim, "nli", 0) for claim in SENTENCES])
    with pytest.warns(DataWarning, match="2 of 2 inputs have more than 512 tokens"):
        made = make("alignscore").score(SUMMARY, [long])["alignscore"]
    assert made == pytest.approx(expected, abs=1e-5)
    # A claim that fills the model by itself is cut too.
    with pytest.warns(DataWarning, match="were cut"):
        assert 0 < make("alignscore").score(long, [DOCUMENT])["alignscore"] < 1


def test_alignscore_is_0_without_texts() -> None:
    for mode in ("nli_sp", "nli"):
        for summary, document in (("", DOCUMENT), (SUMMARY, " ")):
            assert make("alignscore", mode=mode).score(summary, [document])["alignscore"] == 0


def test_alignscore_chunks_have_about_350_words() -> None:
    from rubrica.metrics.entailment.alignscore import chunks_of

    document = " ".join(["The harbour office said a new vessel would arrive."] * 100)
    chunks = chunks_of(document)
    # 900 words: 900 // 350 + 1 = 3 parts of 100 // 3 = 33 sentences, and what is left.
    assert [len(chunk.split()) // 9 for chunk in chunks] == [33, 33, 33, 1]


def test_alignscore_converts_a_lightning_file(tmp_path: Path) -> None:
    import torch
    from safetensors.torch import load_file

    from rubrica.neural.convert.alignscore import convert

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
    with pytest.raises(DataError, match="not an AlignScore checkpoint"):
        convert(str(tmp_path / "other.ckpt"), checkpoint("encoder"), str(tmp_path / "no"))


def test_a_checkpoint_that_is_not_converted_is_told() -> None:
    with pytest.raises(DataError, match="convert-checkpoint"):
        make("alignscore", model=checkpoint("encoder")).score(SUMMARY, [DOCUMENT])
