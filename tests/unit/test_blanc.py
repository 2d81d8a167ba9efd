"""BLANC hides, counts and trains as its program does."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from plain_models import DOCUMENT, SUMMARY, make, network_of, tokenizer_of
from tiny_models import needs_torch

pytestmark = needs_torch


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
