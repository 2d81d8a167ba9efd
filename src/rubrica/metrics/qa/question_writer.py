"""QAEval's question generator: the beam search its model was released with, and that of transformers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rubrica.errors import DataError
from rubrica.neural.running import import_torch
from rubrica.neural.seq2seq import Seq2Seq


class QuestionWriter(Seq2Seq):
    """A BART that writes questions as QAEval's program does.

    The decoder begins with the begin token alone; ended questions keep their place in the beam; the sum
    of log-probabilities decides, not their mean. The place after the begin token stays empty: the program
    counts the positions of what it wrote from 2 on, though the model learned them from 1.
    """

    def _write(self, inputs: Sequence[list[int]], new_tokens: int, beams: int) -> list[str]:
        torch = import_torch()
        config = self.network.config
        if getattr(config, "bos_token_id", None) is None:
            raise DataError(
                "has no begin token, which QAEval's search starts from: not a BART; use --decoding transformers",
                file=str(self.checkpoint.folder),
            )
        end, count = config.eos_token_id, len(inputs)
        ids, mask = self.padded(inputs)
        encoded = self.network.get_encoder()(input_ids=ids, attention_mask=mask).last_hidden_state
        begin = torch.full((count, 1), config.bos_token_id, device=ids.device)
        attention = torch.ones_like(begin)
        steps, memory = self._log_shares(encoded, mask, begin, attention, None)
        totals, tokens = steps.topk(beams, dim=-1)
        sequences = tokens.unsqueeze(-1)
        encoded, mask, attention = (
            tensor.repeat_interleave(beams, dim=0) for tensor in (encoded, mask, attention)
        )
        memory.batch_repeat_interleave(beams)
        ended = torch.full((steps.shape[-1],), float("-inf"), device=ids.device)
        ended[end] = 0.0
        rows = torch.arange(count, device=ids.device).unsqueeze(-1) * beams
        # The unused position, once before the first generated token.
        decoder_ids = torch.full((count * beams, 1), config.pad_token_id, device=ids.device)
        attention = torch.cat([attention, torch.zeros_like(decoder_ids)], dim=1)
        for _ in range(new_tokens - 1):
            last = sequences[:, :, -1].reshape(-1, 1)
            if bool((last == end).all()):
                break
            decoder_ids = torch.cat([decoder_ids, last], dim=1)
            attention = torch.cat([attention, torch.ones_like(last)], dim=1)
            steps, memory = self._log_shares(encoded, mask, decoder_ids, attention, memory)
            decoder_ids = decoder_ids[:, :0]
            added, tokens = torch.where(last == end, ended, steps).topk(beams, dim=-1)
            sums = (totals.reshape(-1, 1) + added).reshape(count, -1)
            totals, top = sums.topk(beams, dim=-1)
            memory.reorder_cache((rows + top // beams).reshape(-1))
            before = (top // beams).unsqueeze(-1).expand(-1, -1, sequences.shape[-1])
            after = tokens.reshape(count, -1).gather(1, top).unsqueeze(-1)
            sequences = torch.cat([sequences.gather(1, before), after], dim=-1)
        best = sequences[torch.arange(count), totals.argmax(dim=-1)].tolist()
        return [self._text(row, end) for row in best]

    def _log_shares(
        self, encoded: Any, mask: Any, decoder_ids: Any, attention: Any, memory: Any
    ) -> tuple[Any, Any]:
        """Return log-probabilities of the next token, and the decoder's key-value cache."""
        from transformers.modeling_outputs import BaseModelOutput

        output = self.network(
            encoder_outputs=BaseModelOutput(last_hidden_state=encoded),
            attention_mask=mask,
            decoder_input_ids=decoder_ids,
            decoder_attention_mask=attention,
            past_key_values=memory,
            use_cache=True,
        )
        return output.logits[:, -1].float().log_softmax(-1), output.past_key_values

    def _text(self, row: Sequence[int], end: int) -> str:
        ids = list(row)
        while ids and ids[-1] == end:
            ids.pop()
        text: str = self.tokenizer.decode(ids, clean_up_tokenization_spaces=True)
        return text.strip()
