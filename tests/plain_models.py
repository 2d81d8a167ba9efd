"""Plain, slow computations on the small random checkpoints, and the texts that tests of metrics with models share."""

from __future__ import annotations

from typing import Any

import numpy as np

from neural_samples import neural_parameters
from rubrica.metrics import Metric
from tiny_models import checkpoint

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
