"""REALSumm's metrics: their short names, their keys in its score dicts, and the models they mean."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rubrica.errors import DataError
from rubrica.metrics.base.metric import Metric
from rubrica.signature import parse_signature

# Short names of REALSumm's scorer. `rouge` is -n 2 -m with ROUGE-L.
SHORT_NAMES: Mapping[str, Mapping[str, Any]] = {
    "rouge": {"type": "rouge", "max_ngram": 2, "compute_rouge_l": True},
    "js2": {"type": "js", "ngram_orders": [2]},
    "rwe": {"type": "rouge-we", "max_ngram": 1},
    "bertscore": {"type": "bertscore"},
    "moverscore": {"type": "moverscore"},
    "wms": {"type": "wms"},
    "sms": {"type": "sms"},
}


@dataclass(frozen=True, slots=True)
class OriginalModel:
    """The model of a metric in REALSumm: a short description, and what its signature must say.

    A required value matches the last part of a path: `/data/deps.words` is `deps.words`.
    """

    description: str
    how_to_use: str
    required: Mapping[str, str] = field(default_factory=dict)

    def matches(self, parameters: Mapping[str, str]) -> bool:
        """Whether the parts of a signature say that this model was used."""
        return all(
            parameters.get(name, "").rpartition("/")[2] == value
            for name, value in self.required.items()
        )


_SPACY_VECTORS = OriginalModel(
    "the GloVe vectors of spaCy's en_core_web_md",
    "embeddings=en_core_web_md.vec (its vectors as a text file)",
    {"embeddings": "en_core_web_md.vec"},
)
ORIGINAL_MODELS: Mapping[str, OriginalModel] = {
    "bertscore": OriginalModel(
        "roberta-large, rescaled with its baseline",
        "lang=en,rescale_with_baseline=true",
        {"model_type": "roberta-large", "rescale_with_baseline": "yes"},
    ),
    "moverscore": OriginalModel(
        "distilbert-base-uncased",
        "model_type=distilbert-base-uncased",
        {"model_type": "distilbert-base-uncased"},
    ),
    "rouge-we": OriginalModel(
        "the dependency-based vectors deps.words",
        "embeddings=deps.words",
        {"embeddings": "deps.words"},
    ),
    "wms": _SPACY_VECTORS,
    "sms": _SPACY_VECTORS,
}
# Our measures under the keys of REALSumm's score dicts, and the factor between the values.
KEYS: Mapping[str, tuple[str, float]] = {
    **{
        f"rouge-{n}.{part}": (f"rouge_{n}_{key}", 0.01)
        for n in ("1", "2", "l")
        for part, key in (("recall", "recall"), ("precision", "precision"), ("f1", "f_score"))
    },
    **{
        f"bertscore.{part}": (f"bert_{key}_score", 1.0)
        for part, key in (("recall", "recall"), ("precision", "precision"), ("f1", "f"))
    },
    "MoverScore": ("mover_score", 1.0),
    "js-2": ("js-2", 1.0),
    "rouge-we-1.f1": ("rouge_1_we", 1.0),
}
# The metric whose model a measure depends on.
_METRIC_OF = {
    **{name: "bertscore" for name in KEYS if name.startswith("bertscore.")},
    "MoverScore": "moverscore", "rouge-we-1.f1": "rouge-we", "wms": "wms", "sms": "sms",
}  # fmt: skip


def other_model(metric: Metric) -> str | None:
    """Return a warning if a metric of REALSumm uses another model than REALSumm did."""
    signature = metric.signature()
    original = ORIGINAL_MODELS.get(signature.name)
    if original is None or original.matches(signature.parameters):
        return None
    model = signature.parameters.get("model_type") or signature.parameters.get("embeddings", "")
    return (
        f"{signature.name} uses {model}, not REALSumm's model ({original.description}): the scores "
        f"cannot be compared with REALSumm's. To use its model: -m {signature.name},"
        f"{original.how_to_use}"
    )


def old_scores(values: Mapping[str, float], signatures: Iterable[str]) -> dict[str, float]:
    """Return measures under REALSumm's keys; a key that means another model is refused."""
    parsed = [parse_signature(signature) for signature in signatures]
    scores = {}
    for name, value in values.items():
        key, factor = KEYS.get(name, (name.replace(".", "_"), 1.0))
        metric = _METRIC_OF.get(name)
        if metric is not None:
            _check_model(name, key, metric, [facts for label, facts in parsed if label == metric])
        scores[key] = value * factor
    return scores


def _check_model(name: str, key: str, metric: str, uses: Sequence[Mapping[str, str]]) -> None:
    original = ORIGINAL_MODELS[metric]
    # Imported scores have REALSumm's own names, and no signature.
    if all(map(original.matches, uses)) if uses else key == name:
        return
    raise DataError(
        f"{key!r} in REALSumm's dicts means {original.description}; the table's {name} comes from "
        f"another model. Score again with -m {metric},as=NAME, which exports it under NAME"
    )
