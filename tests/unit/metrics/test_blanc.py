"""BLANC hides, counts and trains as its program does: everything is computed again here, plainly."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from rubrica.errors import ParameterError
from rubrica.metrics.blanc.masking import Evenly, Shortest, even_maskings, fitted
from rubrica.metrics.blanc.tuning import Tuning, _examples, tuned
from rubrica.neural.masked_lm import MaskedLM
from rubrica.neural.pieces import Piece
from support.plain_models import DOCUMENT, SUMMARY, make, network_of, tokenizer_of
from support.tiny_models import needs_torch

pytestmark = needs_torch

REPEATING = [
    "The ferry stopped and the ferry waited while residents waited for the ferry.",
    "Residents said the harbour office said a vessel would arrive.",
    "A vessel arrived.",
]
HELPING = ["Residents waited for the ferry.", "The harbour office said a vessel arrived."]


def long_enough(tokens: Sequence[str], at: int, least: tuple[int, int, int]) -> bool:
    following = tokens[at + 1] if at + 1 < len(tokens) else ""
    if tokens[at].startswith("##"):
        return len(tokens[at]) - 2 >= least[2]
    return len(tokens[at]) >= (least[1] if following.startswith("##") else least[0])


def guessed(ids: Sequence[int], place: int) -> int:
    """A model that knows the sentences by heart, and is right at every third question or so."""
    tokenizer = tokenizer_of("masked")
    for sentence in REPEATING:
        known = tokenizer(sentence, add_special_tokens=False)["input_ids"]
        tail = ids[-1 - len(known) : -1]
        if all(a in (b, tokenizer.mask_token_id) for a, b in zip(tail, known, strict=False)):
            answer: int = known[place - (len(ids) - 1 - len(known))]
            return answer if (sum(ids) * 31 + place) % 3 == 0 else -1
    raise AssertionError("no sentence of the document")


def plain_blanc(
    summary: Sequence[str],
    document: Sequence[str],
    *,
    gap: int = 2,
    run: int = 1,
    least: tuple[int, int, int] = (4, 2, 100),
) -> tuple[float, float]:
    """relative and improve of BLANC-help with the model `guessed`."""
    tokenizer = tokenizer_of("masked")
    told = [token for sentence in summary for token in tokenizer.tokenize(sentence)]
    counts = {(a, b): 0 for a in (False, True) for b in (False, True)}
    for sentence in document:
        tokens = tokenizer.tokenize(sentence)
        step = min(gap, len(tokens))
        for modulus in range(step):
            masked = []
            for at in range(len(tokens)):
                turns = {(modulus + more) % step for more in range(run)}
                if at % step in turns and long_enough(tokens, at, least):
                    masked.append(at)
            if not masked:
                continue
            shown = ["[MASK]" if at in masked else token for at, token in enumerate(tokens)]
            right = []
            for before in (["."] * len(told), told):
                ids = tokenizer.convert_tokens_to_ids(["[CLS]", *before, *shown, "[SEP]"])
                right.append(
                    [
                        guessed(ids, 1 + len(told) + at)
                        == tokenizer.convert_tokens_to_ids(tokens[at])
                        for at in masked
                    ]
                )
            for without, helped in zip(*right, strict=True):
                counts[without, helped] += 1
    won, lost = counts[False, True], counts[True, False]
    same = counts[False, False] + counts[True, True]
    return (won - lost) / (same + won + lost), won / (same + won)


@pytest.mark.parametrize(
    "how",
    [
        {},
        {"gap": 6},
        {"gap": 3, "run": 2},
        {"gap": 1},
        {"gap": 2, "least": (2, 1, 1)},
    ],
)
def test_blanc_help_counts_what_the_summary_helps_to_guess(
    monkeypatch: pytest.MonkeyPatch, how: dict[str, Any]
) -> None:
    monkeypatch.setattr(
        MaskedLM,
        "predictions",
        lambda _, inputs: [np.array([guessed(ids, at) for at in places]) for ids, places in inputs],
    )
    relative, improve = plain_blanc(HELPING, REPEATING, **how)
    assert relative != 0
    names = ("min_token_length_normal", "min_token_length_lead", "min_token_length_followup")
    parameters = {
        "gap": how.get("gap", 2),
        "gap_mask": how.get("run", 1),
        **dict(zip(names, how.get("least", (4, 2, 100)), strict=True)),
    }
    for measure, expected in (("relative", relative), ("improve", improve)):
        metric = make("blanc", measure=measure, **parameters)
        made = metric.score(" ".join(HELPING), [" ".join(REPEATING)])["blanc_help"]
        assert made == pytest.approx(expected, abs=1e-12)


def test_blanc_asks_the_model_itself() -> None:
    """Guesses are those of the checkpoint at the hidden places, each input alone."""
    import torch

    from rubrica.neural.checkpoint import find_checkpoint
    from rubrica.neural.running import Settings
    from support.tiny_models import checkpoint

    model = MaskedLM(
        find_checkpoint(checkpoint("masked"), remedy=""), Settings(device="cpu", cache_dir="off")
    )
    tokenizer, network = tokenizer_of("masked"), network_of("masked", "AutoModelForMaskedLM")
    asked = []
    for sentence in (SUMMARY, DOCUMENT, "A boat."):
        ids = tokenizer(sentence)["input_ids"]
        places = [1, len(ids) - 2]
        ids[places[0]] = ids[places[1]] = tokenizer.mask_token_id
        asked.append((ids, places))
    for (ids, places), guessed in zip(asked, model.predictions(asked), strict=True):
        with torch.no_grad():
            logits = network(torch.tensor([ids])).logits[0]
        assert guessed.tolist() == [int(logits[at].argmax()) for at in places]


def test_blanc_scores_nothing_where_there_is_nothing_to_guess() -> None:
    for summary, document in (
        ("", DOCUMENT),
        ("   ", DOCUMENT),
        (SUMMARY, ""),
        (SUMMARY, "A b c."),
    ):
        for kind in ("blanc_help", "blanc_tune"):
            metric = make("blanc", blanc_type=kind, finetune_epochs=1)
            assert metric.score(summary, [document])[kind] == 0


def test_blanc_hides_what_is_long_enough() -> None:
    words = [
        Piece(t, t.removeprefix("##"), t.startswith("##"))
        for t in ["the", "harbour", "fe", "##rry", "a", "b", "##oat"]
    ]
    usual = Shortest()
    assert even_maskings(words, Evenly(2, 1, usual)) == [[2], [1]]
    assert even_maskings(words, Evenly(1, 1, usual)) == [[1, 2]]
    assert even_maskings(words[:1], Evenly(6, 1, usual)) == []
    # 3 tokens: a gap of 6 becomes one of 3.
    assert even_maskings(words[1:4], Evenly(6, 1, usual)) == [[0], [1]]


def test_a_long_input_is_cut_as_the_original_cuts_it() -> None:
    sentence = list(range(1000, 1150))
    summary = [list(range(30)), list(range(100, 130)), list(range(200, 230))]
    whole = [token for one in summary for token in one]
    assert fitted(sentence, summary, 300, 100) == (sentence, whole)
    # First the sentence, down to 100 tokens,
    assert fitted(sentence, summary, 200, 100) == (sentence[:110], whole)
    assert fitted(sentence, summary, 190, 100) == (sentence[:100], whole)
    # then the summary by whole sentences from its end,
    assert fitted(sentence, summary, 165, 100) == (sentence[:100], summary[0] + summary[1])
    # and its first sentence, alone, at the beginning.
    assert fitted(sentence, summary, 120, 100) == (sentence[:100], list(range(10, 30)))
    assert fitted(sentence, summary, 100, 100) == (sentence[:100], [])
    # A short sentence stays whole.
    assert fitted(sentence[:40], summary, 100, 100) == (sentence[:40], summary[0] + summary[1])


def test_the_parameters_of_blanc_are_checked() -> None:
    for wrong in ({"gap": 0}, {"gap_mask": 0}, {"p_mask": 0}, {"min_token_length_lead": 0}):
        with pytest.raises(ParameterError, match="at least 1"):
            make("blanc", **wrong)


# BLANC-tune.


class Vocabulary:
    """A tokenizer of as many tokens as BERT's has, without a model behind it."""

    all_special_ids = (100, 101, 102, 103)
    all_special_tokens = ("[UNK]", "[CLS]", "[SEP]", "[MASK]")
    cls_token_id, sep_token_id, mask_token_id = 101, 102, 103

    def __len__(self) -> int:
        return 30522

    def convert_ids_to_tokens(self, ids: list[int]) -> list[str]:
        return [f"##{one}" if one % 7 == 0 else "word"[: 1 + one % 4] for one in ids]


