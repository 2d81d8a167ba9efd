"""Causal language models: the log-probability of every token of a text, given what stands before it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rubrica.errors import DataError
from rubrica.neural.cache import Matrix
from rubrica.neural.checkpoint import Checkpoint
from rubrica.neural.model import Model
from rubrica.neural.running import Settings

# Tokens that are read at once. Texts with equal beginnings share whole chunks of them; since the cuts do not
# depend on the text before, sharing changes no result.
_CHUNK = 128


class CausalLM(Model):
    """A decoder such as GPT-2 or Llama. Texts start after the begin token, or the end token if there is none."""

    auto_class = "AutoModelForCausalLM"

    def __init__(self, checkpoint: Checkpoint, settings: Settings) -> None:
        super().__init__(checkpoint, settings)
        # The last text that was read, and the network's state after it.
        self._read: list[int] = []
        self._state: Any = None

    def log_likelihood(self, pairs: Sequence[tuple[str, str]]) -> list[NDArray[np.float64]]:
        """Return the log-probability of every token of the second text, given the first, for each pair.

        The first text may be empty. It is cut at its end, with a warning, where both texts are too long for the
        model; the second is cut only if it is too long by itself.
        """
        distinct = list(dict.fromkeys(pairs))
        contexts, targets = (self._ids([pair[at] for pair in distinct]) for at in (0, 1))
        start, long = self._start(), 0
        requests = []
        for context, target in zip(contexts, targets, strict=True):
            short = target[: self.limit - 1]
            room = self.limit - 1 - len(short)
            long += len(context) > room or len(target) > len(short)
            requests.append(([start, *context[:room]], short))
        self.warn_of_cut(long, len(distinct), self.limit)
        results = self.results(
            "causal-log-likelihood",
            requests,
            # By the length of the context, so that texts with the same one come together.
            [len(context) for context, _ in requests],
            lambda places: [self._likelihoods(*requests[at]) for at in places],
            what="texts",
        )
        by_pair = dict(zip(distinct, results, strict=True))
        return [by_pair[pair][0].astype(np.float64) for pair in pairs]

    def logits_after(self, ids: Sequence[int], place: int) -> Any:
        """Return the logits of the tokens that may follow, after the token at `place` and each later one."""
        from torch import cat, tensor

        shared = self._shared_chunks(ids[: place + 1])
        logits = []
        for begin in range(shared * _CHUNK, len(ids), _CHUNK):
            chunk = list(ids[begin : begin + _CHUNK])
            positions = max(1, begin + len(chunk) - max(place, begin))
            output = self.network(
                tensor([chunk], device=self.settings.resolved_device()),
                past_key_values=self._state,
                use_cache=True,
                logits_to_keep=positions,
            )
            self._state = output.past_key_values
            if begin + len(chunk) > place:
                logits.append(output.logits[0])
        self._read = list(ids) if _can_be_cropped(self._state) else []
        return cat(logits).float()

    def _shared_chunks(self, ids: Sequence[int]) -> int:
        """Shorten the state to the chunks that these ids share with the last text; return how many they are."""
        shared, most = 0, (min(len(ids), len(self._read)) - 1) // _CHUNK
        while shared < most and self._same_chunk(ids, shared):
            shared += 1
        if shared:
            # Negative: how many tokens to remove.
            self._state.crop(shared * _CHUNK - len(self._read))
        else:
            self._state = None
        self._read = []
        return shared

    def _same_chunk(self, ids: Sequence[int], number: int) -> bool:
        part = slice(number * _CHUNK, (number + 1) * _CHUNK)
        return list(ids[part]) == self._read[part]

    def release(self) -> None:
        """Free the network, its state, tokenizer and results."""
        self._read, self._state = [], None
        super().release()

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "_read": [], "_state": None}

    def _likelihoods(self, context: Sequence[int], target: Sequence[int]) -> Matrix:
        from torch import log_softmax, tensor

        if not target:
            return np.zeros((1, 0), dtype=np.float32)
        logits = self.logits_after([*context, *target[:-1]], len(context) - 1)
        labels = tensor(list(target), device=logits.device).unsqueeze(-1)
        rows: Matrix = log_softmax(logits, -1).gather(-1, labels).T.cpu().numpy()
        return rows

    def _ids(self, texts: Sequence[str]) -> list[list[int]]:
        if not texts:
            return []
        rows = self.tokenizer(
            list(texts), add_special_tokens=False, truncation=False, verbose=False
        )
        return [list(ids) for ids in rows["input_ids"]]

    def _start(self) -> int:
        for token in (self.tokenizer.bos_token_id, self.tokenizer.eos_token_id):
            if token is not None:
                return int(token)
        raise DataError(
            "the tokenizer has neither a begin nor an end token, so the first token has no probability",
            file=str(self.checkpoint.folder),
        )


def _can_be_cropped(state: Any) -> bool:
    """Return whether the state holds every token; that of a sliding window or of a recurrent network does not."""
    layers = getattr(state, "layers", ())
    return bool(layers) and all(
        type(layer).__name__ == "DynamicLayer" and not getattr(layer, "is_sliding", False)
        for layer in layers
    )
