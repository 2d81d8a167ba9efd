"""`ROUGEScore` in the manner of torchmetrics: update, compute, reset; with torch or without it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np

from rubrica.errors import MismatchError, ParameterError
from rubrica.metrics.rouge.metric import Rouge
from rubrica.metrics.rouge.non_ascii import Fallback
from rubrica.text.stem import stem_function

ROUGE_KEYS = ("rouge1", "rouge2", "rougeL", "rougeLsum")
_PARTS = {"fmeasure": "f1", "precision": "precision", "recall": "recall"}
_NAMES = {"rougeL": "rouge-l", "rougeLsum": "rouge-lsum"}


class ROUGEScore:
    """Mean precision, recall and F over all updates, in single precision as torchmetrics has them.

    Values are torch tensors where torch is imported, numpy scalars elsewhere. For rougeLsum texts are
    cut into sentences by NLTK's model, as torchmetrics does (it needs `rubrica[punkt]`; nothing is
    downloaded), or with `split_summaries=False` at line breaks. `fallback` is that of
    `rubrica.compat.rouge_score.RougeScorer`.
    """

    def __init__(
        self,
        use_stemmer: bool = False,
        normalizer: Callable[[str], str] | None = None,
        tokenizer: Callable[[str], Sequence[str]] | None = None,
        accumulate: Literal["avg", "best"] = "best",
        rouge_keys: str | Sequence[str] = ROUGE_KEYS,
        *,
        split_summaries: bool = True,
        fallback: Fallback = "words",
        **_: Any,
    ) -> None:
        keys = (rouge_keys,) if isinstance(rouge_keys, str) else tuple(rouge_keys)
        for key in keys:
            if key not in _NAMES and not re.fullmatch("rouge[1-9]", key):
                raise ParameterError(f"Got unknown rouge key {key}")
        if accumulate not in ("avg", "best"):
            raise ParameterError(f"accumulate is 'avg' or 'best', not {accumulate!r}")
        self.rouge_keys = keys
        own: dict[str, Any] = {"use_porter_stemmer": use_stemmer, "fallback": fallback}
        if normalizer is not None or tokenizer is not None:
            own = {"tokenizer": _tokens(use_stemmer, normalizer, tokenizer)}
        self._metric = Rouge(
            max((int(key[5:]) for key in keys if key not in _NAMES), default=0),
            compute_rouge_l="rougeL" in keys,
            compute_rouge_lsum="rougeLsum" in keys,
            scoring_function="max" if accumulate == "best" else "average",
            profile="torchmetrics",
            split_summaries=split_summaries and "rougeLsum" in keys,
            **own,
        )
        self._rows: list[Any] = []

    def update(self, preds: str | Sequence[str], target: str | Sequence[Any]) -> None:
        """Score more predictions; a target is a text or a list of texts for each of them."""
        texts = [preds] if isinstance(preds, str) else list(preds)
        targets: list[Any] = [target] if isinstance(target, str) else list(target)
        if isinstance(preds, str) and not isinstance(target, str):
            targets = [targets]
        if len(texts) != len(targets):
            raise MismatchError(f"{len(texts)} predictions and {len(targets)} targets")
        references = [[listed] if isinstance(listed, str) else list(listed) for listed in targets]
        self._rows += self._metric.score_all(texts, references)

    def compute(self) -> dict[str, Any]:
        """The means over all updates since the last reset."""
        return _means(self._rows, self.rouge_keys)

    def forward(self, preds: str | Sequence[str], target: str | Sequence[Any]) -> dict[str, Any]:
        """Update, and give the means of these predictions alone."""
        before = len(self._rows)
        self.update(preds, target)
        return _means(self._rows[before:], self.rouge_keys)

    __call__ = forward

    def reset(self) -> None:
        """Forget all updates."""
        self._rows = []


def _means(rows: Sequence[Any], keys: Sequence[str]) -> dict[str, Any]:
    if not rows:
        raise ParameterError("ROUGEScore: compute was called before update")
    means = {}
    for key in keys:
        name = _NAMES.get(key) or f"rouge-{key[5:]}"
        for part, ours in _PARTS.items():
            values = np.array([row[name][ours] for row in rows], dtype=np.float32)
            means[f"{key}_{part}"] = _number(values.mean(dtype=np.float32))
    return means


def _number(value: Any) -> Any:
    import sys

    torch = sys.modules.get("torch")
    return value if torch is None else torch.tensor(float(value))


def _tokens(
    stem: bool,
    normalizer: Callable[[str], str] | None,
    tokenizer: Callable[[str], Sequence[str]] | None,
) -> Callable[[str], list[str]]:
    porter = stem_function("porter-nltk")

    def tokens(text: str) -> list[str]:
        text = normalizer(text) if normalizer else re.sub("[^a-z0-9]+", " ", text.lower())
        words = tokenizer(text) if tokenizer else re.split(r"\s+", text)
        if stem:
            words = [porter(word) if len(word) > 3 else word for word in words]
        return [word for word in words if isinstance(word, str) and word]

    return tokens
