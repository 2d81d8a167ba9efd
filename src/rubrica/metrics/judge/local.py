"""A local causal language model (transformers) as a judge."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

from rubrica.metrics.judge.answers import Answer, Question, RefusedQuestionError
from rubrica.metrics.judge.responses import add_probability
from rubrica.neural.causal_lm import CausalLM
from rubrica.neural.running import import_transformers, inference

_TOP = 200


class LocalJudge(CausalLM):
    """Answers from `AutoModelForCausalLM`, with its chat template if it has one."""

    _lock = threading.Lock()

    def identity(self) -> str:
        """Return the checkpoint, the device and the number type."""
        where = self.settings.resolved_device().partition(":")[0]
        return f"{self.checkpoint.digest()} {where} {self.settings.number_type()}"

    def ask(self, question: Question, stopped: threading.Event) -> Answer:
        """Return the answer; sampled with the question's seed if the temperature is above 0."""
        # One question at a time: the model already uses the whole machine.
        with self._lock, inference(self.settings) as torch:
            ids = self._question_ids(question)
            if question.logprobs:
                return self._next_token(torch, ids)
            tokens = torch.tensor([ids], device=self.settings.resolved_device())
            with torch.random.fork_rng():
                torch.manual_seed(question.seed)
                sequences = self.network.generate(
                    tokens,
                    attention_mask=torch.ones_like(tokens),
                    generation_config=self._generation_config(question),
                )
            new = sequences[0, len(ids) :].tolist()
            text = self.tokenizer.decode(new, skip_special_tokens=True)
            ended = len(new) < question.max_tokens or new[-1] in self._ends()
            return Answer(text, {}, len(ids), len(new), cut=not ended)

    def _next_token(self, torch: Any, ids: Sequence[int]) -> Answer:
        logits = self.logits_after(ids, len(ids) - 1)[0]
        best = torch.log_softmax(logits, -1).topk(min(_TOP, logits.shape[-1]))
        texts = [self.tokenizer.decode([token]) for token in best.indices.tolist()]
        first: dict[str, float] = {}
        for text, logprob in zip(texts, best.values.tolist(), strict=True):
            add_probability(first, text, logprob)
        return Answer(texts[0], first, len(ids), 1)

    def _generation_config(self, question: Question) -> Any:
        """Return the question's settings only: a checkpoint's own top_k or penalties would change the samples."""
        sampling = {"temperature": question.temperature, "top_p": question.top_p, "top_k": 0}
        return import_transformers().GenerationConfig(
            do_sample=question.temperature > 0,
            max_new_tokens=question.max_tokens,
            eos_token_id=self._ends() or None,
            pad_token_id=self.tokenizer.pad_token_id or 0,
            **(sampling if question.temperature > 0 else {}),
        )

    def _ends(self) -> list[int]:
        """Return the tokens that end an answer: a chat model may have several."""
        known = getattr(self.network.generation_config, "eos_token_id", None)
        if known is None:
            known = self.tokenizer.eos_token_id
        return [] if known is None else [known] if isinstance(known, int) else list(known)

    def _question_ids(self, question: Question) -> list[int]:
        messages = [
            {"role": role, "content": self._escape(text)} for role, text in question.messages
        ]
        if self.tokenizer.chat_template:
            tokens = self._chat(messages)
        else:
            text = "\n\n".join(message["content"] for message in messages)
            tokens = self.tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"]
        ids = [int(token) for token in tokens]
        room = self.limit - question.max_tokens
        if len(ids) > room:
            # Never truncate: the beginning says what to judge, the end how.
            raise RefusedQuestionError(
                f"a prompt of {len(ids):,} tokens does not fit into the {self.limit:,} of "
                f"{self.checkpoint.name}, with {question.max_tokens:,} left for the answer"
            )
        return ids

    def _chat(self, messages: Sequence[dict[str, str]]) -> Sequence[int]:
        from jinja2 import TemplateError

        try:
            return self._apply_template(messages)
        except TemplateError:
            # Some templates have no system role: prepend the system prompt to the question.
            text = "\n\n".join(message["content"] for message in messages)
            return self._apply_template([{"role": "user", "content": text}])

    def _apply_template(self, messages: Sequence[dict[str, str]]) -> Sequence[int]:
        ids: Sequence[int] = self.tokenizer.apply_chat_template(
            list(messages), add_generation_prompt=True, return_dict=True
        )["input_ids"]
        return ids

    def _escape(self, text: str) -> str:
        """Return the text without the tokenizer's special tokens, so that a summary cannot end its turn."""
        for mark in sorted(self.tokenizer.all_special_tokens, key=len, reverse=True):
            if len(mark) > 1:
                text = text.replace(mark, f"{mark[0]} {mark[1:]}")
        return text
