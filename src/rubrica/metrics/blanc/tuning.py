"""BLANC-tune's training: a copy of the model learns the summary by guessing its hidden tokens."""

from __future__ import annotations

import copy
import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rubrica.metrics.blanc.masking import Evenly, even_maskings, random_maskings, with_gaps
from rubrica.neural.pieces import pieces
from rubrica.neural.running import import_torch

CHUNK, STRIDE = 64, 32
LEARNING_RATE = 5e-5
REPLACED_SHARE, UNCHANGED_SHARE = 0.1, 0.1
# The tokens that the original samples from: ordinary tokens of BERT's vocabulary.
_DRAWN = range(1000, 30000)
_IGNORED = -100


@dataclass(frozen=True, slots=True)
class Tuning:
    """How the copy is trained."""

    epochs: int
    # Hidden tokens are spread evenly, or a share of them at random.
    evenly: bool
    hidden: Evenly
    share: float
    seed: int


def tuned(network: Any, tokenizer: Any, summary: Sequence[int], how: Tuning, device: str) -> Any:
    """Return a copy of the network, trained on the summary's tokens; the network itself stays as it is."""
    torch = import_torch()
    with torch.inference_mode(False), torch.enable_grad(), torch.random.fork_rng():
        torch.manual_seed(how.seed)
        model = copy.deepcopy(network).to(device)
        for parameter in model.parameters():
            parameter.requires_grad_(True)
        examples = _examples(tokenizer, summary, how)
        if examples:
            _train(torch, model, examples, how.epochs, device)
        return model.eval()


def _train(torch: Any, model: Any, examples: Any, epochs: int, device: str) -> None:
    model.train()
    plain = ("bias", "LayerNorm.weight")
    groups = [
        {
            "params": [
                p for n, p in model.named_parameters() if any(w in n for w in plain) is bare
            ],
            "weight_decay": 0.0 if bare else 1e-2,
        }
        for bare in (False, True)
    ]
    optimizer = torch.optim.AdamW(groups, lr=LEARNING_RATE, eps=1e-8)
    steps = len(examples) * epochs
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: max(0.0, 1 - step / steps))
    for _ in range(epochs):
        for ids, labels in examples:
            optimizer.zero_grad()
            output = model(
                input_ids=torch.tensor([ids], device=device),
                labels=torch.tensor([labels], device=device),
            )
            output.loss.backward()
            optimizer.step()
            schedule.step()


def _examples(
    tokenizer: Any, summary: Sequence[int], how: Tuning
) -> list[tuple[list[int], list[int]]]:
    """Return chunks of the summary with hidden tokens, and the labels to predict."""
    draw = random.Random(how.seed)
    chunks = []
    for start in range(0, len(summary), STRIDE):
        chunks.append(summary[start : start + CHUNK])
        # Otherwise the first tokens would be in fewer chunks than the others.
        if 0 < start < CHUNK:
            chunks.append(summary[:start])
    ordinary: Sequence[int] = _DRAWN
    if len(tokenizer) < _DRAWN.stop:
        # Another vocabulary than BERT's: the original fails.
        special = set(tokenizer.all_special_ids)
        ordinary = [token for token in range(len(tokenizer)) if token not in special]
    frame = {"cls": tokenizer.cls_token_id, "sep": tokenizer.sep_token_id}
    examples = []
    for chunk in chunks:
        known = pieces(tokenizer, chunk)
        maskings = (
            even_maskings(known, how.hidden)
            if how.evenly
            else random_maskings(known, how.share, how.hidden.shortest, draw)
        )
        for hidden in maskings:
            gaps = with_gaps((), chunk, hidden, **frame, mask=tokenizer.mask_token_id)
            labels = [_IGNORED] * len(gaps.ids)
            for place, answer in zip(gaps.places, gaps.answers, strict=True):
                labels[place] = answer
                chance = draw.random()
                if chance < REPLACED_SHARE:
                    gaps.ids[place] = draw.choice(ordinary)
                elif chance < REPLACED_SHARE + UNCHANGED_SHARE:
                    gaps.ids[place] = answer
            examples.append((gaps.ids, labels))
    return examples
