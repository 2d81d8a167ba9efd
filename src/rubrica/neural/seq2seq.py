"""Sequence-to-sequence models: likelihood of a text given another, first-step probabilities, generation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rubrica.errors import DataError
from rubrica.neural.cache import Matrix
from rubrica.neural.model import Model
from rubrica.neural.running import import_transformers


class Seq2Seq(Model):
    """An encoder-decoder such as BART or T5."""

    auto_class = "AutoModelForSeq2SeqLM"

    def log_likelihood(
        self, pairs: Sequence[tuple[str, str]], *, longest: int
    ) -> list[NDArray[np.float64]]:
        """Return the log-probability of every target token given the source, for each (source, target).

        The target's tokens include the special tokens of the tokenizer.
        """
        distinct = list(dict.fromkeys(pairs))
        limit = min(self.limit, longest)
        sides = self.cut_ids([text for pair in distinct for text in pair], limit)
        inputs = list(zip(sides[::2], sides[1::2], strict=True))
        results = self.results(
            "log-likelihood",
            inputs,
            [max(len(source), len(target)) for source, target in inputs],
            lambda places: self._likelihoods([inputs[at] for at in places]),
            what="pairs",
        )
        by_pair = dict(zip(distinct, results, strict=True))
        return [by_pair[pair][0].astype(np.float64) for pair in pairs]

    def first_step(
        self, texts: Sequence[str], tokens: Sequence[int], *, longest: int, quiet: bool = False
    ) -> list[NDArray[np.float64]]:
        """Return the logits of `tokens` at the decoder's first step and the log-sum of all, for each text.

        `quiet`: do not warn of texts that are cut.
        """
        size = self.config.get("vocab_size")
        if size is not None and tokens and max(tokens) >= int(size):
            raise DataError(
                f"has {int(size):,} tokens, so no token number {max(tokens):,}: this metric does not "
                "support the model",
                file=str(self.checkpoint.folder),
            )
        distinct = list(dict.fromkeys(texts))
        inputs = self.cut_ids(distinct, min(self.limit, longest), quiet=quiet)
        results = self.results(
            f"first-step:{list(tokens)}",
            inputs,
            [len(ids) for ids in inputs],
            lambda places: self._first_steps([inputs[at] for at in places], tokens),
            what="texts",
        )
        by_text = dict(zip(distinct, results, strict=True))
        return [by_text[text][0].astype(np.float64) for text in texts]

    def generate(
        self, texts: Sequence[str], *, longest: int, new_tokens: int, beams: int = 1
    ) -> list[str]:
        """Return the text generated for each input: greedy, or the best of a beam search."""
        distinct = list(dict.fromkeys(texts))
        inputs = self.cut_ids(distinct, min(self.limit, longest))
        # The defaults of each model's search change with the version of transformers.
        generator = f"{type(self).__name__}:transformers-{import_transformers().__version__}"
        results = self.results(
            f"generate:{new_tokens}:{beams}:{generator}",
            inputs,
            [beams * len(ids) for ids in inputs],
            lambda places: [
                _matrix_of(text)
                for text in self._write([inputs[at] for at in places], new_tokens, beams)
            ],
            what="texts generated",
        )
        by_text = {text: _text_of(matrix) for text, matrix in zip(distinct, results, strict=True)}
        return [by_text[text] for text in texts]

    def cut_ids(self, texts: Sequence[str], limit: int, *, quiet: bool = False) -> list[list[int]]:
        """Return token ids, cut to the limit with a warning."""
        if not texts:
            return []
        rows = self.tokenizer(list(texts), truncation=False, verbose=False)["input_ids"]
        long = [at for at, ids in enumerate(rows) if len(ids) > limit]
        if not quiet:
            self.warn_of_cut(len(long), len(texts), limit)
        for at in long:
            rows[at] = self.tokenizer(texts[at], truncation=True, max_length=limit)["input_ids"]
        return [list(ids) for ids in rows]

    @property
    def limit(self) -> int:
        """The maximum number of tokens of a source; T5 has relative positions, so no limit."""
        config = self.config
        if config.get("model_type") in ("t5", "mt5", "umt5"):
            return 1 << 20
        return super().limit

    def _likelihoods(self, inputs: Sequence[tuple[list[int], list[int]]]) -> list[Matrix]:
        from torch import log_softmax

        ids, mask = self.padded([source for source, _ in inputs])
        labels, label_mask = self.padded([target for _, target in inputs])
        decoder_ids = labels.new_full(labels.shape, self.network.config.pad_token_id or 0)
        decoder_ids[:, 1:] = labels[:, :-1]
        decoder_ids[:, 0] = self._start()
        logits = self.network(
            input_ids=ids, attention_mask=mask, decoder_input_ids=decoder_ids
        ).logits.float()
        likelihoods = log_softmax(logits, dim=-1).gather(-1, labels.unsqueeze(-1)).squeeze(-1)
        rows = likelihoods.cpu().numpy()
        return [
            rows[at : at + 1, : int(length)] for at, length in enumerate(label_mask.sum(1).tolist())
        ]

    def _first_steps(self, inputs: Sequence[list[int]], tokens: Sequence[int]) -> list[Matrix]:
        from torch import cat

        ids, mask = self.padded(inputs)
        states = self.network.get_encoder()(input_ids=ids, attention_mask=mask).last_hidden_state
        # The number of rows multiplied at once changes the last digits: on a CPU it is always two.
        together = 2 if self.settings.resolved_device() == "cpu" else len(inputs)
        steps = []
        for at in range(0, len(inputs), together):
            steps.append(self._step(states[at : at + together], mask[at : at + together], together))
        step = cat(steps)[: len(inputs)].double()
        token_logits = step[:, list(tokens)].cpu().numpy()
        everything = step.logsumexp(-1).cpu().numpy()
        return [
            np.append(row, total)[None, :].astype(np.float32)
            for row, total in zip(token_logits, everything, strict=True)
        ]

    def _step(self, states: Any, mask: Any, count: int) -> Any:
        """Return the decoder's first logits for `count` texts; a single text is repeated."""
        if len(mask) < count:
            states, mask = states.repeat(count, 1, 1), mask.repeat(count, 1)
        start = mask.new_full((count, 1), self._start())
        output = self.network(
            encoder_outputs=(states,), attention_mask=mask, decoder_input_ids=start
        )
        return output.logits[:, 0]

    def _write(self, inputs: Sequence[list[int]], new_tokens: int, beams: int) -> list[str]:
        ids, mask = self.padded(inputs)
        output: Any = self.network.generate(
            input_ids=ids,
            attention_mask=mask,
            num_beams=beams,
            do_sample=False,
            max_new_tokens=new_tokens,
        )
        texts: list[str] = self.tokenizer.batch_decode(
            output, skip_special_tokens=True, clean_up_tokenization_spaces=True
        )
        return [text.strip() for text in texts]

    def _start(self) -> int:
        start = self.network.config.decoder_start_token_id
        if start is None:
            start = self.network.generation_config.decoder_start_token_id
        return int(start)


def _matrix_of(text: str) -> Matrix:
    """Return a text as a cacheable row of bytes; a leading 0 avoids empty rows."""
    return np.frombuffer(b"\0" + text.encode(), dtype=np.uint8).astype(np.float32)[None, :]


def _text_of(matrix: Matrix) -> str:
    return matrix[0, 1:].astype(np.uint8).tobytes().decode()
