"""Sequence classifiers and regressors on token ids: a row of values per input."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rubrica.errors import DataError
from rubrica.neural.cache import Matrix
from rubrica.neural.model import Model
from rubrica.neural.running import import_torch

# `input_ids`, and `token_type_ids` where the model reads them.
TokenInput = Mapping[str, Sequence[int]]


class SequenceClassifier(Model):
    """The logits of `AutoModelForSequenceClassification` for inputs that are tokens already."""

    auto_class = "AutoModelForSequenceClassification"

    def logits_of(
        self, inputs: Sequence[TokenInput], *, what: str = "pairs"
    ) -> list[NDArray[np.float64]]:
        """Return a row of logits for each input; equal inputs are computed once."""
        results = self.results(
            self._view(),
            [sorted(tokens.items()) for tokens in inputs],
            [len(tokens["input_ids"]) for tokens in inputs],
            lambda places: self._forward([inputs[at] for at in places]),
            what=what,
        )
        return [row[0].astype(np.float64) for row in results]

    def framed(self, first: Sequence[int], second: Sequence[int]) -> TokenInput:
        """Return `[CLS] first [SEP] second [SEP]` with the types of BERT's two segments."""
        cls, sep = self.special_ids("cls", "sep")
        ids = [cls, *first, sep, *second, sep]
        types = [0] * (len(first) + 2) + [1] * (len(second) + 1)
        return {"input_ids": ids, "token_type_ids": types}

    def bare_ids(self, texts: Sequence[str]) -> list[list[int]]:
        """Return the token ids of each text without special tokens."""
        if not texts:
            return []
        rows = self.tokenizer(list(texts), add_special_tokens=False, verbose=False)["input_ids"]
        return [list(ids) for ids in rows]

    def tensors(self, inputs: Sequence[TokenInput]) -> dict[str, Any]:
        """Return a padded batch."""
        ids, mask = self.padded([tokens["input_ids"] for tokens in inputs])
        tensors = {"input_ids": ids, "attention_mask": mask}
        if "token_type_ids" in inputs[0]:
            tensors["token_type_ids"] = self.padded(
                [tokens["token_type_ids"] for tokens in inputs], fill=0
            )[0]
        return tensors

    def output(self, tensors: dict[str, Any]) -> Any:
        """The network's answer to a batch: a row per input."""
        return self.network(**tensors).logits

    def _view(self) -> str:
        return "logits"

    def _forward(self, inputs: Sequence[TokenInput]) -> list[Matrix]:
        rows = self.output(self.tensors(inputs)).float().cpu().numpy()
        return [rows[at : at + 1] for at in range(len(rows))]


class FirstVectorRegression(SequenceClassifier):
    """An encoder with a linear layer on the vector of its first token (no pooler).

    A converted checkpoint is an encoder's folder with the layer's file beside the weights.
    """

    auto_class = "AutoModel"
    head_file: ClassVar[str]
    remedy: ClassVar[str]

    def prepared(self, network: Any) -> Any:
        """Return the encoder after loading the head from its file."""
        from safetensors.torch import load_file

        path = self.checkpoint.folder / self.head_file
        if not path.is_file():
            raise DataError(
                f"not a converted checkpoint (no {self.head_file}); run: {self.remedy}",
                file=str(self.checkpoint.folder),
            )
        head = load_file(path)
        torch = import_torch()
        dtype, device = getattr(torch, self.settings.number_type()), self.settings.resolved_device()
        self._weight, self._bias = head["weight"].to(device, dtype), head["bias"].to(device, dtype)
        return network

    def output(self, tensors: dict[str, Any]) -> Any:
        """Return the values of the head, a row per input."""
        first = self.network(**tensors).last_hidden_state[:, 0]
        return row_by_row(first, self._weight, self._bias)

    def _view(self) -> str:
        return self.head_file


def row_by_row(rows: Any, weight: Any, bias: Any) -> Any:
    """Return a linear layer's output; unlike a matrix product, it does not depend on the number of rows."""
    return (rows.unsqueeze(1) * weight).sum(-1) + bias
