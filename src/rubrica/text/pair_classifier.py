"""Sequence classifiers on pairs of texts (entailment, support, regression): logits per pair."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from rubrica.text.cache import Matrix
from rubrica.text.model import Model

Truncation = Literal["longest_first", "only_first", "only_second"]


class PairClassifier(Model):
    """The logits of `AutoModelForSequenceClassification` for pairs of texts, or for single texts."""

    auto_class = "AutoModelForSequenceClassification"

    def logits(
        self,
        pairs: Sequence[tuple[str, str | None]],
        *,
        longest: int | None = None,
        truncation: Truncation = "longest_first",
    ) -> list[NDArray[np.float64]]:
        """A row of logits for each pair; pairs longer than `longest` tokens are cut, with a warning."""
        if not pairs:
            return []
        limit = min(self.limit, longest) if longest is not None else self.limit
        distinct = list(dict.fromkeys(pairs))
        inputs = self._inputs(distinct, limit, truncation)
        results = self.results(
            self._view(),
            [sorted(one.items()) for one in inputs],
            [len(one["input_ids"]) for one in inputs],
            lambda places: self._forward([inputs[at] for at in places]),
            what="pairs",
        )
        by_pair = dict(zip(distinct, results, strict=True))
        return [by_pair[pair][0].astype(np.float64) for pair in pairs]

    def _view(self) -> str:
        return "logits"

    def _inputs(
        self, pairs: Sequence[tuple[str, str | None]], limit: int, truncation: Truncation
    ) -> list[dict[str, list[int]]]:
        made = [self._input(pair, truncation=False) for pair in pairs]
        long = [at for at, one in enumerate(made) if len(one["input_ids"]) > limit]
        self.warn_of_cut(len(long), len(pairs), limit)
        for at in long:
            cut: Any = truncation
            if pairs[at][1] is None:
                cut = True
            elif truncation != "longest_first" and self._other_fills(pairs[at], truncation, limit):
                # What must stay whole is too long by itself.
                cut = "longest_first"
            made[at] = self._input(pairs[at], truncation=cut, max_length=limit)
        return made

    def _other_fills(
        self, pair: tuple[str, str | None], truncation: Truncation, limit: int
    ) -> bool:
        whole = pair[1] if truncation == "only_first" else pair[0]
        ids = self.tokenizer(whole, add_special_tokens=False, verbose=False)["input_ids"]
        return len(ids) + int(self.tokenizer.num_special_tokens_to_add(pair=True)) >= limit

    def _input(self, pair: tuple[str, str | None], **options: Any) -> dict[str, list[int]]:
        made = self.tokenizer(pair[0], pair[1], verbose=False, **options)
        return {name: list(made[name]) for name in ("input_ids", "token_type_ids") if name in made}

    def _forward(self, inputs: Sequence[dict[str, list[int]]]) -> list[Matrix]:
        rows = self.output(self.tensors(inputs)).float().cpu().numpy()
        return [rows[at : at + 1] for at in range(len(rows))]

    def tensors(self, inputs: Sequence[dict[str, list[int]]]) -> dict[str, Any]:
        """A batch, padded."""
        ids, mask = self.padded([one["input_ids"] for one in inputs])
        tensors = {"input_ids": ids, "attention_mask": mask}
        if "token_type_ids" in inputs[0]:
            tensors["token_type_ids"] = self.padded(
                [one["token_type_ids"] for one in inputs], fill=0
            )[0]
        return tensors

    def output(self, tensors: dict[str, Any]) -> Any:
        """The network's answer to a batch: a row per pair."""
        return self.network(**tensors).logits


def softmax(logits: NDArray[np.float64]) -> NDArray[np.float64]:
    """Probabilities of a row of logits."""
    raised = np.exp(logits - logits.max())
    made: NDArray[np.float64] = raised / raised.sum()
    return made