def drawn_as_in_the_original(
    ids: Sequence[int], *, evenly: bool, share: float, seed: int
) -> list[tuple[list[int], list[int]]]:
    """Examples of blanc 0.3.4: chunks of 64 every 32, the beginnings again, masks, 10 % replaced, 10 % kept."""
    vocabulary, draw = Vocabulary(), random.Random(seed)
    chunks = []
    for start in range(0, len(ids), 32):
        chunks.append(list(ids[start : start + 64]))
        if start == 32:
            chunks.append(list(ids[:32]))
    examples = []
    for chunk in chunks:
        tokens = vocabulary.convert_ids_to_tokens(chunk)
        fit = [at for at in range(len(chunk)) if long_enough(tokens, at, (4, 2, 100))]
        if evenly:
            hidden = [[at for at in fit if at % 2 == start] for start in (0, 1)]
        else:
            draw.shuffle(fit)
            count = max(int(len(chunk) * share), 1)
            hidden = [sorted(fit[at : at + count]) for at in range(0, len(fit), count)]
        for places in hidden:
            if not places:
                continue
            shown = [101, *chunk, 102]
            labels = [-100] * len(shown)
            for at in places:
                labels[at + 1] = chunk[at]
                chance = draw.random()
                if chance < 0.1:
                    shown[at + 1] = draw.randint(1000, 29999)
                elif chance >= 0.2:
                    shown[at + 1] = 103
            examples.append((shown, labels))
    return examples


