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
        """A row of logits for each input; equal inputs are computed once."""
        results = self.results(
            self._view(),
            [sorted(one.items()) for one in inputs],
            [len(one["input_ids"]) for one in inputs],
            lambda places: self._forward([inputs[at] for at in places]),
            what=what,
        )
        return [row[0].astype(np.float64) for row in results]

    def framed(self, first: Sequence[int], second: Sequence[int]) -> TokenInput:
        """`[CLS] first [SEP] second [SEP]` with the types of BERT's two segments."""
        cls, sep = self.special_ids("cls", "sep")
        ids = [cls, *first, sep, *second, sep]
        types = [0] * (len(first) + 2) + [1] * (len(second) + 1)
        return {"input_ids": ids, "token_type_ids": types}

    def bare_ids(self, texts: Sequence[str]) -> list[list[int]]:
        """The tokens of each text, without those that frame it."""
        if not texts:
            return []
        made = self.tokenizer(list(texts), add_special_tokens=False, verbose=False)["input_ids"]
        return [list(ids) for ids in made]

    def tensors(self, inputs: Sequence[TokenInput]) -> dict[str, Any]:
        """A batch, padded."""
        ids, mask = self.padded([one["input_ids"] for one in inputs])
        tensors = {"input_ids": ids, "attention_mask": mask}
        if "token_type_ids" in inputs[0]:
            tensors["token_type_ids"] = self.padded(
                [one["token_type_ids"] for one in inputs], fill=0
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
        """The encoder, with the head kept beside it."""
        from safetensors.torch import load_file

        path = self.checkpoint.folder / self.head_file
        if not path.is_file():
            raise DataError(
                f"is no converted checkpoint (no {self.head_file}); run: {self.remedy}",
                file=str(self.checkpoint.folder),
            )
        head = load_file(path)
        torch = import_torch()
        dtype, where = getattr(torch, self.settings.number_type()), self.settings.resolved_device()
        self._weight, self._bias = head["weight"].to(where, dtype), head["bias"].to(where, dtype)
        return network

    def output(self, tensors: dict[str, Any]) -> Any:
        """A row of the layer's values."""
        first = self.network(**tensors).last_hidden_state[:, 0]
        return row_by_row(first, self._weight, self._bias)

    def _view(self) -> str:
        return self.head_file


def row_by_row(rows: Any, weight: Any, bias: Any) -> Any:
    """A linear head whose results do not depend on how many rows there are, as those of one product do."""
    return (rows.unsqueeze(1) * weight).sum(-1) + bias
