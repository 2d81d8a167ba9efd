"""Sequence classifiers on pairs of texts (entailment, support, regression): logits per pair."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from rubrica.neural.classifier import SequenceClassifier, TokenInput

Truncation = Literal["longest_first", "only_first", "only_second"]


class PairClassifier(SequenceClassifier):
    """The logits of a sequence classifier for pairs of texts, or for single texts."""

    def logits(
        self,
        pairs: Sequence[tuple[str, str | None]],
        *,
        longest: int | None = None,
        truncation: Truncation = "longest_first",
    ) -> list[NDArray[np.float64]]:
        """Return a row of logits for each pair; pairs of more than `longest` tokens are cut with a warning."""
        if not pairs:
            return []
        limit = self._limit(longest)
        distinct = list(dict.fromkeys(pairs))
        rows = self.logits_of(self._inputs(distinct, limit, truncation))
        by_pair = dict(zip(distinct, rows, strict=True))
        return [by_pair[pair] for pair in pairs]

    def _limit(self, longest: int | None) -> int:
        if longest is None:
            return self.limit
        if not self.config.get("position_biased_input", True):
            # DeBERTa v2 and v3 only use relative positions: their number does not limit the length.
            return min(int(self.tokenizer.model_max_length), longest)
        return min(self.limit, longest)

    def _inputs(
        self, pairs: Sequence[tuple[str, str | None]], limit: int, truncation: Truncation
    ) -> list[TokenInput]:
        inputs = [self._input(pair, truncation=False) for pair in pairs]
        long = [at for at, tokens in enumerate(inputs) if len(tokens["input_ids"]) > limit]
        self.warn_of_cut(len(long), len(pairs), limit)
        for at in long:
            cut: Any = truncation
            if pairs[at][1] is None:
                cut = True
            elif truncation != "longest_first" and self._other_fills(pairs[at], truncation, limit):
                # The text that must not be cut is too long by itself.
                cut = "longest_first"
            inputs[at] = self._input(pairs[at], truncation=cut, max_length=limit)
        return inputs

    def _other_fills(
        self, pair: tuple[str, str | None], truncation: Truncation, limit: int
    ) -> bool:
        uncut = pair[1] if truncation == "only_first" else pair[0]
        ids = self.tokenizer(uncut, add_special_tokens=False, verbose=False)["input_ids"]
        return len(ids) + int(self.tokenizer.num_special_tokens_to_add(pair=True)) >= limit

    def _input(self, pair: tuple[str, str | None], **options: Any) -> TokenInput:
        encoding = self.tokenizer(pair[0], pair[1], verbose=False, **options)
        return {
            name: list(encoding[name])
            for name in ("input_ids", "token_type_ids")
            if name in encoding
        }


def softmax(logits: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the probabilities of a row of logits."""
    exponentials = np.exp(logits - logits.max())
    shares: NDArray[np.float64] = exponentials / exponentials.sum()
    return shares
