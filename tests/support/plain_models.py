"""Plain, slow computations on the small random checkpoints, and the texts that tests of metrics with models share."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from rubrica.metrics import Metric
from support.neural_samples import neural_parameters
from support.tiny_models import checkpoint

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


@cache
def tokenizer_of(kind: str) -> Any:
    from transformers import AutoTokenizer

    return AutoTokenizer.from_pretrained(checkpoint(kind))


@cache
def network_of(kind: str, auto: str) -> Any:
    """The network of a small checkpoint, shared: who changes it takes a copy."""
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


def best_span(question: str, text: str) -> tuple[str, float, float]:
    """The best answer of all windows with its share, and that of no answer: SQuAD 2's rules, one by one."""
    import torch

    tokenizer = tokenizer_of("qa")
    model = network_of("qa", "AutoModelForQuestionAnswering")
    asked = tokenizer(question, add_special_tokens=False)["input_ids"][:64]
    read = tokenizer(text, add_special_tokens=False, return_offsets_mapping=True)
    tokens, offsets = read["input_ids"], read["offset_mapping"]
    room = 384 - 3 - len(asked)
    windows = [(0, tokens[:room])]
    while windows[-1][0] + room < len(tokens):
        start = windows[-1][0] + 128
        windows.append((start, tokens[start : start + room]))

    def widest(place: int) -> int:
        around = []
        for first, inside in windows:
            left, right = place - first, first + len(inside) - 1 - place
            around.append(min(left, right) + 0.01 * len(inside) if min(left, right) >= 0 else -1)
        return around.index(max(around))

    found, nothing = [], []
    for at, (first, inside) in enumerate(windows):
        ids = [
            tokenizer.cls_token_id,
            *asked,
            tokenizer.sep_token_id,
            *inside,
            tokenizer.sep_token_id,
        ]
        types = [0] * (len(asked) + 2) + [1] * (len(inside) + 1)
        with torch.no_grad():
            made = model(torch.tensor([ids]), token_type_ids=torch.tensor([types]))
        start, end = made.start_logits[0].double().numpy(), made.end_logits[0].double().numpy()
        nothing.append(start[0] + end[0])
        before = len(asked) + 2
        for a in np.argsort(-start, kind="stable")[:20]:
            for b in np.argsort(-end, kind="stable")[:20]:
                if not before <= a <= b < before + len(inside) or b - a >= 30:
                    continue
                if widest(first + a - before) != at:
                    continue
                span = text[offsets[first + a - before][0] : offsets[first + b - before][1]]
                found.append((start[a] + end[b], " ".join(span.split())))
    found.append((min(nothing), ""))
    best: dict[str, float] = {}
    for score, said in sorted(found, key=lambda one: -one[0]):
        if said not in best and len(best) < 20:
            best[said] = score
    best.setdefault("", min(nothing))
    p = dict(zip(best, shares(np.array(list(best.values()))), strict=True))
    answer = next(said for said in best if said)
    return answer, float(p[answer]), float(p[""])