@pytest.mark.parametrize("evenly", [True, False])
def test_blanc_tune_draws_what_the_original_draws(evenly: bool) -> None:
    ids = [1000 + (at * 37) % 5000 for at in range(150)]
    how = Tuning(10, evenly, Evenly(2, 1, Shortest()), 0.15, 1)
    expected = drawn_as_in_the_original(ids, evenly=evenly, share=0.15, seed=1)
    made = _examples(Vocabulary(), ids, how)
    assert made == expected
    replaced = [
        (a, b)
        for shown, labels in made
        for a, b in zip(shown, labels, strict=True)
        if b != -100 and a not in (103, b)
    ]
    assert replaced


def trained(network: Any, examples: Any, epochs: int, seed: int) -> Any:
    """AdamW with decay where there is no bias and no LayerNorm, a rate that falls linearly from 5e-5 to 0."""
    import copy

    import torch
    from transformers import get_linear_schedule_with_warmup

    torch.manual_seed(seed)
    model = copy.deepcopy(network).train()
    groups: dict[bool, list[Any]] = {True: [], False: []}
    for name, parameter in model.named_parameters():
        groups["bias" in name or "LayerNorm.weight" in name].append(parameter)
    optimizer = torch.optim.AdamW(
        [
            {"params": groups[False], "weight_decay": 0.01},
            {"params": groups[True], "weight_decay": 0.0},
        ],
        lr=5e-5,
        eps=1e-8,
    )
    schedule = get_linear_schedule_with_warmup(optimizer, 0, epochs * len(examples))
    for _ in range(epochs):
        for ids, labels in examples:
            optimizer.zero_grad()
            model(input_ids=torch.tensor([ids]), labels=torch.tensor([labels])).loss.backward()
            optimizer.step()
            schedule.step()
    return model.eval()


def test_blanc_tune_trains_a_copy_and_leaves_the_model_alone() -> None:
    import torch

    tokenizer, model = tokenizer_of("masked"), network_of("masked", "AutoModelForMaskedLM")
    before = {name: value.clone() for name, value in model.state_dict().items()}
    ids = tokenizer(SUMMARY, add_special_tokens=False)["input_ids"]
    how = Tuning(3, True, Evenly(2, 1, Shortest()), 0.15, 5)
    learned = tuned(model, tokenizer, ids, how, "cpu")
    expected = trained(model, _examples(tokenizer, ids, how), 3, 5).state_dict()
    for name, value in learned.state_dict().items():
        assert torch.allclose(value, expected[name], atol=1e-7), name
    assert any(not torch.equal(before[name], value) for name, value in expected.items())
    assert all(torch.equal(before[name], value) for name, value in model.state_dict().items())


def test_blanc_tune_compares_guesses_before_and_after(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[Any] = []

    def predictions(self: MaskedLM, inputs: Any) -> Any:
        calls.append([(list(ids), list(places)) for ids, places in inputs])
        # Before: always wrong. After: right at every second place.
        if len(calls) == 1:
            return [np.array([-1 for _ in places]) for _, places in inputs]
        answers = iter(answered)
        return [np.array([next(answers) for _ in places]) for _, places in inputs]

    tokenizer = tokenizer_of("masked")
    answered: list[int] = []
    for sentence in REPEATING:
        tokens = tokenizer.tokenize(sentence)
        for start in (0, 1):
            for at in range(start, len(tokens), 2):
                if long_enough(tokens, at, (4, 2, 100)):
                    right = len(answered) % 2 == 0
                    answered.append(tokenizer.convert_tokens_to_ids(tokens[at]) if right else -1)
    monkeypatch.setattr(MaskedLM, "predictions", predictions)
    metric = make("blanc", blanc_type="blanc_tune", finetune_epochs=1)
    made = metric.score(SUMMARY, [" ".join(REPEATING)])["blanc_tune"]
    assert calls[0] == calls[1]
    # The document's sentences stand alone: no summary, no dots.
    lengths = {len(tokenizer.tokenize(sentence)) + 2 for sentence in REPEATING}
    assert {len(ids) for ids, _ in calls[0]} == lengths
    assert made == pytest.approx((len(answered) + 1) // 2 / len(answered))
